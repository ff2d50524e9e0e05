"""Outputs that are views, inputs, marked several times, or to lie as strides say: all are right."""

import random

import numpy as np
import pytest

import mirage as mi


def draw_strides(rng, dims):
    """Of dimensions in some order, without gaps."""
    order = list(range(len(dims)))
    rng.shuffle(order)
    strides, size = [0] * len(dims), 1
    for dim in order:
        strides[dim] = size
        size *= dims[dim]
    return tuple(strides)


def draw_shape(rng, size):
    shape = []
    while size > 1 and len(shape) < 2:
        shape.append(rng.choice([factor for factor in range(2, size + 1) if size % factor == 0]))
        size //= shape[-1]
    return (*shape, size)


def draw_slice(rng, dims):
    starts = [rng.randrange(dim) for dim in dims]
    steps = [rng.choice([1, 1, 2]) for _ in dims]
    sizes = [rng.randint(1, -(-(dim - start) // step)) for dim, start, step in zip(dims, starts, steps)]
    return starts, sizes, steps


def add_operation(rng, graph, tensor, value):
    """One more tensor, and what it is."""
    kind = rng.choice(["exp", "neg", "reshape", "reshape", "permute", "permute", "slice", "broadcast"])
    if kind == "exp":
        return graph.exp(tensor), np.exp(value)
    if kind == "neg":
        return graph.neg(tensor), -value
    if kind == "reshape":
        shape = draw_shape(rng, value.size)
        return graph.reshape(tensor, shape), value.reshape(shape)
    if kind == "permute":
        order = rng.sample(range(value.ndim), value.ndim)
        return graph.permute(tensor, order), value.transpose(order)
    if kind == "slice":
        starts, sizes, steps = draw_slice(rng, value.shape)
        index = tuple(slice(start, start + (size - 1) * step + 1, step)
                      for start, size, step in zip(starts, sizes, steps))
        return graph.slice(tensor, starts, sizes, steps), value[index]
    shape = tuple(rng.choice([2, 3]) if dim == 1 else dim for dim in value.shape)
    return graph.broadcast(tensor, shape), np.broadcast_to(value, shape)


@pytest.mark.parametrize("seed", range(24))
def test_outputs_of_random_views(graph, seed):
    rng = random.Random(seed)
    dims = tuple(rng.choice([1, 2, 3, 4, 6]) for _ in range(rng.randint(1, 3)))
    given = np.random.RandomState(seed).uniform(-1, 1, dims).astype(np.float32)
    values = [(graph.new_input(dims, dtype=mi.float32), given)]
    for _ in range(rng.randint(1, 5)):
        values.append(add_operation(rng, graph, *rng.choice(values[-2:])))
    expected = []
    for tensor, value in rng.choices(values, k=rng.randint(1, 3)):
        for _ in range(rng.randint(1, 3)):
            graph.mark_output(tensor, strides=rng.choice([None, draw_strides(rng, value.shape)]))
            expected.append(value)
    for found, value in zip(graph([given]), expected):
        np.testing.assert_allclose(np.asarray(found), value, rtol=1e-4, atol=1e-5)


def mark_with(graph, view, strides):
    for wanted in strides:
        graph.mark_output(view, strides=wanted)


@pytest.mark.parametrize("strides", [[(1, 2), None], [None, (1, 2)], [(1, 2), None, (1, 2), (6, 1)]])
def test_view_marked_twice_with_strides(graph, strides):
    given = np.arange(12, dtype=np.float32).reshape(4, 3) / 12
    x = graph.new_input((4, 3), dtype=mi.float32)
    mark_with(graph, graph.reshape(graph.exp(x), (2, 6)), strides)
    for found in graph([given]):
        np.testing.assert_allclose(np.asarray(found), np.exp(given).reshape(2, 6), rtol=1e-5)


@pytest.mark.parametrize("strides", [[(1, 4), None], [None, (1, 4)]])
def test_identity_marked_twice_with_strides(graph, strides):
    given = np.arange(12, dtype=np.float32).reshape(4, 3) / 12
    x = graph.new_input((4, 3), dtype=mi.float32)
    mark_with(graph, graph.permute(graph.exp(x), (0, 1)), strides)
    for found in graph([given]):
        np.testing.assert_allclose(np.asarray(found), np.exp(given), rtol=1e-5)


@pytest.mark.parametrize("is_view_first", [True, False])
def test_view_marked_beside_its_root(graph, is_view_first):
    given = np.arange(12, dtype=np.float32).reshape(4, 3) / 12
    x = graph.new_input((4, 3), dtype=mi.float32)
    y = graph.exp(x)
    marks = [(y.T, None), (y, (1, 4))]
    for tensor, strides in marks if is_view_first else reversed(marks):
        graph.mark_output(tensor, strides=strides)
    for found in graph([given]):
        expected = np.exp(given).T if found.shape == (3, 4) else np.exp(given)
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-5)


@pytest.mark.parametrize("exponent", [1, 0])
def test_powers_that_are_no_steps_are_values(graph, rng, exponent):
    """x ** 1 changes nothing, and is an output as x ** 2 is: alone, beside its operand, and where none is marked."""
    given = rng.uniform(-1, 1, (4, 8)).astype(np.float32)
    x = graph.new_input((4, 8), dtype=mi.float32)
    power = x ** exponent
    assert power is not x and power.number != x.number
    np.testing.assert_array_equal(np.asarray(graph([given])[0]), given ** exponent)
    graph.mark_output(x)
    graph.mark_output(power)
    graph.mark_output(graph.pow(power, 1))
    for found, expected in zip(graph([given]), (given, given ** exponent, given ** exponent)):
        np.testing.assert_array_equal(np.asarray(found), expected)


def test_first_powers_beside_other_outputs(graph, rng):
    """None is marked: what no operator takes is an output, and the power is, too."""
    given = rng.uniform(-1, 1, (4, 8)).astype(np.float16)
    x = graph.new_input((4, 8))
    graph.exp(x)
    graph.pow(x, 1.0)
    found = graph([given])
    assert len(found) == 2
    np.testing.assert_array_equal(np.asarray(found[1]), given)
    assert graph.superoptimize(measure=False)([given])[1].tolist() == given.tolist()


def test_first_powers_of_tiles(graph, rng):
    given = rng.uniform(-1, 1, (64, 64)).astype(np.float16)
    x = graph.new_input((64, 64))
    block = mi.new_threadblock_graph((4, 1, 1), (128, 1, 1), 1)
    power = block.new_input(x, (0, -1, -1), -1) ** 1
    assert power.dtype == mi.float32
    block.new_output(power, (0, -1, -1))
    graph.mark_output(graph.customized([x], block)[0])
    np.testing.assert_array_equal(np.asarray(graph([given])[0]), given)

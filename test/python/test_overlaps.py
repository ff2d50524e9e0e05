"""Whether outputs share elements with other tensors: what lies between elements may be somebody else's."""

import itertools
import random

import numpy as np
import pytest

import mirage as mi
from mirage.overlaps import Extent, share_element


def find_bytes(extent):
    starts = [extent.address + sum(i * stride for i, stride in zip(index, extent.strides))
              for index in itertools.product(*map(range, extent.shape))]
    return {start + byte for start in starts for byte in range(extent.itemsize)}


def draw_extent(rng):
    rank = rng.randint(0, 3)
    return Extent(1000 + rng.randint(0, 60), tuple(rng.randint(1, 5) for _ in range(rank)),
                  tuple(rng.randint(-24, 24) for _ in range(rank)), rng.choice([1, 2, 4]))


def test_any_strides():
    rng = random.Random(0)
    found = set()
    for _ in range(3000):
        one, other = draw_extent(rng), draw_extent(rng)
        shares = bool(find_bytes(one) & find_bytes(other))
        assert share_element(one, other) == shares == share_element(other, one)
        begin, end = one.find_range()
        assert (min(find_bytes(one)), max(find_bytes(one)) + 1) == (begin, end)
        meets = begin < other.find_range()[1] and other.find_range()[0] < end
        found.add((shares, meets))
    assert found == {(True, True), (False, True), (False, False)}


def extent_of(array):
    return Extent(array.ctypes.data, array.shape, array.strides, array.itemsize)


@pytest.mark.parametrize("halves", [
    lambda whole: (whole[:, ::2], whole[:, 1::2]), lambda whole: (whole[:, :4096], whole[:, 4096:]),
    lambda whole: (whole[::2], whole[1::2]), lambda whole: (whole[::2, 1::3], whole[::2, ::3])],
    ids=["columns", "sides", "rows", "lattices"])
def test_large_tensors_are_decided(halves):
    whole = np.empty((2048, 8192), np.float16)
    one, other = halves(whole)
    assert share_element(extent_of(one), extent_of(other)) is False
    assert share_element(extent_of(one), extent_of(whole)) is True


def hard_extent(address):
    primes = (1009, 1013, 1019, 1021, 1031, 1033, 1039)
    return Extent(address, (60,) * len(primes), primes, 1)


def test_what_would_take_too_long_is_not_decided():
    assert share_element(hard_extent(0), hard_extent(200_000)) is None


@pytest.fixture
def two_outputs(graph):
    """exp and square, every other column or half of each row of a buffer of 32 columns."""
    def build(strides):
        x = graph.new_input(dims=(8, 16), dtype=mi.float32)
        graph.mark_output(graph.exp(x), strides=strides)
        graph.mark_output(graph.square(x), strides=strides)
        return graph

    return build


@pytest.mark.parametrize("strides, halves", [
    ((32, 2), lambda whole: [whole[:, ::2], whole[:, 1::2]]),
    ((32, 1), lambda whole: [whole[:, :16], whole[:, 16:]]),
    ((32, 1), lambda whole: [whole[:, 16:], whole[:, :16]])], ids=["columns", "sides", "sides_turned"])
@pytest.mark.parametrize("is_torch", [False, True], ids=["numpy", "torch"])
def test_outputs_side_by_side(two_outputs, rng, strides, halves, is_torch):
    given = rng.uniform(-1, 1, (8, 16)).astype(np.float32)
    whole = np.full((8, 32), np.nan, np.float32)
    if is_torch:
        torch = pytest.importorskip("torch")
        out = two_outputs(strides)([torch.from_numpy(given)], out=halves(torch.from_numpy(whole)))
    else:
        out = two_outputs(strides)([given], out=halves(whole))
    for found, half, expected in zip(out, halves(whole), (np.exp(given), given * given)):
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-4)
        np.testing.assert_array_equal(np.asarray(found), half)
    assert np.isfinite(whole).all()


def test_an_output_beside_its_input(graph, rng):
    x = graph.new_input(dims=(8, 16), strides=(32, 1), dtype=mi.float32)
    graph.mark_output(graph.exp(x), strides=(32, 1))
    whole = rng.uniform(-1, 1, (8, 32)).astype(np.float32)
    before = whole.copy()
    graph([whole[:, :16]], out=[whole[:, 16:]])
    np.testing.assert_array_equal(whole[:, :16], before[:, :16])
    np.testing.assert_allclose(whole[:, 16:], np.exp(before[:, :16]), rtol=1e-4)


def test_outputs_that_share_an_element(two_outputs, rng):
    given = rng.uniform(-1, 1, (8, 16)).astype(np.float32)
    whole = np.zeros((8, 34), np.float32).reshape(-1)
    program = two_outputs((32, 1))
    one, other = (np.lib.stride_tricks.as_strided(whole[start:], (8, 16), (128, 4)) for start in (0, 15))
    with pytest.raises(mi.RunError, match="output output1: expects memory of its own"):
        program([given], out=[one, other])
    assert not whole.any()


def test_outputs_of_which_nobody_can_say(monkeypatch, two_outputs, rng):
    import mirage.tensors

    monkeypatch.setattr(mirage.tensors, "share_element", lambda one, other: None)
    given, whole = rng.uniform(-1, 1, (8, 16)).astype(np.float32), np.empty((8, 32), np.float32)
    with pytest.raises(mi.RunError, match="cannot be said whether they meet"):
        two_outputs((32, 1))([given], out=[whole[:, :16], whole[:, 16:]])

"""What the tests of the package share."""

import os
import shutil
import signal

import numpy as np
import pytest

import mirage as mi

#: T of include/Mirage/Reference/OutputCheck.h.
TOLERANCE = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 1e-4}


@pytest.fixture
def interruptible():
    """SIGINT is heard of, also where whoever began the tests had it ignored, as shells have it behind `&`."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def graph():
    return mi.new_kernel_graph()


def relative_error(computed, expected):
    computed, expected = np.asarray(computed, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    return np.linalg.norm(computed - expected) / np.linalg.norm(expected)


COMPILER = os.environ.get("CXX", "g++")  # as TorchInductor finds one for CPUs
needs_compiler = pytest.mark.skipif(shutil.which(COMPILER) is None,
                                    reason=f"TorchInductor needs a C++ compiler, and {COMPILER} is not here")


def check_numbers(computed, expected, dtype="float16"):
    """The rule of include/Mirage/Reference/OutputCheck.h: by norm, by element, and what is finite.

    computed   an array of NumPy or torch
    expected   in float64
    dtype      whose T holds: the coarsest type that the result is computed from, or stored as"""
    if hasattr(computed, "double"):
        computed = computed.double().numpy()
    computed, expected = np.asarray(computed, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    assert computed.shape == expected.shape
    finite = np.isfinite(expected)
    assert (np.isfinite(computed) == finite).all()
    assert np.array_equal(computed[~finite], expected[~finite], equal_nan=True)
    error, scale = np.abs(computed[finite] - expected[finite]), np.abs(expected[finite])
    norm, largest = (np.linalg.norm(scale), scale.max(initial=0)) if scale.any() else (1, 1)
    assert np.linalg.norm(error) <= TOLERANCE[dtype] * norm
    assert error.max(initial=0) <= TOLERANCE[dtype] * largest

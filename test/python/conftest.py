"""What the tests of the package share."""

import os
import shutil

import numpy as np
import pytest

import mirage as mi


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

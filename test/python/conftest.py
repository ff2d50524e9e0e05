"""What the tests of the package share."""

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

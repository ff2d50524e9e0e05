"""Kernels by hand: what the thread blocks of one do."""

from __future__ import annotations

import ctypes
import math
from ctypes import byref, c_uint32, c_void_p
from typing import List, Optional, Tuple

from . import _library
from ._library import Handle, check_graph, int64s, lib
from .dtypes import float32, to_dtype
from .errors import GraphError
from .operators import DTensor, Operators, Rescaling, STensor, Value, make_tensor_type, to_integer, to_sizes


class ThreadblockGraph(Operators):
    """What the thread blocks of one kernel do: each loops over tiles of the inputs."""

    _value_class = STensor
    _what = "threadblock graph"

    def __init__(self, grid_dim, block_dim, forloop_range: int, reduction_dimx: Optional[int] = None, stages: int = 1):
        """grid_dim        blocks along x, y and z
        block_dim       threads along x, y and z; their product is what counts
        forloop_range   iterations of each block's loop
        reduction_dimx  what `forloop_accum(A, "sum_todimx")` reduces the last dimension to
        stages          iterations whose tiles are on their way at a time"""
        grid, block = to_sizes("grid_dim", grid_dim), to_sizes("block_dim", block_dim)
        threads = math.prod(block)
        if any(size < 1 for size in block) or threads > 1024:
            raise GraphError(f"expects 32 to 1024 threads in multiples of 32, got block_dim {block_dim!r}")
        loop = to_integer("forloop_range", forloop_range)
        shape = _library.BlockShape(len(grid), int64s(grid), None, loop, to_integer("stages", stages), threads)
        pointer = c_void_p()
        check_graph(lib.mirageBlockGraphCreate(byref(shape), byref(pointer)))
        super().__init__(Handle(pointer, lib.mirageGraphDestroy))
        self.grid_dim, self.block_dim = grid, block
        self.forloop_range, self.reduction_dimx = loop, reduction_dimx
        self._tensors: List[DTensor] = []
        self._output_types: list = []  #: by output: sizes and type of the whole, or None

    def _constant_element(self, value: Value) -> Optional[str]:
        return None

    def _map(self, what: str, values) -> "ctypes.Array[ctypes.c_int]":
        """As many entries as there are axes; the original writes three, of which the last may be
        for axes that are not there."""
        given = list(to_sizes(what, values))
        if any(not -(2**31) <= entry < 2**31 for entry in given):
            raise GraphError(f"expects {what} of dimensions, got {values!r}")
        axes = len(self.grid_dim)
        if len(given) > axes and all(entry == -1 for entry in given[axes:]):
            del given[axes:]
        if len(given) != axes:
            raise GraphError(f"expects {what} with an entry for each of {axes} grid axes, got {values!r}")
        return _library.ints(given)

    @staticmethod
    def _loop_dim(dim) -> int:
        if dim is None:
            return -1
        cut = to_integer("forloop_dim", dim)
        if abs(cut) > 2**31 - 1:
            raise GraphError(f"expects forloop_dim to be a dimension or -1, got {dim!r}")
        return cut

    def new_input(self, dtensor: DTensor, input_map, forloop_dim: int, store_in_dmem: bool = False) -> STensor:
        """The tile of a tensor: `input_map` says for each grid axis which dimension it cuts, -1 for
        none, and `forloop_dim` which one the loop does."""
        if not isinstance(dtensor, DTensor):
            raise GraphError(f"expects a DTensor, got {dtensor!r}")
        value = c_uint32()
        type_ = make_tensor_type(dtensor.shape, dtensor.dtype)
        check_graph(lib.mirageBlockGraphAddInput(self._handle, byref(type_), self._map("input_map", input_map),
                                                 self._loop_dim(forloop_dim), byref(value)))
        self._tensors.append(dtensor)
        return STensor(self, value.value)

    def new_output(self, stensor: STensor, output_map, forloop_dim: int = -1, dims=None, dtype=None) -> None:
        """Makes a tile an output: `output_map` says for each grid axis along which dimension blocks
        lie side by side; -1: all hold the same, -2: parts of a sum.

        dims, dtype   of the whole; None: all tiles together, of the first input's type"""
        if forloop_dim not in (-1, None):
            raise GraphError(f"expects outputs from after the loop, got one of forloop_dim {forloop_dim}")
        self._check(stensor)
        entries = self._map("output_map", output_map)
        shape = None if dims is None else to_sizes("dims", dims)
        element = None if dtype is None else to_dtype(dtype)
        check_graph(lib.mirageBlockGraphAddOutput(self._handle, stensor.number, entries))
        if shape is None:
            shape = list(stensor.shape)
            for extent, dim in zip(self.grid_dim, entries):
                if dim >= 0:
                    shape[dim] *= extent
        self._output_types.append((tuple(shape), element))

    def rms_norm(self, A):
        """Of a tile's last dimension: A / sqrt(mean(A²))."""
        last = len(self._check(A).shape) - 1
        return self.div(A, self._add("rms", (A,), dims=[last]))

    def reduction_max(self, A, dim: int) -> Tuple[STensor, Rescaling]:
        """The largest along a dimension, and what `forloop_accum_rescale` rescales by."""
        largest = self.max(A, dim)
        return largest, Rescaling(largest)

    def concat(self, A, B=None, dim: int = 0):
        """Tiles side by side; in float32 where their types differ."""
        tiles = [self._check(tile) for tile in (A if isinstance(A, (list, tuple)) else [A, B])]
        if len({tile.dtype for tile in tiles}) > 1:
            tiles = [tile if tile.dtype == float32 else self.cast(tile, float32) for tile in tiles]
        return super().concat(tiles, dim=dim)

    def exp(self, A):
        """Of a tile; a `Rescaling` stays one, which knows that it is a factor."""
        return A if isinstance(A, Rescaling) else super().exp(A)

    _ACCUMULATIONS = {None: "sum", "sum": "sum", "mean": "mean", "rms": "rms", "max": "max"}

    def forloop_accum(self, A, acc: Optional[str] = None):
        """Over all iterations: the sum of A element by element, or, over its last dimension as
        well, its "sum", "mean" or "rms"; or "sum_todimx", to `reduction_dimx` elements."""
        self._check(A)
        if acc == "sum_todimx":
            return self._sum_to_dimx(A)
        if acc not in self._ACCUMULATIONS:
            names = ", ".join(f'"{name}"' for name in (*filter(None, self._ACCUMULATIONS), "sum_todimx"))
            raise GraphError(f"expects acc of {names} or None, got {acc!r}")
        dims = None if acc is None else [len(A.shape) - 1]
        return self._add("accumulate", (A,), reduction=self._ACCUMULATIONS[acc], axis="loop", dims=dims)

    def _sum_to_dimx(self, A):
        last, kept = A.shape[-1], self.reduction_dimx
        if not kept or last % kept != 0:
            raise GraphError(f"expects a reduction_dimx that divides the last dimension, {last}, got {kept!r}")
        summed = self.forloop_accum(A)
        if last == kept:
            return summed
        parts = self.reshape(summed, (*A.shape[:-1], last // kept, kept))
        total = self.sum(parts, len(A.shape) - 1)
        return self.reshape(total, (*A.shape[:-1], kept))

    def forloop_accum_max(self, A):
        return self._add("accumulate", (A,), reduction="max", axis="loop")

    def forloop_accum_rescale(self, A, B: Rescaling, acc: Optional[str] = None):
        """The sum of A, or with acc="sum" over its last dimension too, whose parts are rescaled to
        the maximum of all iterations. B is what `reduction_max` gave, or its exponential."""
        self._check(A)
        if not isinstance(B, Rescaling):
            raise GraphError(f"expects to rescale by what reduction_max gave, or its exponential, got {B!r}")
        if acc not in (None, "sum"):
            raise GraphError(f'expects acc of "sum" or None, got {acc!r}')
        dims = None if acc is None else [len(A.shape) - 1]
        return self._add("accumulate", (A, B.largest), reduction="sum", axis="loop", dims=dims)


def new_threadblock_graph(grid_dim, block_dim, forloop_range: int, reduction_dimx: Optional[int] = None,
                          **options) -> ThreadblockGraph:
    return ThreadblockGraph(grid_dim, block_dim, forloop_range, reduction_dimx, **options)

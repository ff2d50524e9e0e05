"""Kernels by hand: what the thread blocks of one do."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_int, c_uint32, c_void_p
from typing import Any, Optional, Sequence, Tuple

from . import _library
from ._library import Handle, check_graph, int64s, lib
from .arguments import show, to_choice, to_flag, to_integer, to_sizes
from .compatibility import OF_BLOCK_GRAPHS, OriginalNames, warn
from .dtypes import to_dtype
from .errors import GraphError
from .operators import Dims, DTensor, Operators, Rescaling, STensor, make_tensor_type


class ThreadblockGraph(OriginalNames, Operators[STensor]):
    """What the thread blocks of one kernel do: each loops over tiles of the inputs."""

    _value_class = STensor
    _what = "threadblock graph"
    _instead = OF_BLOCK_GRAPHS

    def __init__(self, grid_dim: Sequence[int], block_dim: Sequence[int], forloop_range: int, reduction_dimx: Optional[int] = None, stages: int = 1):
        """grid_dim        blocks along x, y and z
        block_dim       threads along x, y and z; their product is what counts
        forloop_range   iterations of each block's loop
        reduction_dimx  what `forloop_accum(A, "sum_todimx")` reduces the last dimension to
        stages          iterations whose tiles are on their way at a time"""
        grid, block = to_sizes("grid_dim", grid_dim), to_sizes("block_dim", block_dim)
        loop = to_integer("forloop_range", forloop_range)
        kept = None if reduction_dimx is None else to_integer("reduction_dimx", reduction_dimx)
        shape = _library.BlockShape(grid_rank=len(grid), grid=int64s(grid), loop=loop,
                                    stages=to_integer("stages", stages), block_rank=len(block), block=int64s(block))
        pointer = c_void_p()
        check_graph(lib.mirageBlockGraphCreate(byref(shape), byref(pointer)))
        super().__init__(Handle(pointer, lib.mirageGraphDestroy))
        self.grid_dim, self.block_dim = grid, block
        self.forloop_range, self.reduction_dimx = loop, kept

    def __reduce__(self) -> Any:
        raise GraphError("expects a kernel graph to copy or pickle, got a threadblock graph: build it anew, or copy the "
                         "graph that has its kernel by `customized`")

    def _map(self, what: str, values: Sequence[int]) -> "ctypes.Array[ctypes.c_int]":
        """As many entries as there are axes; the original writes three, of which the last may be
        for axes that are not there."""
        given = list(to_sizes(what, values))
        if any(not -(2**31) <= entry < 2**31 for entry in given):
            raise GraphError(f"expects {what} of dimensions, got {show(values)}")
        axes = len(self.grid_dim)
        if len(given) > axes and all(entry == -1 for entry in given[axes:]):
            del given[axes:]
        if len(given) != axes:
            raise GraphError(f"expects {what} with an entry for each of {axes} grid axes, got {show(values)}")
        return _library.ints(given)

    @staticmethod
    def _loop_dim(dim: Optional[int]) -> int:
        if dim is None:
            return -1
        cut = to_integer("forloop_dim", dim)
        if abs(cut) > 2**31 - 1:
            raise GraphError(f"expects forloop_dim to be a dimension or -1, got {show(dim)}")
        return cut

    def new_input(self, dtensor: DTensor, input_map: Sequence[int], forloop_dim: Optional[int],
                  store_in_dmem: bool = False) -> STensor:
        """The tile of a tensor: `input_map` says for each grid axis which dimension it cuts, -1 for
        none, and `forloop_dim` which one the loop does."""
        if to_flag("store_in_dmem", store_in_dmem):
            warn("store_in_dmem: no effect, the compiler decides that by itself")
        if not isinstance(dtensor, DTensor):
            raise GraphError(f"expects a DTensor, got {show(dtensor)}")
        value = c_uint32()
        type_ = make_tensor_type(dtensor.shape, dtensor.dtype)
        check_graph(lib.mirageBlockGraphAddInput(self._handle, byref(type_), self._map("input_map", input_map),
                                                 self._loop_dim(forloop_dim), byref(value)))
        return STensor(self, value.value)

    def new_output(self, stensor: STensor, output_map: Sequence[int], forloop_dim: Optional[int] = -1,
                   dims: Optional[Sequence[int]] = None, dtype: Any = None) -> None:
        """Makes a tile an output: `output_map` says for each grid axis along which dimension blocks
        lie side by side; -1: all hold the same, -2: parts of a sum.

        dims, dtype   of the whole; None: all tiles together, of the first input's type"""
        if forloop_dim is not None and to_integer("forloop_dim", forloop_dim) != -1:
            raise GraphError(f"expects outputs from after the loop, got one of forloop_dim {forloop_dim}")
        rank = len(self._check(stensor).shape)
        shape = None if dims is None else to_sizes("dims", dims)
        if shape is not None and len(shape) != rank:
            raise GraphError(f"expects dims of {rank} sizes, as the tile has, got {show(dims)}")
        element = None if dtype is None else byref(c_int(to_dtype(dtype).code))
        check_graph(lib.mirageBlockGraphAddOutput(self._handle, stensor.number, self._map("output_map", output_map),
                                                  int64s(shape), element))

    def rms_norm(self, A: STensor) -> STensor:
        """Of a tile's last dimension: A / sqrt(mean(A²))."""
        return self._add("rms_norm", (A,), dims=[len(self._check(A).shape) - 1], scalars=[0])

    def reduction_max(self, A: STensor, dim: Dims) -> Tuple[STensor, Rescaling]:
        """The largest along a dimension, and what `forloop_accum_rescale` rescales by."""
        largest = self.max(A, dim)
        return largest, Rescaling(largest)

    def exp(self, A: Any) -> Any:
        """Of a tile; a `Rescaling` stays one, which knows that it is a factor."""
        return A if isinstance(A, Rescaling) else super().exp(A)

    def forloop_accum(self, A: STensor, acc: Optional[str] = None) -> STensor:
        """Over all iterations: the sum of A element by element, or, over its last dimension as
        well, its "sum", "mean" or "rms", or "max"; or "sum_todimx", to `reduction_dimx` elements.

        Where the last tile ends beyond its tensor, what is there does not count: `customized` puts masks
        where operators would see it, and refuses averages, for which the sizes have to divide."""
        self._check(A)
        over = to_choice("acc", acc, ("sum", "mean", "rms", "max", "sum_todimx", None))
        if over == "sum_todimx":
            return self._sum_to_dimx(A)
        dims = None if over is None else [len(A.shape) - 1]
        return self._add("accumulate", (A,), reduction=over or "sum", axis="loop", dims=dims)

    def _sum_to_dimx(self, A: STensor) -> STensor:
        if self.reduction_dimx is None:
            raise GraphError('expects a threadblock graph with a reduction_dimx for "sum_todimx", got none')
        result = c_uint32()
        check_graph(lib.mirageGraphAddSumTo(self._handle, A.number, len(A.shape) - 1, self.reduction_dimx, True,
                                            byref(result)))
        return STensor(self, result.value)

    def forloop_accum_max(self, A: STensor) -> STensor:
        return self._add("accumulate", (A,), reduction="max", axis="loop")

    def forloop_accum_rescale(self, A: STensor, B: Rescaling, acc: Optional[str] = None) -> STensor:
        """The sum of A, or with acc="sum" over its last dimension too, whose parts are rescaled to
        the maximum of all iterations. B is what `reduction_max` gave, or its exponential."""
        self._check(A)
        if not isinstance(B, Rescaling):
            raise GraphError(f"expects to rescale by what reduction_max gave, or its exponential, got {show(B)}")
        over = to_choice("acc", acc, ("sum", None))
        dims = None if over is None else [len(A.shape) - 1]
        return self._add("accumulate", (A, B.largest), reduction="sum", axis="loop", dims=dims)


def new_threadblock_graph(grid_dim: Sequence[int], block_dim: Sequence[int], forloop_range: int,
                          reduction_dimx: Optional[int] = None, **options: Any) -> ThreadblockGraph:
    return ThreadblockGraph(grid_dim, block_dim, forloop_range, reduction_dimx, **options)

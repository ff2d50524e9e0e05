"""Tensor programs and µGraphs, operator by operator.

Every call is checked by the compiler when it is made, so that what does not fit raises `GraphError`
at its own line."""

from __future__ import annotations

import ctypes
import json
import math
import numbers
import operator
from ctypes import byref, c_uint32, c_void_p
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple, Union

from . import _library
from ._library import Handle, check_graph, int64s, lib, uint32s
from .dtypes import DType, float16, float32, from_code, to_dtype
from .errors import GraphError

if TYPE_CHECKING:
    from . import programs

Number = Union[int, float]


class _Value:
    """A value of a graph."""

    def __init__(self, graph: "_Operators", number: int, name: Optional[str] = None):
        self.graph = graph
        self.number = number
        self._name = name
        type_ = _library.TensorType()
        check_graph(lib.mirageGraphGetType(graph._handle, number, byref(type_)))
        self.shape: Tuple[int, ...] = tuple(type_.shape[:type_.rank])
        self.dtype: DType = from_code(type_.element)

    @property
    def name(self) -> str:
        return self._name or f"%{self.number}"

    @property
    def dims(self) -> Tuple[int, ...]:
        """The same as `shape`."""
        return self.shape

    @property
    def num_dims(self) -> int:
        return len(self.shape)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def dim(self, index: int) -> int:
        return self.shape[index]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {list(self.shape)} {self.dtype.name}>"

    # NumPy's operators; a number stands for itself everywhere.
    def __add__(self, other):
        return self.graph._binary("add", self, other)

    def __radd__(self, other):
        return self.graph._binary("add", other, self)

    def __sub__(self, other):
        return self.graph._binary("sub", self, other)

    def __rsub__(self, other):
        return self.graph._binary("sub", other, self)

    def __mul__(self, other):
        return self.graph._binary("mul", self, other)

    def __rmul__(self, other):
        return self.graph._binary("mul", other, self)

    def __truediv__(self, other):
        return self.graph._binary("div", self, other)

    def __rtruediv__(self, other):
        return self.graph._binary("div", other, self)

    def __pow__(self, other):
        return self.graph._binary("pow", self, other)

    def __rpow__(self, other):
        return self.graph._binary("pow", other, self)

    def __matmul__(self, other):
        return self.graph.matmul(self, other)

    def __neg__(self):
        return self.graph.neg(self)

    def __abs__(self):
        return self.graph.abs(self)

    # NumPy arrays must not take over `array + tensor` element by element.
    __array_ufunc__ = None


class DTensor(_Value):
    """A tensor in device memory: an input or a result of a kernel."""

    @property
    def strides(self) -> Tuple[int, ...]:
        """In elements; those of an input that was made with some, else row-major."""
        type_ = _library.TensorType()
        check_graph(lib.mirageGraphGetType(self.graph._handle, self.number, byref(type_)))
        if type_.strides:
            return tuple(type_.strides[:type_.rank])
        return _row_major(self.shape)

    @property
    def T(self) -> "DTensor":
        """The last two dimensions change places; a view, and no kernel."""
        return self.graph.transpose(self, -2, -1)


class STensor(_Value):
    """A tile that a thread block holds."""


class Rescaling:
    """What `reduction_max` gives beside the maximum, for `forloop_accum_rescale`: how far maxima of
    earlier iterations lie below. It is no tile, as sums are rescaled from maximum to maximum."""

    def __init__(self, largest: STensor):
        self.largest = largest


def _row_major(shape: Sequence[int]) -> Tuple[int, ...]:
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def _is_number(value: Any) -> bool:
    """NumPy's scalars are numbers as well."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


_INT64 = range(-(2**63), 2**63)


def _integer(what: str, value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or operator.index(value) not in _INT64:
        raise GraphError(f"expects {what} as an integer, got {value!r}")
    return operator.index(value)


def _tensor_type(shape: Sequence[int], dtype: DType, strides: Optional[Sequence[int]] = None) -> _library.TensorType:
    return _library.TensorType(dtype.code, len(shape), int64s(shape), int64s(strides))


def _sizes(what: str, values: Any) -> Tuple[int, ...]:
    if _is_number(values):
        values = (values,)
    try:
        sizes = tuple(values)
    except TypeError:
        raise GraphError(f"expects {what} as a tuple of integers, got {values!r}") from None
    for size in sizes:
        # NumPy's integers and torch's symbolic sizes are integers as well.
        if isinstance(size, bool) or not hasattr(size, "__index__") or operator.index(size) not in _INT64:
            raise GraphError(f"expects {what} as a tuple of integers, got {values!r}")
    return tuple(operator.index(size) for size in sizes)


class _Operators:
    """What programs and block graphs have in common."""

    _value_class = _Value
    _what = "graph"

    def __init__(self, handle: Handle):
        self._handle = handle

    def _check(self, value: Any) -> _Value:
        if not isinstance(value, self._value_class):
            raise GraphError(f"expects a {self._value_class.__name__} of this {self._what}, got {value!r}")
        if value.graph is not self:
            raise GraphError(f"expects a tensor of this {self._what}, got {value.name} of another one")
        return value

    def _dim(self, value: _Value, dim: int) -> int:
        rank = len(value.shape)
        if isinstance(dim, bool) or not hasattr(dim, "__index__") or not -rank <= operator.index(dim) < rank:
            raise GraphError(f"expects a dimension from {-rank} to {rank - 1} of {value.name}, got {dim!r}")
        return operator.index(dim) % rank

    def _dims(self, value: _Value, dims: Any) -> List[int]:
        if not isinstance(dims, (tuple, list)):
            dims = (dims,)
        return sorted({self._dim(value, dim) for dim in dims})

    def _add(self, name: str, operands: Sequence[_Value], **attributes: Any):
        values = [self._check(operand).number for operand in operands]
        given = {key: value for key, value in attributes.items() if value is not None}
        text = json.dumps(given).encode() if given else None
        result = c_uint32()
        check_graph(lib.mirageGraphAddOperator(self._handle, name.encode(), uint32s(values), len(values), text,
                                               byref(result)))
        return self._value_class(self, result.value)

    def _scalars(self, *values: Number) -> List[Any]:
        scalars: List[Any] = []
        for value in values:
            try:
                scalar = float(value) if _is_number(value) else None
            except OverflowError:
                scalar = None
            if scalar is None:
                raise GraphError(f"expects a number, got {value!r}")
            scalars.append(scalar if math.isfinite(scalar) else str(scalar))
        return scalars

    def _binary(self, name: str, lhs: Any, rhs: Any):
        if _is_number(rhs):
            return self._with_number(name, lhs, rhs)
        if _is_number(lhs):
            return self._number_with(name, lhs, rhs)
        return self._add(name, (lhs, rhs))

    def _with_number(self, name: str, lhs: Any, number: Number):
        """A tensor and a number behind it."""
        if name == "pow":
            return self._power(lhs, number)
        row = {"add": "offset", "sub": "offset", "mul": "scale", "div": "unscale"}.get(name)
        if row is None:
            lo, hi = (number, math.inf) if name == "maximum" else (-math.inf, number)
            return self.clamp(lhs, lo, hi)
        return self._add(row, (lhs,), scalars=self._scalars(-number if name == "sub" else number))

    def _number_with(self, name: str, number: Number, rhs: Any):
        """A tensor and a number before it."""
        if name == "sub":
            return self._with_number("add", self.neg(rhs), number)
        if name == "div":
            return self._with_number("mul", self.reciprocal(rhs), number)
        if name == "pow":
            if number <= 0:
                raise GraphError(f"expects a base above 0, got {number!r}")
            return self.exp(self.mul(rhs, math.log(number)))
        return self._with_number(name, rhs, number)

    def _power(self, value: Any, exponent: Number):
        whole = {1: lambda x: x, 2: self.square, 0.5: self.sqrt, -0.5: self.rsqrt, -1: self.reciprocal}
        if exponent in whole:
            return whole[exponent](self._check(value))
        if float(exponent).is_integer() and 2 < abs(exponent) <= 8:
            power = self.square(value)
            for _ in range(int(abs(exponent)) - 2):
                power = self.mul(power, value)
            return power if exponent > 0 else self.reciprocal(power)
        constant = self._add("constant", (), scalars=self._scalars(exponent), shape=[1] * len(self._check(value).shape),
                             element=self._constant_element(value))
        return self._add("pow", (value, constant))

    def _constant_element(self, value: _Value) -> Optional[str]:
        return value.dtype.mlir

    # Of two tensors, whose shapes broadcast as NumPy's do; or of a tensor and a number.
    def add(self, A, B):
        return self._binary("add", A, B)

    def sub(self, A, B):
        return self._binary("sub", A, B)

    def mul(self, A, B):
        return self._binary("mul", A, B)

    def div(self, A, B):
        return self._binary("div", A, B)

    def pow(self, A, B):
        return self._binary("pow", A, B)

    def maximum(self, A, B):
        return self._binary("maximum", A, B)

    def minimum(self, A, B):
        return self._binary("minimum", A, B)

    def mul_scalar(self, A, scalar: Number):
        return self._add("scale", (A,), scalars=self._scalars(scalar))

    # Of each element.
    def exp(self, A):
        return self._add("exp", (A,))

    def exp2(self, A):
        return self._add("exp2", (A,))

    def log(self, A):
        return self._add("log", (A,))

    def square(self, A):
        return self._add("square", (A,))

    def sqrt(self, A):
        return self._add("sqrt", (A,))

    def rsqrt(self, A):
        return self._add("rsqrt", (A,))

    def reciprocal(self, A):
        return self._add("reciprocal", (A,))

    def neg(self, A):
        return self._add("neg", (A,))

    def abs(self, A):
        return self._add("abs", (A,))

    def sigmoid(self, A):
        return self._add("sigmoid", (A,))

    def silu(self, A):
        """x / (1 + exp(-x))."""
        return self._add("silu", (A,))

    def gelu(self, A, approximate: str = "none"):
        """By erf, or with approximate="tanh" as that has it."""
        if approximate not in ("none", "tanh"):
            raise GraphError(f'expects approximate of "none" or "tanh", got {approximate!r}')
        return self._add("gelu_tanh" if approximate == "tanh" else "gelu", (A,))

    def relu(self, A):
        return self._add("relu", (A,))

    def tanh(self, A):
        return self._add("tanh", (A,))

    def erf(self, A):
        return self._add("erf", (A,))

    def clamp(self, A, min_val: Number, max_val: Number):
        return self._add("clamp", (A,), scalars=self._scalars(min_val, max_val))

    def matmul(self, A, B):
        """Of the last dimension of A and the last but one of B; others are batch dimensions, which
        broadcast."""
        return self._add("matmul", (A, B))

    def reduction(self, A, dim):
        """The sum over a dimension, or several, which stay with size 1."""
        return self._add("sum", (A,), dims=self._dims(self._check(A), dim))

    sum = reduction

    def mean(self, A, dim):
        return self._add("mean", (A,), dims=self._dims(self._check(A), dim))

    def max(self, A, dim):
        """The largest along a dimension, which stays with size 1."""
        return self._add("max", (A,), dims=self._dims(self._check(A), dim))

    def cast(self, A, dtype):
        return self._add("cast", (A,), element=to_dtype(dtype).mlir)

    def reshape(self, A, shape):
        return self._add("reshape", (A,), shape=list(_sizes("a shape", shape)))

    def concat(self, A, B=None, dim: int = 0):
        """`concat(A, B, dim)`, or `concat([A, B, ...], dim=...)`."""
        operands = list(A) if isinstance(A, (list, tuple)) else [A, B]
        if not operands:
            raise GraphError("expects at least one tensor, got none")
        return self._add("concat", operands, dims=[self._dim(self._check(operands[0]), dim)])


class KernelGraph(_Operators):
    """A tensor program. Each operator is a kernel until it is superoptimized; `customized` adds
    kernels that are written by hand."""

    _value_class = DTensor
    _what = "graph"

    def __init__(self, _handle: Optional[Handle] = None):
        if _handle is None:
            pointer = c_void_p()
            check_graph(lib.mirageGraphCreate(byref(pointer)))
            _handle = Handle(pointer, lib.mirageGraphDestroy)
        super().__init__(_handle)
        self.inputs: List[DTensor] = []
        #: Those that were marked; without any, all tensors that nothing takes are outputs.
        self.outputs: List[DTensor] = []
        self._compiled = None

    # ------------------------------------------------------------------ inputs and outputs
    def new_input(self, dims, strides=None, dtype=float16, name: Optional[str] = None) -> DTensor:
        """An input of the program.

        dims     sizes, at least 1
        strides  in elements, one for each size; None: row-major, without gaps
        name     None: "input0", "input1", ..."""
        shape = _sizes("dims", dims)
        steps = None if strides is None else _sizes("strides", strides)
        if steps is not None and len(steps) != len(shape):
            raise GraphError(f"expects a stride for each of {len(shape)} dimensions, got {len(steps)}")
        if name is not None and not isinstance(name, str):
            raise GraphError(f"expects a name, got {name!r}")
        value = c_uint32()
        type_ = _tensor_type(shape, to_dtype(dtype), steps)
        check_graph(lib.mirageGraphAddInput(self._handle, None if name is None else name.encode(), byref(type_),
                                            byref(value)))
        tensor = DTensor(self, value.value, lib.mirageGraphGetInputName(self._handle, len(self.inputs)).decode())
        self.inputs.append(tensor)
        self._compiled = None
        return tensor

    def mark_output(self, A: DTensor, strides=None) -> None:
        """Makes a tensor an output. With none marked, every tensor that nothing takes is one."""
        self._check(A)
        steps = None if strides is None else _sizes("strides", strides)
        if steps is not None and len(steps) != len(A.shape):
            raise GraphError(f"expects a stride for each of {len(A.shape)} dimensions, got {len(steps)}")
        check_graph(lib.mirageGraphAddOutput(self._handle, A.number, int64s(steps)))
        self.outputs.append(A)
        self._compiled = None

    def _add(self, name, operands, **attributes):
        result = super()._add(name, operands, **attributes)
        self._compiled = None
        return result

    # ------------------------------------------------------------------ operators of kernels alone
    def _normalized_dims(self, A: DTensor, normalized_shape) -> List[int]:
        self._check(A)
        if normalized_shape is None:
            return [len(A.shape) - 1]
        shape = _sizes("normalized_shape", normalized_shape)
        if not shape or A.shape[-len(shape):] != shape:
            raise GraphError(f"expects normalized_shape to be the last sizes of {list(A.shape)}, got {list(shape)}")
        return list(range(len(A.shape) - len(shape), len(A.shape)))

    def rms_norm(self, A, normalized_shape=None, weight: Optional[DTensor] = None, eps: float = 0.0):
        """A / sqrt(mean(A²) + eps), times a weight, over the last dimensions: `normalized_shape`,
        or the last one."""
        operands = (A,) if weight is None else (A, weight)
        return self._add("rms_norm", operands, dims=self._normalized_dims(A, normalized_shape),
                         scalars=self._scalars(eps))

    def layer_norm(self, A, normalized_shape=None, weight: Optional[DTensor] = None, bias: Optional[DTensor] = None,
                   eps: float = 1e-5):
        """(A - mean) / sqrt(variance + eps), times a weight, plus a bias."""
        if bias is not None and weight is None:
            raise GraphError("expects a weight where there is a bias, got none")
        operands = [operand for operand in (A, weight, bias) if operand is not None]
        return self._add("layer_norm", operands, dims=self._normalized_dims(A, normalized_shape),
                         scalars=self._scalars(eps))

    def l2_norm(self, A, dim: int = -1, eps: float = 0.0):
        """A / sqrt(sum(A²) + eps) along a dimension."""
        return self._add("l2_norm", (A,), dims=self._dims(self._check(A), dim), scalars=self._scalars(eps))

    def softmax(self, A, dim: int = -1):
        """exp(A - max A) / sum exp(A - max A), which does not overflow."""
        shifted = self.exp(self.sub(A, self.max(A, dim)))
        return self.div(shifted, self.sum(shifted, dim))

    def transpose(self, A, dim0: int = -2, dim1: int = -1):
        """Two dimensions change places. A view, and no kernel."""
        order = list(range(len(self._check(A).shape)))
        i, j = self._dim(A, dim0), self._dim(A, dim1)
        order[i], order[j] = order[j], order[i]
        return self._add("transpose", (A,), dims=order)

    def permute(self, A, dims):
        return self._add("transpose", (A,), dims=[self._dim(self._check(A), dim) for dim in dims])

    def broadcast(self, A, shape):
        return self._add("broadcast", (A,), shape=list(_sizes("a shape", shape)))

    def repeat(self, A, repeats):
        """Side by side, `repeats` times along each dimension."""
        times = _sizes("repeats", repeats)
        shape = self._check(A).shape
        if len(times) != len(shape):
            raise GraphError(f"expects repeats for each of {len(shape)} dimensions, got {len(times)}")
        return self._add("repeat", (A,), shape=[size * count for size, count in zip(shape, times)])

    def slice(self, A, starts, sizes, steps=None):
        """From `starts`, `sizes` elements, `steps` apart, along each dimension."""
        starts, sizes = _sizes("starts", starts), _sizes("sizes", sizes)
        steps = (1,) * len(sizes) if steps is None else _sizes("steps", steps)
        return self._add("slice", (A,), shape=list(sizes), offsets=list(starts), strides=list(steps))

    def causal_mask(self, A, offset: int = 0):
        """-inf where, of the last two dimensions, the column is beyond the row's number plus
        offset."""
        return self._add("causal_mask", (A,), offset=_integer("offset", offset) or None)

    def customized(self, inputs: Sequence[DTensor], bgraph: "ThreadblockGraph") -> List[DTensor]:
        """Adds the kernel that a threadblock graph is. Returns its outputs."""
        if not isinstance(bgraph, ThreadblockGraph):
            raise GraphError(f"expects a threadblock graph, got {bgraph!r}")
        operands = [self._check(operand) for operand in inputs]
        for operand, tensor in zip(operands, bgraph._tensors):
            if operand.shape != tensor.shape or operand.dtype != tensor.dtype:
                raise GraphError(f"expects inputs of the types the threadblock graph was made with, "
                                 f"{list(tensor.shape)} {tensor.dtype.name}, got {operand!r}")
        values = [operand.number for operand in operands]
        count = int(lib.mirageGraphGetNumOutputs(bgraph._handle))
        if count == 0:
            raise GraphError("expects a threadblock graph with an output, got none")
        results = (c_uint32 * count)()
        default = operands[0].dtype if operands and operands[0].dtype.itemsize > 1 else float16
        types = (_library.TensorType * count)(
            *[_tensor_type(shape, element or default) for shape, element in bgraph._output_types])
        check_graph(lib.mirageGraphAddBlockGraph(self._handle, bgraph._handle, uint32s(values), len(values), types,
                                                 results))
        self._compiled = None
        return [DTensor(self, number) for number in results]

    # ------------------------------------------------------------------ running
    def superoptimize(self, **options: Any) -> "programs.OptimizedGraph":
        """A faster program that computes the same (mirage.superoptimize has the options)."""
        from .superoptimizer import superoptimize

        return superoptimize(self, **options)

    def compile(self, **unused: Any) -> "programs.CompiledGraph":
        """The program as it is written, each operator a kernel."""
        from .programs import _warn_of_unused
        from .superoptimizer import compile_graph

        for name in unused:
            if name != "inputs":
                _warn_of_unused(name)
        if self._compiled is None:
            self._compiled = compile_graph(self)
        return self._compiled

    def __call__(self, inputs: Sequence[Any], *, stream: Any = None, out: Optional[Sequence[Any]] = None,
                 **unused: Any) -> List[Any]:
        """Runs the program as it is written."""
        return self.compile()(inputs, stream=stream, out=out, **unused)

    @property
    def mlir(self) -> str:
        from ._library import Context
        from .superoptimizer import to_module

        return to_module(self, Context(1)).print().decode()

    # ------------------------------------------------------------------ other forms
    def visualize(self, name) -> str:
        """Draws the graph into a file: name.svg, or what the ending says (.png, .pdf, .dot)."""
        from .visualizer import draw

        return draw(self.to_json(), name)

    def to_json(self) -> str:
        text = _library.Text()
        check_graph(lib.mirageGraphToJSON(self._handle, byref(text)))
        return _library.take_text(text).decode()

    @classmethod
    def from_json(cls, text: str) -> "KernelGraph":
        if not isinstance(text, str):
            raise GraphError(f"expects JSON as a string, got {type(text).__name__}")
        data = text.encode()
        pointer = c_void_p()
        check_graph(lib.mirageGraphFromJSON(data, len(data), byref(pointer)))
        return cls._adopt(pointer)

    @classmethod
    def _adopt(cls, pointer: c_void_p) -> "KernelGraph":
        """A graph that the library made, whole."""
        graph = cls(Handle(pointer, lib.mirageGraphDestroy))
        text = _library.Text()
        check_graph(lib.mirageGraphToJSON(graph._handle, byref(text)))
        program = json.loads(_library.take_text(text))["graph"]
        graph.inputs = [DTensor(graph, number, entry["name"]) for number, entry in enumerate(program["inputs"])]
        graph.outputs = [DTensor(graph, number) for number in program["outputs"]]
        return graph

    def __reduce__(self):
        return KernelGraph.from_json, (self.to_json(),)


class ThreadblockGraph(_Operators):
    """What the thread blocks of one kernel do: each loops over tiles of the inputs."""

    _value_class = STensor
    _what = "threadblock graph"

    def __init__(self, grid_dim, block_dim, forloop_range: int, reduction_dimx: Optional[int] = None, stages: int = 1):
        """grid_dim        blocks along x, y and z
        block_dim       threads along x, y and z; their product is what counts
        forloop_range   iterations of each block's loop
        reduction_dimx  what `forloop_accum(A, "sum_todimx")` reduces the last dimension to
        stages          iterations whose tiles are on their way at a time"""
        grid, block = _sizes("grid_dim", grid_dim), _sizes("block_dim", block_dim)
        threads = math.prod(block)
        if any(size < 1 for size in block) or threads > 1024:
            raise GraphError(f"expects 32 to 1024 threads in multiples of 32, got block_dim {block_dim!r}")
        loop = _integer("forloop_range", forloop_range)
        shape = _library.BlockShape(len(grid), int64s(grid), None, loop, _integer("stages", stages), threads)
        pointer = c_void_p()
        check_graph(lib.mirageBlockGraphCreate(byref(shape), byref(pointer)))
        super().__init__(Handle(pointer, lib.mirageGraphDestroy))
        self.grid_dim, self.block_dim = grid, block
        self.forloop_range, self.reduction_dimx = loop, reduction_dimx
        self._tensors: List[DTensor] = []
        self._output_types: list = []  #: by output: sizes and type of the whole, or None

    def _constant_element(self, value: _Value) -> Optional[str]:
        return None

    def _map(self, what: str, values) -> "ctypes.Array[ctypes.c_int]":
        """As many entries as there are axes; the original writes three, of which the last may be
        for axes that are not there."""
        given = list(_sizes(what, values))
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
        cut = _integer("forloop_dim", dim)
        if abs(cut) > 2**31 - 1:
            raise GraphError(f"expects forloop_dim to be a dimension or -1, got {dim!r}")
        return cut

    def new_input(self, dtensor: DTensor, input_map, forloop_dim: int, store_in_dmem: bool = False) -> STensor:
        """The tile of a tensor: `input_map` says for each grid axis which dimension it cuts, -1 for
        none, and `forloop_dim` which one the loop does."""
        if not isinstance(dtensor, DTensor):
            raise GraphError(f"expects a DTensor, got {dtensor!r}")
        value = c_uint32()
        type_ = _tensor_type(dtensor.shape, dtensor.dtype)
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
        shape = None if dims is None else _sizes("dims", dims)
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


def new_kernel_graph() -> KernelGraph:
    return KernelGraph()


def new_threadblock_graph(grid_dim, block_dim, forloop_range: int, reduction_dimx: Optional[int] = None,
                          **options) -> ThreadblockGraph:
    return ThreadblockGraph(grid_dim, block_dim, forloop_range, reduction_dimx, **options)

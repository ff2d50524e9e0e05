"""What programs and block graphs have in common: tensors, and the operators of both.

Every call is checked by the compiler when it is made, so that what does not fit raises `GraphError`
at its own line."""

from __future__ import annotations

import json
from ctypes import byref, c_uint32
from typing import Any, Generic, List, Optional, Sequence, Tuple, Type, TypeVar, Union

from . import _library
from ._library import Handle, check_graph, int64s, lib, uint32s
from .arguments import Number, is_number, show, to_choice, to_integer, to_scalar, to_scalars, to_sizes
from .dtypes import DType, from_code, to_dtype
from .errors import GraphError


#: DTensor or STensor: whose operators they are.
V = TypeVar("V", bound="Value")
#: A dimension, from the end where it is negative, or several.
Dims = Union[int, Sequence[int]]


class Value:
    """A value of a graph."""

    graph: Any

    def __init__(self, graph: "Operators[Any]", number: int, name: Optional[str] = None):
        self.graph = graph
        self.number = number
        self._name = name
        type_ = _library.TensorType()
        check_graph(lib.mirageGraphGetType(graph._handle, number, byref(type_)))
        self.shape: Tuple[int, ...] = tuple(type_.shape[:type_.rank])
        self.dtype: DType = from_code(type_.element)

    def __copy__(self: V) -> V:
        """Itself, as nothing changes it: a copy of the same graph has its values elsewhere."""
        return self

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
        return self.shape[self.graph._dim(self, index)]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {list(self.shape)} {self.dtype.name}>"

    # NumPy's operators; a number stands for itself everywhere.
    def __add__(self: V, other: "V | Number") -> V:
        return self.graph._binary("add", self, other)

    def __radd__(self: V, other: "V | Number") -> V:
        return self.graph._binary("add", other, self)

    def __sub__(self: V, other: "V | Number") -> V:
        return self.graph._binary("sub", self, other)

    def __rsub__(self: V, other: "V | Number") -> V:
        return self.graph._binary("sub", other, self)

    def __mul__(self: V, other: "V | Number") -> V:
        return self.graph._binary("mul", self, other)

    def __rmul__(self: V, other: "V | Number") -> V:
        return self.graph._binary("mul", other, self)

    def __truediv__(self: V, other: "V | Number") -> V:
        return self.graph._binary("div", self, other)

    def __rtruediv__(self: V, other: "V | Number") -> V:
        return self.graph._binary("div", other, self)

    def __pow__(self: V, other: "V | Number") -> V:
        return self.graph._binary("pow", self, other)

    def __rpow__(self: V, other: "V | Number") -> V:
        return self.graph._binary("pow", other, self)

    def __matmul__(self: V, other: V) -> V:
        return self.graph.matmul(self, other)

    def __rmatmul__(self: V, other: V) -> V:
        return self.graph.matmul(other, self)

    def __neg__(self: V) -> V:
        return self.graph.neg(self)

    def __abs__(self: V) -> V:
        return self.graph.abs(self)

    # NumPy arrays must not take over `array + tensor` element by element.
    __array_ufunc__ = None


class DTensor(Value):
    """A tensor in device memory: an input or a result of a kernel. Pickled and copied, it takes its graph
    along, and is the same tensor of the graph's copy."""

    def __reduce__(self) -> Tuple[Any, ...]:
        return _find_tensor, (self.graph, self.graph._find_number_in_copies(self))

    @property
    def strides(self) -> Tuple[int, ...]:
        """In elements; those of an input that was made with some, else row-major."""
        type_ = _library.TensorType()
        check_graph(lib.mirageGraphGetType(self.graph._handle, self.number, byref(type_)))
        return tuple(type_.strides[:type_.rank])

    @property
    def T(self) -> "DTensor":
        """Of two dimensions, which change places; a view, and no kernel. Of more, torch reverses all
        and advises against it: here they have to say `.mT`, or `permute`."""
        if len(self.shape) != 2:
            raise GraphError(f"expects a tensor of 2 dimensions for .T, got {len(self.shape)} of {self.name}; .mT "
                             "swaps the last two, and permute any")
        return self.graph.transpose(self, 0, 1)

    @property
    def mT(self) -> "DTensor":
        """The last two dimensions change places; a view, and no kernel."""
        return self.graph.transpose(self, -2, -1)


def _find_tensor(graph: Any, number: int) -> DTensor:
    """The graph's own, of its inputs and outputs."""
    known = {tensor.number: tensor for tensor in (*graph.outputs, *graph.inputs)}
    return known.get(number) or DTensor(graph, number)


class STensor(Value):
    """A tile that a thread block holds."""


class Rescaling:
    """What `reduction_max` gives beside the maximum, for `forloop_accum_rescale`: how far maxima of
    earlier iterations lie below. It is no tile, as sums are rescaled from maximum to maximum."""

    def __init__(self, largest: STensor):
        self.largest = largest


def make_tensor_type(shape: Sequence[int], dtype: DType, strides: Optional[Sequence[int]] = None) -> _library.TensorType:
    return _library.TensorType(dtype.code, len(shape), int64s(shape), int64s(strides))


class Operators(Generic[V]):
    """What programs and block graphs have in common."""

    _value_class: Type[V]
    _what = "graph"

    def __init__(self, handle: Handle):
        self._handle = handle

    def _check(self, value: Any) -> V:
        if not isinstance(value, self._value_class):
            raise GraphError(f"expects a {self._value_class.__name__} of this {self._what}, got {show(value)}")
        if value.graph is not self:
            raise GraphError(f"expects a tensor of this {self._what}, got {value.name} of another one")
        return value

    def _dim(self, value: Value, dim: Any) -> int:
        rank = len(value.shape)
        try:
            found = to_integer("a dimension", dim)
        except GraphError:
            found = rank
        if not -rank <= found < rank:
            raise GraphError(f"expects a dimension from {-rank} to {rank - 1} of {value.name}, got {show(dim)}")
        return found % rank

    def _dims(self, value: Value, dims: Any) -> List[int]:
        if not isinstance(dims, (tuple, list)):
            dims = (dims,)
        return sorted({self._dim(value, dim) for dim in dims})

    def _add(self, name: str, operands: Sequence[Any], **attributes: Any) -> V:
        values = [self._check(operand).number for operand in operands]
        given = {key: value for key, value in attributes.items() if value is not None}
        text = json.dumps(given).encode() if given else None
        result = c_uint32()
        check_graph(lib.mirageGraphAddOperator(self._handle, name.encode(), uint32s(values), len(values), text,
                                               byref(result)))
        return self._value_class(self, result.value)

    def _binary(self, name: str, lhs: Any, rhs: Any) -> V:
        if is_number(rhs):
            return self._with_number(name, lhs, rhs, False)
        if is_number(lhs):
            return self._with_number(name, rhs, lhs, True)
        return self._add(name, (lhs, rhs))

    def _with_number(self, name: str, operand: Any, number: Number, is_number_first: bool) -> V:
        value = self._check(operand).number
        result = c_uint32()
        check_graph(lib.mirageGraphAddOperatorWithNumber(self._handle, name.encode(), value, to_scalar(number),
                                                         is_number_first, byref(result)))
        return self._value_class(self, result.value)

    # Of two tensors, whose shapes broadcast as NumPy's do; or of a tensor and a number.
    def add(self, A: "V | Number", B: "V | Number") -> V:
        return self._binary("add", A, B)

    def sub(self, A: "V | Number", B: "V | Number") -> V:
        return self._binary("sub", A, B)

    def mul(self, A: "V | Number", B: "V | Number") -> V:
        return self._binary("mul", A, B)

    def div(self, A: "V | Number", B: "V | Number") -> V:
        return self._binary("div", A, B)

    def pow(self, A: "V | Number", B: "V | Number") -> V:
        return self._binary("pow", A, B)

    def maximum(self, A: "V | Number", B: "V | Number") -> V:
        return self._binary("maximum", A, B)

    def minimum(self, A: "V | Number", B: "V | Number") -> V:
        return self._binary("minimum", A, B)

    def mul_scalar(self, A: V, scalar: Number) -> V:
        return self._add("scale", (A,), scalars=to_scalars(scalar=scalar))

    # Of each element.
    def exp(self, A: V) -> V:
        return self._add("exp", (A,))

    def exp2(self, A: V) -> V:
        return self._add("exp2", (A,))

    def log(self, A: V) -> V:
        return self._add("log", (A,))

    def square(self, A: V) -> V:
        return self._add("square", (A,))

    def sqrt(self, A: V) -> V:
        return self._add("sqrt", (A,))

    def rsqrt(self, A: V) -> V:
        return self._add("rsqrt", (A,))

    def reciprocal(self, A: V) -> V:
        return self._add("reciprocal", (A,))

    def neg(self, A: V) -> V:
        return self._add("neg", (A,))

    def abs(self, A: V) -> V:
        return self._add("abs", (A,))

    def sigmoid(self, A: V) -> V:
        return self._add("sigmoid", (A,))

    def silu(self, A: V) -> V:
        """x / (1 + exp(-x))."""
        return self._add("silu", (A,))

    def gelu(self, A: V, approximate: str = "none") -> V:
        """By erf, or with approximate="tanh" as that has it."""
        form = to_choice("approximate", approximate, ("none", "tanh"))
        return self._add("gelu_tanh" if form == "tanh" else "gelu", (A,))

    def relu(self, A: V) -> V:
        return self._add("relu", (A,))

    def tanh(self, A: V) -> V:
        return self._add("tanh", (A,))

    def erf(self, A: V) -> V:
        return self._add("erf", (A,))

    def clamp(self, A: V, min_val: Number, max_val: Number) -> V:
        return self._add("clamp", (A,), scalars=to_scalars(min_val=min_val, max_val=max_val))

    def matmul(self, A: V, B: V) -> V:
        """Of the last dimension of A and the last but one of B; others are batch dimensions, which
        broadcast."""
        return self._add("matmul", (A, B))

    def reduction(self, A: V, dim: Dims) -> V:
        """The sum over a dimension, or several, which stay with size 1."""
        return self._add("sum", (A,), dims=self._dims(self._check(A), dim))

    sum = reduction

    def mean(self, A: V, dim: Dims) -> V:
        return self._add("mean", (A,), dims=self._dims(self._check(A), dim))

    def max(self, A: V, dim: Dims) -> V:
        """The largest along a dimension, which stays with size 1."""
        return self._add("max", (A,), dims=self._dims(self._check(A), dim))

    def cast(self, A: V, dtype: Any) -> V:
        return self._add("cast", (A,), element=to_dtype(dtype).mlir)

    def reshape(self, A: V, shape: Sequence[int]) -> V:
        return self._add("reshape", (A,), shape=list(to_sizes("a shape", shape)))

    def concat(self, A: "V | Sequence[V]", B: Optional[V] = None, dim: int = 0) -> V:
        """`concat(A, B, dim)`, or `concat([A, B, ...], dim=...)`."""
        operands = list(A) if isinstance(A, (list, tuple)) else [A, B]
        if not operands:
            raise GraphError("expects at least one tensor, got none")
        return self._add("concat", operands, dims=[self._dim(self._check(operands[0]), dim)])

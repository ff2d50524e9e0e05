"""What programs and block graphs have in common: tensors, and the operators of both.

Every call is checked by the compiler when it is made, so that what does not fit raises `GraphError`
at its own line."""

from __future__ import annotations

import json
import math
import numbers
import operator
from ctypes import byref, c_uint32
from typing import Any, List, Optional, Sequence, Tuple, Union

from . import _library
from ._library import Handle, check_graph, int64s, lib, uint32s
from .dtypes import DType, from_code, to_dtype
from .errors import GraphError
from .tensors import row_major

Number = Union[int, float]


class Value:
    """A value of a graph."""

    def __init__(self, graph: "Operators", number: int, name: Optional[str] = None):
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


class DTensor(Value):
    """A tensor in device memory: an input or a result of a kernel."""

    @property
    def strides(self) -> Tuple[int, ...]:
        """In elements; those of an input that was made with some, else row-major."""
        type_ = _library.TensorType()
        check_graph(lib.mirageGraphGetType(self.graph._handle, self.number, byref(type_)))
        if type_.strides:
            return tuple(type_.strides[:type_.rank])
        return row_major(self.shape)

    @property
    def T(self) -> "DTensor":
        """The last two dimensions change places; a view, and no kernel."""
        return self.graph.transpose(self, -2, -1)


class STensor(Value):
    """A tile that a thread block holds."""


class Rescaling:
    """What `reduction_max` gives beside the maximum, for `forloop_accum_rescale`: how far maxima of
    earlier iterations lie below. It is no tile, as sums are rescaled from maximum to maximum."""

    def __init__(self, largest: STensor):
        self.largest = largest


def is_number(value: Any) -> bool:
    """NumPy's scalars are numbers as well."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


_INT64 = range(-(2**63), 2**63)


def _is_integer(value: Any) -> bool:
    """NumPy's integers and torch's symbolic sizes are integers as well."""
    return not isinstance(value, bool) and hasattr(value, "__index__") and operator.index(value) in _INT64


def to_integer(what: str, value: Any) -> int:
    if not _is_integer(value):
        raise GraphError(f"expects {what} as an integer, got {value!r}")
    return operator.index(value)


def make_tensor_type(shape: Sequence[int], dtype: DType, strides: Optional[Sequence[int]] = None) -> _library.TensorType:
    return _library.TensorType(dtype.code, len(shape), int64s(shape), int64s(strides))


def to_sizes(what: str, values: Any) -> Tuple[int, ...]:
    if is_number(values):
        values = (values,)
    try:
        sizes = tuple(values)
    except TypeError:
        raise GraphError(f"expects {what} as a tuple of integers, got {values!r}") from None
    if not all(_is_integer(size) for size in sizes):
        raise GraphError(f"expects {what} as a tuple of integers, got {values!r}")
    return tuple(operator.index(size) for size in sizes)


class Operators:
    """What programs and block graphs have in common."""

    _value_class = Value
    _what = "graph"

    def __init__(self, handle: Handle):
        self._handle = handle

    def _check(self, value: Any) -> Value:
        if not isinstance(value, self._value_class):
            raise GraphError(f"expects a {self._value_class.__name__} of this {self._what}, got {value!r}")
        if value.graph is not self:
            raise GraphError(f"expects a tensor of this {self._what}, got {value.name} of another one")
        return value

    def _dim(self, value: Value, dim: int) -> int:
        rank = len(value.shape)
        if isinstance(dim, bool) or not hasattr(dim, "__index__") or not -rank <= operator.index(dim) < rank:
            raise GraphError(f"expects a dimension from {-rank} to {rank - 1} of {value.name}, got {dim!r}")
        return operator.index(dim) % rank

    def _dims(self, value: Value, dims: Any) -> List[int]:
        if not isinstance(dims, (tuple, list)):
            dims = (dims,)
        return sorted({self._dim(value, dim) for dim in dims})

    def _add(self, name: str, operands: Sequence[Value], **attributes: Any):
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
                scalar = float(value) if is_number(value) else None
            except OverflowError:
                scalar = None
            if scalar is None:
                raise GraphError(f"expects a number, got {value!r}")
            scalars.append(scalar if math.isfinite(scalar) else str(scalar))
        return scalars

    def _binary(self, name: str, lhs: Any, rhs: Any):
        if is_number(rhs):
            return self._with_number(name, lhs, rhs)
        if is_number(lhs):
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

    def _constant_element(self, value: Value) -> Optional[str]:
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
        return self._add("reshape", (A,), shape=list(to_sizes("a shape", shape)))

    def concat(self, A, B=None, dim: int = 0):
        """`concat(A, B, dim)`, or `concat([A, B, ...], dim=...)`."""
        operands = list(A) if isinstance(A, (list, tuple)) else [A, B]
        if not operands:
            raise GraphError("expects at least one tensor, got none")
        return self._add("concat", operands, dims=[self._dim(self._check(operands[0]), dim)])

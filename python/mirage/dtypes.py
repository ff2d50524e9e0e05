"""Element types of tensors: what one element is stored as. Arithmetic is f32 throughout."""

from __future__ import annotations

import dataclasses
from typing import Any, Optional

from .arguments import show
from .errors import GraphError


@dataclasses.dataclass(frozen=True)
class DType:
    """An element type. `float16` and `mirage.float16` mean the same wherever one is taken, as do
    "float16" and torch's and NumPy's own."""

    name: str  #: as torch calls it: "float16", "float8_e4m3fn"
    mlir: str  #: as MLIR spells it: "f16", "f8E4M3FN"
    code: int  #: MirageElementType of include/Mirage-c/Runtime.h
    itemsize: int  #: bytes of an element

    def __repr__(self) -> str:
        return f"mirage.{self.name}"


float16 = DType("float16", "f16", 0, 2)
bfloat16 = DType("bfloat16", "bf16", 1, 2)
float32 = DType("float32", "f32", 2, 4)
float8_e4m3fn = DType("float8_e4m3fn", "f8E4M3FN", 3, 1)
float8_e5m2 = DType("float8_e5m2", "f8E5M2", 4, 1)
#: What the original calls that type.
float8_e4m3 = float8_e4m3fn

ALL = (float16, bfloat16, float32, float8_e4m3fn, float8_e5m2)
_BY_NAME = {name: dtype for dtype in ALL for name in (dtype.name, dtype.mlir)}
# Torch's other names. Its torch.float is f32, other than Python's class of that name.
_BY_NAME.update(half=float16, float=float32, float8_e4m3=float8_e4m3fn)
_BY_CODE = {dtype.code: dtype for dtype in ALL}
_EXACT = {dtype.name: dtype for dtype in ALL}


def from_code(code: int) -> DType:
    return _BY_CODE[code]


def _name(value: Any) -> str:
    """torch.float16 prints as "torch.float16", numpy.float16 has a __name__, a dtype a name."""
    try:
        names = (value, getattr(value, "name", None), getattr(value, "__name__", None), str(value))
        return next(name for name in names if isinstance(name, str))
    except Exception:  # of foreign types, whatever it may be
        return ""


def find_dtype(value: Any) -> "DType | None":
    """The type that a name, or a type of torch or NumPy, means; None if it is none of ours, as Python's float, which
    both take for float64."""
    if value is float:
        return None
    return value if isinstance(value, DType) else _BY_NAME.get(_name(value).rpartition(".")[2])


def match_dtype(name: Optional[str]) -> "DType | None":
    """The type of a tensor that is handed over: its library's own name, to the letter."""
    return None if name is None else _EXACT.get(name)


def to_dtype(value: Any) -> DType:
    dtype = find_dtype(value)
    if dtype is None:
        names = ", ".join(dtype.name for dtype in ALL)
        meaning = ", which is float64 to NumPy and torch" if value is float else ""
        raise GraphError(f"expects an element type among {names}, got {show(value)}{meaning}")
    return dtype

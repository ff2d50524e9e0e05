"""What callers hand over instead of tensors: numbers, sizes, names. Whatever is none raises `GraphError`
with what was expected and found."""

from __future__ import annotations

import collections.abc
import math
import numbers
import operator
import os
import pathlib
from typing import Any, List, Optional, Sequence, Tuple, Type, Union

from .errors import GraphError, MirageError

Number = Union[int, float]

_INT64 = range(-(2**63), 2**63)
_LONGEST = 100  #: characters that a value has in an error


def show(value: Any) -> str:
    """A value in an error: one line, and not a long one. It may be anything, with a `__repr__` that fails."""
    try:
        text = " ".join(repr(value).split())
    except Exception:
        text = f"a {type(value).__name__}"
    return text if len(text) <= _LONGEST else text[:_LONGEST - 3] + "..."


def is_number(value: Any) -> bool:
    """NumPy's scalars are numbers as well."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def to_scalar(value: Any, what: str = "a number") -> float:
    try:
        if is_number(value):
            return float(value)
    except (OverflowError, ValueError, TypeError):
        pass
    raise GraphError(f"expects {what}, got {show(value)}")


def to_scalars(**values: Any) -> List[Any]:
    """Arguments, by their names, as attributes have them: JSON writes no infinities."""
    scalars = [to_scalar(value, f"a number as {name}") for name, value in values.items()]
    return [scalar if math.isfinite(scalar) else str(scalar) for scalar in scalars]


def _find_integer(value: Any) -> Optional[int]:
    """NumPy's integers and torch's symbolic sizes are integers as well; an array of several is none."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        return None
    try:
        found = operator.index(value)
    except Exception:  # of foreign types, whatever it may be
        return None
    return found if found in _INT64 else None


def to_flag(what: str, value: Any, default: bool = False) -> bool:
    """NumPy's flags, 0 and 1 are flags as well; None is the default."""
    if value is None:
        return default
    try:
        if value in (True, False):
            return bool(value)
    except Exception:  # of foreign types, whatever it may be
        pass
    raise GraphError(f"expects {what} of True or False, got {show(value)}")


def to_integer(what: str, value: Any) -> int:
    found = _find_integer(value)
    if found is None:
        raise GraphError(f"expects {what} as an integer, got {show(value)}")
    return found


def to_sizes(what: str, values: Any) -> Tuple[int, ...]:
    """A tuple of integers; a number is a tuple of one."""
    try:
        # Text and bytes are sequences as well, and sets and mappings have no order.
        listed = None if isinstance(values, (str, bytes, bytearray, collections.abc.Set, collections.abc.Mapping)) else \
            (values,) if is_number(values) else tuple(values)
    except Exception:
        listed = None
    sizes = None if listed is None else [_find_integer(size) for size in listed]
    if sizes is None or None in sizes:
        raise GraphError(f"expects {what} as a tuple of integers, got {show(values)}")
    return tuple(sizes)  # type: ignore[arg-type]


def to_strides(strides: Any, shape: Sequence[int]) -> Optional[Tuple[int, ...]]:
    if strides is None:
        return None
    steps = to_sizes("strides", strides)
    if len(steps) != len(shape):
        raise GraphError(f"expects a stride for each of {len(shape)} dimensions, got {len(steps)}")
    return steps


def to_list(what: str, values: Any) -> List[Any]:
    if not isinstance(values, (list, tuple)):
        raise GraphError(f"expects {what} as a list, got {show(values)}")
    return list(values)


def to_choice(what: str, value: Any, choices: Sequence[Optional[str]]) -> Optional[str]:
    if (value is None or isinstance(value, str)) and value in choices:
        return value
    names = ", ".join(f'"{choice}"' for choice in choices if choice is not None)
    either = names if names.count(",") > 1 else names.replace(", ", " or ")
    raise GraphError(f"expects {what} of {either}{' or None' if None in choices else ''}, got {show(value)}")


def to_text(what: str, value: Any, error: Type[MirageError] = GraphError) -> bytes:
    """UTF-8, as C takes it: without a zero, which would be its end."""
    try:
        if isinstance(value, str) and "\0" not in value:
            return value.encode()
    except UnicodeEncodeError:  # half of a pair of surrogates
        pass
    raise error(f"expects {what}, got {show(value)}")


def to_path(what: str, value: Any) -> pathlib.Path:
    if isinstance(value, (str, os.PathLike)):
        to_text(what, os.fspath(value))
        return pathlib.Path(value)
    raise GraphError(f"expects {what}, got {show(value)}")

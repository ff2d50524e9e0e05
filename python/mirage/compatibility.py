"""What the original has and this package has no use for: accepted, with a warning."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Iterable

#: Of calls, compile() and superoptimize(): how it makes and checks code.
_UNUSED = frozenset({"async_", "atol", "enable_online_softmax", "file_id", "num_warp_groups", "pipeline_stages",
                     "profiling", "rtol", "target_cc", "verbose"})
#: Of superoptimize(): what part of the space is searched, and how often candidates are timed.
RESTRICTIONS = ("imaps", "omaps", "griddims", "blockdims", "fmaps", "franges", "warmup_iters", "profile_iters")

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def warn(message: str) -> None:
    """Where the caller of this package stands, whom Python tells once."""
    level, frame = 2, sys._getframe(1)
    while frame.f_code.co_filename.startswith(_PACKAGE) and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, stacklevel=level)


def is_unused(name: str) -> bool:
    return name in _UNUSED


def warn_of_unused(names: Iterable[str]) -> None:
    """What nobody knows is an error."""
    names = list(names)
    for name in names:
        if name not in _UNUSED:
            raise TypeError(f"got an unexpected keyword argument {name!r}")
    if names:
        warn(f"{', '.join(names)}: no effect, the compiler decides that by itself")


def warn_of_restrictions(names: Iterable[str]) -> None:
    names = list(names)
    if names:
        warn(f"{', '.join(names)}: no effect, all maps and sizes are searched")

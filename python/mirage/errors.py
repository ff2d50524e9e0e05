"""What goes wrong, and whose mistake it is."""

from __future__ import annotations

import dataclasses
from typing import Optional, Sequence, Tuple


class MirageError(Exception):
    """Any error of this package."""


class GraphError(MirageError, ValueError):
    """A program that cannot be: shapes that do not fit, arguments out of range. Raised at the
    line that made it, with what was expected and what was found."""


class CompileError(MirageError, RuntimeError):
    """A program that cannot be compiled, or options that are none.

    `diagnostics` has all that the compiler said, with places in files where there are some."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()):
        super().__init__(message)
        self.diagnostics: Tuple[Diagnostic, ...] = tuple(diagnostics)


class RunError(MirageError, RuntimeError):
    """Tensors that a program does not take, or a run that failed. A tensor of a wrong shape, type,
    device or layout never reaches a device."""


class InternalError(MirageError, RuntimeError):
    """A fault of Mirage's own. `reproducer` is the file that holds the program, `diagnostics` all that the
    compiler said."""

    def __init__(self, message: str, reproducer: Optional[str] = None, diagnostics: Sequence[Diagnostic] = ()):
        super().__init__(message)
        self.reproducer = reproducer
        self.diagnostics: Tuple[Diagnostic, ...] = tuple(diagnostics)


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """One finding of the compiler."""

    severity: str  #: "error", "warning", "remark" or "note"
    message: str
    file: str = ""  #: empty where no place in a file is meant
    line: int = 0  #: from 1 on
    column: int = 0
    notes: Tuple["Diagnostic", ...] = ()

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        return f"{place}{self.severity}: {self.message}"

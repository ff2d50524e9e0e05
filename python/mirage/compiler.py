"""From graphs to modules of MLIR and on to artifacts, by the library."""

from __future__ import annotations

import logging
import pathlib
import re
import shutil
import subprocess
from ctypes import byref, c_void_p
from typing import Any, Optional

from . import _library
from ._library import Context, Module, lib
from .arguments import show, to_text
from .errors import GraphError
from .folders import bind_folder, make_folder
from .graph import KernelGraph
from .programs import MUGRAPH, PLAN, PLANNED, CompiledGraph

logger = logging.getLogger("mirage")


def to_module(graph: KernelGraph, context: Context, name: str = "main") -> Module:
    pointer = c_void_p()
    _library.check_graph(lib.mirageModuleFromGraph(context.handle, graph._handle, name.encode(), byref(pointer)))
    return Module(context, pointer)


def from_mlir(text: "str | bytes", function: Optional[str] = None, file_name: str = "<mlir>") -> KernelGraph:
    """The program that a function of a module of MLIR is: linalg on tensors, or a µGraph.

    function    its name; None: the only one
    file_name   of the text, in errors"""
    if not isinstance(text, (str, bytes)):
        raise GraphError(f"expects a module of MLIR as text or bytecode, got {type(text).__name__}")
    name = None if function is None else to_text("the name of a function, or None", function)
    if not isinstance(file_name, str):
        raise GraphError(f"expects file_name as text, got {show(file_name)}")
    module = Module.parse(Context(1), text, file_name)
    module.context.diagnostics.clear()
    pointer = c_void_p()
    module.context.call(lib.mirageModuleGetGraph, module.handle, name, byref(pointer))
    return KernelGraph._adopt(pointer)


def log_warnings(context: Context) -> None:
    """What the compiler said of its last call, beside errors."""
    for diagnostic in context.diagnostics:
        if diagnostic.severity == "warning":
            logger.warning("%s", diagnostic.message)


def compile_module(module: Module, **options: Any) -> str:
    """From µGraphs to a folder with the artifact and what was decided on the way."""
    folder = pathlib.Path(make_folder())
    text = module.print()
    try:
        (folder / MUGRAPH).write_bytes(text)
        planned = module.clone()
        planned.run_with_options(lib.mirageModuleCompile, {"from": "optimize", "to": "optimize", "ptxas": "never",
                                                           "explain": folder / PLAN, **options})
        (folder / PLANNED).write_bytes(planned.print())
        planned.run_with_options(lib.mirageModuleCompile,
                                 {"from": "lower", "artifact": folder / "artifact", **options})
        log_warnings(module.context)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    if not (folder / "artifact" / "manifest.json").exists():
        raise _library.make_internal_error("the compiler wrote no artifact and did not say why", text)
    return str(folder)


def compile_graph(graph: KernelGraph) -> CompiledGraph:
    """As it is written, each operator a kernel."""
    folder = compile_module(to_module(graph, Context()))
    return own(CompiledGraph(folder), folder)


def own(compiled: CompiledGraph, folder: str) -> Any:
    """Has a folder go when the program does, in the process that made it."""
    compiled._finalizer = bind_folder(compiled, folder)
    return compiled


def describe_ptxas() -> Optional[str]:
    """The ptxas that makes cubins, with what it says of its version; none where the driver compiles PTX."""
    text = _library.Text()
    _library.check_run(lib.mirageFindPtxas(byref(text)))
    path = _library.take_text(text).decode()
    if not path:
        return None
    try:
        told = subprocess.run([path, "--version"], capture_output=True, encoding="utf-8", timeout=30).stdout
    except (OSError, subprocess.SubprocessError) as error:
        return f"{path}: {error}"
    release = re.search(r"release [\d.]+, V[\d.]+", told)
    return f"{path}, {release.group() if release else 'of an unknown version'}"


def find_tool(name: str) -> Optional[str]:
    """A program of Mirage's: in the package, in a build folder, or on the PATH."""
    library = pathlib.Path(_library._find_library()).resolve()
    place = library.parent.parent / "bin" / name
    return str(place) if place.exists() else shutil.which(name)

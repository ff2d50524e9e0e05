"""Mirage: a superoptimizer for tensor programs.

    import mirage as mi

    graph = mi.new_kernel_graph()
    X = graph.new_input(dims=(16, 4096), dtype=mi.float16)
    W = graph.new_input(dims=(4096, 4096), dtype=mi.float16)
    graph.mark_output(graph.matmul(graph.rms_norm(X), W))
    optimized = graph.superoptimize()
    outputs = optimized(inputs=[x, w])      # tensors of torch or NumPy

The compiler is libMirage.so, which this package calls; it needs no GPU and no CUDA toolkit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Sequence

from ._version import __version__
from .block_graph import ThreadblockGraph, new_threadblock_graph
from .compiler import from_mlir
from .dtypes import DType, bfloat16, float8_e4m3, float8_e4m3fn, float8_e5m2, float16, float32
from .errors import CompileError, Diagnostic, GraphError, InternalError, MirageError, RunError
from .graph import KernelGraph, from_json, new_kernel_graph
from .operators import DTensor, STensor
from .programs import CompiledGraph, OptimizedGraph, SearchResult, load
from .progress import SearchProgress
from .superoptimizer import set_gpu_device_id, superoptimize

if TYPE_CHECKING:
    import os

    import torch

    from .torch_graphs import ModuleGraph


def from_torch(module: torch.nn.Module, example_inputs: Sequence[torch.Tensor]) -> ModuleGraph:
    """The program that a module of torch computes (mirage.torch_bridge.from_torch)."""
    from .torch_bridge import from_torch as convert

    return convert(module, example_inputs)


def report(optimized: OptimizedGraph, path: str | os.PathLike[str]) -> str:
    """Writes a page about what a search has come to (mirage.pages.report)."""
    from .pages import report as write

    return write(optimized, path)


def generate_cuda_program(*_: Any, **__: Any) -> NoReturn:
    """Not here: code is PTX, of what `compile` and `superoptimize` return."""
    raise GraphError("Mirage makes PTX and no CUDA program: graph.compile().ptx, or superoptimize(...).ptx, has it")


def PersistentKernel(*_: Any, **__: Any) -> NoReturn:
    """Not here: whole models are for torch.compile."""
    raise GraphError("there are no persistent kernels of whole models here: "
                     "torch.compile(model, backend=mirage.torch_bridge.mirage_backend) takes a model in parts")


def __getattr__(name: str) -> NoReturn:
    from .compatibility import refuse_name

    raise refuse_name(__name__, name)


__all__ = [
    "CompileError", "CompiledGraph", "DTensor", "DType", "Diagnostic", "GraphError", "InternalError", "KernelGraph",
    "MirageError", "OptimizedGraph", "RunError", "STensor", "SearchProgress", "SearchResult", "ThreadblockGraph",
    "bfloat16", "float16", "float32", "float8_e4m3", "float8_e4m3fn", "float8_e5m2", "from_json", "from_mlir", "from_torch",
    "PersistentKernel", "generate_cuda_program", "load", "new_kernel_graph", "new_threadblock_graph", "report",
    "__version__", "set_gpu_device_id", "superoptimize",
]

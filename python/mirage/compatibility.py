"""What the original has and this package has no use for: arguments, accepted with a warning, and names, of which an
error says what is in their place."""

from __future__ import annotations

import difflib
import os
import sys
import warnings
from typing import TYPE_CHECKING, Any, ClassVar, Iterable, Mapping

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


def suggest(name: str, known: Iterable[str]) -> str:
    """What may have been meant, behind an error."""
    near = difflib.get_close_matches(name, sorted(set(known)))
    return f"; did you mean {' or '.join(near)}?" if near else ""


def refuse_unknown(name: str, known: Iterable[str]) -> TypeError:
    return TypeError(f"got an unexpected keyword argument {name!r}{suggest(name, {*known, *_UNUSED})}")


def warn_of_unused(names: Iterable[str], known: Iterable[str] = ()) -> None:
    """What nobody knows is an error. `known`: what else the caller takes."""
    names = list(names)
    for name in names:
        if name not in _UNUSED:
            raise refuse_unknown(name, known)
    if names:
        warn(f"{', '.join(names)}: no effect, the compiler decides that by itself")


def warn_of_restrictions(names: Iterable[str]) -> None:
    names = list(names)
    if names:
        warn(f"{', '.join(names)}: no effect, all maps and sizes are searched")


_CODE = "Mirage makes PTX, which is .ptx of what compile() and superoptimize() return"
_ERRORS = "a program that cannot be compiled raises CompileError, and one that compile() returns is right to call"
_WHOLE_MODELS = ("there are no persistent kernels of whole models; "
                 "torch.compile(model, backend=mirage.torch_bridge.mirage_backend) takes a model in parts")

#: Of what the original has one class for, which superoptimize() returns as well.
_OF_ALL_PROGRAMS = {
    "cygraph": "a graph stands for itself",
    "backend": "programs are of PTX alone",
    "valid_kernels": _ERRORS, "get_error_message": _ERRORS,
    "get_input_dtensors": ".inputs has them",
    "get_num_inputs": "it is len(.inputs)", "get_num_outputs": "it is len(.outputs)",
    "get_input_dtensor_layout": "each of .inputs has its strides",
    "get_input_dtensor_shape_and_stride": "each of .inputs has its shape and strides",
    **dict.fromkeys(("attach_torch_tensor", "attach_cuda_tensor", "attach_nvshmem_tensor", "fuse_tensors",
                     "shuffle_tensors", "register_task", "generate_task_graph"), _WHOLE_MODELS),
}
_CALLS = ("run", "cuda_call", "triton_call")
_CODES = ("generate_cuda_program", "generate_nki_program", "generate_triton_program")
#: Of each class that the original has: what is not here, and what is instead.
OF_KERNEL_GRAPHS = {
    **_OF_ALL_PROGRAMS,
    **dict.fromkeys(_CALLS, "call the graph, or what compile() and superoptimize() return, with inputs="),
    **dict.fromkeys(_CODES, _CODE),
    "get_owner_independent_hash": "to_json() of equal graphs is equal",
    "get_graph_structure": "to_json() has it",
}
OF_PROGRAMS = {
    **_OF_ALL_PROGRAMS,
    **dict.fromkeys(_CALLS, "call the program with inputs="),
    **dict.fromkeys(_CODES, "Mirage makes PTX, which is .ptx"),
    "get_owner_independent_hash": "mirage.from_mlir(program.mlir).to_json() of equal ones is equal",
    "get_graph_structure": "mirage.from_mlir(program.mlir).to_json() has it",
}
OF_BLOCK_GRAPHS = {"cygraph": "a graph stands for itself"}
#: Of the original's package.
_OF_PACKAGE = {
    "search": "it is superoptimize()",
    "generate_nki_program": _CODE, "generate_triton_program": _CODE,
    "bypass_compile_errors": _ERRORS, "graph_dataset": "superoptimize(use_cached_graphs=True) keeps results",
    "global_config": "superoptimize() has options, and set_gpu_device_id says which GPU measures",
    "MPK": _WHOLE_MODELS, "MPKMetadata": _WHOLE_MODELS, "MirageModelConfig": _WHOLE_MODELS,
    "spec_decode_class": _WHOLE_MODELS,
}


def refuse_name(owner: str, name: str) -> AttributeError:
    """Of a package's function or class."""
    instead = _OF_PACKAGE.get(name)
    why = f", as the original has: {instead}" if instead else ""
    return AttributeError(f"module {owner!r} has no attribute {name!r}{why}")


class OriginalNames:
    """A graph whose class the original has, with more names."""

    #: By names that this class does not have: what is in their place.
    _instead: ClassVar[Mapping[str, str]]

    if not TYPE_CHECKING:  # where all other names are mistakes

        def __getattr__(self, name: str) -> Any:
            instead = self._instead.get(name)
            if instead is None:  # Python says so, or a property again what it lacks
                return object.__getattribute__(self, name)
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}, as the original's have: "
                                 f"{instead}")

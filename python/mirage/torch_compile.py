"""torch.compile(backend="mirage"): what Mirage takes of a model runs as its programs, the rest eager or as
TorchInductor compiles it."""

from __future__ import annotations

import collections
import dataclasses
import logging
import operator
from typing import Any, Callable, Deque, Dict, List, Optional, Sequence, Tuple

import torch
from torch.fx import GraphModule, Node
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

from .errors import CompileError, MirageError
from .graph import KernelGraph
from .programs import CompiledGraph, OptimizedGraph
from .torch_graphs import from_fx
from .torch_library import call_part, name_part, run_program
from .torch_operators import value_of
from .torch_support import VIEWS, explain_unsupported, is_result, make_decompositions

logger = logging.getLogger("mirage")

# ---------------------------------------------------------------------- what was taken


@dataclasses.dataclass
class Part:
    """A part of a model that Mirage took."""

    graph: KernelGraph
    program: CompiledGraph
    operators: List[str]

    @property
    def improved(self) -> bool:
        return isinstance(self.program, OptimizedGraph) and self.program.improved


@dataclasses.dataclass
class Report:
    """What torch.compile(backend="mirage") took of a model, and why not the rest."""

    fallback: str  #: what the rest is left to: "eager" or "inductor"
    parts: List[Part] = dataclasses.field(default_factory=list)
    left: List[str] = dataclasses.field(default_factory=list)  #: a sentence for each operator that was left

    def __str__(self) -> str:
        lines = [f"{len(self.parts)} parts taken, the rest left to {self.fallback}"]
        for part in self.parts:
            result = part.program.result if isinstance(part.program, OptimizedGraph) else "as it was written"
            lines.append(f"  {', '.join(part.operators)}: {result}")
        lines += [f"left: {sentence}" for sentence in self.left]
        return "\n".join(lines)


#: Of the models that were compiled last, the newest at the end.
reports: Deque[Report] = collections.deque(maxlen=32)

# ---------------------------------------------------------------------- parts of a model


class _Supported(OperatorSupportBase):
    """What Mirage takes of what is on one device."""

    def __init__(self, device: torch.device):
        self.device = device

    def is_node_supported(self, submodules, node: Node) -> bool:
        return explain_unsupported(node) is None and value_of(node).device == self.device


def _partition(module: GraphModule) -> Tuple[GraphModule, List[str]]:
    """Moves what Mirage takes into submodules, as large as can be had, and returns their names too."""
    devices = {value_of(node).device: None for node in module.graph.nodes if explain_unsupported(node) is None}
    names: List[str] = []
    for number, device in enumerate(devices):  # one by one: a partition may be of operators far apart
        prefix = f"mirage_{number}_"
        partitioner = CapabilityBasedPartitioner(module, _Supported(device), allows_single_node_partition=True)
        partitions = [partition for partition in partitioner.propose_partitions()
                      if any(node.target not in VIEWS for node in partition.nodes)]
        module = partitioner.fuse_partitions(partitions, prefix=prefix)
        names += [f"{prefix}{index}" for index in range(len(partitions))]
    return module, names


def _compile_part(submodule: GraphModule, options: Dict[str, Any], report: Report) -> Optional[Part]:
    operators = [str(node.target).replace("aten.", "") for node in submodule.graph.nodes
                 if node.op == "call_function" and not is_result(node)]
    try:
        graph = from_fx(submodule)
        part = Part(graph, graph.superoptimize(**options), operators)
    except (MirageError, TypeError) as error:  # a call of an operator in a way that its writer does not know
        report.left.append(f"{', '.join(operators)}: {error}")
        return None
    report.parts.append(part)
    return part


def _take_parts(module: GraphModule, options: Dict[str, Any], report: Report) -> Tuple[GraphModule, Dict[str, Part]]:
    """Compiles what Mirage takes. Returns the model with a submodule for each part, and which parts
    they are; those that could not be compiled stay what they were."""
    for node in module.graph.nodes:
        if node.op == "call_function" and not is_result(node):
            reason = explain_unsupported(node)
            if reason is not None:
                report.left.append(f"{node.name}: {reason}")
    module, names = _partition(module)
    parts = {name: _compile_part(getattr(module, name), options, report) for name in names}
    return module, {name: part for name, part in parts.items() if part is not None}


# ---------------------------------------------------------------------- the rest of a model


class _PartModule(torch.nn.Module):
    """A part in the place of its operators."""

    def __init__(self, part: Part):
        super().__init__()
        self.part = part

    def forward(self, *inputs):
        outputs = run_program(self.part.program, inputs)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)


def _leave_to_eager(module: GraphModule, parts: Dict[str, Part], inputs: Sequence[Any]) -> Callable[..., Any]:
    for name, part in parts.items():
        setattr(module, name, _PartModule(part))
    module.recompile()
    return module.forward


def _call_parts(module: GraphModule, parts: Dict[str, Part]) -> None:
    """Has parts called by the operator that torch knows, instead of as submodules."""
    graph = module.graph
    for node in list(graph.nodes):
        if node.op != "call_module" or node.target not in parts:
            continue
        program = parts[node.target].program
        with graph.inserting_before(node):
            result = graph.call_function(call_part, (name_part(program), list(node.args)))
            if len(program.outputs) == 1:
                result = graph.call_function(operator.getitem, (result, 0))
        node.replace_all_uses_with(result)
        graph.erase_node(node)
    module.delete_all_unused_submodules()
    module.recompile()


def _leave_to_inductor(module: GraphModule, parts: Dict[str, Part], inputs: Sequence[Any]) -> Callable[..., Any]:
    """By the public entry, which traces the model once more: it sees to passes over whole graphs, to
    strides of outputs and to caches itself, and is the same in all releases of torch since 2.4. A call
    of the model takes 12 us more than by torch's own inner one (2.13, a CPU)."""
    import torch._inductor
    from torch._guards import TracingContext, detect_fake_mode, tracing

    _call_parts(module, parts)
    with tracing(TracingContext(detect_fake_mode(inputs))):  # not that of the trace which is under way
        compiled = torch._inductor.compile(module, list(inputs))

    def run(*given: Any) -> Any:
        return compiled(*given)

    run.parts = parts  # type: ignore[attr-defined]  # which the code calls by names, that hold nothing
    return run


_FALLBACKS = {"eager": _leave_to_eager, "inductor": _leave_to_inductor}

# ---------------------------------------------------------------------- the backend


def _check_options(options: Dict[str, Any]) -> None:
    """A mistake in options is one of the caller's, and no reason to leave parts: a search over next to
    nothing shows it, which leaves nothing behind."""
    for name in ("previous_checkpoint", "checkpoint"):
        if options.get(name) is not None:
            raise CompileError(f"expects no {name}, since a model has several parts, got {options[name]!r}")
    graph = KernelGraph()
    graph.mark_output(graph.exp(graph.new_input((1, 1))))
    graph.superoptimize(**{**options, "measure": False, "on_progress": None, "executor": None, "save_codes": False,
                           "use_cached_graphs": False, "use_graph_dataset": False, "verbose": False})


def mirage_backend(module: GraphModule, example_inputs: Sequence[torch.Tensor], *, options: Optional[Dict[str, Any]] = None,
                   **others: Any):
    """The backend of torch.compile, for inference. `mirage.torch_bridge.reports` says what was taken of
    a model, and why not the rest. Options are

    fallback   what runs the rest: "eager", or "inductor", which compiles it around Mirage's programs

    and those of mirage.superoptimize, whose time limit is a minute for each part here."""
    from functorch.compile import make_boxed_func
    from torch._dynamo.backends.common import aot_autograd

    for name, value in others.items():
        raise CompileError(f"expects nothing but options, got {name}={value!r}")
    given = {"search_time_limit_sec": 60, **(options or {})}
    fallback = given.pop("fallback", "eager")
    if fallback not in list(_FALLBACKS):
        raise CompileError(f"expects fallback of {' or '.join(_FALLBACKS)}, got {fallback!r}")
    _check_options(given)
    report = Report(fallback)
    reports.append(report)

    def compile_inference(forward: GraphModule, inputs):
        fused, parts = _take_parts(forward, given, report)
        logger.info("%s", report)
        return make_boxed_func(_FALLBACKS[fallback](fused, parts, inputs))

    def refuse_training(forward: GraphModule, inputs):
        raise CompileError("expects a model that needs no gradients; compile it under torch.no_grad()")

    return aot_autograd(fw_compiler=refuse_training, inference_compiler=compile_inference,
                        decompositions=make_decompositions())(module, example_inputs)

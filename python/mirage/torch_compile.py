"""torch.compile(backend="mirage"): the parts of a model that Mirage takes as its programs, the rest eager."""

from __future__ import annotations

import collections
import dataclasses
import logging
import operator
from typing import Any, Deque, Dict, List, Optional, Sequence

import torch
from torch.fx import GraphModule, Node
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

from .errors import CompileError, MirageError
from .graph import KernelGraph
from .programs import CompiledGraph, OptimizedGraph
from .torch_graphs import from_fx
from .torch_library import run_program
from .torch_operators import VIEWS, WRITERS, explain_unsupported

logger = logging.getLogger("mirage")


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

    parts: List[Part] = dataclasses.field(default_factory=list)
    left: List[str] = dataclasses.field(default_factory=list)  #: a sentence for each operator that was left

    def __str__(self) -> str:
        lines = [f"{len(self.parts)} parts taken"]
        for part in self.parts:
            result = part.program.result if isinstance(part.program, OptimizedGraph) else "as it was written"
            lines.append(f"  {', '.join(part.operators)}: {result}")
        lines += [f"left: {sentence}" for sentence in self.left]
        return "\n".join(lines)


#: Of the models that were compiled last, the newest at the end.
reports: Deque[Report] = collections.deque(maxlen=32)


class _Supported(OperatorSupportBase):
    def is_node_supported(self, submodules, node: Node) -> bool:
        return explain_unsupported(node) is None


class _PartModule(torch.nn.Module):
    """A part in the place of its operators."""

    def __init__(self, part: Part):
        super().__init__()
        self.part = part

    def forward(self, *inputs):
        outputs = run_program(self.part.program, inputs)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)


def _compile_part(submodule: GraphModule, options: Dict[str, Any], report: Report) -> Optional[_PartModule]:
    operators = [str(node.target).replace("aten.", "") for node in submodule.graph.nodes
                 if node.op == "call_function" and node.target is not operator.getitem]
    try:
        graph = from_fx(submodule)
        program = graph.superoptimize(**options)
    except (MirageError, TypeError) as error:  # a call of an operator in a way that its writer does not know
        report.left.append(f"{', '.join(operators)}: {error}")
        return None
    part = Part(graph, program, operators)
    report.parts.append(part)
    return _PartModule(part)


def _partition(module: GraphModule, options: Dict[str, Any], report: Report) -> GraphModule:
    for node in module.graph.nodes:
        if node.op == "call_function":
            reason = explain_unsupported(node)
            if reason is not None:
                report.left.append(f"{node.name}: {reason}")
    partitioner = CapabilityBasedPartitioner(module, _Supported(), allows_single_node_partition=True)
    partitions = [partition for partition in partitioner.propose_partitions()
                  if any(node.target not in VIEWS for node in partition.nodes)]
    fused = partitioner.fuse_partitions(partitions)
    for name, submodule in list(fused.named_children()):
        if not name.startswith("fused_"):
            continue
        part = _compile_part(submodule, options, report)
        if part is not None:
            setattr(fused, name, part)
    fused.recompile()
    return fused


def _check_options(options: Dict[str, Any]) -> None:
    """A mistake in options is one of the caller's, and no reason to leave parts."""
    graph = KernelGraph()
    graph.exp(graph.new_input((1, 1)))
    graph.superoptimize(**{**options, "max_states": 1, "measure": False, "on_progress": None})


def mirage_backend(module: GraphModule, example_inputs: Sequence[torch.Tensor], *, options: Optional[Dict[str, Any]] = None,
                   **unused: Any):
    """The backend of torch.compile, for inference. `options` are those of mirage.superoptimize, whose
    time limit is a minute for each part here. What no operator of Mirage is stays eager;
    `mirage.torch_bridge.reports` says what and why."""
    from torch._dynamo.backends.common import aot_autograd
    from torch._inductor.decomposition import select_decomp_table

    given = dict(options or {})
    given.setdefault("search_time_limit_sec", 60)
    _check_options(given)
    report = Report()
    reports.append(report)

    def compile_inference(forward: GraphModule, inputs):
        fused = _partition(forward, given, report)
        logger.info("%s", report)
        from functorch.compile import make_boxed_func

        return make_boxed_func(fused.forward)

    def refuse_training(forward: GraphModule, inputs):
        raise CompileError("expects a model that needs no gradients; compile it under torch.no_grad()")

    decompositions = {target: rule for target, rule in select_decomp_table().items() if target not in WRITERS}
    return aot_autograd(fw_compiler=refuse_training, inference_compiler=compile_inference,
                        decompositions=decompositions)(module, example_inputs)

"""torch.compile(backend="mirage"): what Mirage takes of a model runs as its programs, the rest eager or as
TorchInductor compiles it."""

from __future__ import annotations

import collections
import dataclasses
import itertools
import logging
import operator
import warnings
import weakref
from typing import Any, Callable, Deque, Dict, List, Optional, Sequence, Set, Tuple

import torch
from torch.fx import GraphModule, Node
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

from .arguments import show, to_flag
from .errors import CompileError, MirageError
from .graph import KernelGraph
from .programs import OptimizedGraph, SearchResult
from .superoptimizer import check_helpers, choose_measuring
from .tensors import has_tangent, is_in_forward_mode
from .torch_graphs import explain_all, from_fx
from .torch_library import call_part, name_part, run_program
from .torch_operators import value_of
from .torch_support import VIEWS, explain_unsupported, is_result, make_decompositions

logger = logging.getLogger("mirage")

# ---------------------------------------------------------------------- what was taken


@dataclasses.dataclass
class Part:
    """A part of a model that Mirage took: what is known of it, which outlives the compiled model."""

    operators: List[str]
    graph: KernelGraph  #: as the model has it
    result: SearchResult
    mlir: str  #: the µGraph that runs
    _program: "weakref.ref[OptimizedGraph]"

    @property
    def program(self) -> Optional[OptimizedGraph]:
        """None when the compiled model is gone."""
        return self._program()

    @property
    def improved(self) -> bool:
        return self.result.improved


@dataclasses.dataclass
class Report:
    """What torch.compile(backend="mirage") took of a model, and why not the rest."""

    fallback: str  #: what the rest is left to: "eager" or "inductor"
    parts: List[Part] = dataclasses.field(default_factory=list)
    left: List[str] = dataclasses.field(default_factory=list)  #: a sentence for each operator that was left

    def __str__(self) -> str:
        lines = [f"{len(self.parts)} parts taken, the rest left to {self.fallback}"]
        for part in self.parts:
            lines.append(f"  {', '.join(part.operators)}: {part.result}")
        lines += [f"left: {sentence}" for sentence in self.left]
        return "\n".join(lines)


#: Of the models that were compiled last, the newest at the end. They keep no model, and none of its programs.
reports: Deque[Report] = collections.deque(maxlen=32)

# ---------------------------------------------------------------------- parts of a model


Programs = Dict[str, OptimizedGraph]  # by the names of the submodules that they stand for


class _Supported(OperatorSupportBase):
    """What Mirage takes of a model's operators on one device."""

    def __init__(self, module: GraphModule, device: torch.device):
        self.taken = {node for node, reason in explain_all(module).items()
                      if reason is None and value_of(node).device == device}

    def is_node_supported(self, submodules, node: Node) -> bool:
        return node in self.taken


def _shows_an_operand(node: Node) -> bool:
    """Whether a result lies where an operand does, the first, as the operator's schema says: views, and what may
    be one."""
    schema = getattr(node.target, "_schema", None)
    is_view = schema is not None and any(result.alias_info is not None for result in schema.returns)
    return is_view or node.target is torch.ops.aten._unsafe_view.default


def _find_base(node: Node) -> Node:
    """What a node shows, whoever has it."""
    while _shows_an_operand(node):
        node = node.args[0]  # type: ignore[assignment]
    return node


def _leave_shared_views(partition: Any) -> None:
    """Each result of a part has memory of its own. So where tensors that leave it share theirs, with one another or
    with one that comes into it, views are not the part's: a write to one of them is seen in all, as after a graph
    break."""
    nodes = partition.nodes

    def get_outside(node: Node) -> List[Node]:
        return [user for user in node.users if user not in nodes]

    shown: Dict[Node, int] = collections.Counter(_find_base(node) for node in nodes if get_outside(node))
    shared = {base for base, number in shown.items() if number > 1 or base not in nodes}
    order = {node: place for place, node in enumerate(next(iter(nodes)).graph.nodes)}
    for node in sorted(nodes, key=order.__getitem__, reverse=True):  # a view of a view hands on what leaves
        if not _shows_an_operand(node) or _find_base(node) not in shared:
            continue
        outside = get_outside(node)
        if outside:
            with node.graph.inserting_after(node):
                view = node.graph.node_copy(node)
            for user in outside:
                user.replace_input_with(node, view)
        if not node.users:
            partition.remove_node(node)
            node.graph.erase_node(node)


def _partition(module: GraphModule) -> Tuple[GraphModule, List[str]]:
    """Moves what Mirage takes into submodules, as large as can be had, and returns their names too."""
    devices = {value_of(node).device: None for node in module.graph.nodes if explain_unsupported(node) is None}
    names: List[str] = []
    for number, device in enumerate(devices):  # one by one: a partition may be of operators far apart
        prefix = f"mirage_{number}_"
        partitioner = CapabilityBasedPartitioner(module, _Supported(module, device), allows_single_node_partition=True)
        partitions = [partition for partition in partitioner.propose_partitions()
                      if any(node.target not in VIEWS for node in partition.nodes)]
        for partition in partitions:
            _leave_shared_views(partition)
        module = partitioner.fuse_partitions(partitions, prefix=prefix)
        names += [f"{prefix}{index}" for index in range(len(partitions))]
    return module, names


def _compile_part(submodule: GraphModule, takes: str, options: Dict[str, Any], report: Report) -> Optional[OptimizedGraph]:
    operators = [str(node.target).replace("aten.", "") for node in submodule.graph.nodes
                 if node.op == "call_function" and not is_result(node)]
    try:
        graph = from_fx(submodule)
        program = graph.superoptimize(**options)
    except (MirageError, TypeError) as error:
        report.left.append(f"{', '.join(operators)}: {error}")
        return None
    if takes == "improved" and not program.improved:  # its kernels are as many as the fallback's
        report.left.append(f"{', '.join(operators)}: {program.result}")
        return None
    report.parts.append(Part(operators, graph, program.result, program.mlir, weakref.ref(program)))
    return program


def _take_parts(module: GraphModule, takes: str, options: Dict[str, Any], report: Report) -> Tuple[GraphModule, Programs]:
    """Compiles what Mirage takes. Returns the model with a submodule for each part, and the programs of
    these; those that could not be compiled stay what they were."""
    reasons = explain_all(module)
    report.left += [reason for node, reason in reasons.items() if reason is not None and not is_result(node)]
    module, names = _partition(module)
    programs = {name: _compile_part(getattr(module, name), takes, options, report) for name in names}
    return module, {name: program for name, program in programs.items() if program is not None}


# ---------------------------------------------------------------------- the rest of a model


class _PartModule(torch.nn.Module):
    """A part in the place of its operators."""

    def __init__(self, program: OptimizedGraph):
        super().__init__()
        self.program = program

    def forward(self, *inputs):
        outputs = run_program(self.program, inputs)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)


def _leave_to_eager(module: GraphModule, programs: Programs, inputs: Sequence[Any]) -> Callable[..., Any]:
    for name, program in programs.items():
        setattr(module, name, _PartModule(program))
    module.recompile()
    return module.forward


def _call_parts(module: GraphModule, programs: Programs) -> None:
    """Has parts called by the operator that torch knows, instead of as submodules."""
    graph = module.graph
    for node in list(graph.nodes):
        if node.op != "call_module" or node.target not in programs:
            continue
        program = programs[node.target]
        with graph.inserting_before(node):
            result = graph.call_function(call_part, (name_part(program), list(node.args)))
            if len(program.outputs) == 1:
                result = graph.call_function(operator.getitem, (result, 0))
        node.replace_all_uses_with(result)
        graph.erase_node(node)
    module.delete_all_unused_submodules()
    module.recompile()


def _leave_to_inductor(module: GraphModule, programs: Programs, inputs: Sequence[Any]) -> Callable[..., Any]:
    """By the public entry, which traces the model once more: it sees to passes over whole graphs, to
    strides of outputs and to caches itself, and is the same in all releases of torch since 2.4. A call
    of the model takes 12 us more than by torch's own inner one (2.13, a CPU)."""
    import torch._inductor
    from torch._guards import TracingContext, detect_fake_mode, tracing

    _call_parts(module, programs)
    with tracing(TracingContext(detect_fake_mode(inputs))):  # not that of the trace which is under way
        compiled = torch._inductor.compile(module, list(inputs))

    def run(*given: Any) -> Any:
        return compiled(*given)

    run.programs = programs  # type: ignore[attr-defined]  # which the code calls by names, that hold nothing
    return run


_FALLBACKS = {"eager": _leave_to_eager, "inductor": _leave_to_inductor}


def _train_by_inductor(module: GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    from torch._inductor.compile_fx import compile_fx

    return compile_fx(module, list(inputs))


#: Models that need gradients, as a whole.
_TRAINERS = {"eager": lambda module, inputs: module.forward, "inductor": _train_by_inductor}

# ---------------------------------------------------------------------- the backend


_checked: Set[str] = set()  #: options that were right


def _check_options(options: Dict[str, Any]) -> None:
    """A mistake in options is one of the caller's, and no reason to leave parts: a search over next to
    nothing shows it, which leaves nothing behind. It takes 50 ms, so options are searched with once."""
    for name in ("previous_checkpoint", "checkpoint", "report"):
        if options.get(name) is not None:
            raise CompileError(f"expects no {name}, since a model has several parts, got {show(options[name])}")
    choose_measuring(options.get("measure"), options.get("target"))
    check_helpers(options.get("executor"), options.get("shards"), options.get("on_progress"))
    flags = ("save_codes", "use_cached_graphs", "use_graph_dataset", "verbose")
    for name in flags:
        to_flag(name, options.get(name))
    options = {**{name: value for name, value in options.items() if name != "cache"},
               "measure": False, "on_progress": None, "executor": None, "shards": None, **{name: False for name in flags}}
    described = repr(sorted(options.items(), key=lambda option: option[0]))
    if described in _checked:
        return
    graph = KernelGraph()
    graph.mark_output(graph.exp(graph.new_input((1, 1))))
    graph.superoptimize(**options)
    _checked.add(described)


def _specialize(module: GraphModule) -> None:
    """Makes symbolic sizes of inputs numbers: torch then calls what is compiled for these sizes alone,
    and compiles for others anew. Sizes that depend on data stay symbols; so do numbers that a model
    takes, which may be others in each call."""
    for node in module.graph.nodes:  # where the symbols are: inputs that are given may have real sizes
        value = node.meta.get("example_value") if node.op == "placeholder" else None
        if isinstance(value, torch.Tensor):
            for number in (*value.shape, *value.stride(), value.storage_offset()):
                int(number)


def _needs_gradients(module: GraphModule, inputs: Sequence[Any]) -> bool:
    tensors = itertools.chain(module.parameters(), module.buffers(), inputs)
    return torch.is_grad_enabled() and any(isinstance(value, torch.Tensor) and value.requires_grad for value in tensors)


_GRADIENTS = ("the model needs gradients, which Mirage does not compute, and is left to {fallback} as a whole; "
              "for inference, call it under torch.no_grad() or torch.inference_mode(), or freeze it by "
              "requires_grad_(False)")


def _leave_training(module: GraphModule, inputs: Sequence[Any], report: Report) -> Callable[..., Any]:
    """With a warning: a model that is trained works as it would by torch alone."""
    sentence = _GRADIENTS.format(fallback=report.fallback)
    report.left.append(sentence)
    warnings.warn(f"mirage: {sentence}", stacklevel=2)
    return _TRAINERS[report.fallback](module, inputs)


_TANGENTS = ("the model is given tensors with tangents of forward mode, which Mirage does not compute, and runs eager; "
             "for inference, detach() them")


def _leave_tangents(module: GraphModule, compiled: Callable[..., Any]) -> Callable[..., Any]:
    """Compiled code does not see them, and torch compiles nothing anew where they come: the model itself runs then."""
    def run(*inputs: Any) -> Any:
        if is_in_forward_mode():
            given = itertools.chain(module.parameters(), module.buffers(), inputs)
            if any(isinstance(value, torch.Tensor) and has_tangent(value) for value in given):
                warnings.warn(f"mirage: {_TANGENTS}", stacklevel=2)
                return module.forward(*inputs)
        return compiled(*inputs)

    return run


def mirage_backend(module: GraphModule, example_inputs: Sequence[torch.Tensor], *, options: Optional[Dict[str, Any]] = None,
                   **others: Any) -> Callable[..., Any]:
    """The backend of torch.compile, for inference: models that need gradients are left to the fallback
    as a whole, with a warning, and so are calls with tangents of forward mode, to eager. Each shape of inputs is compiled by itself. `mirage.torch_bridge.reports`
    says what was taken of a model, and why not the rest. Options are

    fallback   what runs the rest: "eager", or "inductor", which compiles it around Mirage's programs
    takes      "improved": parts for which nothing faster was found are left to the fallback, too; "all"
               that Mirage has operators for

    and those of mirage.superoptimize, whose time limit is a minute for each part here."""
    from functorch.compile import make_boxed_func
    from torch._dynamo.backends.common import aot_autograd

    for name, value in others.items():
        raise CompileError(f"expects nothing but options, got {name}={show(value)}")
    if options is not None and not (isinstance(options, dict) and all(isinstance(name, str) for name in options)):
        raise CompileError(f"expects options as a dictionary of names and values, got {show(options)}")
    given = {**(options or {})}
    if given.get("time_limit_s") is None:
        given.setdefault("search_time_limit_sec", 60)
    fallback = given.pop("fallback", "eager")
    if not isinstance(fallback, str) or fallback not in _FALLBACKS:
        raise CompileError(f"expects fallback of {' or '.join(_FALLBACKS)}, got {show(fallback)}")
    takes = given.pop("takes", "improved")
    if not isinstance(takes, str) or takes not in ("improved", "all"):
        raise CompileError(f"expects takes of improved or all, got {show(takes)}")
    _check_options(given)
    report = Report(fallback)
    reports.append(report)
    if _needs_gradients(module, example_inputs):
        return _leave_training(module, example_inputs, report)
    _specialize(module)

    def compile_inference(forward: GraphModule, inputs):
        fused, programs = _take_parts(forward, takes, given, report)
        logger.info("%s", report)
        return make_boxed_func(_FALLBACKS[fallback](fused, programs, inputs))

    compile_all = aot_autograd(fw_compiler=compile_inference, decompositions=make_decompositions())
    return _leave_tangents(module, compile_all(module, example_inputs))

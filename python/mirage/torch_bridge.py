"""Programs out of torch: FX graphs of ATen operators as Mirage's graphs, torch.compile(backend="mirage"),
and mirage.from_torch; and programs as operators of torch. Imports torch."""

from __future__ import annotations

import collections
import dataclasses
import logging
import operator
import re
from typing import Any, Callable, Deque, Dict, List, Optional, Sequence, Tuple

import torch
from torch.fx import GraphModule, Node
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

from . import tensors
from .dtypes import find_dtype
from .errors import CompileError, GraphError, MirageError, RunError
from .graph import KernelGraph
from .operators import DTensor
from .programs import CompiledGraph, OptimizedGraph

logger = logging.getLogger("mirage")
aten = torch.ops.aten

# ---------------------------------------------------------------------- ATen operators

Writer = Callable[..., DTensor]
_WRITERS: Dict[Any, Writer] = {}


def _writes(*targets: Any) -> Callable[[Writer], Writer]:
    def register(writer: Writer) -> Writer:
        for target in targets:
            _WRITERS[target] = writer
        return writer

    return register


def _unary(target: Any, name: str) -> None:
    _WRITERS[target] = lambda graph, node, x: getattr(graph, name)(x)


for _target, _name in ((aten.exp.default, "exp"), (aten.exp2.default, "exp2"), (aten.log.default, "log"),
                       (aten.sqrt.default, "sqrt"), (aten.rsqrt.default, "rsqrt"), (aten.neg.default, "neg"),
                       (aten.abs.default, "abs"), (aten.sigmoid.default, "sigmoid"), (aten.silu.default, "silu"),
                       (aten.relu.default, "relu"), (aten.tanh.default, "tanh"), (aten.erf.default, "erf"),
                       (aten.reciprocal.default, "reciprocal")):
    _unary(_target, _name)


@_writes(aten.mm.default, aten.bmm.default)
def _matmul(graph, node, x, y):
    return graph.matmul(x, y)


@_writes(aten.add.Tensor, aten.add.Scalar, aten.sub.Tensor, aten.sub.Scalar)
def _add(graph, node, x, y, alpha=1):
    if alpha != 1:
        y = graph.mul(y, alpha) if isinstance(y, DTensor) else y * alpha
    return graph.sub(x, y) if node.target in (aten.sub.Tensor, aten.sub.Scalar) else graph.add(x, y)


@_writes(aten.rsub.Scalar)
def _rsub(graph, node, x, y, alpha=1):
    return graph.sub(y, graph.mul(x, alpha) if alpha != 1 else x)


@_writes(aten.mul.Tensor, aten.mul.Scalar)
def _mul(graph, node, x, y):
    return graph.mul(x, y)


@_writes(aten.div.Tensor, aten.div.Scalar)
def _div(graph, node, x, y):
    return graph.div(x, y)


@_writes(aten.pow.Tensor_Scalar, aten.pow.Tensor_Tensor)
def _pow(graph, node, x, y):
    return graph.pow(x, y)


@_writes(aten.maximum.default)
def _maximum(graph, node, x, y):
    return graph.maximum(x, y)


@_writes(aten.minimum.default)
def _minimum(graph, node, x, y):
    return graph.minimum(x, y)


@_writes(aten.clamp.default, aten.clamp_min.default, aten.clamp_max.default)
def _clamp(graph, node, x, lo=None, hi=None):
    if node.target == aten.clamp_max.default:
        lo, hi = None, lo
    return graph.clamp(x, -float("inf") if lo is None else lo, float("inf") if hi is None else hi)


@_writes(aten.gelu.default)
def _gelu(graph, node, x, approximate="none"):
    return graph.gelu(x, approximate=approximate)


@_writes(aten.addmm.default)
def _addmm(graph, node, bias, x, y, beta=1, alpha=1):
    product = graph.matmul(x, y)
    if alpha != 1:
        product = graph.mul(product, alpha)
    return graph.add(product, graph.mul(bias, beta) if beta != 1 else bias)


@_writes(aten.t.default)
def _t(graph, node, x):
    return graph.transpose(x) if x.ndim == 2 else x


@_writes(aten.transpose.int)
def _transpose(graph, node, x, dim0, dim1):
    return graph.transpose(x, dim0, dim1)


@_writes(aten.permute.default)
def _permute(graph, node, x, dims):
    return graph.permute(x, dims)


@_writes(aten.view.default, aten._unsafe_view.default, aten.reshape.default, aten.unsqueeze.default,
         aten.squeeze.dim, aten.squeeze.dims, aten.squeeze.default)
def _view(graph, node, x, *_):
    return graph.reshape(x, _shape(node))


@_writes(aten.expand.default)
def _expand(graph, node, x, *_, **__):
    shape = _shape(node)
    if x.ndim < len(shape):
        x = graph.reshape(x, (1,) * (len(shape) - x.ndim) + x.shape)
    return x if x.shape == shape else graph.broadcast(x, shape)


@_writes(aten.clone.default, aten.contiguous.default, aten.alias.default, aten.detach.default)
def _same(graph, node, x, **_):
    return x


@_writes(aten._to_copy.default)
def _cast(graph, node, x, dtype=None, **_):
    return x if dtype is None or find_dtype(dtype) == x.dtype else graph.cast(x, dtype)


@_writes(torch.ops.prims.convert_element_type.default)
def _convert(graph, node, x, dtype):
    return _cast(graph, node, x, dtype)


@_writes(aten.cat.default)
def _cat(graph, node, tensors, dim=0):
    return graph.concat(list(tensors), dim=dim)


@_writes(aten.slice.Tensor)
def _slice(graph, node, x, dim=0, start=None, end=None, step=1):
    starts, sizes, steps = [0] * x.ndim, list(_shape(node)), [1] * x.ndim
    start = start or 0
    starts[dim] = min(start + x.shape[dim] if start < 0 else start, x.shape[dim])
    steps[dim] = step
    return x if x.shape == tuple(sizes) else graph.slice(x, starts, sizes, steps)


def _reduce(name: str):
    def write(graph, node, x, dim=None, keepdim=False, dtype=None):
        if dtype is not None and find_dtype(dtype) != x.dtype:
            x = graph.cast(x, dtype)
        dims = list(range(x.ndim)) if dim is None or dim == [] else dim
        reduced = getattr(graph, name)(x, dims)
        return reduced if keepdim else graph.reshape(reduced, _shape(node) or (1,))

    return write


_WRITERS[aten.sum.dim_IntList] = _reduce("sum")
_WRITERS[aten.mean.dim] = _reduce("mean")
_WRITERS[aten.amax.default] = _reduce("max")


@_writes(aten._softmax.default)
def _softmax(graph, node, x, dim, half_to_float):
    wide = graph.cast(x, torch.float32) if half_to_float else x
    return graph.softmax(wide, dim)


def _shape(node: Node) -> Tuple[int, ...]:
    return tuple(int(size) for size in node.meta["val"].shape)


# ---------------------------------------------------------------------- what we take


def explain_unsupported(node: Node) -> Optional[str]:
    """Why a node of an FX graph is not taken; None if it is."""
    if node.op != "call_function":
        return f"expects an operator, got {node.op}"
    if node.target not in _WRITERS:
        return f"no operator of Mirage is {node.target}"
    values = [node.meta.get("val")] + [argument.meta.get("val") for argument in node.all_input_nodes]
    for value in values:
        if not isinstance(value, torch.Tensor):
            return f"{node.target} is not of tensors alone"
        if find_dtype(value.dtype) is None:
            return f"{node.target} is of {value.dtype}"
        if any(not isinstance(size, int) for size in value.shape):
            return f"{node.target} has sizes that are not known"
        if value.ndim == 0 or value.numel() == 0:
            return f"{node.target} has a tensor without {'dimensions' if value.ndim == 0 else 'elements'}"
    devices = {value.device for value in values}
    if len(devices) > 1:
        return f"{node.target} is of tensors on {' and '.join(sorted(map(str, devices)))}"
    if node.target is aten.slice.Tensor and len(node.args) > 4 and node.args[4] < 1:
        return "slices of steps below 1"
    return None


#: Operators that show elements and compute nothing: a part of these alone is not worth a kernel.
_VIEWS = {aten.t.default, aten.transpose.int, aten.permute.default, aten.view.default, aten._unsafe_view.default,
          aten.reshape.default, aten.unsqueeze.default, aten.squeeze.dim, aten.squeeze.dims, aten.squeeze.default,
          aten.expand.default, aten.clone.default, aten.alias.default, aten.detach.default, aten.slice.Tensor,
          aten.contiguous.default}


class _Supported(OperatorSupportBase):
    def is_node_supported(self, submodules, node: Node) -> bool:
        return explain_unsupported(node) is None


# ---------------------------------------------------------------------- FX to graphs


def from_fx(module: GraphModule) -> KernelGraph:
    """The program that an FX graph of ATen operators is. Its nodes say their values (`meta["val"]`)."""
    graph = KernelGraph()
    values: Dict[Node, DTensor] = {}
    for node in module.graph.nodes:
        if node.op == "placeholder":
            values[node] = _add_input(graph, node)
        elif node.op == "output":
            outputs = [node.args[0]] if isinstance(node.args[0], Node) else node.args[0]
            for value in outputs:
                if not isinstance(value, Node):
                    raise GraphError(f"expects tensors as outputs, got {value!r}")
                _mark_output(graph, value, values[value])
        else:
            reason = explain_unsupported(node)
            if reason is not None:
                raise GraphError(f"{node.name}: {reason}")
            values[node] = _write(graph, node, values)
    return graph


def _add_input(graph: KernelGraph, node: Node) -> DTensor:
    value = node.meta["val"]
    if not isinstance(value, torch.Tensor):
        raise GraphError(f"{node.name}: expects tensors as inputs, got {type(value).__name__}")
    strides = None if value.is_contiguous() else tuple(value.stride())
    return graph.new_input(tuple(value.shape), strides=strides, dtype=value.dtype, name=str(node.name))


def _mark_output(graph: KernelGraph, node: Node, value: DTensor) -> None:
    """As the node's value lies. An output is no input, and none twice: it is copied."""
    if any(value is other for other in (*graph.inputs, *graph.outputs)):
        value = graph.mul(value, 1.0)
    expected = node.meta["val"]
    strides = None if expected.is_contiguous() else tuple(expected.stride())
    try:
        graph.mark_output(value, strides=strides)
    except GraphError:  # strides that share places, as of an expanded tensor
        graph.mark_output(value)


def _write(graph: KernelGraph, node: Node, values: Dict[Node, DTensor]) -> DTensor:
    arguments = torch.fx.node.map_arg(node.args, lambda argument: values[argument])
    options = torch.fx.node.map_arg(node.kwargs, lambda argument: values[argument])
    result = _WRITERS[node.target](graph, node, *arguments, **options)
    expected = node.meta["val"]
    if result.dtype != find_dtype(expected.dtype):
        result = graph.cast(result, expected.dtype)
    return result if result.shape == _shape(node) else graph.reshape(result, _shape(node))


def from_torch(module: torch.nn.Module, example_inputs: Sequence[torch.Tensor]) -> KernelGraph:
    """The program that a module computes of such inputs. Its parameters and buffers are inputs too,
    before the others, as torch.export has them: `graph.inputs` says their names.

    Raises GraphError for what has no operator of Mirage's."""
    was_training = module.training
    try:
        exported = torch.export.export(module.eval(), tuple(example_inputs)).run_decompositions()
    finally:
        module.train(was_training)
    return from_fx(exported.graph_module)


# ---------------------------------------------------------------------- torch.compile


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


def _lay_out(tensor: torch.Tensor, strides: Tuple[int, ...]) -> torch.Tensor:
    """A tensor as a part wants it: operators between parts need not leave theirs as FX has them."""
    if tensor.stride() == strides and tensor.data_ptr() % 16 == 0:
        return tensor
    return torch.empty_strided(tensor.shape, strides, dtype=tensor.dtype, device=tensor.device).copy_(tensor)


class _PartModule(torch.nn.Module):
    """A part in the place of its operators."""

    def __init__(self, part: Part):
        super().__init__()
        self.part = part

    def forward(self, *inputs):
        given = [_lay_out(tensor, spec.strides) for tensor, spec in zip(inputs, self.part.program.inputs)]
        outputs = self.part.program(given)
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
                  if any(node.target not in _VIEWS for node in partition.nodes)]
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

    decompositions = {target: rule for target, rule in select_decomp_table().items() if target not in _WRITERS}
    return aot_autograd(fw_compiler=refuse_training, inference_compiler=compile_inference,
                        decompositions=decompositions)(module, example_inputs)


# ---------------------------------------------------------------------- operators of torch


def register_operator(name: str, program: "CompiledGraph | KernelGraph") -> Any:
    """Makes of a program an operator of torch, which torch.compile, torch.export and FX take as one and
    do not look into. Returns it; it is also `torch.ops.<namespace>.<name>`.

    name      "namespace::name"; an operator of that name which was made so is replaced
    program   what superoptimize() or load() returned, or a graph, which runs as it is written

    It takes the program's inputs one by one and returns its output, or a tuple of several. Inputs that
    lie in memory otherwise than the program wants are copied. It has no gradients: calls with tensors
    that need them raise RunError."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_]\w*::[A-Za-z_]\w*", name):
        raise GraphError(f'expects a name as "namespace::name", got {name!r}')
    if isinstance(program, KernelGraph):
        program = program.compile()
    if not isinstance(program, CompiledGraph):
        raise GraphError(f"expects a program or a graph, got {type(program).__name__}")
    inputs, outputs = program.inputs, program.outputs

    def return_all(results: Sequence[torch.Tensor]) -> Any:
        return results[0] if len(results) == 1 else tuple(results)

    def run(*given: torch.Tensor) -> Any:
        return return_all(program([_lay_out(tensor, spec.strides) for tensor, spec in zip(given, inputs)]))

    def infer(*given: torch.Tensor) -> Any:
        device = (given[0].device.type, given[0].device.index or 0) if given else tensors.CPU
        for tensor, spec in zip(given, inputs):
            tensors.check(spec, "input", tensors.Bound(
                0, tuple(tensor.shape), find_dtype(tensor.dtype), str(tensor.dtype), spec.strides,
                (tensor.device.type, tensor.device.index or 0), tensor), device)
        return return_all([tensors.make_empty(spec, given[0]) for spec in outputs])

    def refuse(*_: Any, **__: Any) -> None:
        raise RunError(f"{name}: expects tensors that need no gradient, which Mirage does not compute; "
                       "call under torch.no_grad(), or detach() them")

    taken = ", ".join(f"Tensor input{number}" for number in range(len(inputs)))
    returned = "Tensor" if len(outputs) == 1 else f"({', '.join(['Tensor'] * len(outputs))})"
    made = torch.library.custom_op(name, run, mutates_args=(), schema=f"({taken}) -> {returned}")
    made.register_fake(infer)
    made.register_autograd(refuse, setup_context=refuse)
    return made

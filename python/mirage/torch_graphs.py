"""Programs out of torch: FX graphs of ATen operators as Mirage's graphs, and mirage.from_torch."""

from __future__ import annotations

import functools
import operator
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import torch
import torch.utils._pytree as pytree
from torch.fx import GraphModule, Node

from .arguments import show
from .compatibility import warn
from .errors import GraphError, MirageError, RunError
from .graph import KernelGraph
from .operators import DTensor
from .programs import CompiledGraph
from .tensors import TensorSpec, has_tangent
from .torch_library import run_program
from .torch_operators import WRITERS, cast, shape_of, value_of
from .torch_support import explain_unsupported, is_result, make_decompositions


def from_fx(module: GraphModule) -> KernelGraph:
    """The program that an FX graph of ATen operators is. Its nodes say their values (`meta["val"]`)."""
    graph = KernelGraph()
    _write_all(graph, module)
    return graph


def _write_all(graph: KernelGraph, module: GraphModule) -> None:
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
            values[node] = _write_node(graph, node, values)


def explain_all(module: GraphModule) -> Dict[Node, Optional[str]]:
    """Why each operator of a model is not taken; None where it is. What a call may say, beside its types, its writer
    and the compiler know alone: so each is written, into a graph that nobody keeps."""
    graph = KernelGraph()
    values: Dict[Node, DTensor] = {}
    reasons: Dict[Node, Optional[str]] = {}
    for node in module.graph.nodes:
        if node.op != "call_function":
            continue
        reason = explain_unsupported(node)
        if reason is not None:
            reasons[node] = f"{node.name}: {reason}"
        elif is_result(node):
            reasons[node] = reasons[node.args[0]]
        else:
            reasons[node] = _try_to_write(graph, node, values)
    return reasons


def _try_to_write(graph: KernelGraph, node: Node, values: Dict[Node, DTensor]) -> Optional[str]:
    """Why it cannot be written. Operands that are not there, as those of a refused operator, become inputs."""
    try:
        for operand in node.all_input_nodes:
            if operand not in values:
                value = value_of(operand)
                values[operand] = graph.new_input(tuple(value.shape), dtype=value.dtype)
        values[node] = _write_node(graph, node, values)
    except MirageError as error:
        return str(error)
    return None


def _add_input(graph: KernelGraph, node: Node) -> DTensor:
    value = node.meta["val"]
    if not isinstance(value, torch.Tensor):
        raise GraphError(f"{node.name}: expects tensors as inputs, got {type(value).__name__}")
    strides = None if value.is_contiguous() else tuple(value.stride())
    try:
        return graph.new_input(tuple(value.shape), strides=strides, dtype=value.dtype, name=str(node.name))
    except GraphError as error:
        raise GraphError(f"{node.name}: {error}") from None


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


def _write_node(graph: KernelGraph, node: Node, values: Dict[Node, DTensor]) -> DTensor:
    """Raises GraphError with the node's name where it is not taken."""
    reason = explain_unsupported(node)
    if reason is not None:
        raise GraphError(f"{node.name}: {reason}")
    if is_result(node):
        return values[node.args[0]]
    try:
        return _write(graph, node, values)
    except (GraphError, TypeError, ValueError) as error:  # a call in a way that its writer does not know
        raise GraphError(f"{node.name}: {node.target} cannot be written: {error}") from error


def _write(graph: KernelGraph, node: Node, values: Dict[Node, DTensor]) -> DTensor:
    arguments = torch.fx.node.map_arg(node.args, lambda argument: values[argument])
    options = torch.fx.node.map_arg(node.kwargs, lambda argument: values[argument])
    result = WRITERS[node.target](graph, node, *arguments, **options)
    result = cast(graph, result, value_of(node).dtype)
    return result if result.shape == shape_of(node) else graph.reshape(result, shape_of(node))


#: Of a tensor that a module has.
Getter = Callable[[], torch.Tensor]


def _find_shared(module: torch.nn.Module, names: Sequence[str]) -> torch.Tensor:
    """One tensor that the module has by several names, as tied weights are: an input of the program. Raises RunError
    where they are several now."""
    first, *others = (_find_tensor(module, name) for name in names)
    for name, other in zip(names[1:], others):
        if other is not first:
            raise RunError(f"expects {names[0]} and {name} to be one tensor, as from_torch found them, got two; "
                           "from_torch makes a graph of the module as it is now")
    return first


def _find_tensor(module: torch.nn.Module, name: str) -> torch.Tensor:
    """Raises RunError where the module has no such tensor any more."""
    try:
        found = operator.attrgetter(name)(module)
    except AttributeError:
        raise RunError(f"{name}: expects a module that has this tensor, as from_torch found it, got one without") from None
    if not isinstance(found, torch.Tensor):
        raise RunError(f"{name}: expects a tensor of the module, as from_torch found it, got {show(found)}")
    return found


def _itself(constant: torch.Tensor) -> torch.Tensor:
    return constant


class ModuleGraph(KernelGraph):
    """The program of a module: its parameters and buffers are the first inputs. Pickled and copied, it takes
    the module along; where that is too much, or cannot be pickled, `mirage.from_json(graph.to_json())` is the
    program alone."""

    def __init__(self, getters: Sequence[Getter], returned: Any, program: Optional[KernelGraph] = None):
        """returned   a tree of torch's, whose leaves the outputs are
        program    what is there of it; None: nothing"""
        super().__init__(None if program is None else program._handle)
        if program is not None:
            self.inputs = [DTensor(self, tensor.number, tensor.name) for tensor in program.inputs]
            self.outputs = [DTensor(self, tensor.number) for tensor in program.outputs]
        self._getters = list(getters)
        self._returned = returned

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restore, (self._getters, self._returned, self.to_json())

    @property
    def parameters(self) -> List[torch.Tensor]:
        """The module's own, as it has them now, in the order of the inputs that they are. Raises RunError where
        it has one no more."""
        return [get() for get in self._getters]

    def bind(self, program: CompiledGraph) -> "BoundProgram":
        """A program of this graph with the parameters of the module: a function of the other inputs. Raises
        GraphError where it is none, or has other inputs or outputs."""
        if not isinstance(program, CompiledGraph):
            raise GraphError(f"expects a program, as superoptimize() and compile() return, got {program!r}")
        _check_same("inputs", *([f"{tensor.name} {_describe_type(tensor)}" for tensor in tensors]
                                for tensors in (self.inputs, program.inputs)))
        _check_same("outputs", *(list(map(_describe_type, tensors)) for tensors in (self.outputs, program.outputs)))
        return BoundProgram(program, self._getters, self._returned)


def _describe_type(tensor: "DTensor | TensorSpec") -> str:
    return f"{tensor.dtype.name}{list(tensor.shape)}"


def _check_same(what: str, expected: List[str], found: List[str]) -> None:
    if found != expected:
        raise GraphError(f"expects a program of this graph, with {what} {', '.join(expected)}, "
                         f"got one with {', '.join(found)}")


def _restore(getters: Sequence[Getter], returned: Any, text: str) -> ModuleGraph:
    return ModuleGraph(getters, returned, KernelGraph.from_json(text))


class BoundProgram:
    """A program that has the first of its inputs from a module: the parameters and buffers that this has when it is
    called, by their names. Tensors that are plain attributes are constants, as they were when the graph was made.
    It has no gradients, and no tangents. Pickled and copied, it takes the module along."""

    def __init__(self, program: CompiledGraph, getters: Sequence[Getter], returned: Any):
        self.program = program
        self._getters = list(getters)
        self._returned = returned

    def __call__(self, *inputs: torch.Tensor) -> Any:
        """What the module returns: a tensor, a tuple, a dictionary, ..., each tensor in memory of its own, also where
        the module returns views of one. Inputs may lie in memory in any way.

        Raises RunError for inputs and parameters that the program does not take, as those of other sizes and
        sparse ones, and where the module has no such parameter any more."""
        specs = self.program.inputs[len(self._getters):]
        if len(inputs) != len(specs):
            raise RunError(f"expects {len(specs)} inputs ({', '.join(spec.name for spec in specs)}), got {len(inputs)}")
        for value in inputs:
            if not isinstance(value, torch.Tensor):
                raise RunError(f"expects tensors of torch, one by one, got {show(value)}")
        outputs = run_program(self.program, [*map(_take_value, self._getters), *inputs])
        return pytree.tree_unflatten(outputs, self._returned)


def _take_value(get: Getter) -> torch.Tensor:
    """Of a parameter: it may need gradients, which the inputs alone are asked for, but has no tangent."""
    parameter = get()
    if has_tangent(parameter):
        raise RunError("expects parameters without tangents, which Mirage does not compute, got one of forward mode "
                       "(torch.func.jvp, torch.autograd.forward_ad)")
    return parameter.detach()


def from_torch(module: torch.nn.Module, example_inputs: Sequence[torch.Tensor]) -> ModuleGraph:
    """The program that a module computes of such inputs, in evaluation: dropout does nothing, and batch
    norm goes by its running statistics. The parameters and buffers that it uses are inputs too, before the
    others: `graph.inputs` says their names, `graph.parameters` has their tensors, and

        layer = graph.bind(graph.superoptimize())
        y = layer(x)

    hands them over. The module takes tensors one by one and returns some, in whatever arrangement. Where
    dropout or batch norm modules are in training mode, a warning says that this changes nothing. Raises
    GraphError for what torch.export cannot trace, and for what has no operator of Mirage's."""
    exported = _export(module, example_inputs)
    signature = exported.graph_signature
    written = [name for mutated in ("buffers_to_mutate", "parameters_to_mutate", "user_inputs_to_mutate")
               for name in getattr(signature, mutated, {}).values()]  # which older torch has not all
    if written:
        raise GraphError("expects a module that writes no inputs, parameters and buffers, got one that writes "
                         f"{', '.join(written)}")
    graph = ModuleGraph(_take_parameters(module, exported), exported.call_spec.out_spec)
    _write_all(graph, exported.graph_module)
    return graph


def _export(module: Any, example_inputs: Any) -> torch.export.ExportedProgram:
    if not isinstance(module, torch.nn.Module):
        raise GraphError(f"expects a module of torch, got {show(module)}")
    if not isinstance(example_inputs, (list, tuple)) or not all(isinstance(value, torch.Tensor) for value in example_inputs):
        raise GraphError(f"expects example_inputs as a tuple of tensors, got {show(example_inputs)}")
    modes = {child: child.training for child in module.modules()}
    if any(is_training and isinstance(child, _CHANGING) for child, is_training in modes.items()):
        warn("from_torch: the module is in training mode, and its program is that of evaluation: without dropout, "
             "by running statistics")
    try:
        exported = torch.export.export(module.eval(), tuple(example_inputs)).run_decompositions(make_decompositions())
    except Exception as error:  # of the module's code as well, whatever it may be
        reason = str(error).strip().split("\n")[0]
        raise GraphError(f"expects a module that torch.export takes with {_describe_all(example_inputs)}, got "
                         f"{type(error).__name__}: {reason}") from error
    finally:
        for child, is_training in modes.items():
            child.training = is_training
    for node in list(exported.graph_module.graph.nodes):
        if node.target is _ASSERTION:  # of what was traced, beside conversions
            exported.graph_module.graph.erase_node(node)
    return exported


_ASSERTION = getattr(torch.ops.aten, "_assert_tensor_metadata", None) and torch.ops.aten._assert_tensor_metadata.default

#: Modules that compute something else when they are trained.
_CHANGING = (torch.nn.modules.dropout._DropoutNd, torch.nn.modules.batchnorm._NormBase)


def _describe_all(values: Sequence[torch.Tensor]) -> str:
    return ", ".join(f"{value.dtype}{list(value.shape)}" for value in values) or "no inputs"


def _take_parameters(module: torch.nn.Module, exported: torch.export.ExportedProgram) -> List[Getter]:
    """What is an input of the graph and none of the module: its own by their names, since others may take
    their places, and constants: tensors that stand in its code, or are plain attributes. Those that nothing reads are
    taken out."""
    own = {name: tensor for name, tensor in (*module.named_parameters(remove_duplicate=False),
                                             *module.named_buffers(remove_duplicate=False))}
    nodes = {node.name: node for node in exported.graph_module.graph.nodes if node.op == "placeholder"}
    getters: List[Getter] = []
    for spec in exported.graph_signature.input_specs:
        node = nodes[spec.arg.name]
        if spec.target is not None and not node.users:
            exported.graph_module.graph.erase_node(node)
        elif spec.target in own:
            names = [name for name, tensor in own.items() if tensor is own[spec.target]]
            getters.append(functools.partial(_find_shared, module, names) if len(names) > 1
                           else functools.partial(_find_tensor, module, spec.target))
        elif spec.target is not None:
            getters.append(functools.partial(_itself, exported.constants[spec.target]))
    return getters

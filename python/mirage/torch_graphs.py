"""Programs out of torch: FX graphs of ATen operators as Mirage's graphs, and mirage.from_torch."""

from __future__ import annotations

from typing import Dict, Sequence

import torch
from torch.fx import GraphModule, Node

from .dtypes import find_dtype
from .errors import GraphError
from .graph import KernelGraph
from .operators import DTensor
from .torch_operators import WRITERS, explain_unsupported, shape_of


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
    result = WRITERS[node.target](graph, node, *arguments, **options)
    expected = node.meta["val"]
    if result.dtype != find_dtype(expected.dtype):
        result = graph.cast(result, expected.dtype)
    return result if result.shape == shape_of(node) else graph.reshape(result, shape_of(node))


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

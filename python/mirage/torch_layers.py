"""Operators of ATen that are whole layers, as Mirage's: attention and normalizations. Imports torch."""

from __future__ import annotations

import torch

from .operators import DTensor
from .torch_operators import cast, find_targets, name_arguments, shape_of, writes

# ---------------------------------------------------------------------- attention

#: What scaled_dot_product_attention becomes, by the device and what it can do.
ATTENTION = find_targets("_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_flash_attention",
                         "_scaled_dot_product_efficient_attention", "_scaled_dot_product_cudnn_attention",
                         "_scaled_dot_product_fused_attention_overrideable")

_LIMITS = torch.finfo(torch.float32)


@writes(*ATTENTION)
def _attention(graph, node, *args, **options):
    """Scores stay in f32, as in torch's kernels: what is f16 does not hold those of long rows."""
    given = name_arguments(node.target, args, options)
    query, key, value = given["query"], given["key"], given["value"]
    heads = query.shape[1]
    product = graph.matmul(query, graph.transpose(_repeat_heads(graph, key, heads)))
    scale = query.shape[-1] ** -0.5 if given["scale"] is None else given["scale"]
    scores = graph.mul(cast(graph, product, torch.float32), scale)
    mask = given.get("attn_mask", given.get("attn_bias"))
    if mask is not None:
        scores = graph.add(scores, cast(graph, mask, torch.float32))
    if given["is_causal"]:
        scores = graph.causal_mask(scores)
    weights = graph.softmax(scores) if mask is None else _safe_softmax(graph, scores, -1)
    return graph.matmul(cast(graph, weights, value.dtype), _repeat_heads(graph, value, heads))


def _repeat_heads(graph, tensor: DTensor, heads: int) -> DTensor:
    """Keys or values of heads that several queries share, for each of them."""
    batch, own, rows, width = tensor.shape
    if own == heads:
        return tensor
    groups = graph.reshape(tensor, (batch, own, 1, rows, width))
    return graph.reshape(graph.broadcast(groups, (batch, own, heads // own, rows, width)), (batch, heads, rows, width))


def _safe_softmax(graph, x: DTensor, dim: int) -> DTensor:
    """Softmax that is 0, and not NaN, where a mask leaves nothing of a row."""
    shifted = graph.exp(graph.sub(x, graph.clamp(graph.max(x, dim), _LIMITS.min, float("inf"))))
    return graph.div(shifted, graph.clamp(graph.sum(shifted, dim), _LIMITS.tiny, float("inf")))


@writes(*find_targets("_safe_softmax"))
def _write_safe_softmax(graph, node, x, dim, dtype=None):
    return _safe_softmax(graph, x if dtype is None else cast(graph, x, dtype), dim)


# ---------------------------------------------------------------------- normalizations


@writes(torch.ops.aten.native_layer_norm.default)
def _layer_norm(graph, node, x, normalized_shape, weight, bias, eps):
    if weight is None and bias is not None:
        return graph.add(graph.layer_norm(x, normalized_shape, eps=eps), bias)
    return graph.layer_norm(x, normalized_shape, weight, bias, eps)


@writes(*find_targets("_fused_rms_norm"))
def _rms_norm(graph, node, x, normalized_shape, weight, eps):
    """An eps that is not given is that of f32, in which torch computes it."""
    return graph.rms_norm(x, normalized_shape, weight, _LIMITS.eps if eps is None else eps)


@writes(torch.ops.aten.native_group_norm.default)
def _group_norm(graph, node, x, weight, bias, batch, channels, pixels, groups, eps):
    rows = graph.reshape(cast(graph, x, torch.float32), (batch, groups, channels // groups * pixels))
    result = graph.reshape(graph.layer_norm(rows, eps=eps), (batch, channels, pixels))
    for factor, combine in ((weight, graph.mul), (bias, graph.add)):
        if factor is not None:
            result = combine(result, graph.reshape(cast(graph, factor, torch.float32), (1, channels, 1)))
    return graph.reshape(result, shape_of(node))

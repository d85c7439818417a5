"""Attention: products of queries and keys, a softmax over the keys, and products with the values."""

from __future__ import annotations

from math import sqrt

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor
from tinyml.lowering.frontends.onnx.builder import (
    Builder,
    Comparison,
    Constant,
    Inputs,
    Value,
    handles,
    needed,
    optional,
)
from tinyml.lowering.frontends.onnx.graph import OnnxNode
from tinyml.lowering.frontends.onnx.ops.elementwise import binary
from tinyml.lowering.frontends.onnx.ops.masks import MaskedSum, fits, softmax_of
from tinyml.lowering.frontends.onnx.ops.movement import reshaped
from tinyml.lowering.frontends.onnx.ops.products import multiplied


@handles("Attention")
def attention(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import Attention, with the heads in a separate axis or side by side in the last axis.

    Several query heads may use the same keys and values. Causal masks, constant masks, and a numeric addend of the
    scores are supported. Computed Boolean masks, attention windows, a cache of keys and values, and a soft cap are
    not supported.
    """
    mask = optional(inputs, 3)
    windowed = any(node.integer(f"{side}_window_size", -1) >= 0 for side in ("left", "right"))
    if windowed or isinstance(mask, Comparison):
        raise node.error("windows and computed masks are not supported: expected a constant mask or is_causal")
    if any(optional(inputs, position) is not None for position in (4, 5, 6)) or any(node.outputs[1:]):
        raise node.error("a cache of keys and values, and outputs after the first, are not supported")
    if node.number("softcap", 0.0):
        raise node.error("a softcap is not supported")
    query = to.stored(needed(to, inputs, 0))
    if side_by_side := len(query.shape) == 3:
        heads, shared = node.integer("q_num_heads"), node.integer("kv_num_heads")
    else:
        heads, shared = query.shape[1], needed(to, inputs, 1).shape[1]
    if shared < 1 or heads % shared:
        raise node.error(f"{heads} heads of queries do not make groups for {shared} heads of keys")
    width = query.shape[-1] // heads if side_by_side else query.shape[-1]
    scale = node.number("scale", 0.0) or 1 / sqrt(width)
    # Queries are scaled, not scores, since the layer that computes them can absorb a constant factor.
    query = _heads(to, node, binary(to, tdsl.MulOp, query, Constant(np.array(scale))), heads)
    key, value = (_heads(to, node, to.stored(needed(to, inputs, position)), shared) for position in (1, 2))
    samples, _, length, _ = query.shape
    if heads > shared:
        query = reshaped(to, query, (samples, shared, heads // shared, length, width))
        key, value = (reshaped(to, tensor, (samples, shared, 1, *tensor.shape[2:])) for tensor in (key, value))
    rank = len(key.shape)
    scores = multiplied(to, node, query, _transposed(key, (*range(rank - 2), rank - 1, rank - 2)))
    by_head = reshaped(to, scores, (samples, heads, *scores.shape[-2:]))
    if isinstance(mask, OrderedTensor):
        by_head = binary(to, tdsl.AddOp, by_head, mask)
    addend = _addend(node, mask if isinstance(mask, Constant) else None, by_head.shape)
    shares = None if addend is None else softmax_of(to, node, MaskedSum(by_head, addend))
    if shares is None:
        summed = by_head if addend is None else binary(to, tdsl.AddOp, by_head, addend)
        shares = OrderedTensor.plain(to.op(tdsl.SoftmaxOp, to.tensor(summed), to.element))
    shares = reshaped(to, shares, scores.shape)
    result = reshaped(to, multiplied(to, node, shares, value), (samples, heads, length, value.shape[-1]))
    if not side_by_side:
        return result
    return reshaped(to, _transposed(result, (0, 2, 1, 3)), (samples, length, heads * value.shape[-1]))


def _addend(node: OnnxNode, mask: Constant | None, shape: tdsl.Shape) -> Constant | None:
    if mask is not None and mask.array.dtype == np.bool_:
        mask = Constant(np.where(mask.array, np.float32(0), np.float32(-np.inf)), mask.name)
    if mask is not None and not fits(shape, mask.array):
        raise node.error(f"the mask of shape {list(mask.shape)} is not for scores of shape {list(shape)}")
    if node.integer("is_causal", 0):
        later = np.triu(np.full(shape[-2:], -np.inf, np.float32), 1)
        mask = Constant(later if mask is None else mask.array + later, "causal")
    return mask


def _heads(to: Builder, node: OnnxNode, value: OrderedTensor, heads: int) -> OrderedTensor:
    if len(value.shape) == 4:
        return value
    if len(value.shape) != 3 or value.shape[2] % heads:
        raise node.error(f"shape {list(value.shape)} does not make {heads} heads")
    samples, length, elements = value.shape
    return _transposed(reshaped(to, value, (samples, length, heads, elements // heads)), (0, 2, 1, 3))


def _transposed(value: OrderedTensor, permutation: tuple[int, ...]) -> OrderedTensor:
    return OrderedTensor(value.value, tuple(permutation.index(axis) for axis in value.order))

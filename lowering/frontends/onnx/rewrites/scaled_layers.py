"""Factors and addends behind a layer with weights, as of a batch normalisation, folded into the weights."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

Layer: TypeAlias = "tdsl.Conv2dOp | tdsl.MatmulOp"


class ScaledLayer(RewritePattern):
    """Matches `layer * factors` and `(layer + addends) * factors`, where the layer's weights are constant."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.MulOp, rewriter: PatternRewriter, /) -> None:
        if tdsl.format_of(op.out).type != f32:
            return
        for value, factors in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if not isinstance(factors.owner, tdsl.ConstOp) or not value.has_one_use():
                continue
            addends: tdsl.ConstOp | None = None
            layer_value = value
            if isinstance(sum := value.owner, tdsl.AddOp) and isinstance(sum.rhs.owner, tdsl.ConstOp):
                layer_value, addends = sum.lhs, sum.rhs.owner
            if (layer := _layer(layer_value)) is None or shape_of(op.out) != shape_of(value):
                continue
            by_row = _by_row(factors.owner, layer, shape_of(op.out))
            if by_row is None:
                continue
            _scale(layer, by_row, rewriter)
            result = layer_value
            if addends is not None:
                scaled = np.asarray(addends.raws * factors.owner.raws, np.float32)
                constant = tdsl.ConstOp(scaled, F32_FORMAT)
                constant.result.name_hint = addends.result.name_hint
                total = tdsl.AddOp(layer_value, constant.result)
                rewriter.insert([constant, total], InsertPoint.before(op))
                result = total.out
            rewriter.replace(op, [], [result])
            return


class AddedTwice(RewritePattern):
    """Adds two constants, one after the other, at once."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.AddOp, rewriter: PatternRewriter, /) -> None:
        if tdsl.format_of(op.out).type != f32:
            return
        inner, second = op.lhs.owner, op.rhs.owner
        if not isinstance(inner, tdsl.AddOp) or not isinstance(second, tdsl.ConstOp) or not op.lhs.has_one_use():
            return
        if not isinstance(first := inner.rhs.owner, tdsl.ConstOp) or _layer(inner.lhs) is None:
            return
        if shape_of(inner.lhs) != shape_of(op.out):
            return
        constant = tdsl.ConstOp(np.asarray(first.raws + second.raws, np.float32), F32_FORMAT)
        constant.result.name_hint = first.result.name_hint
        rewriter.replace(op, [constant, tdsl.AddOp(inner.lhs, constant.result)])


def _layer(value: SSAValue) -> Layer | None:
    """The layer behind a value, perhaps reshaped, with constant weights and no other user; None without one."""
    while isinstance(value.owner, tdsl.ReshapeOp) and value.has_one_use():
        value = value.owner.input
    op = value.owner
    if not isinstance(op, tdsl.Conv2dOp | tdsl.MatmulOp) or not value.has_one_use():
        return None
    own = isinstance(op.lhs.owner, tdsl.ConstOp) and op.lhs.has_one_use()
    column = isinstance(op, tdsl.Conv2dOp) or shape_of(op.out)[1] == 1
    return op if own and column else None


def _by_row(factors: tdsl.ConstOp, layer: Layer, shape: tdsl.Shape) -> NDArray[Any] | None:
    """The factor of each row of the weights; None if other axes have factors of their own."""
    rows = shape_of(layer.lhs)[0]
    spread = np.broadcast_to(factors.raws, shape)
    if prod(shape) == rows:
        return spread.ravel()
    if shape != shape_of(layer.out):
        return None
    by_row = spread[0, 0, 0]
    return by_row if (spread == by_row).all() else None


def _scale(layer: Layer, factors: NDArray[Any], rewriter: PatternRewriter) -> None:
    """Multiply the rows of a layer's weights by factors."""
    weights = layer.lhs.owner
    assert isinstance(weights, tdsl.ConstOp)
    scaled = weights.raws * factors.reshape(-1, *(1,) * (weights.raws.ndim - 1))
    new = weights.with_raws(np.asarray(scaled, np.float32), F32_FORMAT)
    new.result.name_hint = weights.result.name_hint
    rewriter.replace(weights, new)

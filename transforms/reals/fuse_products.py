"""`fuse-products`: fuses a sum of matrix products and a constant into one sum of products, rounded once (L0).

For example, the two gates of FastGRNN share `W x + U h`, and a layer adds its bias to `W x`. If the terms are added
inside one accumulator, no product has to be rounded, stored and loaded separately.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, f32, i8
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tinyml.dialects import locations, tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import PatternRewriteWalker

_Product = tdsl.MatmulOp | tdsl.MatmulSumOp


@dataclass(frozen=True)
class FuseProductsPass(ModulePass):
    """Fuse additions at L0 into sums of products.

    The terms of an addition are two dense matrix products without other readers, or a product and a constant.
    Products of matrices with separate row scales retain the scales: their sums are shifted to the scales of the
    greatest rows before they are added. No constant is added to such products, because its numbers would need the
    scales of all rows. Convolutions accept constants with one number for each channel.

    several_products: whether a sum may have more than one product. It must be false for formats that can only add
    products of one scale.
    """

    name = "fuse-products"
    several_products: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(_FuseSum(self.several_products)).rewrite_module(op)
        PatternRewriteWalker(_FuseBias()).rewrite_module(op)


class _FuseSum(RewritePattern):
    """A pattern that replaces the addition of two products, or of a product and a constant, by one sum of products.

    several: whether a sum may have more than one product.
    """

    def __init__(self, several: bool):
        self.several = several

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.AddOp, rewriter: PatternRewriter, /) -> None:
        if op.result is None or tdsl.format_of(op.out).type != f32 or tdsl.shape_of(op.lhs) != tdsl.shape_of(op.rhs):
            return
        makers = map(tdsl.only_maker, op.operands)
        products = [made for made in makers if isinstance(made, _Product) and made.parent is op.parent]
        constants = [value.owner for value in op.operands if isinstance(value.owner, tdsl.ConstOp)]
        shapes = {tdsl.shape_of(product.out) for product in products}
        initials = [product.initial for product in products if product.initial is not None]
        if len(products) > 1 and not self.several:
            return
        shifted = [product for product in products if product.shifts is not None]
        if shifted and (initials or constants):
            return
        if len(products) + len(constants) < 2 or len(shapes) != 1 or len(initials) + len(constants) > 1:
            return
        [shape] = shapes
        initials += [_shaped(constant, shape, rewriter) for constant in constants]
        pairs = [pair for product in products for pair in product.pairs]
        fused = tdsl.MatmulSumOp(pairs, initials[0] if initials else None)
        if shifted:
            _shift_rows(fused, products)
        _replace(op, fused, products, rewriter)


def _shift_rows(fused: tdsl.MatmulSumOp, products: Sequence[_Product]) -> None:
    """Set the shifts of a sum of products whose rows have different powers of two as scales.

    For each row of the sum, the greatest power of all products is determined. Products with smaller powers are
    shifted left, and the sum is divided by the greatest power.
    """
    own = [np.array(product.shifts or [0] * product.rows) for product in products]
    most = np.max(own, 0)
    left = [
        (most - shifts + np.array(part or [0])).tolist()
        for product, shifts in zip(products, own, strict=True)
        for part in product.left_shifts
    ]
    fused.set_left_shifts(left)
    fused.row_shifts = DenseArrayBase.from_list(i8, most.tolist())


class _FuseBias(RewritePattern):
    """A pattern that fuses the addition of a constant, which has one number for each channel, into a convolution."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.AddOp, rewriter: PatternRewriter, /) -> None:
        if op.result is None or tdsl.format_of(op.out).type != f32:
            return
        for value, addend in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            made, bias = tdsl.only_maker(value), addend.owner
            if not isinstance(made, tdsl.Conv2dOp) or not isinstance(bias, tdsl.ConstOp) or made.initial is not None:
                continue
            rows = tdsl.shape_of(made.out)[made.ROW_AXIS]
            channels = {tdsl.shape_of(each)[-1:] for each in (value, addend)}
            if channels != {(rows,)} or bias.raws.size != rows:
                continue
            # The start of a sum is shifted like the sum.
            raws = bias.raws.reshape(rows) if made.shifts is None else np.ldexp(bias.raws.reshape(rows), made.shifts)
            start = bias.with_raws(raws.astype(bias.raws.dtype), tdsl.format_of(addend))
            rewriter.insert(start, InsertPoint.before(bias))
            fused = tdsl.Conv2dOp(made.lhs, made.rhs, made.steps, made.spread, made.group_count, start.result)
            fused.row_shifts = made.row_shifts
            return _replace(op, fused, [made], rewriter)


def _shaped(constant: tdsl.ConstOp, shape: tdsl.Shape, rewriter: PatternRewriter) -> SSAValue:
    """A constant in another shape. Unless the constant already has this shape, a copy is inserted next to the original,
    which may be outside of the loops around the sum.
    """
    if tdsl.shape_of(constant.result) == shape:
        return constant.result
    new = constant.with_raws(constant.raws.reshape(shape), tdsl.format_of(constant.result))
    rewriter.insert(new, InsertPoint.before(constant))
    return new.result


def _replace(
    op: tdsl.AddOp, fused: tdsl.ContractionOp, terms: Sequence[tdsl.ContractionOp], rewriter: PatternRewriter
) -> None:
    fused.location = locations.fused(each.location for each in (*terms, op))
    shape, added = tdsl.shape_of(op.out), list(op.operands)
    new = [fused] if shape == tdsl.shape_of(fused.out) else [fused, tdsl.ReshapeOp(fused.out, shape)]
    for each in new:
        each.attributes |= op.attributes
        each.out.name_hint = op.out.name_hint
    rewriter.replace(op, new)
    for value in added:
        _remove_unread(value, rewriter)


def _remove_unread(value: SSAValue, rewriter: PatternRewriter) -> None:
    while not value.uses and isinstance(owner := value.owner, tdsl.ReshapeOp):
        value = owner.input
        rewriter.erase(owner)
    owner = value.owner
    if not value.uses and isinstance(owner, _Product | tdsl.ConstOp | tdsl.Conv2dOp):
        rewriter.erase(owner)

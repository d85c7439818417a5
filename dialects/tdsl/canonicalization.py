"""Canonicalisation of the tensor DSL, for tensors only: nothing here touches the memref form.

Every rewrite keeps each output bit, so it may run before and after formats are chosen. Profiles go along.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ArrayAttr, f32
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.hints import isa

from tinyml.dialects import tdsl

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws


class ReshapeOfReshape(RewritePattern):
    """Only the last shape counts."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.ReshapeOp, rewriter: PatternRewriter, /) -> None:
        if op.result is not None and isinstance(inner := op.input.owner, tdsl.ReshapeOp):
            new = tdsl.ReshapeOp(inner.input, tdsl.shape_of(op.out))
            new.attributes |= op.attributes
            rewriter.replace(op, new)


class TransposeOfTranspose(RewritePattern):
    """One permutation after another is one permutation."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.TransposeOp, rewriter: PatternRewriter, /) -> None:
        if op.result is not None and isinstance(inner := op.input.owner, tdsl.TransposeOp):
            new = tdsl.TransposeOp(inner.input, [inner.axes[axis] for axis in op.axes])
            new.attributes |= op.attributes
            rewriter.replace(op, new)


class TransposeToReshape(RewritePattern):
    """Where only axes of extent 1 move, as from a column to a row, no element does."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.TransposeOp, rewriter: PatternRewriter, /) -> None:
        if op.result is not None and op.keeps_order:
            new = tdsl.ReshapeOp(op.input, tdsl.shape_of(op.out))
            new.attributes |= op.attributes
            rewriter.replace(op, new)


class ReshapeOfConstant(RewritePattern):
    """A constant gets the shape that its only user wants; with more users the reshape stays, because it is free."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.ReshapeOp, rewriter: PatternRewriter, /) -> None:
        if op.input.has_one_use() and (constant := _constant(op)) is not None:
            _replace_by_constant(op, constant, constant.raws.reshape(tdsl.shape_of(op.out)), rewriter)


class TransposeOfConstant(RewritePattern):
    """Done by the compiler: on the device it would take working memory."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.TransposeOp, rewriter: PatternRewriter, /) -> None:
        if (constant := _constant(op)) is not None:
            _replace_by_constant(op, constant, constant.raws.transpose(op.axes), rewriter)


class ReverseOfConstant(RewritePattern):
    """Done by the compiler: on the device it would take working memory."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.ReverseOp, rewriter: PatternRewriter, /) -> None:
        if (constant := _constant(op)) is not None:
            import numpy as np

            _replace_by_constant(op, constant, np.flip(constant.raws, op.axis.value.data), rewriter)


class NegativeOfConstant(RewritePattern):
    """For reals (f32) only: a format's own negation may round and saturate, and assigning formats comes later."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.NegOp, rewriter: PatternRewriter, /) -> None:
        if (constant := _constant(op)) is not None and tdsl.format_of(op.out).type == f32:
            _replace_by_constant(op, constant, 0 - constant.raws, rewriter)


class RowTimesConstant(RewritePattern):
    """x W = (W^T x^T)^T with W^T made by the compiler, so that each sum walks through consecutive bytes of flash.

    The products and their order stay as they are. Not where W has other users: flash would hold it twice.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.MatmulOp, rewriter: PatternRewriter, /) -> None:
        constant = op.rhs.owner
        if op.result is None or not isinstance(constant, tdsl.ConstOp):
            return
        length, columns = tdsl.shape_of(op.rhs)
        if min(length, columns) == 1 or not all(_is_row_product(use.operation, op.rhs) for use in op.rhs.uses):
            return
        weights = tdsl.ConstOp(constant.raws.T, tdsl.format_of(constant.result))
        weights.attributes |= constant.attributes
        weights.result.name_hint = constant.result.name_hint
        rewriter.insert(weights, InsertPoint.before(constant))
        column = tdsl.ReshapeOp(op.lhs, (length, 1))
        column.attributes |= _profile_of(op.lhs)
        column.out.name_hint = op.lhs.name_hint
        product = tdsl.MatmulOp(weights.result, column.out, tdsl.format_of(op.out).type)
        product.acc, product.bound = op.acc and op.accumulator.exchanged.type, op.bound
        row = tdsl.ReshapeOp(product.out, (1, columns))
        for new in (product, row):
            new.attributes |= op.attributes
            new.out.name_hint = op.out.name_hint
        rewriter.replace(op, [column, product, row])


def _is_row_product(op: Operation, matrix: SSAValue) -> bool:
    return isinstance(op, tdsl.MatmulOp) and op.lhs is not matrix and tdsl.shape_of(op.lhs)[0] == 1


def _constant(op: tdsl.ReshapeOp | tdsl.TransposeOp | tdsl.ReverseOp | tdsl.NegOp) -> tdsl.ConstOp | None:
    """The constant that an op on a tensor reads."""
    return owner if op.result is not None and isinstance(owner := op.input.owner, tdsl.ConstOp) else None


def _replace_by_constant(op: tdsl.TensorOp, old: tdsl.ConstOp, raws: Raws, rewriter: PatternRewriter) -> None:
    new = tdsl.ConstOp(raws, tdsl.format_of(op.out))
    new.attributes |= {**old.attributes, **op.attributes}
    new.result.name_hint = op.out.name_hint or old.result.name_hint
    # Beside the old one, which may stand outside the loops around the op.
    rewriter.insert(new, InsertPoint.before(old))
    rewriter.replace(op, [], [new.result])


def _profile_of(value: SSAValue) -> dict[str, Attribute]:
    """The profile of an op's result, as an op with this result alone would carry it."""
    if isinstance(value, OpResult):
        profiles = value.op.attributes.get(tdsl.PROFILE)
        if isa(profiles, ArrayAttr[Attribute]):
            return {tdsl.PROFILE: ArrayAttr([profiles.data[value.index]])}
    return {}

"""`convolve-rows`: turns products of several rows and a matrix into convolutions with windows of one pixel (L0, L1).

A dense layer may have several rows, such as the tokens of a transformer. It multiplies each row by the same constant.
Attention multiplies the rows by the rows of another matrix. The rows become the pixels of an image, and the columns of
the right factor become filters. The optimisations of convolutions then apply: the weights of a sum are contiguous,
several pixels are computed at once, and segments are streamed.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Use
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.rewriting import PatternRewriteWalker
from tinyml.dialects.tdsl.constant import profile_of

_MIN_PRODUCTS = 3
"""The fewest products of a sum that becomes a window."""


@dataclass(frozen=True)
class ConvolveRowsPass(ModulePass):
    """Replace every `tdsl.matmul` of several rows and a constant or transposed matrix by a `tdsl.conv2d`.

    The products of a sum, their order, accumulators and bounds are unchanged. The constant is stored transposed, so
    only such products may read it. Four kinds of products are unchanged: sums of fewer than three products, which are
    faster one by one; rows with separate scales; factors whose groups share scales; and sums whose bound can only be
    proven because the left factor is constant.
    """

    name = "convolve-rows"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(_RowsAsPixels()).rewrite_module(op)


class _RowsAsPixels(RewritePattern):
    """Rewrite a product X W to a convolution.

    X becomes an image of one line. Each row of X is a pixel of the image, and each column of W is a filter.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.MatmulOp, rewriter: PatternRewriter, /) -> None:
        right = op.rhs
        if op.result is None or not _has_pixels(op) or (filters := _filters(op)) is None:
            return
        (rows, length), columns = tdsl.shape_of(op.lhs), tdsl.shape_of(op.out)[1]
        image = tdsl.ReshapeOp(op.lhs, (1, 1, rows, length))
        image.attributes |= profile_of(op.lhs)
        image.out.name_hint = op.lhs.name_hint
        sums = tdsl.Conv2dOp(filters.results[0], image.out, element=tdsl.format_of(op.out).type)
        sums.acc, sums.bound = op.acc and op.accumulator.exchanged.type, op.bound
        if not sums.is_bounded_by_parts(image.out):
            for new in (sums, image, filters):
                new.erase()
            return
        result = tdsl.ReshapeOp(sums.out, (rows, columns))
        for new in (sums, result):
            new.attributes |= op.attributes
            new.out.name_hint = op.out.name_hint
        rewriter.insert(filters, InsertPoint.before(right.owner if isinstance(right.owner, tdsl.ConstOp) else op))
        rewriter.replace(op, [image, sums, result])
        while not right.uses and isinstance(unread := right.owner, tdsl.ReshapeOp | tdsl.TransposeOp):
            right = unread.input
            rewriter.erase(unread)
        if not right.uses and isinstance(constant := right.owner, tdsl.ConstOp):
            rewriter.erase(constant)


def _has_pixels(op: tdsl.MatmulOp) -> bool:
    """True if the left factor of a product has several rows of enough elements, and all rows have common scales."""
    rows, length = tdsl.shape_of(op.lhs)
    grouped = any(tdsl.format_of(value).groups is not None for value in (op.lhs, op.rhs))
    whole = op.shifts is None and not grouped and not op.accumulator.has_row_scales
    return rows > 1 and length >= _MIN_PRODUCTS and whole


def _filters(op: tdsl.MatmulOp) -> tdsl.ConstOp | tdsl.ReshapeOp | None:
    """The columns of the right factor as filters of one pixel.

    None if the columns are not contiguous and cannot be made contiguous.
    """
    length, columns = tdsl.shape_of(op.rhs)
    match op.rhs.owner:
        case tdsl.ConstOp() as constant if all(map(_reads_filters, op.rhs.uses)):
            return constant.with_raws(constant.raws.T.reshape(columns, 1, 1, length), tdsl.format_of(op.rhs))
        case _:
            value = op.rhs
            while isinstance(reshaped := value.owner, tdsl.ReshapeOp):
                value = reshaped.input
            transposed = value.owner
            if not isinstance(transposed, tdsl.TransposeOp) or transposed.matrix != (columns, length):
                return None
            filters = tdsl.ReshapeOp(transposed.input, (columns, 1, 1, length))
            filters.attributes |= profile_of(op.rhs)
            filters.out.name_hint = transposed.input.name_hint
            return filters


def _reads_filters(use: Use) -> bool:
    return isinstance(op := use.operation, tdsl.MatmulOp) and use.index == 1 and _has_pixels(op)

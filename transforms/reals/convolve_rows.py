"""`convolve-rows`: turns products of several rows and a matrix into convolutions with windows of one pixel (L0, L1).

A dense layer may have several rows, such as the tokens of a transformer. It multiplies each row by the same constant.
Attention multiplies the rows by the rows of another matrix. The rows become the pixels of an image, and the columns of
the right factor become filters. The optimisations of convolutions then apply: the weights of a sum are contiguous,
several pixels are computed at once, and segments are streamed.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue, Use
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.rewriting import PatternRewriteWalker
from tinyml.dialects.tdsl.constant import profile_of
from tinyml.transforms.ir.conditional_pass import ConditionalPass

_MIN_PRODUCTS = 3
"""The fewest products of a sum that becomes a window."""


@dataclass(frozen=True)
class ConvolveRowsPass(ConditionalPass):
    """Replace every `tdsl.matmul` of several rows and a constant or transposed matrix by a `tdsl.conv2d`.

    The products of a sum, their order, accumulators and bounds are unchanged. The constant is stored transposed, so
    only such products may read it. Four kinds of products are unchanged: sums of fewer than three products, which
    are faster one by one; rows with separate scales; factors whose elements share scales in groups; and sums whose
    bound can only be proven because the left factor is constant.
    """

    name = "convolve-rows"

    def obstacle(self, module: ModuleOp) -> str | None:
        for op in module.walk():
            if isinstance(op, tdsl.MatmulOp) and tdsl.shape_of(op.lhs)[0] > 1:
                return None
            if isinstance(op, tdsl.ElementwiseOp) and any(
                _is_line(value, tdsl.shape_of(op.out)) for value in op.inputs
            ):
                return None
        return "no tdsl.matmul has several rows on the left"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(_RowsAsPixels()).rewrite_module(op)
        PatternRewriteWalker(_AfterPixels()).rewrite_module(op)


class _RowsAsPixels(RewritePattern):
    """A pattern that rewrites a product X W to a convolution.

    X becomes an image of one line. Each row of X is a pixel of the image, and each column of W is a filter.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.MatmulOp, rewriter: PatternRewriter, /) -> None:
        right = op.rhs
        if op.result is None or not _has_pixels(op) or (filters := _filters(op)) is None:
            return
        (rows, length), columns = tdsl.shape_of(op.lhs), tdsl.shape_of(op.out)[1]
        image = _reshaped(op.lhs, (1, 1, rows, length))
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


class _AfterPixels(RewritePattern):
    """A pattern that moves an elementwise op before the reshape of a line's pixels to rows: the op then combines the
    pixels, rather than the rows, with its other operands.

    The op, such as a residual sum, can then run in the loops of the convolution, so that the line of pixels needs no
    buffer.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.ElementwiseOp, rewriter: PatternRewriter, /) -> None:
        shape = tdsl.shape_of(op.out)
        rows = next((value.owner for value in op.inputs if _is_line(value, shape)), None)
        several = sum(tdsl.shape_of(value) == shape for value in op.inputs) > 1
        if op.result is None or not several or not isinstance(rows, tdsl.ReshapeOp):
            return
        line, parts = tdsl.shape_of(rows.input), dict[SSAValue, tdsl.ReshapeOp]()
        for value in op.inputs:
            own = tdsl.shape_of(value)
            if own == shape:
                parts[value] = _reshaped(value, line)
            elif prod(own[:-1]) > 1 or len(own) > len(line):
                return
        new = op.on_parts({value: part.out for value, part in parts.items()})
        new.out.name_hint = op.out.name_hint
        rewriter.replace(op, [*parts.values(), new, _reshaped(new.out, shape)])


def _reshaped(value: SSAValue, shape: tdsl.Shape) -> tdsl.ReshapeOp:
    reshape = tdsl.ReshapeOp(value, shape)
    reshape.attributes |= profile_of(value)
    reshape.out.name_hint = value.name_hint
    return reshape


def _is_line(value: SSAValue, shape: tdsl.Shape) -> bool:
    """Whether a value consists of the pixels of a line that a convolution has computed, reshaped to rows and read
    once.
    """
    rows = value.owner
    if not isinstance(rows, tdsl.ReshapeOp) or not value.has_one_use() or tdsl.shape_of(value) != shape:
        return False
    line = tdsl.shape_of(rows.input)
    before = rows.input.owner
    while isinstance(before, tdsl.ElementwiseOp):
        convolved = [each.owner for each in before.inputs if tdsl.shape_of(each) == line and each.has_one_use()]
        before = next((op for op in convolved if isinstance(op, tdsl.ElementwiseOp | tdsl.Conv2dOp)), None)
    one_line = len(line) == 4 and line[:2] == (1, 1) and line[3] == shape[-1]
    return one_line and rows.input.has_one_use() and isinstance(before, Operation) and isinstance(before, tdsl.Conv2dOp)


def _has_pixels(op: tdsl.MatmulOp) -> bool:
    """Whether the left factor of a product has several rows of enough elements, and all rows have common scales."""
    rows, length = tdsl.shape_of(op.lhs)
    grouped = any(tdsl.format_of(value).groups is not None for value in (op.lhs, op.rhs))
    whole = op.shifts is None and not grouped and not op.accumulator.has_row_scales
    return rows > 1 and length >= _MIN_PRODUCTS and whole


def _filters(op: tdsl.MatmulOp) -> tdsl.ConstOp | tdsl.ReshapeOp | None:
    length, columns = tdsl.shape_of(op.rhs)
    match op.rhs.owner:
        case tdsl.ConstOp() as constant if all(map(_reads_filters, op.rhs.uses)):
            return constant.with_raws(constant.raws.T.reshape(columns, 1, 1, length), tdsl.format_of(op.rhs))
        case _:
            transposed = tdsl.unreshaped(op.rhs).owner
            if not isinstance(transposed, tdsl.TransposeOp) or transposed.matrix != (columns, length):
                return None
            filters = tdsl.ReshapeOp(transposed.input, (columns, 1, 1, length))
            filters.attributes |= profile_of(op.rhs)
            filters.out.name_hint = transposed.input.name_hint
            return filters


def _reads_filters(use: Use) -> bool:
    return isinstance(op := use.operation, tdsl.MatmulOp) and use.index == 1 and _has_pixels(op)

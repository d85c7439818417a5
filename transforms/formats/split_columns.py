"""`split-columns`: computes products of matrices column by column, each from a copy of one column of the right factor
(L1).

Kernels multiply rows by a vector whose elements are contiguous. The elements of a matrix column are not contiguous, so
no kernel could read the column directly. The pass copies each column once and multiplies the copy by all rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tinyml.dialects import tdsl
from tinyml.dialects.rewriting import PatternRewriteWalker
from tinyml.targets.registry import HOST, board
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.schedules.tiling.tensor_builder import TensorBuilder

_MIN_PRODUCTS = 3
"""The minimum products of a sum for which a column is copied."""


@dataclass(frozen=True)
class SplitColumnsPass(ConditionalPass):
    """Replace every `tdsl.matmul` of several rows and several columns by a loop over its columns.

    Two kinds of products are unchanged: sums of fewer than three products, and sums whose bound can only be proven
    because the right factor is constant. Programs for hardware are also unchanged, because hardware reads columns as
    fast as rows.

    target: as for printing C.

    Raises `InputError` for an unknown target.
    """

    name = "split-columns"
    target: str = HOST

    def obstacle(self, module: ModuleOp) -> str | None:
        if board(self.target).fabric is not None:
            return "hardware reads columns as fast as rows"
        products = (inner for inner in module.walk() if isinstance(inner, tdsl.MatmulOp))
        several = any(min(tdsl.shape_of(product.out)) > 1 for product in products)
        return None if several else "no tdsl.matmul has a result of several rows and columns"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.obstacle(op) is None:
            PatternRewriteWalker(_Split(), apply_recursively=False).rewrite_module(op)


class _Split(RewritePattern):
    """A pattern that replaces a `tdsl.matmul` of several rows and several columns by a loop over the columns."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.MatmulOp, rewriter: PatternRewriter, /) -> None:
        (rows, length), columns = tdsl.shape_of(op.lhs), tdsl.shape_of(op.out)[1]
        if op.result is None or min(rows, columns) < 2 or length < _MIN_PRODUCTS or not op.is_bounded_by_parts(op.rhs):
            return
        # Few programs have such products.
        emit = TensorBuilder(op, op.location)
        whole = emit.insert(tensor.EmptyOp((), op.out.type))
        whole.name_hint = op.out.name_hint
        zero = emit.index(0)

        def column(number: SSAValue, result: SSAValue) -> SSAValue:
            part = emit.insert(tdsl.SliceOp(op.rhs, [zero, number], (length, 1)))
            part.name_hint = op.rhs.name_hint
            product = tdsl.MatmulOp(op.lhs, part, tdsl.format_of(op.out).type)
            product.acc, product.bound, product.row_shifts = op.acc, op.bound, op.row_shifts
            sums = emit.insert(product)
            sums.name_hint = op.out.name_hint
            return emit.insert(tdsl.InsertSliceOp(sums, result, [zero, number]))

        rewriter.replace(op, [], [emit.over(columns, whole, column)])

"""Constant matrices made sparse, as `|*|` in SeeDot's language declares them: zeros stay zeros in every format.

A matrix without zeros may have many in a format of few bits. `choose-storage` makes matrices dense again where that is
smaller or faster.
"""

from __future__ import annotations

from xdsl.dialects.builtin import f32
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of

MANY = 1 / 2
"""The share of zeros above which a sparse product is worth more than joining a dense one with its addend in one sum."""


class SparseWeights(RewritePattern):
    """Matches the product of a constant matrix, which nothing else uses, and a column vector."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.MatmulOp, rewriter: PatternRewriter, /) -> None:
        if tdsl.format_of(op.out).type != f32:
            return
        weights = op.lhs.owner
        if not isinstance(weights, tdsl.ConstOp) or not weights.result.has_one_use() or shape_of(op.out)[1] != 1:
            return
        zeros = 1 - np.count_nonzero(weights.raws) / weights.raws.size
        if zeros == 1 or (zeros < MANY and _is_added(op)):
            return
        sparse = tdsl.ConstOp(weights.raws, F32_FORMAT, tdsl.Csr())
        sparse.result.name_hint = weights.result.name_hint
        rewriter.insert(sparse, InsertPoint.before(weights))
        rewriter.replace(op, tdsl.SpmvOp(sparse.result, op.rhs))


def _is_added(op: tdsl.MatmulOp) -> bool:
    """True if the only use of a product is an addition."""
    value = op.out
    while value.has_one_use():
        [use] = value.uses
        if not isinstance(use.operation, tdsl.ReshapeOp):
            return isinstance(use.operation, tdsl.AddOp)
        value = use.operation.out
    return False

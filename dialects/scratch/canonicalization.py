"""Canonicalisation of memory views."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import scratch


class SliceOfSlice(RewritePattern):
    """One view into the source where that takes no addition at run time: one offset is 0, or both are constant."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scratch.SliceOp, rewriter: PatternRewriter, /) -> None:
        if not isinstance(inner := op.source.owner, scratch.SliceOp):
            return
        first, second = const_evaluate_operand(inner.offset), const_evaluate_operand(op.offset)
        if first == 0:
            offset = op.offset
        elif second == 0:
            offset = inner.offset
        elif first is None or second is None:
            return
        else:
            sum = arith.ConstantOp(IntegerAttr(first + second, IndexType()))
            rewriter.insert(sum)
            offset = sum.result
        type = scratch.memref_type(op.result)
        rewriter.replace(op, scratch.SliceOp(inner.source, offset, type.get_shape(), type.element_type))

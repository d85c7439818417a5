"""Sequences that a loop fills and a concatenation extends: the loop fills the longer one.

Repeating the last row of a pooled image, for example, would copy the whole image. Here only the row is copied.
"""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.tdsl import shape_of


class ExtendedSequence(RewritePattern):
    """Matches a concatenation along the first axis whose first operand a loop fills with its parts."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, tdsl.ConcatOp) or op.axis.value.data != 0:
            return
        filled, *others = op.inputs
        readers = [use.operation for use in filled.uses if use.operation is not op]
        if filled in others or not all(isinstance(reader, tdsl.SliceOp | tdsl.IndexOp) for reader in readers):
            return
        if (insertion := _insertion(filled)) is None:
            return
        start = shape_of(filled)[0]
        whole = _lengthened(filled, insertion, op.out, rewriter)
        for other in others:
            offsets = [_index(at, op, rewriter) for at in (start, *(0 for _ in shape_of(other)[1:]))]
            extended = tdsl.InsertSliceOp(other, whole, offsets)
            rewriter.insert(extended, InsertPoint.before(op))
            whole, start = extended.out, start + shape_of(other)[0]
        whole.name_hint = op.out.name_hint
        rewriter.replace(op, [], [whole])


def _insertion(value: SSAValue) -> tdsl.InsertSliceOp | None:
    """The op that inserts the parts of a tensor that a loop fills; None for any other tensor."""
    if not isinstance(value, OpResult) or not isinstance(loop := value.op, scf.ForOp):
        return None
    last, carried = loop.body.block.last_op, loop.body.block.args[1 + value.index]
    assert last is not None
    start, insertion = loop.iter_args[value.index], last.operands[value.index].owner
    if not isinstance(start.owner, tdsl.FillOp) or not start.has_one_use() or not carried.has_one_use():
        return None
    if not isinstance(insertion, tdsl.InsertSliceOp) or insertion.input is not carried:
        return None
    return insertion if insertion.out.has_one_use() else None


def _lengthened(filled: SSAValue, insertion: tdsl.InsertSliceOp, like: SSAValue, rewriter: PatternRewriter) -> SSAValue:
    """A tensor that a loop fills with another type, that of `like`."""
    assert isinstance(filled, OpResult)
    loop = filled.op
    assert isinstance(loop, scf.ForOp)
    for value in (loop.iter_args[filled.index], loop.body.block.args[1 + filled.index], insertion.out):
        rewriter.replace_value_with_new_type(value, like.type)
    return rewriter.replace_value_with_new_type(filled, like.type)


def _index(value: int, before: Operation, rewriter: PatternRewriter) -> SSAValue:
    constant = arith.ConstantOp.from_int_and_width(value, IndexType())
    rewriter.insert(constant, InsertPoint.before(before))
    return constant.result

"""Loops over dot products in the place of contractions (L3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from tinyml.dialects import num, scratch
from tinyml.transforms.ir.loop_nest import LoopNest


def expand_contraction(op: num.ContractOp, first: int = 0) -> None:
    """Replace a contraction by a loop over its rows from one on; a single dense row needs no loop."""
    nest = LoopNest(op)
    sparse = [each for each in op.sums if isinstance(each, num.SparseProductsOp)]
    lengths = [each.lengths for each in sparse]

    def row(index: SSAValue, entries: Sequence[SSAValue]) -> list[SSAValue]:
        _inline(op, index, dict(zip(sparse, entries, strict=True)), nest)
        nest.location = op.location
        walked = zip(entries, lengths, strict=True)
        return [nest.add(entry, nest.unsigned(nest.load(row_lengths, [index]))) for entry, row_lengths in walked]

    if op.rows - first > 1 or sparse:
        nest.fold(nest.index(op.rows), [nest.index(0)] * len(sparse), row, first)
    else:
        row(nest.index(first), [])
    Rewriter.erase_op(op)


def _inline(
    op: num.ContractOp, row: SSAValue, entries: Mapping[num.SparseProductsOp, SSAValue], nest: LoopNest
) -> None:
    """Insert the body for a row, with dot products. entries: the number of the row's first entry in sparse matrices."""
    row.name_hint = row.name_hint or op.row.name_hint
    op.row.replace_all_uses_with(row)
    for each in list(op.body.block.ops):
        nest.location = each.location
        match each:
            case num.ProductsOp():
                sum = _dot(each, row, nest)
            case num.SparseProductsOp():
                parts = each.values, each.gaps, each.lengths, each.vector
                sum = num.SparseDotOp(each.sum, *parts, row, entries[each])
            case _:
                each.detach()
                nest.put(each)
                continue
        nest.put(sum)
        sum.result.name_hint = each.result.name_hint
        each.result.replace_all_uses_with(sum.result)
        Rewriter.erase_op(each)


def _dot(op: num.ProductsOp, row: SSAValue, nest: LoopNest) -> num.DotOp | num.StridedDotOp:
    """The products of one row."""
    weights = nest.insert(scratch.SliceOp(op.weights, nest.times(row, op.row_pitch), (op.length,)))
    if op.channels is None:
        return num.DotOp(op.sum, weights, op.vector)
    channel = nest.insert(scratch.SliceOp(op.vector, row, ((op.length - 1) * op.stride + 1,)))
    return num.StridedDotOp(op.sum, weights, channel, op.stride)

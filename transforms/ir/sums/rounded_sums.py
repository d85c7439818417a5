"""Blocking of loop-carried sums in number formats, so that each block of iterations is rounded once."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from tinyml.dialects import tdsl
from tinyml.transforms.ir.sums.reductions import LoopCarriedSum
from tinyml.transforms.ir.sums.strip_mining import ColumnSum


def round_carried_sums(module: ModuleOp, block: int) -> None:
    """Rewrite loops whose only iter_arg is a column `carried + constant[i] * x`, starting from zero.

    block: the most iterations whose products are added in one sum, which is exact in registers and rounded when it is
    stored.
    """
    for loop in [op for op in module.walk() if isinstance(op, scf.ForOp) and len(op.iter_args) == 1]:
        carried_sum = LoopCarriedSum.match(loop, 0)
        if carried_sum is not None and _adds_columns(carried_sum):
            _fuse(carried_sum)
            if (column_sum := ColumnSum.match(loop)) is not None:
                column_sum.strip_mine(block)


def _adds_columns(carried_sum: LoopCarriedSum) -> bool:
    return tdsl.shape_of(carried_sum.factor) == (1, 1) and tdsl.shape_of(carried_sum.weight.out)[1:] == (1,)


def _fuse(carried_sum: LoopCarriedSum) -> None:
    """Add the unrounded product in each iteration."""
    fused = tdsl.MatmulSumOp([(carried_sum.weight.out, carried_sum.factor)], carried_sum.carried)
    fused.attributes |= carried_sum.add.attributes
    fused.out.name_hint = carried_sum.add.out.name_hint
    Rewriter.replace_op(carried_sum.add, fused)
    Rewriter.erase_op(carried_sum.product)

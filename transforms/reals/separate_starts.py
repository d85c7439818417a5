"""`separate-starts`: no two sums of products start from the same constant, such as equal biases of two layers (L0).

The format of a start follows from those of the products, in some formats exactly. Common subexpression elimination
merges equal constants, so that this pass runs after the last such step on reals.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.rewriting import Rewriter


@dataclass(frozen=True)
class SeparateStartsPass(ModulePass):
    """Copy a constant of f32 that a sum of products starts from, for every other reader of it that is such a sum."""

    name = "separate-starts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        taken: set[SSAValue] = set()
        for sum in op.walk():
            if not isinstance(sum, tdsl.ContractionOp) or (start := sum.initial) is None:
                continue
            constant = start.owner
            if not isinstance(constant, tdsl.ConstOp) or tdsl.format_of(start).type != f32:
                continue
            if start in taken:
                copy = constant.clone()
                Rewriter.insert_op(copy, InsertPoint.after(constant))
                # A start may also be a factor; it is the last operand.
                sum.operands[len(sum.operands) - 1] = copy.result
            taken.add(start)

"""`separate-starts`: copies constants so that no two sums of products start from the same constant (L0).

Two layers with equal biases, for example, have one constant because common subexpression elimination merges equal
constants. The format of an initial value follows from the formats of the products, so each sum needs a separate
constant. The pass runs after the last common subexpression elimination on reals.
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
    """Copy each constant of f32 that is the initial value of several sums of products, so that each sum has a
    separate copy.

    Constants that are the initial value of at most one sum are unchanged.
    """

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

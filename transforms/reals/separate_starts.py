"""`separate-starts`: copies constants so that nothing else reads the constant from which a sum of products starts (L0).

Two layers with equal biases, for example, have one constant because common subexpression elimination merges equal
constants. The format of an initial value follows from the formats of the products, so each sum needs a separate
constant. The pass runs after the last common subexpression elimination on reals.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Operation, SSAValue, Use
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.conditional_pass import ConditionalPass


@dataclass(frozen=True)
class SeparateStartsPass(ConditionalPass):
    """Copy each constant of f32 that is the initial value of a sum of products and also anything else, so that each sum
    has a separate constant.

    Constants that are the initial value of one sum and nothing else are unchanged.
    """

    name = "separate-starts"

    def obstacle(self, module: ModuleOp) -> str | None:
        return None if any(map(_constant_start, module.walk())) else "no contraction starts from a constant of f32"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        taken: set[SSAValue] = set()
        for sum in op.walk():
            if (constant := _constant_start(sum)) is None:
                continue
            start = constant.result
            if start in taken or not all(map(_is_start, start.uses)):
                copy = constant.clone()
                Rewriter.insert_op(copy, InsertPoint.after(constant))
                # A start may also be a factor; it is the last operand.
                sum.operands[len(sum.operands) - 1] = copy.result
            taken.add(start)


def _constant_start(op: Operation) -> tdsl.ConstOp | None:
    start = op.initial if isinstance(op, tdsl.ContractionOp) else None
    constant = start.owner if start is not None else None
    return constant if isinstance(constant, tdsl.ConstOp) and tdsl.format_of(constant.result).type == f32 else None


def _is_start(use: Use) -> bool:
    op = use.operation
    return isinstance(op, tdsl.ContractionOp) and op.initial is not None and use.index == len(op.operands) - 1

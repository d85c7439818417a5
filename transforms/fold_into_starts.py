"""`fold-into-starts`: a constant that is added to a sum of products becomes part of what the sum starts from (L4).

So the half that rounds a sum costs nothing. Accumulators are proven to have room for it beside every partial sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.targets.kernels import is_kernel


@dataclass(frozen=True)
class FoldIntoStartsPass(ModulePass):
    """Looks for additions to what kernels return, also to multiples of it, where the sum starts from a constant."""

    name = "fold-into-starts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for addition in [one for one in op.walk() if isinstance(one, arith.AddiOp)]:
            amount = const_evaluate_operand(addition.rhs)
            if amount is not None and (found := _start(addition.lhs, amount)) is not None:
                call, start = found
                constant = arith.ConstantOp(IntegerAttr(start, cast("IntegerType[Any, Any]", call.arguments[-1].type)))
                constant.location = call.location
                Rewriter.insert_op(constant, InsertPoint.before(call))
                call.operands[len(call.operands) - 1] = constant.result
                addition.lhs.name_hint = addition.result.name_hint or addition.lhs.name_hint
                addition.result.replace_all_uses_with(addition.lhs)
                addition.detach()
                addition.erase()


def _start(sum: SSAValue, amount: int) -> tuple[func.CallOp, int] | None:
    """The call that begins a sum, and what it would have to start from for the sum to be greater by an amount."""
    if len(list(sum.uses)) != 1:
        return None
    match sum.owner:
        case func.CallOp() as call if is_kernel(call.callee.string_value()):
            start = call.arguments[-1]
            known = const_evaluate_operand(start)
            return _start(start, amount) if known is None else (call, known + amount)
        case arith.MuliOp() as multiple:
            factor = const_evaluate_operand(multiple.rhs)
            return None if not factor or amount % factor else _start(multiple.lhs, amount // factor)
        case _:
            return None

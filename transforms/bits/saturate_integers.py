"""`saturate-integers`: clamps integers by saturating instructions where the board has them (L4).

ARM's SSAT and USAT clamp a register to the integers of a number of bits in one instruction. GCC compiles the two
comparisons with limits to six instructions, because it keeps the limits in registers.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerType, ModuleOp, i32
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects.functions import defined_functions
from tinyml.dialects.machine.integer_builder import IntegerBuilder
from tinyml.dialects.rewriting import Rewriter
from tinyml.targets.registry import board, target_of
from tinyml.transforms.ir.arithmetic import FunctionContext
from tinyml.transforms.ir.conditional_pass import ConditionalPass, absent

_FEATURE = "dsp"
"""The feature of boards with saturating instructions."""


@dataclass(frozen=True)
class SaturateIntegersPass(ConditionalPass):
    """Replace each pair of `arith.maxsi` and `arith.minsi` whose limits are those of a signed or unsigned integer type
    of any width, by a call of `tm_saturate_s32` or `tm_saturate_u32`.

    Indices and integers of more than 32 bits are unchanged, and so are programs for boards without saturating
    instructions.
    """

    name = "saturate-integers"

    def obstacle(self, module: ModuleOp) -> str | None:
        target = target_of(module)
        if _FEATURE not in board(target).features:
            return f"{target} has no saturating instructions"
        return absent(module, arith.MinSIOp)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.obstacle(op) is not None:
            return
        for function in defined_functions(op):
            context = FunctionContext(op, function)
            for upper in [each for each in function.walk() if isinstance(each, arith.MinSIOp)]:
                _saturate(upper, context)


def _saturate(upper: arith.MinSIOp, context: FunctionContext) -> None:
    lower, high = upper.lhs.owner, const_evaluate_operand(upper.rhs)
    if not isinstance(lower, arith.MaxSIOp) or not lower.result.has_one_use():
        return
    if not isinstance(upper.result.type, IntegerType) or (width := upper.result.type.width.data) > 32:
        return
    low = const_evaluate_operand(lower.rhs)
    if low is None or high is None or (found := _function(low, high)) is None:
        return
    name, bits = found
    context.declare(name)
    m = IntegerBuilder(upper)
    clamped = m.insert(func.CallOp(name, [m.resize(lower.lhs, 32), m.constant(bits, 8)], [i32]))
    upper.result.replace_all_uses_with(m.resize(clamped, width))
    Rewriter.erase_op(upper)
    Rewriter.erase_op(lower)


def _function(low: int, high: int) -> tuple[str, int] | None:
    """The function that clamps to [low, high] and the number of bits of the limits; None if there is no function."""
    bits = (high + 1).bit_length() - 1
    if high <= 0 or high + 1 != 1 << bits:
        return None
    return {-high - 1: ("tm_saturate_s32", bits + 1), 0: ("tm_saturate_u32", bits)}.get(low)

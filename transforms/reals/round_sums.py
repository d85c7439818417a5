"""`round-sums`: stores loop-carried sums in the format of their elements instead of accumulators (L0).

Without this pass, ProtoNN's `sums += Z[i] * e[i]` needs an accumulator of 4 bytes for each class (`accumulate-sums`).
With this pass, a block of iterations adds its products to the carried value in one sum. This sum is exact in registers
and rounded once when it is stored. Sums are stored so rarely that 16 bits are as accurate as an accumulator. They need
half the memory and the same time.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.transforms.ir.sums import round_carried_sums


@dataclass(frozen=True)
class RoundSumsPass(ModulePass):
    """Split loops at L0 into blocks of iterations.

    The pass applies to loops that carry only a column `carried + constant[i] * x`, starting from zero. All other
    loops are unchanged.

    block: the maximum number of iterations whose products are added together.
    """

    name = "round-sums"
    block: int = 16

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        round_carried_sums(op, self.block)

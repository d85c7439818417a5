"""`round-sums`: stores loop-carried sums in the format of their elements instead of accumulators (L0).

ProtoNN's `sums += Z[i] * e[i]` needs accumulators of 4 bytes for each class (`accumulate-sums`). With this pass, a
block of iterations adds its products to the carried value in one sum. This sum is exact in registers and rounded once
when it is stored. Because a sum is stored so rarely, 16 bits are as accurate, in half the memory and the same time.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.transforms.ir.sums import round_carried_sums


@dataclass(frozen=True)
class RoundSumsPass(ModulePass):
    """Split loops at L0 that carry only a column `carried + constant[i] * x`, starting from zero, into blocks of
    iterations.

    block: the maximum number of iterations whose products are added together. Loops of other forms are unchanged.
    """

    name = "round-sums"
    block: int = 16

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        round_carried_sums(op, self.block)

"""`round-sums`: stores loop-carried sums in the format of their elements instead of accumulators (L0).

ProtoNN's `sums += Z[i] * e[i]` runs in accumulators, 4 bytes for each class (`accumulate-sums`). Here a block of
iterations adds its products to the carried value in one sum, which is exact in registers and rounded once when it is
stored. Storing is so infrequent that 16 bits lose nothing, in half the memory and the same time.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.transforms.ir.sums import round_carried_sums


@dataclass(frozen=True)
class RoundSumsPass(ModulePass):
    """Rewrite loops at L0 whose only iter_arg is a column `carried + constant[i] * x`, starting from zero.

    block: the maximum iterations whose products are added together.
    """

    name = "round-sums"
    block: int = 16

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        round_carried_sums(op, self.block)

"""`accumulate-sums`: stores a loop-carried sum of products in accumulators, and rounds it once after the loop (L1).

Without this pass, SeeDot's `$(i = [a:b]) w[i] * x` would round, align and saturate in every iteration. One exact sum is
faster and more accurate, but each element needs an accumulator in memory. An argmax over the sums reads the
accumulators directly, because rounding can make different sums equal.

The pass proves that no sum overflows. The weights w[i] of each sign are added up over all iterations. The two totals
are multiplied by the least and the greatest value of x.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

if TYPE_CHECKING:
    from tinyml.transforms.ir.sums import RoundedSum


@dataclass(frozen=True)
class AccumulateSumsPass(ModulePass):
    """Replace loops at L1 that carry a rounded sum by loops that carry an accumulator and round it after the loop.

    The value that the loop carries must be zero initially and become `carried + constant[i] * x` in iteration i.
    Loops that do not match are unchanged. A sum is also unchanged if no accumulator is wide enough for it.
    """

    name = "accumulate-sums"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for rounded_sum in self.found(op):
            from tinyml.transforms.formats.constants.carried_sums import accumulate

            accumulate(rounded_sum)

    @staticmethod
    def found(op: Operation) -> Iterator[RoundedSum]:
        """Yield the loop-carried sums of the matching form, regardless of their formats."""
        for loop in [inner for inner in op.walk() if isinstance(inner, scf.ForOp)]:
            yield from _sums(loop)


def _sums(loop: scf.ForOp) -> Iterator[RoundedSum]:
    from tinyml.transforms.ir.sums import LoopCarriedSum

    for position in range(len(loop.iter_args)):
        carried_sum = LoopCarriedSum.match(loop, position)
        if carried_sum is not None and (rounded := carried_sum.rounded) is not None:
            yield rounded

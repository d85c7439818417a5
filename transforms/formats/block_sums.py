"""`block-sums`: divides loops that add multiples of vectors into blocks of iterations, and sums a block at once (L1).

Without this pass, ProtoNN's `sums += Z[i] * e[i]` loads and stores every sum once for each prototype. The pass stores
the factors `e` of a block of iterations in a buffer. Each sum then adds all products of the block in one dot product.
The order of the additions is preserved, so that results are equal in every bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.ir.sums import LoopCarriedSum


@dataclass(frozen=True)
class BlockSumsPass(ConditionalPass):
    """Split loops at L1 into blocks of iterations.

    The pass applies to a loop over all `i` whose only carried value is a tensor of accumulators, which becomes `carried
    + constant[i] * factor`. Other loops are unchanged.

    block: the maximum size in bytes of the stored factors. The number of iterations of a block is the greatest divisor
    of the total number of iterations whose factors fit in these bytes. If this divisor is below 4, the loop is
    unchanged. Blocks of more than 16 bytes reduce the time by only a few percent, which does not justify the memory.
    """

    name = "block-sums"
    block: int = 16

    def obstacle(self, module: ModuleOp) -> str | None:
        return None if any(_sums(module)) else "no scf.for carries only an accumulator of products"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for carried_sum in _sums(op):
            carried_sum.strip_mine(self.block // tdsl.format_of(carried_sum.factor).dtype.itemsize)


def _sums(module: ModuleOp) -> Iterator[LoopCarriedSum]:
    for loop in [op for op in module.walk() if isinstance(op, scf.ForOp)]:
        carried_sum = LoopCarriedSum.match(loop, 0) if loop.iter_args else None
        if carried_sum is not None and isinstance(carried_sum.step, tdsl.MacOp) and carried_sum.is_alone:
            yield carried_sum

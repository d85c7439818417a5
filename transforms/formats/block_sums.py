"""`block-sums`: strip-mines loops that add multiples of vectors, a block of iterations at a time.

ProtoNN's `sums += Z[i] * e[i]` loads and stores every sum once for each prototype. If the factors `e` of a block of
iterations are stored, each sum adds all of its products with the block in one dot product, at the cost of a buffer for
the factors of one block. The order of the additions is preserved, so that all bits are.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl


@dataclass(frozen=True)
class BlockSumsPass(ModulePass):
    """Rewrite loops at L1 over all `i` whose one carried value is `carried + constant[i] * factor`, in accumulators.

    block: the maximum bytes of stored factors; a block has as many iterations as fit into them and divide their total
    number. Blocks of more than 16 bytes save a few percent of the time, in calls, which is not worth the memory.
    """

    name = "block-sums"
    block: int = 16

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in [inner for inner in op.walk() if isinstance(inner, scf.ForOp)]:
            self._block(loop)

    def _block(self, loop: scf.ForOp) -> None:
        from tinyml.transforms.ir.sums import ColumnSum

        column_sum = ColumnSum.match(loop)
        if column_sum is not None and isinstance(column_sum.step, tdsl.MacOp):
            column_sum.strip_mine(self.block // tdsl.format_of(column_sum.factor).dtype.itemsize)

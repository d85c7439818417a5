"""`round-sums`: sums that loops carry take no more memory than numbers of their format (L0).

ProtoNN's `sums += Z[i] * e[i]` runs in accumulators, 4 bytes for each class (`accumulate-sums`). Here a block of
iterations adds its products to what is carried in one sum, exact in registers and rounded once when it is stored: so
seldom that 16 bits lose nothing, in half the memory and no more time.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tinyml.dialects import tdsl
from tinyml.dialects.formats.lookup import USUAL_FORMAT, format_named
from tinyml.transforms.formats.accumulate_sums import CarriedSum
from tinyml.transforms.formats.block_sums import block_sums


@dataclass(frozen=True)
class RoundSumsPass(ModulePass):
    """Rewrites loops at L0 whose one carried value is a column `carried + constant[i] * x`, from zero.

    block: the most iterations that are taken together. format: what the program is going to be computed in; an
    arithmetic of the literature rounds each product as published. Raises `InputError` for an unknown one.
    """

    name = "round-sums"
    block: int = 16
    format: str = USUAL_FORMAT

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if format_named(ctx, self.format, None).AS_PUBLISHED:
            return
        for loop in [one for one in op.walk() if isinstance(one, scf.ForOp) and len(one.iter_args) == 1]:
            found = CarriedSum.find(loop, 0)
            if found is not None and _adds_columns(found):
                _fuse(found)
                block_sums(loop, self.block)


def _adds_columns(found: CarriedSum) -> bool:
    return tdsl.shape_of(found.factor) == (1, 1) and tdsl.shape_of(found.weight.out)[1:] == (1,)


def _fuse(found: CarriedSum) -> None:
    """Add the product of each iteration without rounding it first."""
    fused = tdsl.MatmulSumOp([(found.weight.out, found.factor)], found.carried)
    fused.attributes |= found.add.attributes
    fused.out.name_hint = found.add.out.name_hint
    Rewriter.replace_op(found.add, fused)
    found.product.detach()
    found.product.erase()

"""Matching of loop-carried sums of products."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.dialects import scf
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl


@dataclass(frozen=True)
class LoopCarriedSum:
    """The ops of a sum `carried + constant[i] * factor` that a loop with index i carries, starting from zero.

    position: the index of the sum in the loop's iter_args.
    """

    loop: scf.ForOp
    position: int
    initial: tdsl.FillOp
    add: tdsl.AddOp
    product: tdsl.MulOp
    weight: tdsl.IndexOp
    constant: tdsl.ConstOp
    factor: SSAValue

    @property
    def carried(self) -> SSAValue:
        """The partial sum, an argument of the loop's body."""
        return self.loop.body.block.args[1 + self.position]

    @staticmethod
    def match(loop: scf.ForOp, position: int) -> LoopCarriedSum | None:
        """The sum in one of a loop's iter_args; None if it has another form, or if its parts have other uses."""
        body = loop.body.block
        carried = body.args[1 + position]
        initial = loop.iter_args[position].owner
        add = cast(scf.YieldOp, body.last_op).operands[position].owner
        if not (isinstance(initial, tdsl.FillOp) and initial.value.value.data == 0 and initial.out.has_one_use()):
            return None
        if not (isinstance(add, tdsl.AddOp) and add.parent is body and add.out.has_one_use()):
            return None
        addends = [operand for operand in (add.lhs, add.rhs) if operand is not carried]
        if len(addends) != 1 or not carried.has_one_use():
            return None
        product = addends[0].owner
        if not (isinstance(product, tdsl.MulOp) and product.parent is body and product.out.has_one_use()):
            return None
        for weight, factor in ((product.lhs, product.rhs), (product.rhs, product.lhs)):
            index = weight.owner
            if (
                isinstance(index, tdsl.IndexOp)
                and index.index is body.args[0]
                and isinstance(index.input.owner, tdsl.ConstOp)
                and tdsl.shape_of(weight) == tdsl.shape_of(add.out)
                and not isinstance(factor.owner, tdsl.ConstOp)
            ):
                return LoopCarriedSum(loop, position, initial, add, product, index, index.input.owner, factor)
        return None

"""Which operands of a product are constants, seen through ops that only select or move elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl

if TYPE_CHECKING:
    from tinyml.dialects.number_format import Raws


def constant_root(value: SSAValue) -> tdsl.ConstOp | None:
    """The constant that a matrix is, or is indexed out of."""
    while isinstance(value.owner, tdsl.IndexOp):
        value = value.owner.input
    return value.owner if isinstance(value.owner, tdsl.ConstOp) else None


def oriented(raws: Raws, operand: SSAValue) -> Raws:
    """A constant's raws as a stack of the matrices that the operand can be: all, where it is indexed out of them."""
    return raws.reshape(-1, *tdsl.shape_of(operand))

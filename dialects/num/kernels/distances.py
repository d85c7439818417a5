"""The routine `#num.distance`, the squared distance between two runs."""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import SSAValue
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import NumberFormat, element_format
from tinyml.dialects.num.base import sums_products
from tinyml.dialects.num.kernels.calls import CallOp, LoopBuilding, run_length
from tinyml.dialects.num.kernels.routines import DenseSumAttr
from tinyml.dialects.num.scalars import SubOp
from tinyml.dialects.num.sums import MacOp
from tinyml.dialects.scratch.types import in_flash, memref_type

__all__ = ["DistanceAttr"]


@irdl_attr_definition
class DistanceAttr(DenseSumAttr):
    """`(sum, lhs, rhs)`: the sum plus the squares of the exact differences between corresponding elements of two
    runs.
    """

    name = "num.distance"
    BY_BLOCKS: ClassVar[bool] = True

    def factors(self, call: CallOp) -> tuple[SSAValue, SSAValue]:
        """The runs `lhs` and `rhs` in the order that kernels require: a run in flash precedes a run in RAM."""
        _, lhs, rhs = call.arguments
        return (lhs, rhs) if in_flash(memref_type(lhs)) else (rhs, lhs)

    def verify_call(self, call: CallOp) -> None:
        difference = _difference(call)
        sums_products(call.sum.type, difference, difference)
        run_length(*call.arguments[1:])

    def expand(self, call: CallOp, loops: LoopBuilding) -> SSAValue:
        lhs, rhs = call.arguments[1:]
        format = _difference(call).type

        def add(sum: SSAValue, k: SSAValue) -> SSAValue:
            difference = loops.insert(SubOp(loops.load(lhs, [k]), loops.load(rhs, [k]), format))
            return loops.insert(MacOp(sum, difference, difference))

        return loops.add_up(call.sum, self.length(call), add)


def _difference(call: CallOp) -> NumberFormat:
    lhs, rhs = (element_format(run.type) for run in call.arguments[1:])
    if (format := lhs.difference(rhs)) is None:
        raise VerifyException(f"{lhs.type} and {rhs.type} have no exact difference")
    return format

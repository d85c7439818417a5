"""`mark-weights`: marks the numeric arrays of a program whose weights the user can replace (L3)."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass

from tinyml.dialects import scratch
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.functions import DATA, are_data


@dataclass(frozen=True)
class MarkWeightsPass(ModulePass):
    """Set `tinyml.data` on every constant array in flash whose elements are numbers of a format, or sums.

    The tables that the compiler adds, such as multipliers of requantisation, depend on scales only and remain part
    of the program.
    """

    name = "mark-weights"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for constant in op.walk():
            if isinstance(constant, scratch.ConstantOp) and are_data(constant) and _is_of_numbers(constant):
                constant.attributes[DATA] = UnitAttr()


def _is_of_numbers(constant: scratch.ConstantOp) -> bool:
    type = scratch.memref_type(constant.result)
    element = type.element_type
    numbers = number_format(element) is not None or accumulator_of(element) is not None
    return numbers and isinstance(type.memory_space, scratch.Flash)

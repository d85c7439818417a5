"""`mark-weights`: marks the numeric arrays of a program whose weights the user can replace (L3)."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, UnitAttr, i64
from xdsl.passes import ModulePass

from tinyml.dialects import scratch
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.functions import DATA, LIMITS, are_data
from tinyml.targets.registry import HOST
from tinyml.transforms.loops.kernels.far_weights import move_far_weights


@dataclass(frozen=True)
class MarkWeightsPass(ModulePass):
    """Set `tinyml.data` on every constant array in flash whose elements are numbers of a format, or sums.

    If memory has other elements than the raws of the format, `tinyml.limits` states the least and the greatest raw. The
    widths of sums and the lengths of tables depend on these limits.

    The tables that the compiler adds, such as multipliers of requantisation, depend on scales only and remain part of
    the program. The positions of the entries of sparse matrices already have the attribute.

    On a board whose short addresses do not reach all of its flash, all marked constants and the forests that become
    data later are far if short addresses do not reach the address of the blob. In a section, they are far if all
    constants together, or the blob as one array, are too large for short addresses.

    weights_at: the address of the blob, or a linker section; None to leave all constants near.
    target: as for `select-kernels`.

    A call of a kernel that reads only near weights becomes a loop if its weights are far.
    """

    name = "mark-weights"
    weights_at: str | None = None
    target: str = HOST

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        marked = [each for each in op.walk() if isinstance(each, scratch.ConstantOp) and _is_data(each)]
        for constant in marked:
            constant.attributes[DATA] = UnitAttr()
            if (limits := _limits(constant)) is not None:
                constant.attributes[LIMITS] = DenseArrayBase.from_list(i64, limits)
        if self.weights_at is not None:
            move_far_weights(op, marked, self.weights_at, self.target)


def _is_data(constant: scratch.ConstantOp) -> bool:
    type = scratch.memref_type(constant.result)
    element = type.element_type
    numbers = number_format(element) is not None or accumulator_of(element) is not None
    weights = numbers and isinstance(type.memory_space, scratch.Flash) and are_data(constant)
    return weights or DATA in constant.attributes


def _limits(constant: scratch.ConstantOp) -> tuple[int, int] | None:
    """The least and the greatest element of an array, including its own; None if its storage has no other elements."""
    format = number_format(scratch.memref_type(constant.result).element_type)
    if format is None or (limits := format.stored_limits) is None:
        return None
    # Sums that wrap around start from any number.
    low, high = min(limits[0], int(constant.raws.min(initial=0))), max(limits[1], int(constant.raws.max(initial=0)))
    return None if high - low + 1 == 1 << 8 * format.dtype.itemsize else (low, high)

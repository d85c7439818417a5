"""Shifts of the sums of rows: row i of some weights holds them times 2^shift, so that small rows are as precise."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DenseArrayBase, i8
from xdsl.ir import SSAValue
from xdsl.irdl import opt_prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.product import Bound
from tinyml.dialects.tdsl.arrays.values import Array
from tinyml.dialects.tdsl.base import format_of

if TYPE_CHECKING:
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

__all__ = ["ROW_SHIFTS", "ShiftsRows"]

ROW_SHIFTS = range(16)
"""Powers of two by which rows of one matrix may differ."""


def verify_shifts(shifts: Sequence[int], rows: int) -> None:
    """Raises `VerifyException` unless there is a shift within `ROW_SHIFTS` for each row."""
    if len(shifts) != rows:
        raise VerifyException(f"needs a shift for each of {rows} rows, got {len(shifts)}")
    if any(shift not in ROW_SHIFTS for shift in shifts):
        raise VerifyException(f"row_shifts lie in [{ROW_SHIFTS[0]}, {ROW_SHIFTS[-1]}], got {list(shifts)}")


class ShiftsRows(ABC):
    """An op that finishes sums, those of each row after a shift of their own if it has the property `row_shifts`."""

    row_shifts = opt_prop_def(DenseArrayBase.constr(i8))

    @property
    @abstractmethod
    def out(self) -> SSAValue:
        """The result."""

    @property
    @abstractmethod
    def sum_bound(self) -> Bound | None:
        """The least and the greatest partial sum; None if it is unknown."""

    @property
    def shifts(self) -> tuple[int, ...] | None:
        """The bits by which each row's sums are shifted right before they are rounded; None without shifts."""
        return None if self.row_shifts is None else self.row_shifts.get_values()

    @property
    def finished_bound(self) -> Bound | None:
        """The least and the greatest sum to be rounded, after shifts."""
        bound = self.sum_bound
        return bound if bound is None or self.shifts is None else (min(bound[0], 0), max(bound[1], 0))

    def rounded(self, m: NumpyMachine, sums: Array, accumulator: Accumulator, rows: Array) -> Array:
        """Complete sums, after shifts, in the format of the result. rows: the number of the row of each."""
        format = format_of(self.out)
        levelled = accumulator.levelled(format)
        if levelled.type != accumulator.type:
            sums = accumulator.level_row(m, sums, m.constant(rows), levelled)
        return format.finish(m, sums, levelled, self.finished_bound)

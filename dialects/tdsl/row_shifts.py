"""Shifts of the sums of rows: row i of some weights holds them times 2^shift, so that small rows are as precise."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.product import Bound

__all__ = ["ROW_SHIFTS"]

ROW_SHIFTS = range(16)
"""Powers of two by which rows of one matrix may differ."""


def verify_shifts(shifts: Sequence[int], rows: int) -> None:
    """Raises `VerifyException` unless there is a shift within `ROW_SHIFTS` for each row."""
    if len(shifts) != rows:
        raise VerifyException(f"needs a shift for each of {rows} rows, got {len(shifts)}")
    if any(shift not in ROW_SHIFTS for shift in shifts):
        raise VerifyException(f"row_shifts lie in [{ROW_SHIFTS[0]}, {ROW_SHIFTS[-1]}], got {list(shifts)}")


def bound_after_shifts(bound: Bound | None, shifts: Sequence[int] | None) -> Bound | None:
    """The least and the greatest sum after rows have been shifted right; shifts: None if none are."""
    return bound if bound is None or shifts is None else (min(bound[0], 0), max(bound[1], 0))

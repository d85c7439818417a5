"""Compressed sparse rows for a matrix that is read once, row after row: values, column gaps and row lengths.

Each entry stands `gap` columns after the one before it in its row (the first: after column 0), so one byte is enough
for an entry's place however wide the matrix is; a wider gap is bridged by an entry whose value is zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinyml.dialects.machine.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

GREATEST_GAP = 255


@dataclass(frozen=True)
class CompressedRows:
    """values: entries in row order. gaps: uint8, one per entry. lengths: entries of each row, uint8 or uint16."""

    values: NDArray[Any]
    gaps: NDArray[Any]
    lengths: NDArray[Any]

    @property
    def bytes(self) -> int:
        return self.values.nbytes + self.gaps.nbytes + self.lengths.nbytes


def compress(matrix: NDArray[Any]) -> CompressedRows:
    """The entries of a matrix (rows, columns) whose raw bits are not all zero."""
    values: list[Any] = []
    gaps: list[int] = []
    lengths: list[int] = []
    for row in matrix:
        before, start = 0, len(values)
        for column in np.flatnonzero(row):
            while column - before > GREATEST_GAP:
                values.append(row.dtype.type(0))
                gaps.append(GREATEST_GAP)
                before += GREATEST_GAP
            values.append(row[column])
            gaps.append(int(column) - before)
            before = int(column)
        lengths.append(len(values) - start)
    narrow = max(lengths, default=0) <= 255
    return CompressedRows(
        np.array(values, matrix.dtype),
        np.array(gaps, np.uint8),
        np.array(lengths, np.uint8 if narrow else np.uint16),
    )

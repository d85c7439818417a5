"""Compressed sparse rows of a matrix that is read once, row by row: values, column gaps and row lengths.

Each entry stands `gap` columns after the previous one in its row (the first: after column 0), so that a byte locates
an entry however wide the matrix is. A wider gap is bridged by entries whose value is zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

GREATEST_GAP = 255


@dataclass(frozen=True)
class CompressedRows:
    """A matrix. values: entries in row order. gaps: uint8, one per entry. lengths: entries per row, uint8 or uint16."""

    values: NDArray[Any]
    gaps: NDArray[Any]
    lengths: NDArray[Any]

    @property
    def bytes(self) -> int:
        return self.values.nbytes + self.gaps.nbytes + self.lengths.nbytes


def compress(matrix: NDArray[Any]) -> CompressedRows:
    """Compresses a matrix (rows, columns): its entries are the elements whose raw bits are not all zero."""
    values: list[Any] = []
    gaps: list[int] = []
    lengths: list[int] = []
    for row in matrix:
        previous, start = 0, len(values)
        for column in np.flatnonzero(row):
            while column - previous > GREATEST_GAP:
                values.append(row.dtype.type(0))
                gaps.append(GREATEST_GAP)
                previous += GREATEST_GAP
            values.append(row[column])
            gaps.append(int(column) - previous)
            previous = int(column)
        lengths.append(len(values) - start)
    narrow = max(lengths, default=0) <= 255
    return CompressedRows(
        np.array(values, matrix.dtype),
        np.array(gaps, np.uint8),
        np.array(lengths, np.uint8 if narrow else np.uint16),
    )

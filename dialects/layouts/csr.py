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
    rows, columns = np.nonzero(matrix)
    counts = np.bincount(rows, minlength=len(matrix))
    firsts = (np.cumsum(counts) - counts)[counts > 0]
    gaps = np.diff(columns, prepend=0)
    gaps[firsts] = columns[firsts]
    bridges = np.maximum(gaps - 1, 0) // GREATEST_GAP
    ends = np.cumsum(bridges + 1) - 1
    values = np.zeros(len(rows) + bridges.sum(), matrix.dtype)
    values[ends] = matrix[rows, columns]
    bridged = np.full(len(values), GREATEST_GAP, np.uint8)
    bridged[ends] = gaps - GREATEST_GAP * bridges
    lengths = np.bincount(np.repeat(rows, bridges + 1), minlength=len(matrix))
    narrow = lengths.max(initial=0) <= 255
    return CompressedRows(values, bridged, lengths.astype(np.uint8 if narrow else np.uint16))

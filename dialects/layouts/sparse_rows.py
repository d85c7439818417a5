"""Compressed sparse rows of a matrix that is read once, row by row: values, column gaps and row lengths.

Each entry stands `gap` columns after the previous one in its row (the first: after column 0), so that a byte locates
an entry however wide the matrix is. A wider gap is bridged by entries whose value is zero.

`pack_rows` makes them a stream of bytes, for chips that read flash forwards through a single pointer. There each row is
its number of entries (uint16), then a byte `skip` and the value of each entry, all little endian. `skip` is the
distance in bytes, within the dense vector, from the end of the previous entry's element (at first: from the start of
the vector) to this entry's element, and hence a multiple of the vector's element size.
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
    """Compress a matrix (rows, columns): its entries are the elements whose raw bits are not all zero."""
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


GREATEST_SKIP = 255
COUNT_BYTES = 2


def pack_rows(rows: CompressedRows, element_bytes: int) -> NDArray[np.uint8] | None:
    """The stream for vectors whose elements have `element_bytes`; None if a skip does not fit in a byte."""
    size, ends = rows.values.itemsize, np.cumsum(rows.lengths, dtype=np.int64)
    after = np.ones(len(rows.values), np.int64)
    after[(ends - rows.lengths)[rows.lengths > 0]] = 0
    skips = (rows.gaps - after) * element_bytes
    if ((skips < 0) | (skips > GREATEST_SKIP)).any():
        return None
    entries = np.hstack([skips.astype(np.uint8)[:, np.newaxis], rows.values.view(np.uint8).reshape(-1, size)])
    counts = rows.lengths.astype("<u2").view(np.uint8).reshape(-1, COUNT_BYTES)
    parts = zip(counts, np.split(entries, ends[:-1]), strict=True)
    return np.concatenate([part.reshape(-1) for row in parts for part in row])

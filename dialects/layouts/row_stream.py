"""Sparse rows as a stream of bytes for chips that read flash forwards through a single pointer.

Each row is its number of entries (uint16), then a byte `skip` and the value of each entry, all little endian. `skip`
is the distance in bytes, within the dense vector, from the end of the previous entry's element (at first: from the
start of the vector) to this entry's element, and hence a multiple of the vector's element size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.layouts.csr import CompressedRows

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

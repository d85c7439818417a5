"""Sparse rows as one stream of bytes, which a chip with a single pointer into flash reads forwards.

Each row is its count of entries (uint16), then for each entry one byte `skip` and the value, all little endian.
`skip` counts the bytes of the dense vector between the element of the entry before (at first: the start of the
vector) and the element of this one, so it is a multiple of the vector's element size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinyml.dialects.machine.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.layouts.csr import CompressedRows

GREATEST_SKIP = 255
COUNT_BYTES = 2


def pack_rows(rows: CompressedRows, element_bytes: int) -> NDArray[np.uint8] | None:
    """The same entries for vectors with elements of `element_bytes`; None where a skip does not fit in a byte."""
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

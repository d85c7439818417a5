"""Sparse rows as one stream of bytes, which a chip with a single pointer into flash reads forwards.

Each row is its count of entries (uint16), then for each entry one byte `skip` and the value, all little endian.
`skip` counts the bytes of the dense vector between the element of the entry before (at first: the start of the
vector) and the element of this one, so it is a multiple of the vector's element size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tinyml.dialects.csr import CompressedRows

GREATEST_SKIP = 255
COUNT_BYTES = 2


def pack_rows(rows: CompressedRows, element_bytes: int) -> NDArray[np.uint8] | None:
    """The same entries for vectors with elements of `element_bytes`; None where a skip does not fit in a byte."""
    import numpy as np

    stream = bytearray()
    at = 0
    for count in rows.lengths.tolist():
        stream += int(count).to_bytes(COUNT_BYTES, "little")
        values: list[Any] = list(rows.values[at : at + count])
        for place, (value, gap) in enumerate(zip(values, rows.gaps[at : at + count].tolist(), strict=True)):
            skip = (gap - (place > 0)) * element_bytes
            if not 0 <= skip <= GREATEST_SKIP:
                return None
            stream += bytes([skip]) + value.tobytes()
        at += count
    return np.frombuffer(bytes(stream), np.uint8)

"""The end of a block of rows: sums with one row in each lane are requantised to bytes."""

from __future__ import annotations

from collections.abc import Sequence

from rvv.vectors import lanes, moved, op
from tinyml.extend.chips import Code, WeightStream, joined

STREAM, SCRATCH = "a0", "t6"
"""The register of the stream pointer, and a register for temporary numbers."""

_ZERO = "t5"


def requantised(
    sums: Sequence[str], rows: int, group: int, layout: WeightStream, numbers: str, shifts: str = "v6"
) -> Code:
    """Requantise sums to bytes as TensorFlow Lite does, with two roundings.

    VSMUL performs the first rounding. VSSRA performs the second one and rounds halves upwards. Negative sums are
    therefore decremented first, so that halves are rounded away from zero; every shift is at least 1. The code advances
    the stream pointer from the end of the block's weights to the end of the block. v0 is overwritten.

    group: the number of registers of a sum.
    numbers: the first register of a group of temporary registers, which may include v0.
    shifts: the register for shifts; if it belongs to that group, it is the last quarter of it.
    """
    zero = layout.tile.zero
    return joined(
        moved(STREAM, layout.padding(1, rows), SCRATCH),
        lanes(rows, 32, 8 * group, SCRATCH, "mu"),
        op("vle32.v", numbers, f"({STREAM})"),
        (op("vsmul.vv", sum, sum, numbers) for sum in sums),
        *((op("vmslt.vx", "v0", sum, "zero"), op("vadd.vi", sum, sum, -1, "v0.t")) for sum in sums),
        moved(STREAM, 4 * rows, SCRATCH),
        op("vle8.v", shifts, f"({STREAM})"),
        op("vzext.vf4", numbers, shifts),
        moved(STREAM, rows + layout.padding(3, rows), SCRATCH),
        (op("vssra.vv", sum, sum, numbers) for sum in sums),
        (op("li", _ZERO, zero), *(op("vadd.vx", sum, sum, _ZERO) for sum in sums)) if zero else (),
        lanes(rows, 16, 4 * group, SCRATCH),
        (op("vnclip.wi", sum, sum, 0) for sum in sums),
        lanes(rows, 8, 2 * group, SCRATCH),
        (op("vnclip.wi", sum, sum, 0) for sum in sums),
    )

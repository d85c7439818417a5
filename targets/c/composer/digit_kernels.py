"""The choice of the kernel for sums with weights that are packed as digits. `digit_sums.py` generates its code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from tinyml.dialects.formats.number_format import INTEGER
from tinyml.dialects.layouts.digits import ODD, TRITS
from tinyml.dialects.modules import on_call
from tinyml.targets.kernel import Kernel

DOT, ROWS = "num.dot", "num.dot_rows"

MOST_ROWS = 64
"""The most rows that share a table, whose sums are in RAM meanwhile."""

_DOT, _ROWS = (on_call(f"tinyml.targets.c.composer.digit_sums:{name}") for name in ("dot", "rows"))


@dataclass(frozen=True)
class DigitTimes:
    """The times per element of the kernels for weights packed as digits on a chip.

    * sign, trit: without a shared table, the time per plane of signs, and the time per ternary element.
    * lookup, row: with a shared table, the time per plane of a row, and the remaining time of the row.
    * table: the time to compute the tables, once for all rows.
    """

    sign: float
    trit: float
    lookup: float
    row: float
    table: float


@cache
def digit_sum(times: DigitTimes, wanted: Kernel) -> Kernel | None:
    """The kernel that computes the sums described by `wanted`; None if there is none.

    times: the times on the chip.
    """
    digits, vector = wanted.codings
    if digits not in (ODD, TRITS) or vector != INTEGER or wanted.vector not in (8, 16) or wanted.sum != 32:
        return None
    if wanted.op == DOT:
        return _DOT(times, wanted)
    if wanted.op == ROWS and digits == ODD and wanted.rows > 1:
        blocks = -(-wanted.rows // MOST_ROWS)
        return _ROWS(times, replace(wanted, rows=wanted.rows // blocks))
    return None

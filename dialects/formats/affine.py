"""Detection of affine formats, whose numbers are `unit * (raw - zero)`."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat, Raws


@lru_cache(maxsize=256)
def affine_formula(format: NumberFormat) -> tuple[float, int] | None:
    """The unit and the zero point of a format whose numbers are `unit * (raw - zero)`; None if the number of some raw
    deviates from this formula, and for a format whose rows have separate scales.

    The unit and the zero point are computed from the raws 0 and 1. The formula is checked for every raw of a format of
    up to 16 bits, and for the raws around each power of two in wider formats. Raws that rounding never returns, such as
    NaR, are not checked.
    """
    smallest = np.array([[0, 1]], format.dtype)
    reals = format.decode(smallest)
    # A format with several scales yields a row for each.
    if reals.shape != smallest.shape or not 0 < (unit := float(reals[0, 1] - reals[0, 0])) < math.inf:
        return None
    zero = round(-reals[0, 0] / unit)
    raws = checked_raws(format)
    with np.errstate(all="ignore"):
        reals = format.decode(raws)
        # Raws that no real rounds to, such as NaR, are not numbers.
        numbers = np.isfinite(reals) & (format.encode(np.nan_to_num(reals)) == raws)
        return (unit, zero) if ((raws.astype(np.float64) - zero) * unit == reals)[numbers].all() else None


def checked_raws(format: NumberFormat) -> Raws:
    """The raws for which `affine_formula` checks the formula: all raws of a format of at most 16 bits; for a wider
    format, the raws around each power of two.
    """
    info = np.iinfo(format.dtype)
    if info.bits <= 16:
        return np.arange(info.min, info.max + 1).astype(format.dtype)
    powers = np.left_shift(1, np.arange(info.bits - 1), dtype=np.int64)
    around = (powers[:, None] + np.arange(-3, 4)).ravel()
    raws = np.concatenate([around, -around])
    return raws[(raws >= info.min) & (raws <= info.max)].astype(format.dtype)

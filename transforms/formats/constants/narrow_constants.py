"""Narrowing of constants that have been rounded before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat, Raws


def narrowed_raws(raws: Raws, source: NumberFormat, narrower: NumberFormat) -> Raws:
    """Raws of one format converted to a narrower one, of the same shape; halves go towards zero.

    Rounding half up, as arithmetic does, would bias a sum of many constants: when one bit is dropped, every second
    number that has been rounded already is such a half.
    """
    reals = source.decode(raws)
    nearest, away = narrower.encode(reals), narrower.encode_away(reals)
    near, far = narrower.decode(nearest), narrower.decode(away)
    halves = (np.abs(near - reals) == np.abs(far - reals)) & (np.abs(far) < np.abs(near))
    return np.where(halves, away, nearest)

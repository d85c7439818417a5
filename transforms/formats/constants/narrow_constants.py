"""Narrowing of constants that have already been rounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat, Raws


def narrowed_raws(raws: Raws, source: NumberFormat, narrower: NumberFormat) -> Raws:
    """Convert raws of one format to a narrower one, of the same shape; ties are rounded towards zero.

    Rounding half up, as arithmetic does, would bias a sum of many constants: when one bit is dropped, every second
    number that is already rounded is a tie.
    """
    reals = source.decode(raws)
    nearest, away = narrower.encode(reals), narrower.encode_away(reals)
    near, far = narrower.decode(nearest), narrower.decode(away)
    halves = (np.abs(near - reals) == np.abs(far - reals)) & (np.abs(far) < np.abs(near))
    return np.where(halves, away, nearest)

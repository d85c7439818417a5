"""Constants that give up bits of precision after they have been rounded once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat, Raws


def narrowed_raws(raws: Raws, source: NumberFormat, narrower: NumberFormat) -> Raws:
    """The numbers that raws of one format stand for in another one, of the same shape; halves go towards zero.

    Half up, as arithmetic rounds, would move a sum of many constants to one side: of numbers that have been rounded
    already, every second one is such a half when one bit goes.
    """
    import numpy as np

    reals = source.decode(raws)
    nearest, other = narrower.encode(reals), narrower.encode_away(reals)
    near, far = narrower.decode(nearest), narrower.decode(other)
    halves = (np.abs(near - reals) == np.abs(far - reals)) & (np.abs(far) < np.abs(near))
    return np.where(halves, other, nearest)

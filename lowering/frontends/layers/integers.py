"""Integers and truth values of model files, which programs compute as reals: the definitions of all frontends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDE = ("int32", "int64")
"""The element types, as numpy names them, whose sums and products are assumed not to overflow."""

MASKING = -1000.0
"""The greatest addend that masks a score, which means that the softmax of the score is 0. Even in double precision,
exp(-1000) is 0.
"""


def masks_scores(array: NDArray[Any]) -> bool:
    """Whether a constant contains NaN, or an element of at most `MASKING`. Such an element masks a score to which it is
    added: the softmax of the score is 0.
    """
    return not (array > MASKING).all()

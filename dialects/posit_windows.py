"""The posits that are multiples of 2^low and less than 2^high: `Posit`s with these limits, and what can be one."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tinyml.dialects.posit_arithmetic import Posit


@lru_cache
def posit_of(n: int, es: int, window: tuple[int, int] | None) -> Posit:
    import numpy as np

    from tinyml.dialects.posit_arithmetic import Posit, of_reals, to_reals

    if window is None:
        return Posit(n, es)
    low, high = window
    all = Posit(n, es, low)
    raw = int(of_reals(np.array(math.ldexp(1.0, high)), all))
    # The greatest one below 2^high, of multiples of 2^low.
    while float(to_reals(np.array(raw), all)) >= math.ldexp(1.0, high):
        raw = int(of_reals(np.array(min(math.ldexp(1.0, high) - math.ldexp(1.0, low), _below(raw, all))), all))
    return Posit(n, es, low, raw)


def _below(raw: int, posit: Posit) -> float:
    import numpy as np

    from tinyml.dialects.posit_arithmetic import to_reals

    return float(to_reals(np.array(raw - 1), posit))


def power(n: int, es: int, exponent: int) -> float:
    """The posit nearest to a power of two."""
    import numpy as np

    from tinyml.dialects.posit_arithmetic import Posit, of_reals, to_reals

    posit = Posit(n, es)
    return float(to_reals(of_reals(np.array(math.ldexp(1.0, exponent)), posit), posit))


@lru_cache
def lowest(n: int, es: int, least: int) -> int:
    """The least exponent, from `least` on, of a power of two that is a posit."""
    while power(n, es, least) != math.ldexp(1.0, least):
        least += 1
    return least

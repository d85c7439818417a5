"""Formats of few numbers: which ones these are says a table, and everything else follows from it.

A logarithmic format, a float of 8 bits, powers of two: what its author gives is the list of its magnitudes. Raws are
their places in that list, with the sign of the number. On the device a raw becomes an integer by one look-up, sums of
products of such integers are exact, and a result is rounded by a search among the middles between neighbours.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute

from tinyml.dialects.exact import ExactFormat
from tinyml.dialects.machine import Int, Machine, width_for

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tinyml.dialects.number_format import Raws, Reals

    Integers = NDArray[np.signedinteger[Any]]

V = TypeVar("V")

GREATEST = 1 << 29
"""Magnitudes stay below: the middle of two of them, in half units, fits in 32 bits."""


class TabulatedFormat(ExactFormat):
    """Zero and, on either side of it, numbers of the same magnitudes; rounding to nearest, half up, and saturation.

    Raw r stands for the magnitude number r, raw -r for its negative, in units of 2^-scale.
    """

    @property
    @abstractmethod
    def magnitudes(self) -> NDArray[np.int64]:
        """The positive numbers in units of 2^-scale, rising, below 2^29; at most 32767 of them.

        `ValueError` is raised when a format with others is first used.
        """

    @property
    def storage(self) -> Attribute:
        return IntegerType(self.stored_width)

    @property
    def dtype(self) -> np.dtype[Any]:
        return _narrowest(len(_numbers(self)) // 2)

    @property
    def raw_limits(self) -> tuple[int, int]:
        count = len(_numbers(self)) // 2
        return -count, count

    def encode(self, reals: Reals) -> Raws:
        import numpy as np

        doubled = np.ldexp(np.asarray(reals, np.float64), self.scale + 1)
        places = np.searchsorted(_middles(self), doubled, "right")
        return (places + self.raw_limits[0]).astype(self.dtype)

    def encode_away(self, reals: Reals) -> Raws:
        import numpy as np

        nearest = self.encode(reals)
        away = nearest + np.sign(np.asarray(reals, np.float64) - self.decode(nearest))
        return np.clip(away, *self.raw_limits).astype(self.dtype)

    def integers(self, raws: Raws) -> NDArray[np.int64]:
        import numpy as np

        low, high = self.raw_limits
        return _numbers(self)[np.clip(np.asarray(raws, np.int64), low, high) - low].astype(np.int64)

    def decode(self, raws: Raws) -> Reals:
        import numpy as np

        return np.ldexp(self.integers(raws).astype(np.float64), -self.scale)

    def load(self, m: Machine[V], value: V) -> Int[V]:
        import numpy as np

        raw = self.stored(m, value)
        place = m.sub(raw, m.const(self.raw_limits[0]))
        found = m.entry("numbers", _numbers(self), place)
        low, high = self.integers(np.array([raw.low, raw.high])).tolist()
        return Int(found.value, found.width, low, high)

    def store(self, m: Machine[V], x: Int[V], scale: int) -> V:
        """As many middles as are not above x, in half units, which x is rounded down to: that changes no comparison."""
        middles = _middles(self)
        low, high = int(middles[0]) - 1, int(middles[-1])
        right = scale - self.scale - 1
        if right < 0:
            x = m.rescale(m.clamp(x, low >> -right, (high >> -right) + 1), right)
        else:
            # All that is shifted out beyond the width of x is its sign.
            x = m.shift_right(x, min(right, width_for(x.low, x.high) - 1))
        width = middles.dtype.itemsize * 8
        place = m.call_on_table(
            f"tm_rank_s{width}",
            "middles",
            _padded(middles),
            m.held(m.clamp(x, low, high), width),
            m.int_constant(len(middles).bit_length(), 8),
        )
        raw = m.sub(m.bounded(place, 0, len(middles)), m.const(-self.raw_limits[0]))
        return m.settle(raw, self.stored_width)


@cache
def _numbers(format: TabulatedFormat) -> Integers:
    """All numbers in order, in units of 2^-scale, in as few bits as hold them."""
    import numpy as np

    magnitudes = np.asarray(format.magnitudes, np.int64)
    if not (0 < len(magnitudes) < 1 << 15 and magnitudes[0] > 0 and (np.diff(magnitudes) > 0).all()):
        raise ValueError(f"the magnitudes of {format.type} do not rise from 1 at least, or there are too many")
    if magnitudes[-1] >= GREATEST:
        raise ValueError(f"the greatest magnitude of {format.type} is {magnitudes[-1]}, not below {GREATEST}")
    numbers = np.concatenate([-magnitudes[::-1], [0], magnitudes])
    return numbers.astype(_narrowest(int(magnitudes[-1])))


@cache
def _middles(format: TabulatedFormat) -> Integers:
    """Between each number and the next, in units of 2^-(scale + 1)."""
    import numpy as np

    numbers = _numbers(format).astype(np.int64)
    middles = numbers[1:] + numbers[:-1]
    return middles.astype(np.int16 if middles[-1] < 1 << 15 else np.int32)


def _padded(middles: Integers) -> Integers:
    """Made 2^n - 1 entries by more of the greatest number, which nothing reaches."""
    import numpy as np

    padding = (1 << len(middles).bit_length()) - 1 - len(middles)
    return np.pad(middles, (0, padding), constant_values=np.iinfo(middles.dtype).max)


def _narrowest(greatest: int) -> np.dtype[Any]:
    import numpy as np

    return np.dtype(next(f"i{bytes}" for bytes in (1, 2, 4) if greatest < 1 << (8 * bytes - 1)))

"""Domains of functions of a fixed-point argument, outside of which the rounded result is constant."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from tinyml.dialects.formats.number_format import Function
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine
from tinyml.dialects.machine.real_functions import REAL_FUNCTIONS, RealFunction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.scaled_integer import ScaledInteger

V = TypeVar("V")


class FixedFunction(ABC):
    """A rising function between two fixed-point formats, as a program over a machine's integers."""

    @abstractmethod
    def apply(self, m: Machine[V], x: Int[V]) -> Int[V]: ...


@dataclass(frozen=True)
class Domain:
    """The raw arguments `first` to `last` of a function between two formats; the results at the ends hold beyond
    them."""

    function: Function
    source: ScaledInteger
    result: ScaledInteger

    @cached_property
    def odd(self) -> bool:
        """True for an odd function, perhaps plus a constant as sigmoid has, unless saturation cuts it off there.

        The domain is then symmetric.
        """
        return self.real.centre is not None and (self.real.centre == 0 or self._top > self.real.centre)

    @property
    def real(self) -> RealFunction:
        """The function of reals."""
        return REAL_FUNCTIONS[self.function]

    @property
    def centre(self) -> float:
        """The value at 0 of a function that is odd around it; 0 for others."""
        return self.real.centre if self.odd and self.real.centre is not None else 0.0

    @property
    def _top(self) -> float:
        return math.ldexp(self.result.limits[1], -self.result.frac.data)

    @cached_property
    def first(self) -> int:
        if self.odd:
            return -self.last
        # SeeDot's m (5.3.1), from the formats alone: e^x, which bounds sigmoid and softplus, is half a unit in the last
        # place.
        return self._limited(math.floor(self._argument(-(self.result.frac.data + 1) * math.log(2))))

    @cached_property
    def last(self) -> int:
        if not self.odd:
            return self._limited(math.ceil(self._argument(self.real.inverse(self._top))))
        assert self.real.flat is not None
        # 1 - tanh(x) < 2 e^-2x and 1 - sigmoid(x) < e^-x: where they fall below 2^-(frac + 1) nothing changes, nor
        # in a table of 16 bits.
        reach = self.real.flat((min(max(self.result.frac.data, 1), 16) + 2) * math.log(2))
        if self.real.centre == 0 and self._top < 1:
            reach = min(reach, self.real.inverse(self._top))
        return max(self._limited(math.ceil(self._argument(reach))), 1)

    def _argument(self, x: float) -> float:
        return math.ldexp(x, self.source.frac.data)

    def _limited(self, raw: int) -> int:
        low, high = self.source.limits
        return min(max(raw, low), high)

    @property
    def size(self) -> int:
        return self.last - self.first + 1

    @property
    def steepest(self) -> float:
        """The greatest derivative."""
        return self.real.steepest(math.ldexp(self.last, -self.source.frac.data))

    def arguments(self, most: int = 1 << 16) -> NDArray[np.int64]:
        """All raw arguments, or `most` evenly spread ones if there are more."""
        if self.size <= most:
            return np.arange(self.first, self.last + 1)
        return np.linspace(self.first, self.last, most).astype(np.int64)

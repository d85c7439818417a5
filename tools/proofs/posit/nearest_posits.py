"""The posit nearest to an integer at a scale, as a formula for the solver.

The documented borders of the standard define the result. Between two powers of two, posits with fraction bits are
evenly spaced. In such a range, the nearest posit is a quotient, rounded half to even. The quotient is compared with
every border in that range. In all other ranges there are few borders, which are listed individually.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from tinyml.dialects.formats.posit.specification import posits
from tinyml.dialects.formats.posit.type import PositType
from tinyml.dialects.formats.specification import Listed
from tinyml.dialects.machine.exact_integers import Number, half_even
from tinyml.tools.proofs.formulas import Formula

MAX_LISTED_BORDERS = 2
"""Maximum borders between two powers of two that are listed individually."""


@dataclass(frozen=True)
class Nearest:
    """The function that rounds x * 2^-scale to a posit of the standard."""

    format: PositType
    scale: int

    @cached_property
    def _documented(self) -> Listed:
        return posits(self.format.n.data, self.format.es.data, None)

    @cached_property
    def _borders(self) -> list[int]:
        """The least integers that round to each posit after the first, in ascending order."""
        return [*self._documented.cuts(self.scale)]

    def __call__(self, x: Number) -> Number:
        if isinstance(x, Formula) and x.low * x.high > 0:
            size = x if x.low > 0 else 0 - x
            low, high = size.low, size.high
            first, last = bisect_right(self._borders, low), bisect_right(self._borders, high)
            if last - first > MAX_LISTED_BORDERS and low & low - 1 == 0 and high < 2 * low:
                raw = self._even(size, low, first, last)
                return raw if x.low > 0 else 0 - raw
        return self._documented.rounded(x, self.scale)

    def _even(self, size: Any, low: int, first: int, last: int) -> Any:
        """The raw for integers in [low, 2 low), as a quotient. Raises `AssertionError` if a border differs from the
        standard.
        """
        known, borders = self._documented.known, self._borders
        raw, above = (int(self._documented.rounded(power, self.scale)) for power in (low, 2 * low))
        distance, finer = max(low // (above - raw), 1), max((above - raw) // low, 1)

        def nearest(number: Number) -> Number:
            return half_even(number - low, distance) * finer + raw

        if finer == 1:
            places = enumerate(borders[first:last], first)
            right = all((nearest(at), nearest(at - 1)) == (known[place + 1], known[place]) for place, at in places)
        else:
            exact = ((number, self._documented.rounded(number, self.scale)) for number in range(low, 2 * low))
            right = all(nearest(number) == documented for number, documented in exact)
        assert right, f"posits from {low} on are not evenly spaced"
        return nearest(size)

    @cached_property
    def needs_no_more(self) -> bool:
        """Whether every border that an integer of more than n bits can reach is an even integer.

        If so, the lowest bit of such an integer can be replaced by a sticky bit, which is 1 if any lower bit was
        dropped. The integer remains between the same borders, since an odd integer is never equal to an even border.
        """
        unit, least = Fraction(2) ** (self.scale - self._documented.scale), 1 << self.format.n.data
        reached = (border * unit for border, _ in self._documented.borders if abs(border * unit) >= least)
        return all(border.denominator == 1 and border % 2 == 0 for border in reached)

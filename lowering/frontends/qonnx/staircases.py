"""Monotone functions from integers to levels: thresholds, and the integer arithmetic that computes the same levels.

Between a sum of integers and the next quantiser, a network applies monotone functions to each number: factors and
addends per channel, a batch normalisation, relu, rounding. Their composition is a step function, here called a
staircase. Its thresholds are found by bisection; the functions are evaluated in single precision, as in the training
framework. The program compares integers with these thresholds, and therefore reproduces the rounding errors of the
framework.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Integers: TypeAlias = "NDArray[np.int64]"

Levels: TypeAlias = Callable[[Integers], Integers]
"""A function that maps integers (channels, any number) to levels."""


@dataclass(frozen=True, eq=False)
class Staircase:
    """A monotone step function for each channel, from integers to the levels `first` to `first + steps`.

    signs: -1 for channels whose function decreases. The other fields describe the increasing function of `sign *
        integer`.
    low, high: the least and the greatest argument of each channel.
    at: (channels, steps), the least argument that reaches each level above the first; `high + 1` if no argument
        reaches it.
    """

    first: int
    signs: Integers
    low: Integers
    high: Integers
    at: Integers

    @property
    def levels(self) -> Integers:
        """The levels above the first: the integers from `first + 1` to `first + steps`."""
        return np.arange(self.at.shape[1], dtype=np.int64) + self.first + 1

    @property
    def reached(self) -> NDArray[np.bool_]:
        """For each channel and level, whether some argument in the channel's range reaches the level."""
        return self.at <= self.high[:, None]

    @property
    def missed(self) -> NDArray[np.bool_]:
        """For each channel and level, whether some argument in the channel's range does not reach the level."""
        return self.at > self.low[:, None]


def staircase(levels: Levels, low: Integers, high: Integers, first: int, last: int) -> Staircase:
    """Find the thresholds of a function by bisection.

    levels: the function, which computes the level of each integer.
    low, high: the least and the greatest integer of each channel.
    first, last: the least and the greatest level.
    """
    ends = levels(np.stack([low, high], 1))
    signs = np.where(ends[:, 1] >= ends[:, 0], 1, -1)
    low, high = np.where(signs > 0, low, -high), np.where(signs > 0, high, -low)
    upper_levels = np.arange(first + 1, last + 1)
    shape = len(low), len(upper_levels)
    below, above = np.broadcast_to(low[:, None], shape), np.broadcast_to(high[:, None] + 1, shape)
    while (open_ := below < above).any():
        middle = (below + above) >> 1
        # Closed intervals may end beyond the greatest argument.
        inside = np.minimum(middle, high[:, None])
        enough = levels(inside * signs[:, None]) >= upper_levels
        above = np.where(open_ & enough, middle, above)
        below = np.where(open_ & ~enough, middle + 1, below)
    return Staircase(first, signs, low, high, below)


def shifts(steps: Staircase, thresholds: Integers) -> Integers | None:
    """An addend per channel with which a rounding computes the levels of the staircase `steps`; None if there is no
    such addend.

    thresholds: the least integer that the rounding maps to each level above the first.
    """
    difference = thresholds - steps.at
    extreme = np.int64(1) << 40
    least = np.where(steps.reached, difference, -extreme).max(1)
    most = np.where(steps.missed, difference, extreme).min(1)
    return np.clip(0, least, most) if (least <= most).all() else None


def rounding_thresholds(levels: Integers, shift: int, *, to_even: bool) -> Integers:
    """The least integer n for which n / 2^shift rounds to each level.

    shift: the number of bits by which n is shifted right, at least 0.
    to_even: whether halves are rounded to even instead of up.
    """
    if shift == 0:
        return levels
    halves = (2 * levels - 1) << (shift - 1)
    return halves + (levels & 1) if to_even else halves


OFFSET_BITS = 31
"""Bits of the magnitude of intermediate results: they are stored in 32 bits."""

MAX_GUARD_BITS = 24

SIZES = ((15, 0), (31, 0), (31, 8), (31, 16), (31, 24))
"""Bits of multipliers, and right shifts of their products, from the cheapest product to the most precise one."""

_ROUNDS = 120
"""Steps of the ternary search for the slope with the greatest margin."""


@dataclass(frozen=True, eq=False)
class Lines:
    """A linear function per channel whose rounded values are levels: `level = round((round(multiplier * integer >>
    shift) + offset) >> guard)`. The caller clamps the levels.

    The inner rounding is half up.
    """

    multipliers: Integers
    offsets: Integers
    bits: int
    shift: int
    guard: int

    @property
    def factor_bits(self) -> int:
        return max(int(np.abs(self.multipliers).max()).bit_length() + 1, 8)

    def levels(self, integers: Integers, *, to_even: bool) -> Integers:
        """The levels of integers of shape (channels, any number), before clamping.

        to_even: whether the outer rounding rounds halves to even instead of up.
        """
        products = self.multipliers[:, None] * integers
        if self.shift:
            products = (products + (1 << self.shift - 1)) >> self.shift
        sums = products + self.offsets[:, None]
        half = 1 << self.guard - 1
        if to_even:
            return (sums + half - 1 + ((sums >> self.guard) & 1)) >> self.guard
        return (sums + half) >> self.guard


def lines(steps: Staircase, *, to_even: bool, slack: int = 0) -> Lines | None:
    """Linear functions whose rounded values are the levels of the staircase `steps` for every argument; None if none
    were found.

    to_even: whether the outer rounding rounds halves to even instead of up.
    slack: the greatest permitted distance of a threshold of the linear functions from the threshold of the staircase.
    """
    slopes, offsets = _widest(steps)
    farthest = np.maximum(np.abs(steps.low), np.abs(steps.high))
    most = float((np.abs(slopes) * farthest + np.abs(offsets)).max(initial=0)) + 1
    steepest = max(float(np.abs(slopes).max(initial=0)), 2.0**-31)
    for bits, shift in SIZES:
        room = math.floor(bits - shift - math.log2(steepest)) - 1
        guard = min(OFFSET_BITS - 1 - math.ceil(math.log2(most)), MAX_GUARD_BITS, room)
        if guard < 1:
            continue
        factors = np.rint(np.ldexp(slopes, guard + shift)).astype(np.int64) * steps.signs
        added = np.rint(np.ldexp(offsets, guard)).astype(np.int64)
        candidate = Lines(factors, added, bits, shift, guard)
        if _agree(steps, candidate, to_even, slack):
            return candidate
    return None


def _widest(steps: Staircase) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The slope and the offset of a line for each channel that has the greatest margin from all thresholds of the
    staircase.

    The margin is a minimum of linear functions of the slope, and thus concave. It is maximised by ternary search.
    """
    middles = steps.levels - 0.5
    upper = np.where(steps.missed, steps.at - 1.0, -np.inf)
    lower = np.where(steps.reached, steps.at.astype(np.float64), np.inf)

    def ends(slope: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        with np.errstate(invalid="ignore"):
            least = np.where(np.isinf(lower), -np.inf, middles - slope[:, None] * lower)
            most = np.where(np.isinf(upper), np.inf, middles - slope[:, None] * upper)
        return least.max(1), most.min(1)

    def margin(slope: NDArray[np.float64]) -> NDArray[np.float64]:
        least, most = ends(slope)
        return most - least

    low, high = np.zeros(len(steps.at)), np.full(len(steps.at), float(steps.at.shape[1]))
    for _ in range(_ROUNDS):
        third = (high - low) / 3
        first, second = low + third, high - third
        with np.errstate(invalid="ignore"):
            better = margin(first) < margin(second)
        low, high = np.where(better, first, low), np.where(better, high, second)
    slope = (low + high) / 2
    least, most = ends(slope)
    least, most = np.where(np.isinf(least), most - 1, least), np.where(np.isinf(most), least + 1, most)
    return slope, (least + most) / 2


def _agree(steps: Staircase, candidate: Lines, to_even: bool, slack: int) -> bool:
    """Whether each threshold of the linear functions `candidate` is within `slack` of the threshold of the staircase
    `steps`. For slack 0, both have the same levels for all arguments. Since both are monotone, only arguments next
    to thresholds are compared.
    """
    signs = steps.signs[:, None]
    over = candidate.levels((steps.at + slack) * signs, to_even=to_even) >= steps.levels
    under = candidate.levels((steps.at - 1 - slack) * signs, to_even=to_even) < steps.levels
    return bool((over | ~steps.reached).all() and (under | ~steps.missed).all())

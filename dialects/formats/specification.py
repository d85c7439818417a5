"""The specification of a format: the number that each raw represents, and the raw to which every real is rounded.

A specification is derived only from the documentation of the format, in exact integers and rationals. `tinyml prove`
checks the arithmetic of the format against the specification that `NumberFormat.specification` returns.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

from tinyml.dialects.machine.exact_integers import (
    Number,
    choose,
    clamped,
    count_reached,
    entry,
    half_up,
    nearest_odd,
)


class Specification(ABC):
    """The numbers of a format and the results of its operations. Operands and results are raws."""

    @property
    @abstractmethod
    def raws(self) -> Sequence[int]:
        """All raws that represent a number, in ascending order; NaR is excluded."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The greatest magnitude of this format's numbers as operands of `product`, in the unit of the operands."""

    @abstractmethod
    def number(self, raw: int) -> Fraction:
        """The number that a raw represents."""

    def order(self, raw: Number) -> Number:
        """An integer for a raw that increases with the number that the raw represents."""
        return raw

    def border(self, below: Fraction, above: Fraction) -> Fraction:
        """The real between the consecutive numbers `below` and `above` at which the result of rounding changes."""
        return (below + above) / 2

    @abstractmethod
    def nearest(self, real: Fraction) -> int:
        """The raw to which a real is rounded."""

    @abstractmethod
    def add(self, a: Number, of_a: Specification, b: Number, of_b: Specification) -> Number: ...
    @abstractmethod
    def sub(self, a: Number, of_a: Specification, b: Number, of_b: Specification) -> Number: ...
    @abstractmethod
    def mul(self, a: Number, of_a: Specification, b: Number, of_b: Specification) -> Number: ...
    @abstractmethod
    def neg(self, a: Number, of_a: Specification) -> Number: ...
    @abstractmethod
    def converted(self, a: Number, of_a: Specification) -> Number: ...

    @abstractmethod
    def product(self, a: Number, b: Number, of_b: Specification) -> Number:
        """The product of a number of this format and a number of the format `of_b`, in the unit of sums of such
        products.
        """

    @abstractmethod
    def unit_of_products(self, other: Specification) -> float:
        """The unit of sums (`Accumulator.sum_unit`) whose terms are products of a number in this format and a
        number in the format `other`.
        """

    @abstractmethod
    def finished(self, sum: Number, unit: float) -> Number:
        """The raw to which a sum of products is rounded.

        unit: the unit of the sum, as `Accumulator.sum_unit` returns it.
        """

    def cuts_of_sums(self, unit: float) -> Sequence[int]:
        """The sums, in units of `unit`, at which the rounded result changes, in ascending order; empty if there are too
        many to enumerate.
        """
        return ()

    @abstractmethod
    def average(self, total: Number, count: int, of_elements: Specification) -> Number:
        """The raw of the average of `count` numbers: a total of raws of the format `of_elements`, divided by `count`
        and rounded.
        """

    def tallied(self, total: Number, raw: Number) -> Number:
        """The total after the number with the raw `raw` is added to it, in the unit of `total`."""
        return total + raw

    def mean(self, total: Number, count: int, of_elements: Specification) -> Number:
        """The raw of the mean over whole axes: a total of raws of the format `of_elements`, divided by `count` and
        rounded.
        """
        return self.average(total, count, of_elements)


@dataclass(frozen=True)
class RoundedOnce(Specification):
    """The specification of a format whose numbers are integers times 2^-scale, and whose operations round the exact
    result once.
    """

    scale: int

    @abstractmethod
    def integer(self, raw: Number) -> Number:
        """The integer that a raw represents, in units of 2^-scale."""

    @abstractmethod
    def rounded(self, x: Number, scale: int, divisor: int = 1) -> Number:
        """The raw to which x * 2^-scale / divisor is rounded."""

    @property
    def size(self) -> int:
        return max(abs(self.integer(raw)) for raw in (self.raws[0], 0, self.raws[-1]))

    def cuts(self, scale: int) -> Sequence[int]:
        """The integers x for which the nearest raw changes at x * 2^-scale, in ascending order; empty if there are too
        many to enumerate.
        """
        return ()

    def number(self, raw: int) -> Fraction:
        return Fraction(self.integer(raw)) / Fraction(2) ** self.scale

    def nearest(self, real: Fraction) -> int:
        return self.rounded(real.numerator, 0, real.denominator)

    def add(self, a: Number, of_a: Specification, b: Number, of_b: Specification) -> Number:
        return self.combined([(1, [(a, of_a)]), (1, [(b, of_b)])])

    def sub(self, a: Number, of_a: Specification, b: Number, of_b: Specification) -> Number:
        return self.combined([(1, [(a, of_a)]), (-1, [(b, of_b)])])

    def neg(self, a: Number, of_a: Specification) -> Number:
        return self.combined([(-1, [(a, of_a)])])

    def converted(self, a: Number, of_a: Specification) -> Number:
        return self.combined([(1, [(a, of_a)])])

    def mul(self, a: Number, of_a: Specification, b: Number, of_b: Specification) -> Number:
        return self.combined([(1, [(a, of_a), (b, of_b)])])

    def combined(self, terms: Sequence[tuple[int, Sequence[tuple[Number, Specification]]]]) -> Number:
        """The raw of a sum of signed products, rounded once.

        Each term is a pair: a sign, and a sequence of one or two factors. A factor is a raw and its specification.
        """
        exact: list[tuple[Number, int]] = []
        for sign, factors in terms:
            product: Number = sign
            for raw, of_raw in factors:
                product = _once(of_raw).integer(raw) * product
            exact.append((product, sum(_once(of_raw).scale for _, of_raw in factors)))
        common = max(scale for _, scale in exact)
        total: Number = 0
        for product, scale in exact:
            total = total + product * (1 << common - scale)
        return self.rounded(total, common)

    def product(self, a: Number, b: Number, of_b: Specification) -> Number:
        return self.integer(a) * _once(of_b).integer(b)

    def finished(self, sum: Number, unit: float) -> Number:
        return self.rounded(sum, int(unit))

    def unit_of_products(self, other: Specification) -> float:
        return self.scale + _once(other).scale

    def cuts_of_sums(self, unit: float) -> Sequence[int]:
        return self.cuts(int(unit))

    def average(self, total: Number, count: int, of_elements: Specification) -> Number:
        return self.rounded(total, _once(of_elements).scale, count)


def _once(specification: Specification) -> RoundedOnce:
    assert isinstance(specification, RoundedOnce)
    return specification


@dataclass(frozen=True)
class Multiples(RoundedOnce):
    """The specification of the numbers raw * 2^-scale for raws from `low` to `high`. Reals are rounded to nearest and
    saturate.

    ties: the rule by which ties are rounded.
    """

    low: int
    high: int
    ties: Callable[[Number, int], Number] = half_up

    @property
    def raws(self) -> Sequence[int]:
        return range(self.low, self.high + 1)

    def integer(self, raw: Number) -> Number:
        return raw

    def rounded(self, x: Number, scale: int, divisor: int = 1) -> Number:
        left = self.scale - scale
        return clamped(self.ties(x * (1 << max(left, 0)), divisor << max(-left, 0)), self.low, self.high)


@dataclass(frozen=True)
class Flipped(Multiples):
    """The specification of multiples that are stored as unsigned bytes. The byte is the integer plus 128, and the raw
    is the byte reinterpreted as a signed integer of 8 bits.
    """

    def integer(self, raw: Number) -> Number:
        return choose(raw < 0, raw + 128, raw - 128)

    def order(self, raw: Number) -> Number:
        return self.integer(raw)

    def rounded(self, x: Number, scale: int, divisor: int = 1) -> Number:
        return self.integer(super().rounded(x, scale, divisor))


@dataclass(frozen=True)
class OddMultiples(Multiples):
    """The specification of the numbers raw * 2^-scale for odd raws from `low` to `high`. By default, ties are rounded
    by `nearest_odd`.
    """

    ties: Callable[[Number, int], Number] = nearest_odd

    @property
    def raws(self) -> Sequence[int]:
        return tuple(range(self.low, self.high + 1, 2))


@dataclass(frozen=True, eq=False)
class Listed(RoundedOnce):
    """The specification of a format by a list of its numbers, in ascending order.

    known, integers: the raws, and the integers that they represent in units of 2^-scale.
    borders: for each two consecutive numbers, a pair: the real at which rounding changes, in units of 2^-scale, and
        whether this real is rounded to the greater number.
    borders_at: for each requested scale and divisor, the least integers that are rounded to the greater number.
    """

    known: tuple[int, ...]
    integers: tuple[int, ...]
    borders: tuple[tuple[Fraction, bool], ...]
    borders_at: dict[tuple[int, int], Sequence[int]] = field(default_factory=dict[Any, Any])

    @property
    def raws(self) -> Sequence[int]:
        return self.known

    def integer(self, raw: Number) -> Number:
        if isinstance(raw, int):
            return self.integers[self.known.index(raw)]
        first, last = self.known[0], self.known[-1]
        listed = dict(zip(self.known, self.integers, strict=True))
        return entry([listed.get(one, 0) for one in range(first, last + 1)], raw - first)

    def cuts(self, scale: int) -> Sequence[int]:
        return self._reached(scale, 1)

    def border(self, below: Fraction, above: Fraction) -> Fraction:
        unit = Fraction(2) ** self.scale
        return self.borders[self.integers.index(int(below * unit))][0] / unit

    def _reached(self, scale: int, divisor: int) -> Sequence[int]:
        """For each number except the least, the least integer x for which x * 2^-scale / divisor is rounded to this
        number or a greater one.
        """
        if (scale, divisor) not in self.borders_at:
            unit = Fraction(2) ** (scale - self.scale) * divisor
            self.borders_at[scale, divisor] = [
                math.ceil(border * unit) if included else math.floor(border * unit) + 1
                for border, included in self.borders
            ]
        return self.borders_at[scale, divisor]

    def rounded(self, x: Number, scale: int, divisor: int = 1) -> Number:
        return entry(self.known, count_reached(self._reached(scale, divisor), x))


def nearest_of(scale: int, numbers: dict[int, int]) -> Listed:
    """The specification of a format that rounds to the nearest number, ties to the even raw.

    numbers: for each raw, the integer that it represents, in units of 2^-scale.
    """
    known, integers = zip(*sorted(numbers.items()), strict=True)
    borders = [
        (Fraction(below + above, 2), raw % 2 == 0)
        for (below, above), raw in zip(pairwise(integers), known[1:], strict=True)
    ]
    return Listed(scale, known, integers, tuple(borders))

"""The specification of zero-skew integers in TensorFlow Lite: the results of its reference kernels, in exact integers.

MultiplyByQuantizedMultiplier is `documented_functions.requantised`. QuantizeMultiplier, which converts a factor to a
multiplier of 31 bits and a shift, is implemented here a second time, in rationals, so that the specification shares no
code with the format.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tinyml.dialects.formats.specification import Specification
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.documented_functions import requantised, requantised_once, requantised_to_even
from tinyml.dialects.machine.exact_integers import Number, clamped, half_away, half_even

SUM_BITS, WIDE_SUM_BITS = 20, 15
"""The left shift of ADD and SUB for results of 8 bits and of 16."""


@dataclass(frozen=True)
class Skewed(Specification):
    """The specification of the numbers scale * (raw - zero) for raws of `bits` bits. The scale is a number of single
    precision.

    to_even: true if results are rounded once, halves to even; false if they are rounded as in TensorFlow Lite.
    """

    bits: int
    scale: float
    zero: int
    to_even: bool = False

    @property
    def raws(self) -> Sequence[int]:
        return range(-(2 ** (self.bits - 1)), 2 ** (self.bits - 1))

    @property
    def size(self) -> int:
        return max(self.raws[-1] - self.zero, self.zero - self.raws[0])

    def number(self, raw: int) -> Fraction:
        return Fraction(self.scale) * (raw - self.zero)

    def nearest(self, real: Fraction) -> int:
        quotient = real / Fraction(self.scale)
        ties = half_even if self.to_even else half_away
        return self._raw(ties(quotient.numerator, quotient.denominator))

    def _raw(self, x: Number) -> Number:
        return clamped(x + self.zero, self.raws[0], self.raws[-1])

    def _scaled(self, x: Number, factor: float) -> Number:
        return self._raw(self._times(x, factor))

    def _times(self, x: Number, factor: float) -> Number:
        if factor == 1.0:
            return x
        return (requantised_to_even if self.to_even else requantised)(x, *quantised_multiplier(factor))

    def add(self, a: Number, of_a: Specification, b: Number, of_b: Specification) -> Number:
        return self._sum(a, of_a, b, of_b, 1)

    def sub(self, a: Number, of_a: Specification, b: Number, of_b: Specification) -> Number:
        return self._sum(a, of_a, b, of_b, -1)

    def _sum(self, a: Number, of_a: Specification, b: Number, of_b: Specification, sign: int) -> Number:
        """The raw of a sum or a difference, by TensorFlow Lite's ADD.

        The operands are shifted left and converted to twice the greater scale. The sum is converted to the scale of the
        result.

        sign: 1 for a sum, -1 for a difference.
        """
        x, y = _skewed(of_a), _skewed(of_b)
        unit = 2 * max(x.scale, y.scale)
        left = SUM_BITS if max(self.bits, x.bits, y.bits) <= 8 else WIDE_SUM_BITS
        first, second = (
            self._times((raw - of_raw.zero) * 2**left, of_raw.scale / unit) for raw, of_raw in ((a, x), (b, y))
        )
        return self._scaled(first + second * sign, unit / (2.0**left * self.scale))

    def mul(self, a: Number, of_a: Specification, b: Number, of_b: Specification) -> Number:
        product = _skewed(of_a).product(a, b, of_b)
        return self._scaled(product, _skewed(of_a).scale * _skewed(of_b).scale / self.scale)

    def neg(self, a: Number, of_a: Specification) -> Number:
        source = _skewed(of_a)
        return self._scaled(source.zero - a, source.scale / self.scale)

    def converted(self, a: Number, of_a: Specification) -> Number:
        source = _skewed(of_a)
        return self._scaled(a - source.zero, source.scale / self.scale)

    def product(self, a: Number, b: Number, of_b: Specification) -> Number:
        return (a - self.zero) * (b - _skewed(of_b).zero)

    def unit_of_products(self, other: Specification) -> float:
        return float(np.float32(self.scale * _skewed(other).scale))

    def finished(self, sum: Number, unit: float) -> Number:
        multiply = self._times if self.bits <= 8 or self.to_even else _times_once
        return self._raw(multiply(sum, unit / self.scale))

    def average(self, total: Number, count: int, of_elements: Specification) -> Number:
        """The raw of the average, by TensorFlow Lite's AVERAGE_POOL_2D.

        The average of raws is rounded, halves away from zero, and then converted to this format by `converted`. If this
        format rounds halves to even, the result is that of `mean`.
        """
        source = _skewed(of_elements)
        if self.to_even:
            return self.mean(total, count, of_elements)
        raw = clamped(half_away(total, count), source.raws[0], source.raws[-1])
        return raw if source == self else self.converted(raw, source)

    def mean(self, total: Number, count: int, of_elements: Specification) -> Number:
        """The raw of the mean, by TensorFlow Lite's MEAN.

        The zero points are subtracted from the total. The difference is multiplied by one factor that includes the
        division by `count`. If this format rounds halves to even, the mean is instead rounded once.
        """
        source = _skewed(of_elements)
        if self.to_even:
            centred = total - count * source.zero
            if source.scale == self.scale:
                return self._raw(half_even(centred, count))
            return self._scaled(centred, source.scale / (count * self.scale))
        multiplier, shift = quantised_multiplier(source.scale / self.scale)
        more = min(count.bit_length() - 1, 32, 31 + shift)
        centred = total - count * source.zero
        return self._raw(requantised(centred, (multiplier << more) // count, shift - more))


def _skewed(specification: Specification) -> Skewed:
    assert isinstance(specification, Skewed)
    return specification


def quantised_multiplier(factor: float) -> tuple[int, int]:
    """The pair (multiplier, shift) with multiplier in [2^30, 2^31) and factor = multiplier * 2^(shift - 31).

    This is TensorFlow Lite's QuantizeMultiplier. The multiplier is rounded, halves away from zero. It is 0 for factors
    below 2^-32, and the greatest multiplier for factors of 2^30 and above.
    """
    exact = Fraction(factor)
    shift = 0
    while exact >= Fraction(2) ** shift:
        shift += 1
    while exact < Fraction(2) ** (shift - 1):
        shift -= 1
    multiplier = math.floor(exact * Fraction(2) ** (31 - shift) + Fraction(1, 2))
    if multiplier == 1 << 31:
        multiplier, shift = 1 << 30, shift + 1
    if shift < -31:
        return 0, 0
    return ((1 << 31) - 1, 30) if shift > 30 else (multiplier, shift)


def _times_once(x: Number, factor: float) -> Number:
    """The product of a sum of 64 bits and a factor, rounded once. The factor is represented by a 16-bit multiplier and
    a shift.
    """
    multiplier, shift = quantised_multiplier(factor)
    rounded = (multiplier + (1 << 15)) // (1 << 16) if multiplier < 0x7FFF0000 else 0x7FFF
    return requantised_once(x, rounded, min(shift, 7))

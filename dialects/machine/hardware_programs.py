"""Programs of integer operations for runtime functions that processors call and hardware computes by itself.

All products of a function share one multiplier of 17 bits, which is used in as many cycles as needed. On a processor,
these programs would be slower than the calls.

`tinyml.dialects.machine.runtime_functions` defines the result of each function.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from xdsl.ir import SSAValue

from tinyml.dialects.machine import gemmlowp
from tinyml.dialects.machine.gemmlowp import INT32_MAX, RECIPROCAL_SLOPE, RECIPROCAL_START
from tinyml.dialects.machine.integer_builder import IntegerBuilder
from tinyml.dialects.machine.integer_programs import between
from tinyml.dialects.operations import width_of

LOG_2 = round(log(2) * 2**15)
"""The natural logarithm of 2 in units of 2^-15."""


def saturate(m: IntegerBuilder, x: SSAValue, bits: SSAValue) -> SSAValue:
    most = (1 << m.known(bits) - 1) - 1
    return m.clamp(x, -most - 1, most)


def saturate_unsigned(m: IntegerBuilder, x: SSAValue, bits: SSAValue) -> SSAValue:
    return m.clamp(x, 0, (1 << m.known(bits)) - 1)


def leading_zeros(m: IntegerBuilder, x: SSAValue) -> SSAValue:
    return m.resize(m.sub(m.constant(31, 32), _highest_bit(m, x)), 8)


def _highest_bit(m: IntegerBuilder, x: SSAValue) -> SSAValue:
    """The place of the highest bit that is set, for x > 0; 0 for 0."""
    place = m.constant(0, 32)
    for step in (16, 8, 4, 2, 1):
        above = m.compare(x, "sge", 1 << step)
        place = m.choose(above, m.add(place, step), place)
        x = m.choose(above, m.shift_right(x, step), x)
    return place


def logarithm(m: IntegerBuilder, table: SSAValue, x: SSAValue) -> SSAValue:
    highest = _highest_bit(m, x)
    normal = m.shift_left(x, m.sub(m.constant(30, 32), highest))
    behind = m.shift_right(m.sub(normal, 1 << 30), 16)
    return m.add(m.mul(highest, LOG_2), m.resize(between(m, table, m.resize(behind, 24)), 32))


def reciprocal(m: IntegerBuilder, x: SSAValue) -> SSAValue:
    """One loop computes all products, so that hardware needs one multiplier: half * slope, and in each step of Newton's
    method half * y and y * error.
    """
    half = m.shift_left(x, m.sub(m.constant(30, 32), _highest_bit(m, x)))

    def product(m: IntegerBuilder, place: SSAValue, y: SSAValue, error: SSAValue) -> Sequence[SSAValue]:
        number = m.number(place, 32)
        ends_step = m.compare(m.low_bits(number, 1), "eq", 0)
        is_first = m.compare(number, "eq", 0)
        high = _high_product(m, m.choose(ends_step, error, y), m.choose(is_first, half, m.choose(ends_step, y, half)))
        step = m.add(m.choose(is_first, high, _doubled(m, high, 2)), y)
        return [m.choose(ends_step, step, y), m.sub(m.constant(1 << 29, 32), high)]

    starts = [m.constant(RECIPROCAL_START, 32), m.constant(RECIPROCAL_SLOPE, 32)]
    return _doubled(m, m.repeat(7, starts, product)[0], 1)


def root_multiplier(m: IntegerBuilder, x: SSAValue) -> SSAValue:
    """As in `reciprocal`, one loop computes all products: y * y, y^2 * y and half * y^3 in each of five steps, and
    the product of the last y and a constant. For no argument does a shift saturate.
    """
    pairs = _root_pairs(m, x)
    left = m.shift_left(x, m.greatest(m.shift_left(m.sub(pairs, 1), 1), 0))
    normal = m.choose(m.compare(pairs, "eq", 0), m.shift_right(x, 2), left)
    half = m.shift_right(m.add(m.shift_right(normal, 1), 1), 1)

    def product(m: IntegerBuilder, place: SSAValue, y: SSAValue, power: SSAValue, turn: SSAValue) -> Sequence[SSAValue]:
        is_last = m.compare(m.number(place, 32), "eq", 15)
        cubes, ends_step = m.compare(turn, "eq", 1), m.compare(turn, "eq", 2)
        a = m.choose(ends_step, half, m.choose(cubes, power, y))
        b = m.choose(is_last, m.constant(gemmlowp.HALF_ROOT_OF_TWO, 32), m.choose(ends_step, power, y))
        high = _high_product(m, a, b)
        wide = m.shift_right(m.add(m.mul(m.resize(y, 36), 3), 8), 4)
        step = m.shift_left(m.sub(m.resize(wide, 32), high), 3)
        next_turn = m.choose(ends_step, m.constant(0, 8), m.add(turn, 1))
        return [
            m.choose(is_last, high, m.choose(ends_step, step, y)),
            m.choose(cubes, m.shift_left(high, 6), high),
            next_turn,
        ]

    starts = [m.constant(1 << 28, 32), m.constant(0, 32), m.constant(0, 8)]
    root = m.shift_left(m.repeat(16, starts, product)[0], m.greatest(m.sub(pairs, 12), 0))
    return m.choose(m.compare(x, "sle", 1), m.constant(INT32_MAX, 32), root)


def root_shift(m: IntegerBuilder, x: SSAValue) -> SSAValue:
    return m.resize(m.least(m.sub(_root_pairs(m, x), 12), 0), 8)


def inverse_root(m: IntegerBuilder, x: SSAValue) -> SSAValue:
    return _halved(m, root_multiplier(m, x), m.greatest(m.sub(m.constant(12, 32), _root_pairs(m, x)), 0))


def inverse_root_wide(m: IntegerBuilder, x: SSAValue) -> SSAValue:
    def quarter(m: IntegerBuilder, _: SSAValue, rest: SSAValue, pairs: SSAValue) -> Sequence[SSAValue]:
        above = m.compare(rest, "sgt", INT32_MAX)
        return [m.choose(above, m.shift_right(rest, 2), rest), m.choose(above, m.add(pairs, 1), pairs)]

    rest, pairs = m.repeat(16, [x, m.constant(0, 32)], quarter)
    return _halved(m, inverse_root(m, m.resize(rest, 32)), pairs)


def _root_pairs(m: IntegerBuilder, x: SSAValue) -> SSAValue:
    """The number of pairs of zero bits between the sign bit of x and its highest bit that is set; of 1 for x <= 1."""
    return m.shift_right(m.sub(m.constant(30, 32), _highest_bit(m, x)), 1)


def _halved(m: IntegerBuilder, x: SSAValue, right: SSAValue) -> SSAValue:
    """x / 2^right, rounded to nearest, halves upwards."""
    half = m.shift_right(m.shift_left(m.constant(1, 33), m.resize(right, 33)), 1)
    return m.resize(m.shift_right(m.add(m.resize(x, 33), half), m.resize(right, 33)), 32)


def _doubled(m: IntegerBuilder, x: SSAValue, shift: int) -> SSAValue:
    """x * 2^shift, saturated to 32 bits."""
    wide = m.shift_left(m.resize(x, max(width_of(x), 32) + shift), shift)
    return m.resize(m.clamp(wide, -INT32_MAX - 1, INT32_MAX), 32)


def _high_product(m: IntegerBuilder, a: SSAValue, b: SSAValue) -> SSAValue:
    """a * b / 2^31, rounded to nearest, halves upwards.

    Each of four iterations multiplies a half of a and a half of 2 b, so that hardware needs one multiplier of 17 bits.
    """

    def halves(x: SSAValue) -> Sequence[SSAValue]:
        return m.low_bits(x, 16), m.shift_right(x, 16)

    def product(m: IntegerBuilder, place: SSAValue, sum: SSAValue) -> Sequence[SSAValue]:
        number = m.number(place, 32)
        is_odd = m.compare(m.low_bits(number, 1), "eq", 1)
        x, y = m.choose(is_odd, a_high, a_low), m.choose(m.compare(number, "sge", 2), b_high, b_low)
        factors = (m.resize(m.resize(half, 17), 40) for half in (x, y))
        return [m.add(m.choose(is_odd, m.shift_right(sum, 16), sum), m.mul(*factors))]

    (a_low, a_high), (b_low, b_high) = halves(a), halves(m.shift_left(m.resize(b, 33), 1))
    return m.resize(m.repeat(4, [m.constant(1 << 31, 40)], product)[0], 32)


PROGRAMS = {
    "tm_saturate_s32": saturate,
    "tm_saturate_u32": saturate_unsigned,
    "tm_leading_zeros_s32": leading_zeros,
    "tm_log_s32": logarithm,
    "tm_reciprocal_s32": reciprocal,
    "tm_root_multiplier_s32": root_multiplier,
    "tm_root_shift_s32": root_shift,
    "tm_inverse_root_s32": inverse_root,
    "tm_inverse_root_s64": inverse_root_wide,
}
"""The programs by the names of the functions."""

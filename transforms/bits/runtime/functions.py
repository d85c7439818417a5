"""The bodies of runtime functions; `tinyml.dialects.machine.runtime_functions` says what each computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.ir import SSAValue

from tinyml.dialects.machine.runtime_functions import LIMITS
from tinyml.transforms.bits.runtime.builder import IntegerBuilder, width_of


def _limit(m: IntegerBuilder, width: int, x: SSAValue, right: SSAValue, bits: SSAValue) -> SSAValue:
    most = (1 << m.fixed(bits) - 1) - 1
    return m.resize(m.clamp(m.shift_right(x, m.fixed(right)), -most, most), width)


def _multiply(m: IntegerBuilder, a: SSAValue, b: SSAValue, right: SSAValue) -> SSAValue:
    shift = m.fixed(right)
    product = m.add(m.mul(m.resize(a, 32), m.resize(b, 32)), 1 << shift - 1)
    return m.resize(m.shift_right(product, shift), 16)


def _add(m: IntegerBuilder, a: SSAValue, b: SSAValue, left: SSAValue, right: SSAValue, bits: SSAValue) -> SSAValue:
    shift = m.fixed(left)
    sum = m.add(m.shift_left(m.resize(a, 18 + shift), shift), m.resize(b, 18 + shift))
    return _limit(m, 16, sum, right, bits)


def _between(m: IntegerBuilder, table: SSAValue, place: SSAValue) -> SSAValue:
    """Interpolates between entries; place: 256 times the position, of 24 bits."""
    segment = m.shift_right(place, 8)
    low, high = (m.resize(m.entry(table, m.add(segment, i) if i else segment), 27) for i in (0, 1))
    rise = m.mul(m.sub(high, low), m.resize(m.low_bits(place, 8), 27))
    return m.add(low, m.shift_right(m.add(rise, 128), 8))


def _interpolate(m: IntegerBuilder, table: SSAValue, x: SSAValue, last: SSAValue, scale: SSAValue) -> SSAValue:
    distance = m.sub(m.resize(last, 26), m.resize(x, 26))
    return m.resize(_between(m, table, m.mul(distance, m.fixed(scale))), 16)


def _interpolate_odd(m: IntegerBuilder, table: SSAValue, x: SSAValue, last: SSAValue, scale: SSAValue) -> SSAValue:
    wide = m.resize(x, 26)
    y = _between(m, table, m.mul(m.least(m.size(wide), m.resize(last, 26)), m.fixed(scale)))
    return m.resize(m.choose(m.compare(x, "slt", 0), m.negate(y), y), 16)


def _rank(m: IntegerBuilder, table: SSAValue, x: SSAValue, length: SSAValue) -> SSAValue:
    return m.count(m.fixed(length), 16, "sle", table, x)


def _to_even(m: IntegerBuilder, size: SSAValue, right: int) -> SSAValue:
    """A size divided by 2^right, rounded to nearest, halves to even."""
    if right == 0:
        return size
    odd = m.low_bits(m.shift_right(size, right), 1)
    return m.shift_right(m.add(m.add(size, (1 << right >> 1) - 1), odd), right)


def _posit_linear(m: IntegerBuilder, x: SSAValue, right: SSAValue, n: SSAValue, greatest: SSAValue) -> SSAValue:
    one, shift = 1 << m.fixed(n) - 2, min(m.fixed(right), 40)
    width = max(width_of(x), one.bit_length() + shift) + 2
    wide = m.resize(x, width)
    size = m.size(wide)
    above = m.sub(size, one << shift)
    small = m.compare(above, "slt", 0)
    # Where the size is small, the other branch is not taken, whatever it computes.
    beyond = m.add(_to_even(m, above, shift + 1), one)
    raw = m.resize(m.least(m.choose(small, _to_even(m, size, shift), beyond), m.fixed(greatest)), 16)
    return m.choose(m.compare(wide, "slt", 0), m.negate(raw), raw)


def _requantize(m: IntegerBuilder, x: SSAValue, multiplier: SSAValue, shift: SSAValue) -> SSAValue:
    left, right = max(m.fixed(shift), 0), max(-m.fixed(shift), 0)
    most = (1 << 31) - 1 >> left
    shifted = m.shift_left(m.clamp(x, -most - 1, most), left)
    product = m.mul(m.resize(shifted, 64), m.resize(multiplier, 64))
    high = m.resize(m.shift_right(m.add(product, 1 << 30), 31), 33)
    if right == 0:
        return m.resize(high, 32)
    # Halves away from zero: of a negative number, the half is rounded down.
    half = m.choose(m.compare(high, "slt", 0), m.constant((1 << right >> 1) - 1, 33), m.constant(1 << right >> 1, 33))
    return m.resize(m.shift_right(m.add(high, half), right), 32)


def _requantize_wide(m: IntegerBuilder, x: SSAValue, multiplier: SSAValue, shift: SSAValue) -> SSAValue:
    right = 15 - m.fixed(shift)
    product = m.add(m.mul(x, m.resize(multiplier, 64)), 1 << right - 1)
    return m.resize(m.shift_right(product, right), 32)


def _limit_to(width: int) -> Callable[..., SSAValue]:
    return lambda m, x, right, bits: _limit(m, width, x, right, bits)


BODIES: Mapping[str, Callable[..., SSAValue]] = {
    **{f"tm_limit_i{width}_i{result}": _limit_to(result) for width, result in LIMITS},
    "tm_multiply_i16": _multiply,
    "tm_add_i16": _add,
    "tm_interpolate_s16": _interpolate,
    "tm_interpolate_odd_s16": _interpolate_odd,
    "tm_rank_s32": _rank,
    "tm_posit_linear_s32": _posit_linear,
    "tm_requantize_s32": _requantize,
    "tm_requantize_s64": _requantize_wide,
}
"""Functions from a builder and the operands of a call to the result, by the names of the runtime."""

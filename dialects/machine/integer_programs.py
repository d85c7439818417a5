"""Runtime functions as programs of integer operations. Hardware, which has no calls of C functions, executes these
programs.

`tinyml.dialects.machine.runtime_functions` defines the result of each function.
"""

from __future__ import annotations

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import i16
from xdsl.ir import SSAValue

from tinyml.dialects.machine.integer_builder import IntegerBuilder


def limit(m: IntegerBuilder, width: int, x: SSAValue, right: SSAValue, bits: SSAValue) -> SSAValue:
    most = (1 << m.known(bits) - 1) - 1
    return m.resize(m.clamp(m.shift_right(x, m.known(right)), -most, most), width)


def multiply(m: IntegerBuilder, a: SSAValue, b: SSAValue, right: SSAValue) -> SSAValue:
    shift = m.known(right)
    product = m.add(m.mul(m.resize(a, 32), m.resize(b, 32)), 1 << shift - 1)
    return m.resize(m.shift_right(product, shift), 16)


def add(m: IntegerBuilder, a: SSAValue, b: SSAValue, left: SSAValue, right: SSAValue, bits: SSAValue) -> SSAValue:
    shift = m.known(left)
    sum = m.add(m.shift_left(m.resize(a, 18 + shift), shift), m.resize(b, 18 + shift))
    return limit(m, 16, sum, right, bits)


def between(m: IntegerBuilder, table: SSAValue, place: SSAValue) -> SSAValue:
    """The value between two consecutive entries of a table, by linear interpolation.

    place: 256 times the position in the table, 24 bits wide.
    """
    segment = m.shift_right(place, 8)
    low, high = (m.resize(m.entry(table, m.add(segment, i) if i else segment), 27) for i in (0, 1))
    rise = m.mul(m.sub(high, low), m.resize(m.low_bits(place, 8), 27))
    return m.add(low, m.shift_right(m.add(rise, 128), 8))


def interpolate(m: IntegerBuilder, table: SSAValue, x: SSAValue, last: SSAValue, scale: SSAValue) -> SSAValue:
    distance = m.sub(m.resize(last, 26), m.resize(x, 26))
    return m.resize(between(m, table, m.mul(distance, m.known(scale))), 16)


def interpolate_odd(m: IntegerBuilder, table: SSAValue, x: SSAValue, last: SSAValue, scale: SSAValue) -> SSAValue:
    wide = m.resize(x, 26)
    y = between(m, table, m.mul(m.least(m.size(wide), m.resize(last, 26)), m.known(scale)))
    return m.resize(m.choose(m.compare(x, "slt", 0), m.negate(y), y), 16)


def rank(m: IntegerBuilder, table: SSAValue, x: SSAValue, length: SSAValue) -> SSAValue:
    """The number of entries, among the first `length` entries of a table, that are at most x, 16 bits wide."""
    source = table.owner.source if isinstance(table.owner, memref.CastOp) else table

    def counted(m: IntegerBuilder, place: SSAValue, total: SSAValue) -> SSAValue:
        entry = m.insert(memref.LoadOp.get(source, [place]))
        return m.add(total, m.insert(arith.ExtUIOp(m.compare(entry, "sle", x), i16)))

    return m.add_up(m.known(length), m.constant(0, 16), counted)


def requantize(m: IntegerBuilder, x: SSAValue, multiplier: SSAValue, shift: SSAValue) -> SSAValue:
    if not m.is_known(shift):
        return _requantize_by(m, x, multiplier, shift)
    left, right = max(m.known(shift), 0), max(-m.known(shift), 0)
    most = (1 << 31) - 1 >> left
    shifted = m.shift_left(m.clamp(x, -most - 1, most), left)
    product = m.mul(m.resize(shifted, 64), m.resize(multiplier, 64))
    high = m.resize(m.shift_right(m.add(product, 1 << 30), 31), 33)
    if right == 0:
        return m.resize(high, 32)
    # Halves away from zero: for a negative number, the half is rounded down.
    half = m.choose(m.compare(high, "slt", 0), m.constant((1 << right >> 1) - 1, 33), m.constant(1 << right >> 1, 33))
    return m.resize(m.shift_right(m.add(high, half), right), 32)


def _requantize_by(m: IntegerBuilder, x: SSAValue, multiplier: SSAValue, shift: SSAValue) -> SSAValue:
    """x requantised as by `tm_requantize_s32`, with a multiplier and a shift that are known only at run time, such as
    those of a row.
    """
    places = m.resize(shift, 33)
    left, right = m.greatest(places, 0), m.greatest(m.negate(places), 0)
    most = m.shift_right(m.constant((1 << 31) - 1, 33), left)
    shifted = m.shift_left(m.clamp(m.resize(x, 33), m.sub(m.negate(most), 1), most), left)
    product = m.mul(m.resize(shifted, 64), m.resize(multiplier, 64))
    high = m.resize(m.shift_right(m.add(product, 1 << 30), 31), 33)
    mask = m.sub(m.shift_left(m.constant(1, 33), right), 1)
    is_negative = m.choose(m.compare(high, "slt", 0), m.constant(1, 33), m.constant(0, 33))
    half = m.add(m.shift_right(mask, 1), is_negative)
    up = m.choose(m.compare(m.bits_in(high, mask), "sgt", half), m.constant(1, 33), m.constant(0, 33))
    return m.resize(m.add(m.shift_right(high, right), up), 32)


def requantize_even(m: IntegerBuilder, x: SSAValue, multiplier: SSAValue, shift: SSAValue) -> SSAValue:
    right: SSAValue | int
    below: SSAValue | int
    product = m.mul(m.resize(x, 64), m.resize(multiplier, 64))
    if m.is_known(shift):
        right = 31 - m.known(shift)
        below = (1 << right - 1) - 1
    else:
        right = m.sub(m.constant(31, 64), m.resize(shift, 64))
        below = m.sub(m.shift_left(m.constant(1, 64), m.sub(right, 1)), 1)
    odd = m.bits_in(m.shift_right(product, right), m.constant(1, 64))
    rounded = m.shift_right(m.add(m.add(product, below), odd), right)
    return m.resize(m.clamp(rounded, -(1 << 31), (1 << 31) - 1), 32)


def requantize_wide(m: IntegerBuilder, x: SSAValue, multiplier: SSAValue, shift: SSAValue) -> SSAValue:
    wide = m.mul(x, m.resize(multiplier, 64))
    if m.is_known(shift):
        right = 15 - m.known(shift)
        return m.resize(m.shift_right(m.add(wide, 1 << right - 1), right), 32)
    places = m.sub(m.constant(15, 64), m.resize(shift, 64))
    half = m.shift_left(m.constant(1, 64), m.sub(places, 1))
    return m.resize(m.shift_right(m.add(wide, half), places), 32)

"""The C runtime's functions for posits (`posit.h`, `posit_parts.h`) as integer programs, with reference
implementations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import f32, i8, i16, i32, i64
from xdsl.ir import SSAValue

from tinyml.dialects.formats.posit.arithmetic import (
    HIDDEN_BIT,
    Posit,
    add,
    log2,
    multiply,
    of_reals,
    pack,
    to_reals,
    unpack,
)
from tinyml.dialects.formats.posit.specification import posits
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.exact_integers import Number, clamped
from tinyml.dialects.machine.integer_builder import IntegerBuilder
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS, RuntimeFunction
from tinyml.dialects.operations import width_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.posit.arithmetic import Posit

    Array = NDArray[Any]

ALL = -(1 << 15)
"""The value of `low` for which a format contains all posits."""


NAR_PLACE = 1 << 15
"""The place of NaR in the results of functions that unpack posits: the least integer of 16 bits."""


def _posit(n: Array, es: Array, low: Array | None = None, greatest: Array | None = None) -> Posit:
    multiples = None if low is None or int(low) == ALL else int(low)
    return Posit(int(n), int(es), multiples, None if greatest is None else int(greatest))


def _of_integer(x: Array, scale: Array, n: Array, es: Array, low: Array, greatest: Array) -> Array:
    # `pack` accepts at most 62 bits; the last one is sticky.
    size = x.astype(np.int64)
    spare = np.maximum(log2(np.maximum(np.abs(size) >> 4, 1)) + 4 - 60, 0)
    kept = np.abs(size) >> spare
    kept |= kept << spare != np.abs(size)
    exponent = spare - np.asarray(scale, np.int64)
    return pack(np.sign(size) * kept, exponent, _posit(n, es, low, greatest)).astype(np.int32)


def _bends(n: int, greatest: int) -> list[tuple[int, int, int]]:
    """For es 0, each power of two from 1 to the greatest number, as a triple (raw, number, distance). If all numbers
    are below 1, or the posits have two bits, the only triple is that of 1.

    n: the width of the posits.
    greatest: the greatest raw.
    distance: the binary logarithm of the distance between consecutive numbers above the power of two.

    Numbers and distances are in units of the least positive number.
    """
    bends, raw, one = list[tuple[int, int, int]](), 1 << n - 2, 1 << n - 2
    while raw <= greatest and (more := one >> len(bends) + 1):
        bends.append((raw, one << len(bends), 2 * len(bends) + 1))
        raw += more
    # With two bits, and if all numbers are below 1, the distance is constant.
    return bends or [(one, one, 1)]


def _linear(x: Array, right: Array, n: Array, greatest: Array) -> Array:
    size, shift = np.abs(x.astype(np.int64)), min(int(right), 40)

    def even(size: Array, right: int) -> Array:
        return size + ((1 << right >> 1) - 1 + (size >> right & 1)) >> right if right else size

    raw = even(size, shift)
    for first, units, step in _bends(int(n), int(greatest)):
        above = np.maximum(size - (units << shift), 0)
        raw = np.where(size < units << shift, raw, first + even(above, shift + step))
    return (np.sign(x) * np.minimum(raw, int(greatest))).astype(np.int16)


def _to_even(m: IntegerBuilder, size: SSAValue, right: int) -> SSAValue:
    """`size` divided by 2^right, rounded to nearest, halves to even."""
    if right == 0:
        return size
    odd = m.low_bits(m.shift_right(size, right), 1)
    return m.shift_right(m.add(m.add(size, (1 << right >> 1) - 1), odd), right)


def _linear_program(m: IntegerBuilder, x: SSAValue, right: SSAValue, n: SSAValue, greatest: SSAValue) -> SSAValue:
    bends, shift = _bends(m.known(n), m.known(greatest)), min(m.known(right), 40)
    width = max(width_of(x), bends[-1][1].bit_length() + shift) + 2
    wide = m.resize(x, width)
    size = m.size(wide)
    rounded = _to_even(m, size, shift)
    for first, units, step in bends:
        above = m.sub(size, units << shift)
        # For smaller magnitudes the select discards this branch.
        beyond = m.add(_to_even(m, above, shift + step), first)
        rounded = m.choose(m.compare(above, "slt", 0), rounded, beyond)
    raw = m.resize(m.least(rounded, m.known(greatest)), 16)
    return m.choose(m.compare(wide, "slt", 0), m.negate(raw), raw)


def _to_integer(raw: Array, scale: Array, n: Array, es: Array) -> Array:
    return np.nan_to_num(np.ldexp(to_reals(raw, _posit(n, es)), int(scale))).astype(np.int32)


def _parts(width: int) -> Callable[[Array, Array, Array, Array, Array], Array]:
    def reference(raw: Array, n: Array, es: Array, step: Array, bias: Array) -> Array:
        significand, exponent = unpack(raw, _posit(n, es))
        fraction = max(int(n) - 3 - int(es), 0)
        counted = exponent + HIDDEN_BIT + int(bias)
        moved = (significand >> HIDDEN_BIT - fraction) << (counted & (1 << int(step)) - 1)
        special = np.where(raw == 0, 0, NAR_PLACE)
        packed = np.where(significand == 0, special, moved << width | counted >> int(step))
        return packed.astype(np.int32 if width == 16 else np.int64)

    return reference


def _upper(parts: Array) -> Array:
    return (parts >> 4 * parts.itemsize).astype(f"i{parts.itemsize // 2}")


def _upper_program(m: IntegerBuilder, parts: SSAValue) -> SSAValue:
    half = width_of(parts) // 2
    return m.resize(m.shift_right(parts, half), half)


def _lower_word(a: Array, b: Array) -> Array:
    return (a.astype(np.int64) * b).astype(np.int32)


def _upper_word(a: Array, b: Array) -> Array:
    return (a.astype(np.int64) * b >> 32).astype(np.int32)


def _word_program(right: int) -> Callable[[IntegerBuilder, SSAValue, SSAValue], SSAValue]:
    def program(m: IntegerBuilder, a: SSAValue, b: SSAValue) -> SSAValue:
        return m.resize(m.shift_right(m.mul(m.resize(a, 64), m.resize(b, 64)), right), 32)

    return program


def _marked(flag: Array, place: Array) -> Array:
    """An integer whose sign bit is set if the sign bit of `flag` or of `place` is set. Its other bits are
    unspecified.
    """
    return flag | place


def _marking_program(m: IntegerBuilder, flag: SSAValue, place: SSAValue) -> SSAValue:
    return m.choose(m.compare(place, "slt", 0), place, flag)


def _raised(m: IntegerBuilder, size: SSAValue, stored: int, width: int) -> tuple[SSAValue, SSAValue]:
    """`size` shifted left so that its highest set bit is bit `stored` - 1, and the shift as an integer of `width` bits.

    A binary search determines the shift. If `size` is 0, the shift is `stored` - 1.
    """
    left = m.constant(0, width)
    for half in (1 << k for k in reversed(range(stored.bit_length() - 1))):
        short = m.compare(size, "slt", 1 << stored - half)
        size = m.choose(short, m.shift_left(size, half), size)
        left = m.choose(short, m.add(left, half), left)
    return size, left


def _parts_program(
    m: IntegerBuilder, raw: SSAValue, n: SSAValue, es: SSAValue, step: SSAValue, bias: SSAValue
) -> SSAValue:
    """The program that separates a raw into significand and place, and returns both in one integer: the significand in
    the upper half, the place in the lower half. The place is (exponent + bias) div 2^step.

    The program computes the magnitude of the raw in a register that is wider than the raw, because the magnitude of the
    least raw exceeds the raw's type.
    """
    stored, bits, exponent_bits = width_of(raw), m.known(n), m.known(es)
    width, packed = stored + 2, 2 * stored
    wide = m.resize(raw, width)
    negative = m.compare(wide, "slt", 0)
    mask = (1 << stored) - 1
    body = m.bits_in(m.shift_left(m.choose(negative, m.negate(wide), wide), stored + 1 - bits), mask)
    ones = m.compare(body, "sge", 1 << stored - 1)
    run = m.choose(ones, m.sub(m.constant(mask, width), body), body)
    _, length = _raised(m, run, stored, width)
    rest = m.bits_in(m.shift_left(m.bits_in(m.shift_left(body, length), mask), 1), mask)
    regime = m.choose(ones, m.sub(length, 1), m.negate(length))
    fraction = max(bits - 3 - exponent_bits, 0)
    exponent = m.add(m.shift_left(m.resize(regime, packed), exponent_bits), m.resize(bias, packed))
    if exponent_bits:
        exponent = m.add(exponent, m.resize(m.shift_right(rest, stored - exponent_bits), packed))
    below = m.bits_in(m.shift_left(rest, exponent_bits), mask)
    size = m.add(m.shift_right(below, stored - fraction), 1 << fraction)
    significand = m.resize(m.choose(negative, m.negate(size), size), packed)
    if moved := m.known(step):
        significand = m.shift_left(significand, m.low_bits(exponent, moved))
        exponent = m.shift_right(exponent, moved)
    joined = m.add(m.shift_left(significand, stored), exponent)
    none = m.choose(m.compare(raw, "eq", 0), m.constant(0, packed), m.constant(NAR_PLACE, packed))
    return m.choose(m.compare(body, "eq", 0), none, joined)


def _to_integer_program(m: IntegerBuilder, raw: SSAValue, scale: SSAValue, n: SSAValue, es: SSAValue) -> SSAValue:
    """The program that returns the integer that a raw represents, in units of 2^-scale: the significand, shifted left
    by the exponent.

    No bit is lost, because all numbers are multiples of 2^-scale.
    """
    bits, exponent_bits, stored = m.known(n), m.known(es), width_of(raw)
    parts = _parts_program(m, raw, n, es, m.constant(0, 8), m.constant(m.known(scale), 16))
    exponent = m.clamp(m.resize(parts, 16), 0, stored - 1)
    significand = m.shift_right(parts, stored)
    moved = m.shift_left(significand, m.resize(exponent, width_of(significand)))
    return m.resize(m.shift_right(moved, max(bits - 3 - exponent_bits, 0)), stored)


def _normalised(m: IntegerBuilder, size: SSAValue, scale: SSAValue, stored: int) -> tuple[SSAValue, SSAValue]:
    """`size` shifted left until its highest set bit is the highest magnitude bit of the register, and the exponent of
    this bit.
    """
    size, left = _raised(m, size, stored, 16)
    return size, m.sub(m.sub(m.constant(stored - 1, 16), scale), left)


def _to_multiples(
    m: IntegerBuilder, size: SSAValue, scale: SSAValue, posit: tuple[int, int, int], stored: int
) -> tuple[SSAValue, SSAValue]:
    """`size` and its scale after rounding to multiples of 2^low, halves to even.

    Only numbers at which the distance between adjacent posits is less than 2^low are rounded.
    """
    bits, exponent_bits, low = posit
    _, exponent = _normalised(m, size, scale, stored)
    regime = m.shift_right(exponent, exponent_bits)
    run = m.choose(m.compare(regime, "sge", 0), m.add(regime, 2), m.sub(m.constant(1, 16), regime))
    fraction = m.sub(m.constant(bits - 1 - exponent_bits, 16), run)
    coarse = m.compare(exponent, "sge", low)
    whole = m.compare(fraction, "slt", 0)
    enough = m.compare(m.sub(exponent, fraction), "sge", low)
    stays = m.choose(coarse, m.choose(whole, whole, enough), coarse)
    right = m.resize(m.clamp(m.add(scale, low), 0, stored + 1), width_of(size))
    half = m.shift_right(m.shift_left(m.constant(1, width_of(size)), right), 1)
    odd = m.low_bits(m.shift_right(size, right), 1)
    raised = m.add(m.add(size, m.greatest(m.sub(half, 1), 0)), m.choose(m.compare(right, "eq", 0), half, odd))
    multiple = m.shift_right(raised, right)
    # A number without bits below 2^low is already a multiple.
    fine = m.compare(m.add(scale, low), "sle", 0)
    stays = m.choose(fine, fine, stays)
    return m.choose(stays, size, multiple), m.choose(stays, scale, m.constant(-low, 16))


def _rounding_program(
    m: IntegerBuilder, x: SSAValue, scale: SSAValue, n: SSAValue, es: SSAValue, low: SSAValue, greatest: SSAValue
) -> SSAValue:
    """The program that rounds x * 2^-scale to a posit and returns the raw.

    Regime, exponent and fraction are first arranged as one bit string that begins with the two different bits of the
    shortest regime. An arithmetic right shift then lengthens the regime by copies of its first bit.
    """
    bits, exponent_bits, stored = m.known(n), m.known(es), width_of(x)
    width, top = 2 * stored + 8, stored - 1
    wide = m.resize(x, width)
    negative = m.compare(wide, "slt", 0)
    size = m.choose(negative, m.negate(wide), wide)
    if m.known(low) != ALL:
        size, scale = _to_multiples(m, size, scale, (bits, exponent_bits, m.known(low)), stored)
    zero = m.compare(size, "eq", 0)
    size, exponent = _normalised(m, size, scale, stored)
    regime = m.shift_right(exponent, exponent_bits)
    tail = m.add(
        m.shift_left(m.resize(m.low_bits(exponent, exponent_bits), width), top)
        if exponent_bits
        else m.constant(0, width),
        m.low_bits(size, top),
    )
    rises = m.compare(regime, "sge", 0)
    first = m.choose(rises, m.constant(-2, width), m.constant(1, width))
    # The regime is at most n - 1 bits longer than its first two.
    string = m.shift_left(m.add(m.shift_left(first, exponent_bits + top), tail), bits)
    copies = m.choose(rises, regime, m.sub(m.constant(-1, 16), regime))
    string = m.shift_right(string, m.resize(m.clamp(copies, 0, bits), width))
    dropped = 2 + exponent_bits + top + bits - (bits - 1)
    raw = m.low_bits(m.shift_right(string, dropped), bits - 1)
    rest, half = m.low_bits(string, dropped), 1 << dropped - 1
    odd = m.low_bits(raw, 1)
    up = m.compare(m.add(rest, odd), "sgt", half)
    rounded = m.choose(up, m.add(raw, 1), raw)
    rounded = m.clamp(rounded, 1, (1 << bits - 1) - 1)
    rounded = m.choose(m.compare(regime, "sge", bits - 2), m.constant((1 << bits - 1) - 1, width), rounded)
    rounded = m.choose(m.compare(regime, "slt", 2 - bits), m.constant(1, width), rounded)
    result = m.resize(m.choose(zero, m.constant(0, width), rounded), 32)
    limited = m.least(result, greatest)
    return m.choose(negative, m.negate(limited), limited)


def _taken_apart(
    m: IntegerBuilder, raw: SSAValue, n: SSAValue, es: SSAValue, width: int
) -> tuple[SSAValue, SSAValue, SSAValue, int]:
    """The significand, the exponent and the NaR flag of a raw, and a scale for which the number is significand *
    2^(exponent - scale).

    The significand has `width` bits, the exponent 16 bits. The exponent is never negative.
    """
    bits, exponent_bits = m.known(n), m.known(es)
    stored = 16 if bits <= 16 else 32
    reach = bits - 2 << exponent_bits
    narrow = m.resize(raw, stored)
    parts = _parts_program(m, narrow, n, es, m.constant(0, 8), m.constant(reach, 16))
    significand = m.resize(m.shift_right(parts, stored), width)
    exponent = m.resize(m.low_bits(parts, 15), 16)
    undefined = m.compare(narrow, "eq", -(1 << bits - 1))
    return significand, exponent, undefined, reach + max(bits - 3 - exponent_bits, 0)


def _rounded(
    m: IntegerBuilder, size: SSAValue, scale: SSAValue, n: SSAValue, es: SSAValue, *undefined: SSAValue
) -> SSAValue:
    """Emit the rounding of size * 2^-scale to the nearest posit. The result is NaR if any of `undefined` is true."""
    bits = m.known(n)
    raw = _rounding_program(m, size, scale, n, es, m.constant(ALL, 16), m.constant((1 << bits - 1) - 1, 32))
    for one in undefined:
        raw = m.choose(one, m.constant(-(1 << bits - 1), 32), raw)
    return raw


def _mul_program(m: IntegerBuilder, a: SSAValue, b: SSAValue, n: SSAValue, es: SSAValue) -> SSAValue:
    width = 32 if m.known(n) <= 16 else 64
    x, ex, undefined_a, scale = _taken_apart(m, a, n, es, width)
    y, ey, undefined_b, _ = _taken_apart(m, b, n, es, width)
    exponent = m.sub(m.constant(2 * scale, 16), m.add(ex, ey))
    return _rounded(m, m.mul(x, y), exponent, n, es, undefined_a, undefined_b)


def _add_program(m: IntegerBuilder, a: SSAValue, b: SSAValue, n: SSAValue, es: SSAValue) -> SSAValue:
    """The program that adds two posits and returns the raw of the sum.

    The significand of the number with the lesser exponent is shifted right. Its last bit is sticky: it is set if any
    bit that is shifted out is 1.
    """
    width, guard = (32, 16) if m.known(n) <= 16 else (64, 32)
    x, ex, undefined_a, scale = _taken_apart(m, a, n, es, width)
    y, ey, undefined_b, _ = _taken_apart(m, b, n, es, width)
    swaps = m.compare(ex, "slt", ey)
    x, y = m.choose(swaps, y, x), m.choose(swaps, x, y)
    greater, distance = m.choose(swaps, ey, ex), m.sub(ex, ey)
    distance = m.clamp(m.choose(swaps, m.negate(distance), distance), 0, width - 1)
    moved, right = m.shift_left(y, guard), m.resize(distance, width)
    kept = m.shift_right(moved, right)
    exact = m.compare(m.shift_left(kept, right), "eq", moved)
    # An odd number is unchanged, also next to an even one.
    sticky = m.add(kept, m.sub(m.constant(1, width), m.low_bits(kept, 1)))
    sum = m.add(m.shift_left(x, guard), m.choose(exact, kept, sticky))
    return _rounded(m, sum, m.sub(m.constant(scale + guard, 16), greater), n, es, undefined_a, undefined_b)


def _sub_program(m: IntegerBuilder, a: SSAValue, b: SSAValue, n: SSAValue, es: SSAValue) -> SSAValue:
    # NaR is the least integer of n bits, which has no negative in n bits.
    nar = m.compare(b, "eq", -(1 << m.known(n) - 1))
    return _add_program(m, a, m.choose(nar, b, m.negate(b)), n, es)


def _to_odd(x: Array, left: Array, low: Array, high: Array) -> Array:
    value, left = x.astype(object), np.asarray(left).astype(object)
    right = np.maximum(-left, 0)
    kept = value << np.maximum(left, 0) >> right
    cut = kept | (kept << right != value << np.maximum(left, 0))
    return np.clip(cut, int(low), int(high)).astype(x.dtype)


def _to_odd_program(m: IntegerBuilder, x: SSAValue, left: SSAValue, low: SSAValue, high: SSAValue) -> SSAValue:
    """The program that shifts x left, or right for negative `left`, truncates it to odd and clamps it to [low, high].

    Truncation to odd sets the last bit if any dropped bit is 1. A shift by at least as many bits as x has is replaced
    by a shorter shift with the same result: to the left, every number except 0 exceeds the limits; to the right, no bit
    remains.
    """
    width = 2 * width_of(x)
    raised = m.shift_left(m.resize(x, width), m.resize(m.clamp(left, 0, width_of(x) - 1), width))
    right = m.resize(m.clamp(m.negate(left), 0, width_of(x) - 1), width)
    kept = m.shift_right(raised, right)
    exact = m.compare(m.shift_left(kept, right), "eq", raised)
    odd = m.add(kept, m.sub(m.constant(1, width), m.low_bits(kept, 1)))
    within = m.clamp(m.choose(exact, kept, odd), m.resize(low, width), m.resize(high, width))
    return m.resize(within, width_of(x))


def _of_float(x: Array, n: Array, es: Array, low: Array, greatest: Array) -> Array:
    posit = _posit(n, es, low, greatest)
    limited = x.astype(np.float64) if posit.low is None else np.clip(x.astype(np.float64), -1.0e300, 1.0e300)
    return of_reals(limited, posit).astype(np.int32)


def _to_float(raw: Array, n: Array, es: Array) -> Array:
    posit = _posit(n, es)
    significand, exponent = unpack(raw, posit)
    reals = np.ldexp(significand.astype(np.float32).astype(np.float64), exponent).astype(np.float32)
    return np.where(np.asarray(raw) == posit.nar, np.float32(np.nan), reals)


def _add(a: Array, b: Array, n: Array, es: Array) -> Array:
    return add(a, b, _posit(n, es)).astype(np.int32)


def _sub(a: Array, b: Array, n: Array, es: Array) -> Array:
    nar = _posit(n, es).nar
    return _add(a, np.where(b == nar, nar, -b.astype(np.int64)), n, es)


def _mul(a: Array, b: Array, n: Array, es: Array) -> Array:
    return multiply(a, b, _posit(n, es)).astype(np.int32)


def _documented(x: Number, scale: int, n: int, es: int, low: int, greatest: int) -> Number:
    """The specified result of `tm_posit_of_sN`: the raw of the posit nearest to x * 2^-scale, at most `greatest`.

    Results are multiples of 2^low; if `low` is `ALL`, any posit may be the result.
    """
    bounds = None if low == ALL else (low, (n - 2 << es) + 1)
    return clamped(posits(n, es, bounds).rounded(x, scale), -greatest, greatest)


def _documented_linear(x: Number, right: int, n: int, greatest: int) -> Number:
    """The specified result of `tm_posit_linear_s32`: the posit with es 0 nearest to x * 2^-right, where x is in units
    of the least positive posit.
    """
    return clamped(posits(n, 0, (2 - n, n - 1)).rounded(x, right + n - 2), -greatest, greatest)


RUNTIME_FUNCTIONS.update(
    {
        "tm_posit_of_s32": RuntimeFunction(
            (i32, i16, i8, i8, i16, i32), i32, _of_integer, _rounding_program, _documented
        ),
        "tm_posit_of_s64": RuntimeFunction(
            (i64, i16, i8, i8, i16, i32), i32, _of_integer, _rounding_program, _documented
        ),
        "tm_posit_linear_s32": RuntimeFunction((i32, i8, i8, i16), i16, _linear, _linear_program, _documented_linear),
        "tm_posit_parts_s16": RuntimeFunction((i16, i8, i8, i8, i16), i32, _parts(16), _parts_program),
        "tm_posit_parts_s32": RuntimeFunction((i32, i8, i8, i8, i16), i64, _parts(32), _parts_program),
        "tm_posit_upper_s16": RuntimeFunction((i16,), i8, _upper, _upper_program),
        "tm_posit_upper_s64": RuntimeFunction((i64,), i32, _upper, _upper_program),
        "tm_posit_lower_word": RuntimeFunction((i32, i32), i32, _lower_word, _word_program(0)),
        "tm_posit_upper_word": RuntimeFunction((i32, i32), i32, _upper_word, _word_program(32)),
        "tm_posit_mark": RuntimeFunction((i8, i8), i8, _marked, _marking_program),
        "tm_posit_to_odd_s32": RuntimeFunction((i32, i16, i32, i32), i32, _to_odd, _to_odd_program),
        "tm_posit_to_odd_s64": RuntimeFunction((i64, i16, i64, i64), i64, _to_odd, _to_odd_program),
        "tm_posit_to_s32": RuntimeFunction((i32, i16, i8, i8), i32, _to_integer, _to_integer_program),
        "tm_posit_of_f32": RuntimeFunction((f32, i8, i8, i16, i32), i32, _of_float),
        "tm_posit_to_f32": RuntimeFunction((i32, i8, i8), f32, _to_float),
        "tm_posit_add": RuntimeFunction((i32, i32, i8, i8), i32, _add, _add_program),
        "tm_posit_sub": RuntimeFunction((i32, i32, i8, i8), i32, _sub, _sub_program),
        "tm_posit_mul": RuntimeFunction((i32, i32, i8, i8), i32, _mul, _mul_program),
    }
)

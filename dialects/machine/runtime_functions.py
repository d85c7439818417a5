"""Functions of the C runtime that emitted code may call: their types and their reference implementations in numpy.

A reference implementation performs the same operations in the same order as its C function in
`runtime/include/tinyml/`. Both therefore return the same bits: for integers everywhere, and for single-precision floats
wherever arithmetic follows IEEE 754 (without contraction to fused multiply-adds and without fast-math).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerType, MemRefType, f32, i8, i16, i32, i64
from xdsl.ir import Attribute

from tinyml.dialects.layouts.digits import DIGITS, Digits, Width
from tinyml.dialects.layouts.packed_bits import WIDTHS, unpack_bits
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine import documented_functions as documented
from tinyml.dialects.machine import float_functions, gemmlowp
from tinyml.dialects.machine import integer_programs as programs

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.ir import SSAValue

    from tinyml.dialects.machine.integer_builder import IntegerBuilder, IntegerProgram

    F32 = NDArray[np.float32]
    I8 = NDArray[np.int8]
    I16 = NDArray[np.int16]
    I32 = NDArray[np.int32]
    I64 = NDArray[np.int64]
    Integers = NDArray[np.signedinteger[Any]]


@dataclass(frozen=True)
class RuntimeFunction:
    """The signature of a C function, and its reference implementation in numpy, which returns the same bits.

    * arguments, result: the types of the parameters and of the result.
    * reference: the reference implementation, on arrays of arguments.
    * program: the function as integer operations, for hardware; None for functions on floats.
    * meaning: the specified result on exact integers, against which `tinyml prove` checks the program and the reference
      implementation; None if the function is not proved.
    * header: the header of another package that defines the function as `static inline`. The header may include runtime
      headers by name. None for a function of the runtime.
    """

    arguments: tuple[Attribute, ...]
    result: Attribute
    reference: Callable[..., Any]
    program: IntegerProgram | None = None
    meaning: Callable[..., Any] | None = None
    header: Path | None = None


LIMITS = ((16, 8), (24, 8), (32, 8), (24, 16), (32, 16))
"""Widths of argument and result for which there is a `tm_limit_iN_iM`."""

MULTIPLY_SHIFTS = range(9, 17)
"""Shifts that `tm_multiply_i16` supports."""

ADD_SHIFTS = range(5)
"""Left and right shifts for which `tm_add_i16` is fast: an AVR shifts registers by single bits."""

LEAST_SQUARE = 2.0**-125
"""The least argument of the reciprocal square root; half of it is not subnormal."""


def to_nearest(x: F32, low: Integers, high: Integers) -> I32:
    """tm_f32_to_nearest: the integer nearest to x, halves away from zero, clamped to [low, high]; low for NaN."""
    wide = np.asarray(x).astype(np.float64)
    rounded = np.clip(np.copysign(np.floor(np.abs(wide) + 0.5), wide), low, high)
    return np.where(np.isnan(wide), low, rounded).astype(np.int32)


def to_even(x: F32, low: Integers, high: Integers) -> I32:
    """tm_f32_to_even: the integer nearest to x, halves to even, clamped to [low, high]; low for NaN."""
    x = np.asarray(x, np.float32)
    inside = (x > low.astype(np.float32)) & ~(x >= high.astype(np.float32))
    whole = np.rint(np.where(inside, x, np.float32(0))).astype(np.int32)
    return np.where(inside, whole, np.where(x >= high.astype(np.float32), high, low)).astype(np.int32)


def scale_to_even(x: I32, factor: I32, low: I32, high: I32) -> I32:
    """tm_scale_to_even: x * f for a float f, rounded to the nearest integer (halves to even), clamped to [low, high].

    x and the product are first rounded to single precision.

    factor: the bit pattern of f, as a 32-bit integer.
    """
    return to_even(np.asarray(x).astype(np.float32) * np.asarray(factor, np.int32).view(np.float32), low, high)


def quotient(a: F32, b: F32) -> F32:
    """tm_dividef: a / b."""
    return np.asarray(a, np.float32) / np.asarray(b, np.float32)


def divide_to_nearest(x: F32, scale: F32, reciprocal: I32, low: I16, high: I16) -> I16:
    """tm_divide_to_nearest_s9, tm_divide_to_nearest_s16: x / scale in single precision, rounded to the nearest integer
    (halves away from zero) and clamped to [low, high]; low for NaN.

    reciprocal: the number by which the C function multiplies instead of a division (`dialects/formats/read_floats.py`).
    """
    return to_nearest(_silently(quotient, x, scale), low, high).astype(np.int16)


def divide_to_even(x: F32, scale: F32, reciprocal: I32, low: I16, high: I16) -> I16:
    """tm_divide_to_even_s9: as `divide_to_nearest`, with halves to even."""
    return to_even(_silently(quotient, x, scale), low, high).astype(np.int16)


def multiply_to_even(x: F32, factor: F32, reciprocal: I32, low: I16, high: I16) -> I16:
    """tm_multiply_to_even_s9: x * factor in single precision, rounded to the nearest integer (halves to even) and
    clamped to [low, high]; low for NaN.

    reciprocal: the upper bits of the factor's mantissa, as `divide_to_nearest` takes those of a reciprocal.
    """
    return to_even(_silently(np.multiply, x, factor), low, high).astype(np.int16)


def _silently(combine: Callable[[F32, F32], F32], x: F32, y: F32) -> F32:
    """The result of an operation in single precision, without numpy's warnings of results beyond its range."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return np.asarray(combine(np.asarray(x, np.float32), np.asarray(y, np.float32)))


def to_odd(x: F32, low: I32, high: I32) -> I32:
    """tm_f32_to_odd: x if it is an integer, otherwise the odd one of the two adjacent integers; low for NaN.

    The result is clamped to [low, high]. Rounding it later to a multiple of 4 returns the same number as rounding x.
    """
    x = np.asarray(x, np.float32)
    inside = (x > low.astype(np.float32)) & ~(x >= high.astype(np.float32))
    safe = np.where(inside, x, np.float32(0))
    floor = np.floor(safe)
    whole = floor.astype(np.int32) | (floor != safe)
    limit = np.where(x >= high.astype(np.float32), high, low)
    return np.where(inside, whole, limit).astype(np.int32)


def _from_float(width: int) -> RuntimeFunction:
    """The function tm_f32_to_sN for integers of `width` bits.

    Its result is x * 2^frac, rounded to the nearest integer (half up) and clamped to [low, high]; low for NaN.
    """

    def reference(x: F32, frac: I8, low: Integers, high: Integers) -> Integers:
        scaled = np.ldexp(np.asarray(x).astype(np.float64), np.asarray(frac).astype(np.int32))
        rounded = np.clip(np.floor(scaled + 0.5), low, high)
        return np.where(np.isnan(scaled), low, rounded).astype(f"i{width // 8}")

    result = IntegerType(width)
    return RuntimeFunction((f32, i8, result, result), result, reference)


def from_integer(x: I32) -> F32:
    """tm_int_to_f32: the float nearest to x."""
    return np.asarray(x).astype(np.float32)


def to_bfloat(x: F32) -> I16:
    """tm_f32_to_bf16: the bf16 raw of a float.

    The magnitude of the raw is the upper half of the float without its sign, rounded to nearest, halves to even. The
    raw of a negative number is negated. A finite float becomes a finite number. NaN becomes the raw of greatest
    magnitude, with the sign of the NaN.
    """
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.int64)
    size = bits & 0x7FFFFFFF
    # A finite number stays finite.
    finite = np.minimum((size + 0x7FFF + (size >> 16 & 1)) >> 16, 0x7F7F)
    rounded = np.where(size < 0x7F800000, finite, np.where(size == 0x7F800000, 0x7F80, 0x7FC0))
    return np.where(bits >> 31 == 1, -rounded, rounded).astype(np.int16)


def from_bfloat(raw: I16) -> F32:
    """tm_bf16_to_f32: the float that a bf16 raw represents."""
    size = np.abs(np.asarray(raw).astype(np.int64))
    return (size << 16 | np.where(np.asarray(raw) < 0, 1 << 31, 0)).astype(np.uint32).view(np.float32)


def interpolate(table: I16, x: I16, last: I16, scale: I8) -> I16:
    """tm_interpolate_s16: linear interpolation in a table whose entry i is the value at last - 256 * i / scale.

    x must be at most `last`. The difference last - x may have 16 bits. `scale` is positive.
    """
    return _between(table, (last.astype(np.int32) - x) * scale.astype(np.int32))


def interpolate_odd(table: I16, x: I16, last: I16, scale: I8) -> I16:
    """tm_interpolate_odd_s16: an odd function, interpolated linearly. It is constant for |x| >= last. Entry i of the
    table is the value at 256 * i / scale.
    """
    size = np.minimum(np.abs(x.astype(np.int32)), last.astype(np.int32))
    y = _between(table, size * scale.astype(np.int32))
    return np.where(x < 0, -y, y)


def _between(table: I16, scaled: I32) -> I16:
    segment, position = scaled >> 8, scaled & 255
    start = table[segment].astype(np.int32)
    return (start + (((table[segment + 1] - start) * position + 128) >> 8)).astype(np.int16)


def limit(x: Integers, right: I8, bits: I8) -> Integers:
    """tm_limit_iN_iM: x / 2^right, rounded down and clamped to [1 - 2^(bits - 1), 2^(bits - 1) - 1]."""
    # Limits of the array's own type: numpy checks plain integers, which takes longer than the rest.
    most = x.dtype.type((1 << int(bits) - 1) - 1)
    shifted = np.asarray(x >> int(right))
    return shifted.clip(-most, most, out=shifted)


def multiply(a: I16, b: I16, right: I8) -> I16:
    """tm_multiply_i16: a * b / 2^right, rounded to nearest, half up."""
    product = np.asarray(a.astype(np.int32) * b.astype(np.int32))
    product += np.int32(1 << int(right) - 1)
    product >>= int(right)
    return product.astype(np.int16)


def add(a: I16, b: I16, left: I8, right: I8, bits: I8) -> I16:
    """tm_add_i16: (a * 2^left + b) / 2^right, rounded down and clamped to [1 - 2^(bits - 1), 2^(bits - 1) - 1]."""
    return limit((a.astype(np.int32) << int(left)) + b.astype(np.int32), right, bits).astype(np.int16)


def _limit(width: int, result: int) -> RuntimeFunction:
    def reference(x: Integers, right: I8, bits: I8) -> Integers:
        return limit(x, right, bits).astype(f"i{result // 8}", copy=False)

    def program(m: IntegerBuilder, x: SSAValue, right: SSAValue, bits: SSAValue) -> SSAValue:
        return programs.limit(m, result, x, right, bits)

    return RuntimeFunction((IntegerType(width), i8, i8), IntegerType(result), reference, program, documented.limited)


def rank(table: I32, x: I32, length: I16) -> I16:
    """tm_rank_s32: the number of entries that are at most x, among the first `length` entries of an ascending table."""
    return np.searchsorted(table[: int(length)], x, side="right").astype(np.int16)


def requantize(x: I32, multiplier: I32, shift: I8) -> I32:
    """tm_requantize_s32: x * multiplier * 2^(shift - 31), rounded as in TensorFlow Lite.

    The result is that of MultiplyByQuantizedMultiplier. It applies gemmlowp's SaturatingRoundingDoublingHighMul (to
    nearest, halves upwards) and then gemmlowp's RoundingDivideByPOT (halves away from zero). A left shift saturates.
    """
    left, right = np.maximum(shift, 0).astype(np.int64), np.maximum(-shift.astype(np.int64), 0)
    most = np.int64((1 << 31) - 1) >> left
    shifted = np.clip(x.astype(np.int64), -most - 1, most) << left
    high = (shifted * multiplier + (1 << 30)) >> 31
    rest, half = high & ((1 << right) - 1), ((1 << right) - 1) >> 1
    return ((high >> right) + (rest > half + (high < 0))).astype(np.int32)


def requantize_even(x: I32, multiplier: I32, shift: I8) -> I32:
    """tm_requantize_even_s32: x * multiplier * 2^(shift - 31), rounded once, halves to even, and clamped to 32 bits."""
    right, product = 31 - shift.astype(np.int64), x.astype(np.int64) * multiplier
    rounded = product + ((np.int64(1) << right - 1) - 1 + (product >> right & 1)) >> right
    return np.clip(rounded, -(1 << 31), (1 << 31) - 1).astype(np.int32)


def requantize_wide(x: I64, multiplier: I32, shift: I8) -> I32:
    """tm_requantize_s64: x * multiplier * 2^(shift - 15), rounded to nearest, halves upwards.

    The result is equal to the result of TensorFlow Lite for sums of 48 bits. The multiplier has 16 bits, the result 32
    bits.
    """
    right = 15 - shift.astype(np.int64)
    return ((x * multiplier + (np.int64(1) << right - 1)) >> right).astype(np.int32)


def weighted_sum(a: I8, b: I8, first: I32, second: I32, start: I64) -> I8:
    """tm_weighted_sum_s8: (a * first + b * second + start) / 2^24, rounded down and clamped to 8 bits.

    Sums have up to 40 bits.
    """
    sum = a.astype(np.int64) * first + b.astype(np.int64) * second + start
    return np.clip(sum >> 24, -128, 127).astype(np.int8)


def saturate(x: I32, bits: I8) -> I32:
    """tm_saturate_s32: x, clamped to [-2^(bits - 1), 2^(bits - 1) - 1]."""
    most = np.int32((1 << int(bits) - 1) - 1)
    return np.clip(x, -most - 1, most)


def saturate_unsigned(x: I32, bits: I8) -> I32:
    """tm_saturate_u32: x, clamped to [0, 2^bits - 1]."""
    return np.clip(x, np.int32(0), np.int32((1 << int(bits)) - 1))


def reciprocal(x: I32) -> I32:
    """tm_reciprocal_s32: 2^62 / y, approximately. y is x > 0, shifted left until its highest set bit is bit 31.

    The result is that of gemmlowp's one_over_one_plus_x_for_x_in_0_1 for y / 2^31 - 1. It is computed by three steps of
    Newton's method.
    """
    wide = np.asarray(x).astype(np.int64)
    return gemmlowp.reciprocal_above_one((wide << leading_zeros(x).astype(np.int64)) - (1 << 31)).astype(np.int32)


def leading_zeros(x: I32) -> I8:
    """tm_leading_zeros_s32: the number of zero bits above the highest bit that is set, for x > 0."""
    return (31 - np.floor(np.log2(np.asarray(x).astype(np.float64)))).astype(np.int8)


LOG_2 = 22713
"""The natural logarithm of 2 in units of 2^-15."""


def logarithm(table: I16, x: I32) -> I32:
    """tm_log_s32: the natural logarithm of an integer x > 0, in units of 2^-15. Entry i of the table is the logarithm
    of 1 + i / 64.
    """
    zeros = leading_zeros(x).astype(np.int64)
    behind = (x.astype(np.int64) << zeros & 0x7FFFFFFF) >> 17
    return ((31 - zeros) * LOG_2 + _between(table, behind.astype(np.int32))).astype(np.int32)


def root_multiplier(x: I32) -> I32:
    """tm_root_multiplier_s32: 2^(31 - shift) / sqrt(x) for x > 0, where `root_shift` returns the shift.

    The result saturates for x <= 1. It is that of TensorFlow Lite's GetInvSqrtQuantizedMultiplierExp: five steps of
    Newton's method, with a relative error within 2^-19.
    """
    wide = np.asarray(x).astype(np.int64)
    pairs = _root_pairs(np.maximum(wide, 1))
    normal = np.where(pairs > 0, wide << 2 * np.maximum(pairs - 1, 0), wide >> 2)
    root = gemmlowp.inverse_root(normal) << np.maximum(pairs - 12, 0)
    return np.where(wide <= 1, gemmlowp.INT32_MAX, root).astype(np.int32)


def root_shift(x: I32) -> I8:
    """tm_root_shift_s32: the shift, from -12 to 0, with which the result of `root_multiplier` represents 1 /
    sqrt(x).
    """
    return np.minimum(_root_pairs(np.maximum(np.asarray(x), 1)) - 12, 0).astype(np.int8)


def _root_pairs(x: I64) -> I64:
    """The number of pairs of zero bits between the sign bit of x and its highest set bit."""
    return (leading_zeros(x.astype(np.int32)).astype(np.int64) - 1) // 2


def inverse_root(x: I32) -> I32:
    """tm_inverse_root_s32: 2^31 / sqrt(x), to nearest, halves upwards, with a relative error within 2^-19.

    The result saturates for x <= 1.
    """
    right = -root_shift(x).astype(np.int64)
    return (root_multiplier(x).astype(np.int64) + (1 << right >> 1) >> right).astype(np.int32)


def inverse_root_wide(x: I64) -> I32:
    """tm_inverse_root_s64: 2^31 / sqrt(x), rounded as in `inverse_root`. Only the 30 or 31 highest bits of x affect the
    result.
    """
    wide = np.asarray(x).astype(np.int64)
    pairs = np.zeros_like(wide)
    while (above := wide >> 2 * pairs > (1 << 31) - 1).any():
        pairs += above
    root = inverse_root((wide >> 2 * pairs).astype(np.int32)).astype(np.int64)
    return (root + (1 << pairs >> 1) >> pairs).astype(np.int32)


def inverse_root_float(x: F32) -> F32:
    """tm_inverse_rootf: 1 / sqrt(x), where x is clamped to [LEAST_SQUARE, the greatest float].

    The initial value is computed by halving the exponent (Lomont, "Fast Inverse Square Root", 2003). Three steps of
    Newton's method follow.
    """
    x = np.asarray(x, np.float32)
    least, most = np.float32(LEAST_SQUARE), np.finfo(np.float32).max
    limited = np.where(x >= most, most, np.where(x >= least, x, least)).astype(np.float32)
    half = np.float32(0.5) * limited
    y = (np.int32(0x5F3759DF) - (limited.view(np.int32) >> 1)).view(np.float32)
    for _ in range(3):
        y = np.asarray(y * (np.float32(1.5) - half * y * y), np.float32)
    return y


def inverse(x: F32) -> F32:
    """tm_inversef: 1 / x."""
    return np.float32(1) / np.asarray(x, np.float32)


def _packed(width: Width) -> RuntimeFunction:
    """The declaration of tm_packed_sN, and also of tm_packed_sN_ram: a function that returns the element with index i
    of integers that are packed to `width`.
    """

    def reference(packed: I8, i: I16) -> Integers:
        elements = unpack_bits(packed.view(np.uint8), width)[np.asarray(i, np.uint16)]
        return elements.astype(f"i{result.size}")

    result = i8 if isinstance(width, Digits) or width <= 8 else i16
    return RuntimeFunction((MemRefType(i8, [DYNAMIC_INDEX]), i16), result, reference)


TABLE_32 = MemRefType(i32, [DYNAMIC_INDEX])
TABLE = MemRefType(i16, [DYNAMIC_INDEX])

_READ = (f32, f32, i32, i16, i16)
"""The float, the scale or factor, its reciprocal or upper bits, and the limits."""

RUNTIME_FUNCTIONS = {
    "tm_expf": RuntimeFunction((f32,), f32, float_functions.exp),
    "tm_tanhf": RuntimeFunction((f32,), f32, float_functions.tanh),
    "tm_sigmoidf": RuntimeFunction((f32,), f32, float_functions.sigmoid),
    "tm_erff": RuntimeFunction((f32,), f32, float_functions.erf),
    "tm_logf": RuntimeFunction((f32,), f32, float_functions.log),
    "tm_softplusf": RuntimeFunction((f32,), f32, float_functions.softplus),
    "tm_f32_to_nearest": RuntimeFunction((f32, i32, i32), i32, to_nearest),
    "tm_f32_to_odd": RuntimeFunction((f32, i32, i32), i32, to_odd),
    "tm_f32_to_even": RuntimeFunction((f32, i32, i32), i32, to_even),
    "tm_scale_to_even": RuntimeFunction((i32, i32, i32, i32), i32, scale_to_even),
    "tm_dividef": RuntimeFunction((f32, f32), f32, quotient),
    **{f"tm_divide_to_nearest_{size}": RuntimeFunction(_READ, i16, divide_to_nearest) for size in ("s9", "s16")},
    "tm_divide_to_even_s9": RuntimeFunction(_READ, i16, divide_to_even),
    "tm_multiply_to_even_s9": RuntimeFunction(_READ, i16, multiply_to_even),
    "tm_int_to_f32": RuntimeFunction((i32,), f32, from_integer),
    "tm_f32_to_bf16": RuntimeFunction((f32,), i16, to_bfloat),
    "tm_bf16_to_f32": RuntimeFunction((i16,), f32, from_bfloat),
    "tm_rank_s32": RuntimeFunction((TABLE_32, i32, i16), i16, rank, programs.rank, documented.ranked),
    "tm_requantize_s32": RuntimeFunction((i32, i32, i8), i32, requantize, programs.requantize, documented.requantised),
    "tm_requantize_even_s32": RuntimeFunction(
        (i32, i32, i8), i32, requantize_even, programs.requantize_even, documented.requantised_to_even
    ),
    "tm_requantize_s64": RuntimeFunction(
        (i64, i32, i8), i32, requantize_wide, programs.requantize_wide, documented.requantised_once
    ),
    "tm_weighted_sum_s8": RuntimeFunction((i8, i8, i32, i32, i64), i8, weighted_sum),
    "tm_saturate_s32": RuntimeFunction((i32, i8), i32, saturate),
    "tm_saturate_u32": RuntimeFunction((i32, i8), i32, saturate_unsigned),
    "tm_reciprocal_s32": RuntimeFunction((i32,), i32, reciprocal),
    "tm_leading_zeros_s32": RuntimeFunction((i32,), i8, leading_zeros),
    "tm_root_multiplier_s32": RuntimeFunction((i32,), i32, root_multiplier),
    "tm_root_shift_s32": RuntimeFunction((i32,), i8, root_shift),
    "tm_inverse_root_s32": RuntimeFunction((i32,), i32, inverse_root),
    "tm_inverse_root_s64": RuntimeFunction((i64,), i32, inverse_root_wide),
    "tm_inverse_rootf": RuntimeFunction((f32,), f32, inverse_root_float),
    "tm_inversef": RuntimeFunction((f32,), f32, inverse),
    "tm_log_s32": RuntimeFunction((TABLE, i32), i32, logarithm),
    "tm_interpolate_s16": RuntimeFunction((TABLE, i16, i16, i8), i16, interpolate, programs.interpolate),
    "tm_interpolate_odd_s16": RuntimeFunction((TABLE, i16, i16, i8), i16, interpolate_odd, programs.interpolate_odd),
    "tm_add_i16": RuntimeFunction((i16, i16, i8, i8, i8), i16, add, programs.add, documented.added),
    "tm_multiply_i16": RuntimeFunction((i16, i16, i8), i16, multiply, programs.multiply, documented.multiplied),
    **{f"tm_f32_to_s{width}": _from_float(width) for width in (8, 16, 32)},
    **{f"tm_packed_s{width}{where}": _packed(width) for width in WIDTHS for where in ("", "_ram")},
    **{f"tm_packed_{digits.name}{digits.bits}": _packed(digits) for digits in DIGITS},
    **{f"tm_limit_i{width}_i{result}": _limit(width, result) for width, result in LIMITS},
}
"""The runtime functions by their names in C. Number formats add further functions."""

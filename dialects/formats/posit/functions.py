"""Functions of the C runtime for posits (`runtime/include/tinyml/posit.h`) and their reference implementations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import f32, i8, i16, i32, i64
from xdsl.ir import SSAValue

from tinyml.dialects.formats.posit.specification import posits
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.exact_integers import Number, clamped
from tinyml.dialects.machine.integer_builder import IntegerBuilder, width_of
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS, RuntimeFunction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.posit.arithmetic import Posit

    Array = NDArray[Any]

ALL = -(1 << 15)
"""The value of `low` that keeps all posits."""


def _posit(n: Array, es: Array, low: Array | None = None, greatest: Array | None = None) -> Posit:
    from tinyml.dialects.formats.posit.arithmetic import Posit

    multiples = None if low is None or int(low) == ALL else int(low)
    return Posit(int(n), int(es), multiples, None if greatest is None else int(greatest))


def _of_integer(x: Array, scale: Array, n: Array, es: Array, low: Array, greatest: Array) -> Array:
    from tinyml.dialects.formats.posit.arithmetic import log2, pack

    # `pack` takes at most 62 bits, of which the last one is sticky.
    size = x.astype(np.int64)
    spare = np.maximum(log2(np.maximum(np.abs(size) >> 4, 1)) + 4 - 60, 0)
    kept = np.abs(size) >> spare
    kept |= kept << spare != np.abs(size)
    return pack(np.sign(size) * kept, spare - int(scale), _posit(n, es, low, greatest)).astype(np.int32)


def _linear(x: Array, right: Array, n: Array, greatest: Array) -> Array:
    size, one, shift = np.abs(x.astype(np.int64)), 1 << int(n) - 2, min(int(right), 40)

    def even(size: Array, right: int) -> Array:
        return size + ((1 << right >> 1) - 1 + (size >> right & 1)) >> right if right else size

    beyond = even(np.maximum(size - (one << shift), 0), shift + 1)
    raw = np.where(size < one << shift, even(size, shift), one + beyond)
    return (np.sign(x) * np.minimum(raw, int(greatest))).astype(np.int16)


def _to_even(m: IntegerBuilder, size: SSAValue, right: int) -> SSAValue:
    """A size divided by 2^right, rounded to nearest, halves to even."""
    if right == 0:
        return size
    odd = m.low_bits(m.shift_right(size, right), 1)
    return m.shift_right(m.add(m.add(size, (1 << right >> 1) - 1), odd), right)


def _linear_program(m: IntegerBuilder, x: SSAValue, right: SSAValue, n: SSAValue, greatest: SSAValue) -> SSAValue:
    one, shift = 1 << m.known(n) - 2, min(m.known(right), 40)
    width = max(width_of(x), one.bit_length() + shift) + 2
    wide = m.resize(x, width)
    size = m.size(wide)
    above = m.sub(size, one << shift)
    small = m.compare(above, "slt", 0)
    # For small magnitudes this branch is discarded by the select below.
    beyond = m.add(_to_even(m, above, shift + 1), one)
    raw = m.resize(m.least(m.choose(small, _to_even(m, size, shift), beyond), m.known(greatest)), 16)
    return m.choose(m.compare(wide, "slt", 0), m.negate(raw), raw)


def _to_integer(raw: Array, scale: Array, n: Array, es: Array) -> Array:
    from tinyml.dialects.formats.posit.arithmetic import to_reals

    return np.nan_to_num(np.ldexp(to_reals(raw, _posit(n, es)), int(scale))).astype(np.int32)


def _of_float(x: Array, n: Array, es: Array, low: Array, greatest: Array) -> Array:
    from tinyml.dialects.formats.posit.arithmetic import of_reals

    posit = _posit(n, es, low, greatest)
    limited = x.astype(np.float64) if posit.low is None else np.clip(x.astype(np.float64), -1.0e300, 1.0e300)
    return of_reals(limited, posit).astype(np.int32)


def _to_float(raw: Array, n: Array, es: Array) -> Array:
    from tinyml.dialects.formats.posit.arithmetic import unpack

    posit = _posit(n, es)
    significand, exponent = unpack(raw, posit)
    reals = np.ldexp(significand.astype(np.float32).astype(np.float64), exponent).astype(np.float32)
    return np.where(np.asarray(raw) == posit.nar, np.float32(np.nan), reals)


def _add(a: Array, b: Array, n: Array, es: Array) -> Array:
    from tinyml.dialects.formats.posit.arithmetic import add

    return add(a, b, _posit(n, es)).astype(np.int32)


def _sub(a: Array, b: Array, n: Array, es: Array) -> Array:
    nar = _posit(n, es).nar
    return _add(a, np.where(b == nar, nar, -b.astype(np.int64)), n, es)


def _mul(a: Array, b: Array, n: Array, es: Array) -> Array:
    from tinyml.dialects.formats.posit.arithmetic import multiply

    return multiply(a, b, _posit(n, es)).astype(np.int32)


def _documented(x: Number, scale: int, n: int, es: int, low: int, greatest: int) -> Number:
    """tm_posit_of_sN: x * 2^-scale as a posit of a window that reaches up to `greatest`."""
    window = None if low == ALL else (low, (n - 2 << es) + 1)
    return clamped(posits(n, es, window).rounded(x, scale), -greatest, greatest)


def _documented_linear(x: Number, right: int, n: int, greatest: int) -> Number:
    """tm_posit_linear_s32: x * 2^-right in units of the least posit, for es 0 and numbers below 2."""
    return clamped(posits(n, 0, (2 - n, 1)).rounded(x, right + n - 2), -greatest, greatest)


RUNTIME_FUNCTIONS.update(
    {
        "tm_posit_of_s32": RuntimeFunction((i32, i16, i8, i8, i16, i32), i32, _of_integer, meaning=_documented),
        "tm_posit_of_s64": RuntimeFunction((i64, i16, i8, i8, i16, i32), i32, _of_integer, meaning=_documented),
        "tm_posit_linear_s32": RuntimeFunction((i32, i8, i8, i16), i16, _linear, _linear_program, _documented_linear),
        "tm_posit_to_s32": RuntimeFunction((i32, i16, i8, i8), i32, _to_integer),
        "tm_posit_of_f32": RuntimeFunction((f32, i8, i8, i16, i32), i32, _of_float),
        "tm_posit_to_f32": RuntimeFunction((i32, i8, i8), f32, _to_float),
        "tm_posit_add": RuntimeFunction((i32, i32, i8, i8), i32, _add),
        "tm_posit_sub": RuntimeFunction((i32, i32, i8, i8), i32, _sub),
        "tm_posit_mul": RuntimeFunction((i32, i32, i8, i8), i32, _mul),
    }
)

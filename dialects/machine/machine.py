"""The interface `Machine`, over which each number format defines its arithmetic once.

A number format defines each operation as a program over the exact integers (or floats) of a `Machine`. The numpy
machine executes the program on whole data sets. The emitter translates the program to IR for a device. The results of
both therefore agree in every bit.

Integers have proven intervals, which determine their widths. Sums, products and shifts are exact. Each intermediate
result has the narrowest of i8, i16, i24, i32 and i64 that represents its interval. Overflow is therefore impossible. A
clamp whose limits include the whole interval needs no instruction.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, runtime_checkable

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.runtime_functions import ADD_SHIFTS, LIMITS, MULTIPLY_SHIFTS

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.ir import Attribute

V = TypeVar("V")
"""A machine's representation of a scalar: an array over a data set, or an SSA value."""

WIDTHS = (8, 16, 24, 32, 64)
"""The widths of intermediate results in bits. Only 8-bit chips use 24 bits; other chips use 32 instead."""

PRODUCT_WIDTHS = (8, 16, 32, 64)
"""The widths in bits in which chips and their compilers multiply."""


NARROWING_COST = 48
"""The cost of converting an intermediate result to a narrower type, in the unit of `_effort`."""


def width_for(low: int, high: int, widths: Sequence[int] = WIDTHS) -> int:
    """The narrowest of `widths`, in bits, that represents [low, high]. Raises `InputError` beyond 64 bits."""
    for width in widths:
        if -(1 << (width - 1)) <= low and high < 1 << (width - 1):
            return width
    raise InputError(
        f"an intermediate value in [{low}, {high}] does not fit in 64 bits: "
        "the scales of the operands lie too far apart"
    )


def _effort(bits: int, low: int, high: int) -> int:
    """The cost of shifting a value in [low, high] by `bits` positions on an 8-bit chip, in shifts of single bits. It is
    prohibitive for values that do not fit in 64 bits.
    """
    return bits * next((width for width in WIDTHS if -(1 << width - 1) <= low and high < 1 << width - 1), 1 << 16)


def limits(width: int) -> tuple[int, int]:
    """The least and the greatest signed integer of `width` bits."""
    return -(1 << (width - 1)), (1 << (width - 1)) - 1


@dataclass(frozen=True)
class Int(Generic[V]):
    """An integer in `width` bits with a proven interval [low, high]."""

    value: V
    width: int
    low: int
    high: int

    @property
    def constant(self) -> int | None:
        return self.low if self.low == self.high else None

    @property
    def exponent(self) -> int | None:
        """The n for which the integer is known to be 2^n; None if it is not known to be a power of two."""
        value = self.constant
        return value.bit_length() - 1 if value is not None and value > 0 and value.bit_count() == 1 else None


@runtime_checkable
class Coder(Protocol):
    """A number format whose raws differ from the integers that they represent, and that defines programs for both
    conversions.
    """

    @property
    def type(self) -> Attribute: ...

    def to_integer(self, m: Machine[V], raws: Int[V]) -> Int[V]:
        """The integer that a raw represents, in the unit of the format."""
        ...

    def from_integer(self, m: Machine[V], x: Int[V], scale: int) -> Int[V]:
        """The raw of the number nearest to x * 2^-scale."""
        ...


class FormatStep(Protocol):
    """A step of a computation that a single format defines, such as an addition to a sum wider than a register."""

    def computed(self, *operands: NDArray[Any]) -> NDArray[Any]:
        """The result of the step on arrays. Each array contains the values of one operand for a whole data set."""
        ...


class Machine(ABC, Generic[V]):
    """Integer arithmetic with proven intervals, over primitive operations that each concrete machine implements."""

    # Primitives on integers: the operands of a call have the same width, and the result fits it.
    @abstractmethod
    def int_constant(self, value: int, width: int) -> V: ...
    @abstractmethod
    def resize(self, value: V, width: int) -> V: ...
    def wrap(self, value: V, width: int) -> V:
        """The low `width` bits of a wider value, as a signed integer. The result differs from the value if the value
        exceeds `width` bits.
        """
        return self.resize(value, width)

    @abstractmethod
    def addi(self, a: V, b: V) -> V: ...
    @abstractmethod
    def subi(self, a: V, b: V) -> V: ...
    @abstractmethod
    def muli(self, a: V, b: V) -> V: ...
    @abstractmethod
    def divsi(self, a: V, b: V) -> V:
        """a / b, rounded towards zero. The division takes hundreds of cycles on a chip without a division
        instruction.
        """

    @abstractmethod
    def shli(self, a: V, b: V) -> V: ...
    @abstractmethod
    def shrsi(self, a: V, b: V) -> V: ...
    @abstractmethod
    def andi(self, a: V, b: V) -> V: ...
    @abstractmethod
    def minsi(self, a: V, b: V) -> V: ...
    @abstractmethod
    def maxsi(self, a: V, b: V) -> V: ...
    @abstractmethod
    def cmp_sge(self, a: V, b: V) -> V: ...
    @abstractmethod
    def cmp_sgt(self, a: V, b: V) -> V: ...
    @abstractmethod
    def select(self, condition: V, a: V, b: V) -> V: ...
    @abstractmethod
    def lookup(self, name: str, table: NDArray[np.signedinteger[Any]], index: V) -> V:
        """table[index], for a table of signed integers in flash.

        name: the name from which the name of the stored table is derived.
        """

    # Primitives on floats of single precision.
    @abstractmethod
    def float_constant(self, value: float) -> V: ...
    @abstractmethod
    def addf(self, a: V, b: V) -> V: ...
    @abstractmethod
    def subf(self, a: V, b: V) -> V: ...
    @abstractmethod
    def mulf(self, a: V, b: V) -> V: ...
    @abstractmethod
    def cmp_oge(self, a: V, b: V) -> V: ...
    @abstractmethod
    def cmp_ogt(self, a: V, b: V) -> V: ...
    @abstractmethod
    def call(self, function: str, *arguments: V) -> V:
        """The result of the C runtime function named `function`.

        `tinyml.dialects.machine.runtime_functions` defines the signatures of the functions.
        """

    @abstractmethod
    def call_on_table(self, function: str, name: str, table: NDArray[np.signedinteger[Any]], *arguments: V) -> V:
        """The result of a C runtime function whose first argument is a table in flash.

        name: the name from which the name of the stored table is derived.
        """

    def perform(self, step: FormatStep, *operands: V) -> V:
        """The result of a step that a single format defines. Raises `InputError` on machines for integers only."""
        raise InputError(f"{type(step).__name__} is not a step on integers")

    @abstractmethod
    def width_of(self, value: V) -> int:
        """The width of a stored integer in bits."""

    def known(self, value: V) -> tuple[int, int] | None:
        """The proven interval (low, high) of a value; None if no interval is known.

        The interval was recorded by `settle`, or the op that defines the value states it.
        """
        return None

    def proven(self, value: V, low: int, high: int) -> tuple[int, int]:
        """The intersection (low, high) of the interval [low, high] with the known interval of a value."""
        known = self.known(value)
        return (low, high) if known is None else (max(low, known[0]), min(high, known[1]))

    def settle(self, x: Int[V], width: int) -> V:
        """`x` in a register of `width` bits. The machine records the interval of `x`, which `known` then returns for
        this value.
        """
        return self.held(x, width)

    def whole(self, value: V) -> Int[V]:
        """A stored integer as an `Int` with the full interval of its width."""
        width = self.width_of(value)
        return Int(value, width, *limits(width))

    def bounded(self, value: V, low: int, high: int) -> Int[V]:
        """A stored integer as an `Int`. The caller has proved that the integer lies in [low, high]."""
        return Int(value, self.width_of(value), low, high)

    def const(self, value: int) -> Int[V]:
        """A constant in the narrowest width that represents it."""
        width = width_for(value, value)
        return Int(self.int_constant(value, width), width, value, value)

    def odd_part(self, x: Int[V]) -> tuple[Int[V], int]:
        """For a constant c * 2^n with odd c, the pair (c, n); for any other integer x, the pair (x, 0)."""
        if not x.constant:
            return x, 0
        exponent = (x.constant & -x.constant).bit_length() - 1
        return self.const(x.constant >> exponent), exponent

    def held(self, x: Int[V], width: int) -> V:
        """`x` in a register of `width` bits. Raises `ValueError` if the interval of `x` does not fit in this width."""
        if width_for(x.low, x.high) > width:
            raise ValueError(f"[{x.low}, {x.high}] does not fit in {width} bits")
        if x.width == width:
            return x.value
        return self.int_constant(x.low, width) if x.constant is not None else self.resize(x.value, width)

    def narrowed(self, x: Int[V]) -> Int[V]:
        """`x` in the narrowest register that represents its interval."""
        width = width_for(x.low, x.high)
        return Int(self.held(x, width), width, x.low, x.high)

    def _pair(self, a: Int[V], b: Int[V], low: int, high: int, widths: Sequence[int] = WIDTHS) -> tuple[V, V, int]:
        width = width_for(min(low, a.low, b.low), max(high, a.high, b.high), widths)
        return self.held(a, width), self.held(b, width), width

    def add(self, a: Int[V], b: Int[V]) -> Int[V]:
        if a.constant == 0 or b.constant == 0:
            return b if a.constant == 0 else a
        low, high = a.low + b.low, a.high + b.high
        x, y, width = self._pair(a, b, low, high)
        return Int(self.addi(x, y), width, low, high)

    def sub(self, a: Int[V], b: Int[V]) -> Int[V]:
        if b.constant == 0:
            return a
        low, high = a.low - b.high, a.high - b.low
        x, y, width = self._pair(a, b, low, high)
        return Int(self.subi(x, y), width, low, high)

    def mul(self, a: Int[V], b: Int[V]) -> Int[V]:
        if a.constant == 1 or b.constant == 1:
            return b if a.constant == 1 else a
        low, high = self._product(a, b)
        shifts = any(x.constant is not None and x.constant.bit_count() == 1 for x in (a, b))
        x, y, width = self._pair(a, b, low, high, WIDTHS if shifts else PRODUCT_WIDTHS)
        return Int(self.muli(x, y), width, low, high)

    @staticmethod
    def _product(a: Int[V], b: Int[V]) -> tuple[int, int]:
        corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        return min(corners), max(corners)

    def divide(self, a: Int[V], b: Int[V]) -> Int[V]:
        """floor(a / b) for a >= 0 and b > 0; a multiplication for most constants b. Raises `ValueError` for other
        ranges.
        """
        if a.low < 0 or b.low <= 0:
            raise ValueError(f"division of [{a.low}, {a.high}] by [{b.low}, {b.high}]")
        low, high = a.low // b.high, a.high // b.low
        if b.constant is not None and (parts := _reciprocal(b.constant, a.high)) is not None:
            product = self.shift_right(self.mul(a, self.const(parts[0])), parts[1])
            return Int(product.value, product.width, low, high)
        x, y, width = self._pair(a, b, low, high)
        return Int(self.divsi(x, y), width, low, high)

    def nearest_quotient(self, x: Int[V], divisor: int) -> Int[V]:
        """x / divisor for a positive constant, rounded to nearest, halves upwards."""
        if divisor.bit_count() == 1:
            return self.rescale(x, divisor.bit_length() - 1)
        twice = self.add(self.mul(x, self.const(2)), self.const(divisor))
        below = max(-(twice.low // (2 * divisor)), 0)
        raised = self.divide(self.add(twice, self.const(2 * divisor * below)), self.const(2 * divisor))
        return self.sub(raised, self.const(below))

    def quotient_to_even(self, x: Int[V], divisor: int) -> Int[V]:
        """x / divisor for a positive constant, rounded to nearest, halves to even."""
        if divisor.bit_count() == 1:
            return self.rescale_to_even(x, divisor.bit_length() - 1)
        upwards = self.nearest_quotient(x, divisor)
        if divisor % 2:
            return upwards
        # At a tie, x + divisor / 2 is a multiple of the divisor. An odd quotient is then one too great.
        rest = self.sub(self.add(x, self.const(divisor // 2)), self.mul(upwards, self.const(divisor)))
        rest = Int(rest.value, rest.width, max(rest.low, 0), min(rest.high, divisor - 1))
        odd = self.low_bits(upwards, 1)
        return self.sub(upwards, self.choose(self.at_least(rest, 1), self.const(0), odd))

    def shift_left(self, x: Int[V], amount: int) -> Int[V]:
        """x * 2^amount. For speed on 8-bit chips, x is first shifted by single bits while it is narrow, then by whole
        bytes.
        """
        return self.mul(self.mul(x, self.const(1 << amount % 8)), self.const(1 << amount - amount % 8))

    def shift_right(self, x: Int[V], amount: int) -> Int[V]:
        """floor(x / 2^amount).

        An 8-bit chip shifts by a whole byte by moving registers, and by other amounts bit by bit. An amount that is not
        a multiple of 8 is therefore split into steps. There are three ways: x is shifted left up to the next byte
        boundary and then right by whole bytes; x is shifted right by whole bytes and then by the remaining bits; or x
        is shifted right by all whole bytes except the last one, then left, and then right by a byte. The cheapest way
        is chosen.
        """
        x, left = self.narrowed(x), -amount % 8
        if left == 0 or x.constant is not None:
            return self._shifted(x, amount)
        bytes_first = amount - (8 - left)
        narrow = x.low >> bytes_first, x.high >> bytes_first
        narrowing = NARROWING_COST if bytes_first else 0
        _, first, left = min(
            (_effort(left, x.low << left, x.high << left), 0, left),
            (_effort(left, narrow[0] << left, narrow[1] << left) + narrowing, bytes_first, left),
            (_effort(8 - left, *narrow) + narrowing, bytes_first, 0),
        )
        x = self.narrowed(self._shifted(x, first))
        return self._shifted(self.mul(x, self.const(1 << left)), amount - first + left)

    def _shifted(self, x: Int[V], amount: int) -> Int[V]:
        """floor(x / 2^amount), computed by a single shift instruction."""
        if amount == 0:
            return x
        low, high = x.low >> amount, x.high >> amount
        if low == high:
            return self.const(low)
        return Int(self.shrsi(x.value, self.int_constant(amount, x.width)), x.width, low, high)

    def low_bits(self, x: Int[V], bits: int) -> Int[V]:
        """x modulo 2^bits, in [0, 2^bits)."""
        mask = (1 << bits) - 1
        if mask == 0:
            return self.const(0)
        width = max(x.width, width_for(0, mask))
        value = self.andi(self.held(x, width), self.int_constant(mask, width))
        return Int(value, width, 0, mask)

    def quotient(self, x: Int[V], right: int) -> Int[V]:
        """x / 2^right, rounded towards zero."""
        low, high = (abs(end) >> right if end > 0 else -(abs(end) >> right) for end in (x.low, x.high))
        if low == high:
            return self.const(low)
        if x.low < 0:
            x = self.narrowed(x)
            below = (1 << right) - 1
            rest = self.low_bits(self._shifted(x, x.width - 1), right)
            # The bias is added only to negative numbers, which cannot overflow.
            raised = width_for(x.low, max(x.high, below))
            value = self.addi(self.held(x, raised), self.held(rest, raised))
            x = Int(value, raised, x.low, max(x.high, below))
        shifted = self.shift_right(x, right)
        return Int(shifted.value, shifted.width, low, high)

    def wrapped(self, x: Int[V], width: int) -> Int[V]:
        """x modulo 2^width, interpreted as a signed integer of `width` bits."""
        low, high = limits(width)
        if low <= x.low and x.high <= high:
            return Int(self.held(x, width), width, x.low, x.high)
        return Int(self.wrap(x.value, width), width, low, high)

    def add_wrapped(self, a: Int[V], b: Int[V], width: int) -> Int[V]:
        """a + b modulo 2^width, interpreted as a signed integer of `width` bits."""
        return self.wrapped(self.add(a, b), width)

    def rescale(self, x: Int[V], right: int) -> Int[V]:
        """x / 2^right, rounded half up; exactly x * 2^-right if `right` is negative."""
        if right <= 0:
            return self.mul(x, self.const(1 << -right))
        half = 1 << (right - 1)
        if (rounded := (x.low + half) >> right) == (x.high + half) >> right:
            return self.const(rounded)
        return self.shift_right(self.add(x, self.const(half)), right)

    def rescale_to_even(self, x: Int[V], right: int) -> Int[V]:
        """x / 2^right, rounded half to even; exactly x * 2^-right if `right` is negative."""
        if right <= 0:
            return self.rescale(x, right)
        if -(1 << right - 1) <= x.low and x.high <= 1 << right - 1:
            return self.const(0)
        odd = self.low_bits(self.shift_right(x, right), 1)
        below = self.add(x, self.const((1 << right - 1) - 1))
        return self.shift_right(self.add(below, odd), right)

    def rescale_to(self, x: Int[V], right: int, low: int, high: int) -> Int[V]:
        """x / 2^right, rounded half up and clamped to [low, high].

        If both limits can take effect and differ only in their sign, one runtime function clamps and shifts, provided
        that it exists for the widths. Otherwise the limits are applied before the shift: its result is then known to be
        narrow, so that most of the computation needs few bytes.
        """
        if right > 62:
            return self.clamp(self.rescale(x, right), low, high)
        y = self.narrowed(self.add(x, self.const(1 << (right - 1))) if right > 0 else self.rescale(x, right))
        right = max(right, 0)
        first, last = low << right, ((high + 1) << right) - 1
        bits, width = high.bit_length() + 1, width_for(low, high)
        if low == -high == 1 - (1 << bits - 1) and y.low < first and y.high > last and (y.width, width) in LIMITS:
            amounts = self.int_constant(right, 8), self.int_constant(bits, 8)
            return Int(self.call(f"tm_limit_i{y.width}_i{width}", y.value, *amounts), width, low, high)
        return self.shift_right(self.clamp(y, first, last), right)

    def sum_to(self, a: Int[V], left: int, b: Int[V], right: int, low: int, high: int) -> Int[V]:
        """(a * 2^left + b) / 2^right, rounded half up and clamped to [low, high].

        One runtime function aligns, adds and clamps 16-bit integers. It is used if both limits can take effect and
        differ only in their sign, if neither operand is constant, and if the function supports the widths and shifts.
        Otherwise the sum is rounded by `rescale_to`.
        """
        bits = high.bit_length() + 1
        fits = low == -high == 1 - (1 << bits - 1) and width_for(low, high) == 16 >= bits + max(right - left, 0)
        if fits and left in ADD_SHIFTS and right in ADD_SHIFTS and a.constant is b.constant is None:
            half = 1 << right >> 1
            least, most = (a.low << left) + b.low + half >> right, (a.high << left) + b.high + half >> right
            narrow = width_for(a.low, a.high) <= 16 >= width_for(b.low, b.high + half)
            if least < low and most > high and narrow:
                terms = self.held(a, 16), self.held(self.add(b, self.const(half)), 16)
                amounts = (self.int_constant(amount, 8) for amount in (left, right, bits))
                return Int(self.call("tm_add_i16", *terms, *amounts), 16, low, high)
        return self.rescale_to(self.add(self.rescale(a, -left), b), right, low, high)

    def product_to(self, a: Int[V], b: Int[V], right: int, low: int, high: int) -> Int[V]:
        """a * b / 2^right, rounded half up and clamped to [low, high].

        One runtime function multiplies and rounds 16-bit integers. It is used if neither limit can take effect, if the
        product needs more than 16 bits, if no constant operand is zero or ±2^n, and if the function supports the widths
        and the shift. Otherwise the product is rounded by `rescale_to`.
        """
        least, most = self._product(a, b)
        wide = width_for(least, most) > 16 and all(width_for(x.low, x.high) <= 16 for x in (a, b))
        shifts = any(x.constant is not None and x.constant.bit_count() <= 1 for x in (a, b))
        if wide and not shifts and right in MULTIPLY_SHIFTS:
            half = 1 << (right - 1)
            least, most = (least + half) >> right, (most + half) >> right
            if low <= least and most <= high:
                factors = self.held(a, 16), self.held(b, 16)
                return Int(self.call("tm_multiply_i16", *factors, self.int_constant(right, 8)), 16, least, most)
        return self.rescale_to(self.mul(a, b), right, low, high)

    def clamp(self, x: Int[V], low: int, high: int) -> Int[V]:
        """x clamped to [low, high]. A limit that lies outside the interval of x needs no operation."""
        if x.high <= low or x.low >= high:
            return self.const(low if x.high <= low else high)
        value, now_low, now_high = x.value, x.low, x.high
        if now_low < low:
            value, now_low = self.maxsi(value, self.int_constant(low, x.width)), low
        if now_high > high:
            value, now_high = self.minsi(value, self.int_constant(high, x.width)), high
        return Int(value, x.width, now_low, now_high)

    def decode(self, format: Coder, raws: Int[V]) -> Int[V]:
        """The integer that a raw represents, computed by the format's `Coder.to_integer`."""
        return format.to_integer(self, raws)

    def encode(self, format: Coder, x: Int[V], scale: int) -> Int[V]:
        """The raw of the number nearest to x * 2^-scale, computed by the program of the format."""
        return format.from_integer(self, x, scale)

    def at_least(self, x: Int[V], threshold: int) -> V:
        """Whether x >= threshold, as an i1 value.

        If the interval of x determines the result, x is compared with a limit of its type instead of the threshold.
        """
        least, most = limits(x.width)
        if threshold <= x.low:
            return self.cmp_sge(x.value, self.int_constant(least, x.width))
        if threshold > x.high:
            return self.cmp_sgt(x.value, self.int_constant(most, x.width))
        return self.cmp_sge(x.value, self.int_constant(threshold, x.width))

    def choose(self, condition: V, a: Int[V], b: Int[V]) -> Int[V]:
        """`a` if the condition is true, otherwise `b`."""
        low, high = min(a.low, b.low), max(a.high, b.high)
        x, y, width = self._pair(a, b, low, high)
        return Int(self.select(condition, x, y), width, low, high)

    def entry(self, name: str, table: NDArray[np.signedinteger[Any]], index: Int[V]) -> Int[V]:
        """table[index]. Raises `ValueError` unless the index is proven to lie within the table."""
        if not (index.low >= 0 and index.high < len(table)):
            raise ValueError(f"index in [{index.low}, {index.high}] of a table of {len(table)} entries")
        value = self.lookup(name, table, index.value)
        return Int(value, table.dtype.itemsize * 8, int(table.min()), int(table.max()))


def _reciprocal(divisor: int, most: int) -> tuple[int, int] | None:
    """A factor and a shift with floor(x / divisor) = x * factor >> shift for x from 0 to `most`, such that all products
    fit in 32 bits. The shift is 8, 16 or 24.

    Returns None if there is no such pair. The equation holds if x times the excess of divisor * factor over 2^shift is
    less than 2^shift (Granlund and Montgomery, "Division by Invariant Integers using Multiplication", 1994, theorem
    4.2).
    """
    for amount in (8, 16, 24):  # Whole bytes, which an 8-bit chip shifts at no cost.
        factor = -(-(1 << amount) // divisor)
        if most * (factor * divisor - (1 << amount)) < 1 << amount:
            return (factor, amount) if most * factor < 1 << 31 else None
    return None

"""Bytes of cameras: `!fixed.byte<8, frac>` stands for (byte - 128) * 2^-frac, with bytes from 0 to 255 in memory.

Kernels multiply signed integers: a cast to `!fixed.s<8, frac>` flips the upper bit of each byte and changes no number.
So pixels take a byte each as they come, and none of their bits is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, TypeVar

from xdsl.dialects.builtin import IntAttr
from xdsl.irdl import irdl_attr_definition

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.fixed.exact_integer import ExactInteger
from tinyml.dialects.formats.fixed.signed_type import SignedType
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import NumberFormat, Raws, Reals

V = TypeVar("V")

WIDTH = 8
FLIP = -128
"""The number that, added to a byte modulo 256, gives its signed integer, and the reverse."""


@irdl_attr_definition
class ByteType(ExactInteger):
    """`!fixed.byte<8, frac>`: raws are bytes, as the signed integers of their bits; all arithmetic is on `signed`."""

    name = "fixed.byte"
    width: IntAttr
    frac: IntAttr
    WIDTHS: ClassVar[Sequence[int]] = (WIDTH,)
    WIDTHS_IN_WORDS: ClassVar[str] = f"{WIDTH}"

    def __init__(self, width: int, frac: int):
        super().__init__(IntAttr(width), IntAttr(frac))

    @property
    def signed(self) -> SignedType:
        """The format of the same numbers in two's complement."""
        return SignedType(self.width.data, self.frac.data)

    @property
    def computed(self) -> SignedType:
        return self.signed

    def delivered(self, raws: Raws) -> Raws:
        return raws.view(np.uint8)

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest integer, which are those of raws, too."""
        return self.signed.limits

    @property
    def coding(self) -> None:
        """No kernel reads bytes."""
        return None

    def integers(self, raws: Raws) -> NDArray[np.int64]:
        return (raws.astype(np.int64) & 255) + FLIP

    def encode(self, reals: Reals) -> Raws:
        return (self.signed.encode(reals).astype(np.int64) - FLIP).astype(np.uint8).view(np.int8)

    def encode_away(self, reals: Reals) -> Raws:
        return (self.signed.encode_away(reals).astype(np.int64) - FLIP).astype(np.uint8).view(np.int8)

    def decode(self, raws: Raws) -> Reals:
        return np.ldexp(self.integers(raws).astype(np.float64), -self.frac.data)

    @classmethod
    def of_width(cls, width: int | None) -> ByteType:
        if width not in (None, WIDTH):
            raise InputError(f"bytes have {WIDTH} bits, got {width}")
        return ByteType(WIDTH, WIDTH - 1)

    def for_range(self, low: float, high: float) -> ByteType:
        return ByteType(WIDTH, self.signed.for_range(low, high).frac.data)

    def narrowed(self, bits: int) -> ByteType:
        return self

    def load(self, m: Machine[V], value: V) -> Int[V]:
        """The signed integer of a byte."""
        return self._flipped(m, self.stored(m, value))

    def store(self, m: Machine[V], x: Int[V], scale: int) -> V:
        return m.settle(self._flipped(m, self.fitted(m, x, scale - self.frac.data)), WIDTH)

    def from_f32(self, m: Machine[V], value: V) -> V:
        return m.settle(self._flipped(m, self.signed.load(m, self.signed.from_f32(m, value))), WIDTH)

    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        return m.cmp_sgt(*(m.settle(self.load(m, value), WIDTH) for value in (lhs, rhs)))

    def at_least(self, m: Machine[V], value: V, threshold: float) -> V:
        return self.signed.at_least(m, m.settle(self.load(m, value), WIDTH), threshold)

    def clamp(self, m: Machine[V], value: V, low: float, high: float | None) -> V:
        inner = self.signed.clamp(m, m.settle(self.load(m, value), WIDTH), low, high)
        return m.settle(self._flipped(m, self.signed.load(m, inner)), WIDTH)

    def average(self, m: Machine[V], total: V, count: int, value_format: NumberFormat) -> V:
        inner = self.signed.average(m, total, count, value_format)
        return m.settle(self._flipped(m, self.signed.load(m, inner)), WIDTH)

    def rounded(self, reals: Reals) -> NDArray[np.float64]:
        return self.signed.rounded(reals)

    def rescaled(self, m: Machine[V], x: Int[V], right: int) -> Int[V]:
        return self.signed.rescaled(m, x, right)

    def fitted(self, m: Machine[V], x: Int[V], right: int) -> Int[V]:
        return self.signed.fitted(m, x, right)

    def product(self, m: Machine[V], a: Int[V], b: Int[V], right: int) -> Int[V]:
        return self.signed.product(m, a, b, right)

    @staticmethod
    def _flipped(m: Machine[V], x: Int[V]) -> Int[V]:
        return m.add_wrapped(x, m.const(FLIP), WIDTH)

"""Formats of at most 8 bits that list their numbers. One table decodes raws. Rounding is a search in a table of
thresholds.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.exact.format import STICKY_BITS, ExactFormat
from tinyml.dialects.formats.number_format import TABLE, Coding
from tinyml.dialects.formats.specification import Listed, nearest_of
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine, limits
from tinyml.dialects.plugins import wrong_result

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from tinyml.dialects.formats.number_format import Raws, Reals

V = TypeVar("V")

OUT_OF_RANGE = 1.0e100
"""A real that exceeds all numbers of the format."""

MAGNITUDE_LIMIT = 1 << 29
"""The exclusive limit on magnitudes, for which thresholds between numbers fit in 32 bits."""


class TabulatedFormat(ExactFormat):
    """A format that lists an integer for each raw, in units of 2^-scale. The raws are consecutive integers that include
    0.

    Results are rounded to the nearest number, ties to the even raw, and saturate.
    """

    @property
    @abstractmethod
    def numbers(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All raws in ascending order, including 0, and the integers that they represent, which are also ascending."""

    @property
    def storage(self) -> Attribute:
        return IntegerType(8)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.int8)

    @property
    def raw_limits(self) -> tuple[int, int]:
        raws, _ = self.numbers
        return int(raws[0]), int(raws[-1])

    @property
    def integer_limits(self) -> tuple[int, int]:
        _, integers = self.numbers
        return int(integers[0]), int(integers[-1])

    @property
    def has_powers(self) -> bool:
        _, integers = self.numbers
        powers = 1 << np.arange(max(self.scale, 0), max(int(integers[-1]), 0).bit_length())
        return bool(np.isin(powers, integers).all())

    @property
    def table(self) -> NDArray[np.signedinteger[Any]]:
        """The integers that all bytes from the least to the greatest raw represent. The entry is 0 for bytes that are
        not raws.
        """
        raws, integers = self.numbers
        greatest = max(map(abs, self.integer_limits))
        width = next(width for width in (16, 32, 64) if greatest <= limits(width)[1])
        table = np.zeros(raws[-1] - raws[0] + 1, f"i{width // 8}")
        table[raws - raws[0]] = integers
        return table

    @property
    def coding(self) -> Coding | None:
        table = self.table
        return Coding(TABLE, table, -self.raw_limits[0]) if table.itemsize == 2 else None

    @property
    def thresholds(self) -> NDArray[np.int64]:
        """For each number except the least, the least integer that is rounded to this number, in units of 2^-(scale +
        STICKY_BITS).
        """
        raws, integers = self.numbers
        middles = (integers[:-1] + integers[1:]) << (STICKY_BITS - 1)
        return middles + (raws[1:] & 1)

    def integers(self, raws: Raws, dtype: DTypeLike = "i8") -> NDArray[Any]:
        low, high = self.raw_limits
        known = np.clip(raws, low, high)
        return np.where(known == raws, self.table[known.astype(np.int64) - low], 0).astype(dtype)

    def decode(self, raws: Raws) -> Reals:
        return np.ldexp(self.integers(raws).astype(np.float64), -self.scale)

    def encode(self, reals: Reals) -> Raws:
        raws, _ = self.numbers
        within = np.clip(np.nan_to_num(np.asarray(reals, np.float64)), -OUT_OF_RANGE, OUT_OF_RANGE)
        scaled = np.ldexp(within, self.scale + STICKY_BITS - 1)
        floor = np.floor(scaled)
        with_rest = 2 * floor + (floor != scaled)
        return raws[np.searchsorted(self.thresholds, with_rest, side="right")].astype(self.dtype)

    def encode_away(self, reals: Reals) -> Raws:
        raws, _ = self.numbers
        nearest = self.encode(reals)
        side = np.sign(np.asarray(reals, np.float64) - self.decode(nearest)).astype(np.int64)
        index = np.clip(np.searchsorted(raws, nearest) + side, 0, len(raws) - 1)
        return raws[index].astype(self.dtype)

    def load(self, m: Machine[V], value: V) -> Int[V]:
        return m.decode(self, self.stored(m, value))

    def to_integer(self, m: Machine[V], raws: Int[V]) -> Int[V]:
        self._require_few_bits()
        entry = m.entry("decoding", self.table, m.sub(raws, m.const(self.raw_limits[0])))
        low, high = self.integers(np.array([raws.low, raws.high])).tolist()
        return Int(entry.value, entry.width, low, high)

    def store(self, m: Machine[V], x: Int[V], scale: int) -> V:
        return m.settle(m.encode(self, x, scale), self.stored_width)

    def from_integer(self, m: Machine[V], x: Int[V], scale: int) -> Int[V]:
        raws, _ = self.numbers
        thresholds = self.thresholds
        self._require_few_bits()
        first, last = int(thresholds[0]), int(thresholds[-1])
        y = m.clamp(self._with_rest(m, x, scale - self.scale - 1, first, last), first - 1, last)
        table = thresholds.astype(np.int32)
        rank = m.call_on_table("tm_rank_s32", "rounding", table, m.held(y, 32), m.int_constant(len(table), 16))
        index = Int(rank, 16, 0, len(table))
        zero = int(np.searchsorted(raws, 0))
        raw = m.sub(index, m.const(zero))
        if (gap := int(raws[-1]) - (len(raws) - 1 - zero)) > 0:
            above, below = m.add(raw, m.const(gap)), m.sub(raw, m.const(gap))
            raw = m.choose(m.at_least(raw, 1), above, m.choose(m.at_least(raw, 0), raw, below))
        return Int(m.held(raw, 16), 16, int(raws[0]), int(raws[-1]))

    def _require_few_bits(self) -> None:
        if int(self.thresholds[-1]) > limits(32)[1]:
            raise InputError(f"{self.type} has numbers that exceed 32 bits as integers")

    @staticmethod
    def _with_rest(m: Machine[V], x: Int[V], right: int, low: int, high: int) -> Int[V]:
        """2 * floor(x / 2^right), plus 1 if the division is inexact.

        If this number lies outside [low, high], the result may be any number outside [low, high] on the same side.
        """
        left = 1 - right
        if left > 0:
            return m.rescale(m.clamp(x, (low >> left) - 1, (high >> left) + 1), -left)
        # A larger shift also leaves only the sign, and whether x is zero.
        right = min(right, max(abs(x.low), abs(x.high), 1).bit_length())
        x = m.clamp(x, (low - 2) << (right - 1), (high + 2) << (right - 1))
        twice = m.mul(m.shift_right(x, right), m.const(2))
        rest = m.at_least(m.low_bits(x, right), 1)
        return m.add(twice, m.choose(rest, m.const(1), m.const(0)))


class SymmetricFormat(TabulatedFormat):
    """A format of zero and magnitudes with both signs. Raw r > 0 represents the magnitude with index r - 1, and raw -r
    its negative.
    """

    @property
    @abstractmethod
    def magnitudes(self) -> NDArray[np.int64]:
        """The positive numbers in units of 2^-scale, in ascending order: at most 127 integers below 2^29.

        If the magnitudes of a plug-in's format violate these limits, `numbers` raises `PluginError`.
        """

    @property
    def numbers(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return _numbers(self)

    @property
    def specification(self) -> Listed:
        """The specification of a format that rounds to the nearest of zero and these magnitudes with both signs."""
        listed = {raw: int(magnitude) for raw, magnitude in enumerate(self.magnitudes, 1)}
        return nearest_of(self.scale, {0: 0} | listed | {-raw: -integer for raw, integer in listed.items()})


@lru_cache(maxsize=256)
def _numbers(format: SymmetricFormat) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All raws of a format, and the integers that they represent. The result is cached, because every decoded element
    of a dot product needs it.

    Raises the error of `wrong_result` unless the magnitudes of the format are positive integers, in ascending order,
    below `MAGNITUDE_LIMIT`, and from 1 to 127 in number.
    """
    magnitudes = np.asarray(format.magnitudes)
    are_integers, count = magnitudes.dtype.kind in "iu", len(magnitudes)
    if not (are_integers and 0 < count <= limits(8)[1] and (np.diff(magnitudes, prepend=0) > 0).all()):
        fault = f"expected 1 to {limits(8)[1]} integers in ascending order from 1 as magnitudes of {format.type}"
        raise wrong_result(type(format), f"{fault}, got {count} of type {magnitudes.dtype}")
    if magnitudes[-1] >= MAGNITUDE_LIMIT:
        fault = f"the greatest magnitude of {format.type} is {magnitudes[-1]}, not below {MAGNITUDE_LIMIT}"
        raise wrong_result(type(format), fault)
    return np.arange(-count, count + 1), np.concatenate([-magnitudes[::-1], [0], magnitudes])

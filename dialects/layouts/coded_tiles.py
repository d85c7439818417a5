"""Tiles whose weights become code: their numbers, as an attribute holds them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DenseArrayBase, DictionaryAttr, IntegerType, i8, i32, i64
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from tinyml.dialects.layouts.dense import dense_attribute, dense_numbers
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.own_attributes import OwnAttribute, Place, read_by

if TYPE_CHECKING:
    from tinyml.dialects.layouts.dense import Numbers


_KEYS = ("weights", "starts", "multipliers", "shifts", "places")


@dataclass(frozen=True, eq=False)
class CodedTile:
    """Sums of the products of rows and windows, each with a start value, requantised as in TensorFlow Lite.

    Tiles are equal if their digests are.

    weights: bytes, rows x runs x weights of a run, at least one of each. starts: the start value of each row.
    multipliers, shifts: the arguments of `tm_requantize_s32`: multipliers have 31 bits, shifts are -31 to -1. pitch:
    elements of memory from a run of a window to the next. step: elements from a window to the next. count: the number
    of windows. zero: the raw of 0 of the results, which are bytes. apart: elements of memory from the factor of a
    weight to that of the next: 1, or the number of rows, each of which then has a channel of its own.
    """

    weights: Numbers
    starts: Numbers
    multipliers: Numbers
    shifts: Numbers
    pitch: int
    step: int
    count: int
    zero: int
    apart: int

    @property
    def rows(self) -> int:
        return len(self.starts)

    @property
    def elements(self) -> int:
        """The number of elements of memory from the first to the last of all windows."""
        _, runs, length = self.weights.shape
        return (self.count - 1) * self.step + (runs - 1) * self.pitch + length * self.apart

    @cached_property
    def digest(self) -> str:
        """A digest of the content, 16 hexadecimal digits."""
        sizes = np.array([*self.weights.shape, self.pitch, self.step, self.count, self.zero, self.apart])
        parts = (self.weights, self.starts, self.multipliers, self.shifts, sizes)
        return sha256(b"".join(part.astype("<i8").tobytes() for part in parts)).hexdigest()[:16]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CodedTile) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def attribute(self) -> DictionaryAttr:
        """The attribute that holds the tile."""
        arrays = zip((self.weights, self.starts, self.multipliers, self.shifts), (i8, i32, i32, i8), strict=True)
        content: list[Attribute] = [dense_attribute(numbers, element) for numbers, element in arrays]
        sizes = DenseArrayBase.from_list(i64, [self.pitch, self.step, self.count, self.zero, self.apart])
        return DictionaryAttr(dict(zip(_KEYS, [*content, sizes], strict=True)))

    @staticmethod
    def of(attribute: Attribute) -> CodedTile:
        """The tile of an attribute; raises `VerifyException` for one that holds none."""
        data = dict[str, Attribute](attribute.data if isinstance(attribute, DictionaryAttr) else ())
        weights, starts, multipliers, shifts, sizes = (data.get(key) for key in _KEYS)
        if len(data) != len(_KEYS) or not isa(sizes, DenseArrayBase[IntegerType]) or len(sizes) != 5:
            raise VerifyException(f"coded tiles have {', '.join(_KEYS)}, got {attribute}")
        begun, factors = (dense_numbers(array, i32) for array in (starts, multipliers))
        distances = [int(size) for size in sizes.get_values()]
        rows, right = dense_numbers(weights, i8), dense_numbers(shifts, i8)
        return CodedTile(rows, begun, factors, right, *distances).verified

    @property
    def verified(self) -> CodedTile:
        """The tile itself; raises `VerifyException` if its parts do not fit each other."""
        shapes = [self.starts.shape, self.multipliers.shape, self.shifts.shape]
        if self.weights.ndim != 3 or shapes != [self.weights.shape[:1]] * 3:
            text = ", ".join(map(str, shapes))
            raise VerifyException(f"weights of shape {self.weights.shape} have no numbers of shapes {text}")
        if 0 in self.weights.shape:
            raise VerifyException(f"needs at least one weight, got the shape {self.weights.shape}")
        if not ((self.shifts < 0) & (self.shifts > -32) & (self.multipliers >= 1 << 30)).all():
            raise VerifyException(f"sums are multiplied by {self.multipliers} and shifted by {self.shifts}")
        if min(self.pitch, self.step, self.count - 1) < 0 or not -128 <= self.zero < 128:
            raise VerifyException(
                f"{self.count} windows lie {self.step} elements apart, runs {self.pitch}, zero at {self.zero}"
            )
        if self.apart not in (1, self.rows):
            raise VerifyException(f"elements are 1 or {self.rows} apart, got {self.apart}")
        return self


TILE = OwnAttribute(
    "tinyml.coded_tile",
    {Place.DECLARATION: read_by("a tile whose weights are code", CodedTile.of)},
    "The tile whose weights are the code of a C function.",
)

"""Constant weights that are embedded in the instructions of generated functions, as rows of matrices or as tiles, and
the attributes that store them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, ClassVar, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    IntegerType,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from tinyml.dialects.layouts.contents import Content, content_attribute
from tinyml.dialects.layouts.dense import dense_attribute, dense_numbers
from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from tinyml.dialects.layouts.dense import Numbers


MAX_RESULT = 127
"""The greatest magnitude of results."""

SUM_BITS = 24
"""The width of sums in bits."""

ROWS = content_attribute("tinyml.coded_rows", "rows of weights as code", lambda rows: CodedRows.of(rows))
TILE = content_attribute("tinyml.coded_tile", "a tile whose weights are code", lambda tile: CodedTile.of(tile))

_ROW_KEYS = ("weights", "starts", "aligns", "right")
_TILE_KEYS = ("weights", "starts", "multipliers", "shifts", "places")


@dataclass(frozen=True, eq=False)
class CodedRows(Content):
    """Rows of constant matrices, each of which is multiplied by its own vector. A result is the sum of a row's products
    over all matrices, plus a start value.

    Objects are equal if their digests are equal.

    * weights: the matrices, of rows x length bytes, one for each vector.
    * aligns: for each matrix, the left shift of the sums before the products of the matrix are added; 0 for the first
      matrix.
    * starts: the start value of each row, which includes the rounding bias.
    * right: the right shift of complete sums. The shifted sums are clamped to bytes of at most `MAX_RESULT` in
      magnitude.
    """

    DECLARED_AS: ClassVar[str] = ROWS

    weights: Sequence[Numbers]
    aligns: Sequence[int]
    starts: Numbers
    right: int

    @property
    def rows(self) -> int:
        return len(self.starts)

    @property
    def products(self) -> int:
        """The number of products whose weight is not zero."""
        return sum(int(np.count_nonzero(matrix)) for matrix in self.weights)

    @property
    def bounds(self) -> Numbers:
        """For each row, a bound on the magnitude of every partial sum, valid for all vectors."""
        bounds = np.abs(self.starts)
        for matrix, align in zip(self.weights, self.aligns, strict=True):
            bounds = (bounds << align) + np.abs(matrix).sum(1) * 128
        return bounds

    @cached_property
    def digest(self) -> str:
        """A digest of the content, as 16 hexadecimal digits."""
        sizes = np.array([len(self.weights), *(size for matrix in self.weights for size in matrix.shape), self.right])
        parts = (sizes, np.array(self.aligns), *self.weights, self.starts)
        return sha256(b"".join(part.astype("<i8").tobytes() for part in parts)).hexdigest()[:16]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CodedRows) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def part(self, first: int, last: int) -> CodedRows:
        """The rows with indices from `first` up to but excluding `last`."""
        return CodedRows(
            [matrix[first:last] for matrix in self.weights], self.aligns, self.starts[first:last], self.right
        )

    @property
    def attribute(self) -> DictionaryAttr:
        """The dictionary of attributes from which `of` restores the rows."""
        weights = [dense_attribute(matrix.astype(np.int8), i8) for matrix in self.weights]
        return DictionaryAttr(
            {
                "weights": ArrayAttr(weights),
                "aligns": DenseArrayBase.from_list(i64, list(self.aligns)),
                "starts": dense_attribute(self.starts.astype(np.int32), i32),
                "right": IntegerAttr(self.right, i64),
            }
        )

    @staticmethod
    def of(attribute: Attribute) -> CodedRows:
        """The rows that an attribute stores. Raises `VerifyException` unless the attribute has the form of
        `CodedRows.attribute`.
        """
        data = dict[str, Attribute](attribute.data if isinstance(attribute, DictionaryAttr) else ())
        matrices, starts, aligns, right = (data.get(key) for key in _ROW_KEYS)
        if len(data) != len(_ROW_KEYS) or not isinstance(matrices, ArrayAttr):
            raise VerifyException(f"coded rows have {', '.join(_ROW_KEYS)}, got {attribute}")
        if not isa(aligns, DenseArrayBase[IntegerType]) or not isa(right, IntegerAttr[IntegerType]):
            raise VerifyException(f"coded rows are shifted by numbers, got {aligns} and {right}")
        weights = [dense_numbers(matrix, i8) for matrix in cast("ArrayAttr[Attribute]", matrices)]
        shifts = [int(shift) for shift in aligns.get_values()]
        return CodedRows(weights, shifts, dense_numbers(starts, i32), right.value.data).verified

    @property
    def verified(self) -> CodedRows:
        """This object, after a check. Raises `VerifyException` if its fields have inconsistent shapes or values."""
        weights, starts, aligns, right = self.weights, self.starts, self.aligns, self.right
        if starts.ndim != 1 or any(matrix.ndim != 2 or len(matrix) != len(starts) for matrix in weights):
            shapes = ", ".join(str(matrix.shape) for matrix in weights)
            raise VerifyException(f"matrices of shapes {shapes} have no rows for starts of shape {starts.shape}")
        if not 0 < right < 24 or len(aligns) != len(weights) or min(aligns) < 0 or aligns[0] != 0:
            raise VerifyException(f"sums are shifted to the left by {aligns} and to the right by {right}")
        return self


@dataclass(frozen=True, eq=False)
class CodedTile(Content):
    """Constant rows of weights that are multiplied by windows of memory. The sums are requantised as in TensorFlow
    Lite.

    A window consists of runs: contiguous elements of memory, `pitch` apart. Objects are equal if their digests are
    equal.

    * weights: bytes, rows x runs x weights of a run, at least one of each.
    * starts: for each row, the start value of its sums.
    * multipliers, shifts: the arguments of `tm_requantize_s32` for each row. Multipliers have 31 bits, shifts are -31
      to -1.
    * pitch: the distance between the runs of a window, in elements of memory.
    * step: the distance between adjacent windows, in elements of memory.
    * count: the number of windows.
    * zero: the raw of 0 of the results, which are bytes.
    * apart: the distance between the elements by which consecutive weights are multiplied. It is 1, or the number of
      rows if each row has its own channel of the image.
    """

    DECLARED_AS: ClassVar[str] = TILE

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
        """The number of elements of memory from the first element of the first window to the last element of the last
        one.
        """
        _, runs, length = self.weights.shape
        return (self.count - 1) * self.step + (runs - 1) * self.pitch + length * self.apart

    @cached_property
    def digest(self) -> str:
        """A digest of the content, as 16 hexadecimal digits."""
        sizes = np.array([*self.weights.shape, self.pitch, self.step, self.count, self.zero, self.apart])
        parts = (self.weights, self.starts, self.multipliers, self.shifts, sizes)
        return sha256(b"".join(part.astype("<i8").tobytes() for part in parts)).hexdigest()[:16]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CodedTile) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def attribute(self) -> DictionaryAttr:
        """The dictionary of attributes from which `of` restores the tile."""
        arrays = zip((self.weights, self.starts, self.multipliers, self.shifts), (i8, i32, i32, i8), strict=True)
        content: list[Attribute] = [dense_attribute(numbers, element) for numbers, element in arrays]
        sizes = DenseArrayBase.from_list(i64, [self.pitch, self.step, self.count, self.zero, self.apart])
        return DictionaryAttr(dict(zip(_TILE_KEYS, [*content, sizes], strict=True)))

    @staticmethod
    def of(attribute: Attribute) -> CodedTile:
        """The tile that an attribute stores. Raises `VerifyException` unless the attribute has the form of
        `CodedTile.attribute`.
        """
        data = dict[str, Attribute](attribute.data if isinstance(attribute, DictionaryAttr) else ())
        weights, starts, multipliers, shifts, sizes = (data.get(key) for key in _TILE_KEYS)
        if len(data) != len(_TILE_KEYS) or not isa(sizes, DenseArrayBase[IntegerType]) or len(sizes) != 5:
            raise VerifyException(f"coded tiles have {', '.join(_TILE_KEYS)}, got {attribute}")
        begun, factors = (dense_numbers(array, i32) for array in (starts, multipliers))
        distances = [int(size) for size in sizes.get_values()]
        rows, right = dense_numbers(weights, i8), dense_numbers(shifts, i8)
        return CodedTile(rows, begun, factors, right, *distances).verified

    @property
    def verified(self) -> CodedTile:
        """This object, after a check. Raises `VerifyException` if its fields have inconsistent shapes or values."""
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

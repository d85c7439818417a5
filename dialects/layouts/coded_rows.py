"""Rows of constant matrices that become code: their numbers, as an attribute holds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, cast

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

from tinyml.dialects.layouts.dense import dense_attribute, dense_numbers
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.own_attributes import OwnAttribute, Place, read_by

if TYPE_CHECKING:
    from tinyml.dialects.layouts.dense import Numbers


LARGEST = 127
"""The greatest magnitude of results."""

SUM_BITS = 24
"""The width of sums in bits."""

_KEYS = ("weights", "starts", "aligns", "right")


@dataclass(frozen=True)
class CodedRows:
    """Rows of constant matrices, each multiplied by a vector of its own; a row's sum begins with a start value.

    weights: the matrices, of rows x length bytes, one for each vector. aligns: left shifts of the sums before the
    products of each matrix are added, 0 for the first. starts: the start value of each row, rounding bias included.
    right: the right shift of complete sums, before they are limited to bytes of at most `LARGEST` in magnitude.
    """

    weights: Sequence[Numbers]
    aligns: Sequence[int]
    starts: Numbers
    right: int

    @property
    def rows(self) -> int:
        return len(self.starts)

    @property
    def products(self) -> int:
        """The number of products with weights other than zero."""
        return sum(int(np.count_nonzero(matrix)) for matrix in self.weights)

    @property
    def bounds(self) -> Numbers:
        """Bounds on the magnitudes of all partial sums of each row, for any vectors."""
        bounds = np.abs(self.starts)
        for matrix, align in zip(self.weights, self.aligns, strict=True):
            bounds = (bounds << align) + np.abs(matrix).sum(1) * 128
        return bounds

    @property
    def digest(self) -> str:
        """A digest of the content, 16 hexadecimal digits."""
        sizes = np.array([len(self.weights), *(size for matrix in self.weights for size in matrix.shape), self.right])
        parts = (sizes, np.array(self.aligns), *self.weights, self.starts)
        return sha256(b"".join(part.astype("<i8").tobytes() for part in parts)).hexdigest()[:16]

    def part(self, first: int, last: int) -> CodedRows:
        """The rows from `first` up to `last`, exclusive."""
        return CodedRows(
            [matrix[first:last] for matrix in self.weights], self.aligns, self.starts[first:last], self.right
        )

    @property
    def attribute(self) -> DictionaryAttr:
        """The attribute that holds the rows."""
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
        """The rows of an attribute; raises `VerifyException` for one that holds none."""
        data = dict[str, Attribute](attribute.data if isinstance(attribute, DictionaryAttr) else ())
        matrices, starts, aligns, right = (data.get(key) for key in _KEYS)
        if len(data) != len(_KEYS) or not isinstance(matrices, ArrayAttr):
            raise VerifyException(f"coded rows have {', '.join(_KEYS)}, got {attribute}")
        if not isa(aligns, DenseArrayBase[IntegerType]) or not isa(right, IntegerAttr[IntegerType]):
            raise VerifyException(f"coded rows are shifted by numbers, got {aligns} and {right}")
        weights = [dense_numbers(matrix, i8) for matrix in cast("ArrayAttr[Attribute]", matrices)]
        shifts = [int(shift) for shift in aligns.get_values()]
        return CodedRows(weights, shifts, dense_numbers(starts, i32), right.value.data).verified

    @property
    def verified(self) -> CodedRows:
        """The rows themselves; raises `VerifyException` if their parts do not fit each other."""
        weights, starts, aligns, right = self.weights, self.starts, self.aligns, self.right
        if starts.ndim != 1 or any(matrix.ndim != 2 or len(matrix) != len(starts) for matrix in weights):
            shapes = ", ".join(str(matrix.shape) for matrix in weights)
            raise VerifyException(f"matrices of shapes {shapes} have no rows for starts of shape {starts.shape}")
        if not 0 < right < 24 or len(aligns) != len(weights) or min(aligns) < 0 or aligns[0] != 0:
            raise VerifyException(f"sums are shifted to the left by {aligns} and to the right by {right}")
        return self


ROWS = OwnAttribute(
    "tinyml.coded_rows",
    {Place.DECLARATION: read_by("rows that are code", CodedRows.of)},
    "The rows that are the code of a C function.",
)

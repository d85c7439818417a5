"""Fields of a weight stream: numbers of rows, and weights in an order of axes; their bytes, and their values in C.

Requantisation as in TensorFlow Lite takes its numbers from these fields.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, TypeVar

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.tiles import Sums

if TYPE_CHECKING:
    from tinyml.targets.tiles import Bytes, Numbers

_Multiplier = TypeVar("_Multiplier", int, "Numbers")


def doubled(multiplier: _Multiplier) -> _Multiplier:
    """Twice a 31-bit multiplier, minus 2^32: a signed 32-bit integer."""
    return 2 * multiplier - (1 << 32)


def requantised_in_c(indent: str, zero: int, out: str) -> str:
    """Statements that store the requantised `sum` in `out`, given `multiplier`, doubled, and `right`, minus 1."""
    lines = (
        "sum += (int32_t)(((int64_t)sum * multiplier + (1LL << 31)) >> 32);",
        f"sum = (((sum - (sum < 0)) >> right) + ({2 * zero + 1})) >> 1;",
        f"{out} = (int8_t)(sum < -128 ? -128 : sum > 127 ? 127 : sum);",
    )
    return "\n".join(indent + line for line in lines)


WORD = 4

ROW = 0
"""The axis in an order of weights that stands for the rows of a block."""


def scaled(number: str, by: int | str) -> str:
    """The C product of a term and a constant or variable; empty for an empty term."""
    return number if not number or by == 1 else f"{number} * {by}"


def total(*terms: str) -> str:
    """The C sum of the nonempty terms."""
    return " + ".join(filter(None, terms)) or "0"


def _byte(pointer: str, offset: str) -> str:
    return f"{pointer}[{offset}]"


def word(pointer: str, offset: str) -> str:
    """The signed 32-bit integer at a byte offset, in C."""
    return f"tm_number({pointer}{f' + {offset}' if offset != '0' else ''})"


@dataclass(frozen=True)
class Number:
    """A number per row.

    values: one integer for each row, stored least significant byte first; or the bytes of each row. in_c: the C
    expression of the value, given those of a byte pointer and a byte offset.
    """

    name: str
    bytes: int
    values: Callable[[Sums], Numbers | Bytes]
    in_c: Callable[[str, str], str]

    def stored(self, sums: Sums) -> Bytes:
        """The bytes, of shape rows x `bytes`."""
        values = np.asarray(self.values(sums))
        if values.ndim == 1:
            values = values.astype("<i8").reshape(-1, 1).view(np.int8)[:, : self.bytes]
        return values.astype(np.int8)


START = Number("start", WORD, lambda sums: sums.starts, word)
"""The start of a sum."""


def _doubled(pointer: str, offset: str) -> str:
    return f"(int32_t)((uint32_t){word(pointer, offset)} << 1)"


MULTIPLIER = Number("multiplier", WORD, lambda sums: sums.multipliers, _doubled)
DOUBLED = Number("multiplier", WORD, lambda sums: doubled(sums.multipliers), word)
"""A 31-bit multiplier m, stored as m or as 2 * m - 2^32. The C expression's value is always 2 * m - 2^32."""

RIGHT = Number("right", 1, lambda sums: -sums.shifts, lambda pointer, offset: f"{_byte(pointer, offset)} - 1")
RIGHT_LESS_1 = Number("right", 1, lambda sums: -sums.shifts - 1, _byte)
"""A right shift amount, stored unchanged or minus 1. The C expression's value is always the amount minus 1."""


@dataclass(frozen=True)
class Field(ABC):
    """The bytes of all rows of a block.

    name: the pointer in C. aligned: the alignment of the next field within the block, in bytes.
    """

    name: str
    aligned: int = 1

    @property
    @abstractmethod
    def row_bytes(self) -> int:
        """The bytes of a row, excluding padding."""

    @abstractmethod
    def stored(self, sums: Sums, weights: Numbers) -> Bytes:
        """The bytes of the rows of a block. weights: of shape rows x elements."""

    @property
    def numbers(self) -> Mapping[str, tuple[Number, int]]:
        """The numbers of a row by their names, each with its byte offset from the row's first byte."""
        return {}


@cache
def _side_by_side(content: tuple[Number, ...]) -> Mapping[str, tuple[Number, int]]:
    """The numbers of a row by their names, each with its byte offset."""
    offsets = accumulate((number.bytes for number in content), initial=0)
    return {number.name: (number, offset) for number, offset in zip(content, offsets, strict=False)}


@dataclass(frozen=True)
class RowNumbers(Field):
    """Numbers of rows; the numbers of one row are adjacent.

    end_mark: the last byte of the aligned field in the last block of a group of equal blocks.
    """

    content: tuple[Number, ...] = ()
    end_mark: int = 0

    @property
    def numbers(self) -> Mapping[str, tuple[Number, int]]:
        return _side_by_side(self.content)

    @property
    def row_bytes(self) -> int:
        return sum(number.bytes for number in self.content)

    def stored(self, sums: Sums, weights: Numbers) -> Bytes:
        return np.concatenate([number.stored(sums) for number in self.content], axis=1).reshape(-1)


@dataclass(frozen=True)
class Weights(Field):
    """Weights of rows, elements `first` to `first + elements`, as integers of `bytes` bytes.

    order: the axes, the outermost first. An axis is `ROW` or a stride: an element with index i has the coordinate i //
    stride % extent on it, where stride * extent is the next greater stride. For instance, (ROW, 1) is row by row, (1,
    ROW) element by element, (4, ROW, 1) four elements of each row in turn, and (4, ROW, 1, 2) the same with elements 0,
    2, 1 and 3 of each four.
    """

    elements: int = 0
    order: tuple[int, ...] = (ROW, 1)
    bytes: int = 1
    first: int = 0

    @property
    def row_bytes(self) -> int:
        return self.elements * self.bytes

    @cached_property
    def _extents(self) -> dict[int, int]:
        """The extents of the axes of elements by their strides, the greatest first."""
        strides = sorted(set(self.order) - {ROW}, reverse=True)
        ends = [self.elements, *strides]
        return {stride: end // stride for stride, end in zip(strides, ends, strict=False)}

    def stored(self, sums: Sums, weights: Numbers) -> Bytes:
        part = weights[:, self.first : self.first + self.elements]
        axes = [ROW, *self._extents]
        by_axis = part.reshape(len(part), *self._extents.values()).transpose([axes.index(axis) for axis in self.order])
        return np.ascontiguousarray(by_axis, f"<i{self.bytes}").reshape(-1).view(np.int8)

    def in_c(self, element: str, row: str, rows: int | str) -> str:
        """The C expression of a weight. element: the variable with its index, starting at `first`. row, rows: of the
        block; row may be "".

        The byte offset is the sum of the coordinates, each times the bytes of all inner axes.
        """
        terms: list[str] = []
        inner, by_rows = self.bytes, False
        for axis in reversed(self.order):
            coordinate = row if axis == ROW else self._coordinate(element, axis)
            constant = inner * rows if by_rows and isinstance(rows, int) else inner
            term = scaled(coordinate, constant)
            terms += [scaled(term, rows) if by_rows and isinstance(rows, str) else term]
            inner, by_rows = inner * self._extents.get(axis, 1), by_rows or axis == ROW
        offset = total(*reversed(terms))
        if self.bytes == 1:
            return f"{self.name}[{offset}]"
        return f"(int16_t)((uint8_t){self.name}[{offset}] | {self.name}[{offset} + 1] * 256)"

    def _coordinate(self, element: str, stride: int) -> str:
        extent, outermost = self._extents[stride], next(iter(self._extents))
        wrapped = element if stride == outermost else f"{element} % {stride * extent}"
        return wrapped if stride == 1 else f"{wrapped} / {stride}"


@dataclass(frozen=True)
class ListedBytes(Field):
    """The bytes of a row one by one: elements by their indices, numbers of one byte, and None for padding."""

    content: tuple[int | Number | None, ...] = ()

    @property
    def numbers(self) -> Mapping[str, tuple[Number, int]]:
        return {byte.name: (byte, offset) for offset, byte in enumerate(self.content) if isinstance(byte, Number)}

    @property
    def row_bytes(self) -> int:
        return len(self.content)

    def stored(self, sums: Sums, weights: Numbers) -> Bytes:
        zeros = np.zeros(len(weights), np.int8)
        columns = [
            zeros if byte is None else byte.stored(sums)[:, 0] if isinstance(byte, Number) else weights[:, byte]
            for byte in self.content
        ]
        return np.stack(columns, axis=1).astype(np.int8).reshape(-1)

    @property
    def places(self) -> Sequence[int]:
        """The byte offset of each element."""
        elements = sorted(byte for byte in self.content if isinstance(byte, int))
        return [self.content.index(element) for element in elements]

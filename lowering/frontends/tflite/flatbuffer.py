"""Flatbuffers, read with every offset checked: a damaged file raises `DamagedError`, and nothing else.

The format is that of https://flatbuffers.dev/internals: a table begins with the distance to its vtable, which holds the
byte offset of each field; vectors and texts begin with their length.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

N = TypeVar("N", bound=bool | float)

_OFFSET, _COUNT = struct.calcsize("<I"), struct.calcsize("<H")


class DamagedError(Exception):
    """Raised for content that is not a flatbuffer of the expected form."""


@dataclass(frozen=True)
class Table:
    """A table at a position of a file; fields are named by their slots, which count from 0."""

    content: bytes
    position: int

    @classmethod
    def root(cls, content: bytes) -> Table:
        """The table that a file begins with."""
        return cls(content, _offset(content, 0))

    def number(self, slot: int, kind: str, default: N) -> N:
        """A field with a number, `default` without the field. kind: a code of the module `struct`."""
        position = self._field(slot)
        return default if position is None else type(default)(_number(self.content, position, kind))

    def table(self, slot: int) -> Table | None:
        """A field with a table."""
        position = self._field(slot)
        return None if position is None else Table(self.content, _offset(self.content, position))

    def tables(self, slot: int) -> Sequence[Table]:
        """A field with a vector of tables, empty without the field."""
        start, length = self._vector(slot, _OFFSET)
        positions = range(start, start + length * _OFFSET, _OFFSET)
        return [Table(self.content, _offset(self.content, position)) for position in positions]

    def numbers(self, slot: int, dtype: str) -> NDArray[Any]:
        """A field with a vector of numbers, empty without the field, not copied. dtype: such as `<i4`."""
        start, length = self._vector(slot, np.dtype(dtype).itemsize)
        return np.frombuffer(self.content, dtype, length, start)

    def text(self, slot: int) -> str:
        """A field with a text, empty without the field."""
        start, length = self._vector(slot, 1)
        return self.content[start : start + length].decode(errors="replace")

    def _vector(self, slot: int, size: int) -> tuple[int, int]:
        """The first element of a vector and their number. size: of an element, in bytes."""
        if (position := self._field(slot)) is None:
            return 0, 0
        start = _offset(self.content, position)
        length = _number(self.content, start, "I")
        if start + _OFFSET + length * size > len(self.content):
            raise DamagedError(f"a vector of {length} elements at byte {start} is longer than the file")
        return start + _OFFSET, length

    def _field(self, slot: int) -> int | None:
        vtable = self.position - _number(self.content, self.position, "i")
        entry = 2 * _COUNT + slot * _COUNT
        if entry + _COUNT > _number(self.content, vtable, "H"):
            return None
        distance = _number(self.content, vtable + entry, "H")
        return self.position + distance if distance else None


def _offset(content: bytes, position: int) -> int:
    """The position that the offset stored at a position refers to."""
    return position + _number(content, position, "I")


def _number(content: bytes, position: int, kind: str) -> Any:
    if not 0 <= position <= len(content) - struct.calcsize(f"<{kind}"):
        raise DamagedError(f"an offset leads to byte {position} of a file of {len(content)} bytes")
    return struct.unpack_from(f"<{kind}", content, position)[0]

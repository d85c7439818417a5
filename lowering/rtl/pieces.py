"""The memories of a program: its arena, cut wherever no view crosses, its constants and its input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from tinyml.dialects import rtl, scratch
from tinyml.dialects.errors import InputError
from tinyml.dialects.scratch import bytes_of, element_bytes, memref_type, packed_bits, storage_of


def element_of(array: SSAValue) -> IntegerType[int, Any]:
    """The integers that an array holds; raises `InputError` for packed ones and for floats."""
    type = memref_type(array)
    stored = storage_of(type.element_type)
    if not isinstance(stored, IntegerType) or packed_bits(type) is not None:
        raise InputError(f"hardware has memories of integers of whole bytes, got {type}")
    return cast("IntegerType[int, Any]", stored)


@dataclass(frozen=True)
class Piece:
    """A part of the arena that is a memory of its own: bytes [start, end), both multiples of its `word`, in bytes."""

    start: int
    end: int
    word: int

    @property
    def type(self) -> rtl.MemoryType:
        return rtl.MemoryType((self.end - self.start) // self.word, 8 * self.word)


def cut(views: Sequence[scratch.ViewOp]) -> list[Piece]:
    """The pieces of an arena, by their addresses: views that overlap share a piece, others do not.

    A word is as wide as the widest element in the piece. Each piece has ports of its own.
    """
    pieces = [
        _piece(view.offset.value.data, bytes_of(view.result), element_bytes(memref_type(view.result))) for view in views
    ]
    pieces.sort(key=lambda piece: piece.start)
    while True:
        merged: list[Piece] = []
        for piece in pieces:
            if merged and piece.start < merged[-1].end:
                last = merged.pop()
                end = max(last.end, piece.end)
                piece = _piece(last.start, end - last.start, max(last.word, piece.word))
            merged.append(piece)
        if len(merged) == len(pieces):
            return merged
        pieces = merged


def _piece(start: int, size: int, word: int) -> Piece:
    return Piece(start - start % word, start + size + -(start + size) % word, word)

"""Fetches of single bytes into registers: from flash by Z, from RAM by X.

An element of two bytes takes two fetches, the low byte first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from tinyml.targets.avr.assembly.instructions import POINTERS, moved, pair
from tinyml.targets.composer.lines import Lines

Fetch: TypeAlias = Callable[[str], Lines]
"""The instructions that load a byte into a register."""

_DISPLACEMENT = 63
"""The greatest displacement of a load."""

FLASH, RAM = "flash", "ram"


def next_byte(memory: str, pointer: str) -> Fetch:
    """Load the byte at a pointer and increment the pointer; Z can read flash and RAM, X and Y only RAM."""
    load = "lpm" if memory == FLASH else "ld"
    return lambda to: (f"{load} {to},{pointer}+",)


def run(bits: int, memory: str, pointer: str) -> Sequence[Fetch]:
    """The bytes of the next element of a run."""
    return [next_byte(memory, pointer)] * (bits // 8)


def spaced(bits: int, left: str) -> Sequence[Fetch]:
    """Fetches of the bytes of an element at X, which then advances by the pair of registers that starts at `left`.

    The pair holds the distance between elements minus the bytes that the fetches advance over.
    """
    low, high = pair(left)

    def last(to: str) -> Lines:
        return f"ld {to},X", f"add r26,{low}", f"adc r27,{high}"

    return [*run(bits - 8, RAM, "X"), last]


class MovingPointer:
    """A pointer, Y or Z, with the number of bytes that it has moved."""

    def __init__(self, pointer: str) -> None:
        self.pointer, self.moved = pointer, 0

    def load(self, to: str, offset: int) -> Lines:
        """Load the byte at an offset from the initial address; moves the pointer only if no displacement reaches it."""
        reaches = 0 <= offset - self.moved <= _DISPLACEMENT
        move = () if reaches else self.move(offset)
        beyond = offset - self.moved
        return (*move, f"ldd {to},{self.pointer}+{beyond}" if beyond else f"ld {to},{self.pointer}")

    def move(self, offset: int) -> Lines:
        """Move the pointer to an offset from its initial address."""
        by, self.moved = offset - self.moved, offset
        return moved(f"r{POINTERS[self.pointer]}", by)


def skip(spare: str, zero: str) -> Lines:
    """Advance X by the unsigned byte in flash at Z."""
    return f"lpm {spare},Z+", f"add r26,{spare}", f"adc r27,{zero}"


def word(bytes: Sequence[Fetch], registers: Sequence[str]) -> Lines:
    """Load all bytes of an element into registers, the low one first."""
    return tuple(line for fetch, register in zip(bytes, registers, strict=True) for line in fetch(register))

"""Fetches of single bytes into registers: from flash by Z, from working memory by X.

An element of two bytes takes two fetches, its low byte first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from tinyml.targets.avr.assembly.instructions import POINTERS, moved, pair
from tinyml.targets.composer.lines import Lines

Fetch: TypeAlias = Callable[[str], Lines]
"""The instructions that bring a byte into a register."""

_DISPLACEMENT = 63
"""The greatest displacement of a load."""

FLASH, RAM = "flash", "ram"


def next_byte(memory: str, pointer: str) -> Fetch:
    """The byte at a pointer, which moves on; both memories can be read by Z, working memory by X and Y, too."""
    load = "lpm" if memory == FLASH else "ld"
    return lambda to: (f"{load} {to},{pointer}+",)


def run(bits: int, memory: str, pointer: str) -> Sequence[Fetch]:
    """The bytes of the next element of a run."""
    return [next_byte(memory, pointer)] * (bits // 8)


def spaced(bits: int, left: str) -> Sequence[Fetch]:
    """The bytes of an element at X, which then moves on by what the pair from register `left` on holds.

    That is the distance of the elements less the bytes that were stepped over.
    """
    low, high = pair(left)

    def last(to: str) -> Lines:
        return f"ld {to},X", f"add r26,{low}", f"adc r27,{high}"

    return [*run(bits - 8, RAM, "X"), last]


class Places:
    """A pointer, Y or Z, that walks along memory: where it points to, in bytes from where it began."""

    def __init__(self, pointer: str) -> None:
        self.pointer, self.place = pointer, 0

    def load(self, to: str, place: int) -> Lines:
        """The byte at a place, to which the pointer moves only where a displacement does not reach."""
        reaches = 0 <= place - self.place <= _DISPLACEMENT
        move = () if reaches else self.move(place)
        beyond = place - self.place
        return (*move, f"ldd {to},{self.pointer}+{beyond}" if beyond else f"ld {to},{self.pointer}")

    def move(self, place: int) -> Lines:
        """Moves the pointer to a place."""
        by, self.place = place - self.place, place
        return moved(f"r{POINTERS[self.pointer]}", by)


def skip(spare: str, zero: str) -> Lines:
    """Moves X on by the unsigned byte in flash at Z."""
    return f"lpm {spare},Z+", f"add r26,{spare}", f"adc r27,{zero}"


def word(bytes: Sequence[Fetch], registers: Sequence[str]) -> Lines:
    """All bytes of an element into registers, the low one first."""
    return tuple(line for fetch, register in zip(bytes, registers, strict=True) for line in fetch(register))

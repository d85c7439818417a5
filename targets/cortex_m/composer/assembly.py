"""Lines of assembly: their text as a C statement, and their number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

Lines: TypeAlias = "tuple[str, ...]"
"""Instructions, and labels that end in a colon."""

ARMV6M, ARMV7M, DSP = 6, 7, 8
"""The instruction sets as `tinyml/cores.h` numbers them."""


def joined(*parts: str | Iterable[str]) -> Lines:
    """Instructions and fragments one after the other."""
    return tuple(line for part in parts for line in ((part,) if isinstance(part, str) else part))


REACH = 4095
"""The greatest offset of a load or store, and the greatest constant of an addition."""


def moved(register: str, distance: int) -> Lines:
    """Adds a constant to a register."""
    lines: list[str] = []
    while distance:
        step = max(-REACH, min(distance, REACH))
        lines += [f"{'add' if step > 0 else 'sub'} {register}, {register}, #{abs(step)}"]
        distance -= step
    return tuple(lines)


def instructions(lines: Sequence[str]) -> int:
    """The number of instructions, which is the time that straight-line code takes."""
    return sum(not line.endswith(":") for line in lines)


def bytes_of(lines: Sequence[str]) -> int:
    """An upper bound of the bytes of flash: four for each instruction."""
    return 4 * instructions(lines)


def statement(lines: Sequence[str]) -> str:
    """The body of a naked function."""
    texts = [".syntax unified", *lines]
    rows = [f'"{text}\\n\\t"' for text in texts[:-1]] + [f'"{texts[-1]}"']
    return "    __asm__ volatile(" + "\n                     ".join(rows) + ");"

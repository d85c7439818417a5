"""Instruction sets, additions of constants, and assembly as a C statement."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.composer import lines as shared
from tinyml.targets.composer.lines import Lines, instructions

ARMV6M, ARMV7M, DSP = 6, 7, 8
"""The instruction sets as `tinyml/cores.h` numbers them."""

SYNTAX: Lines = (".syntax unified",)
"""The directive before instructions: both of their sizes share its syntax."""

REACH = 4095
"""The greatest offset of a load or store, and the greatest constant of an addition."""

IMMEDIATE = 0xFFFF
"""The greatest constant that one instruction moves to a register."""

SAVED, SAVED_BYTES = "r4, r5, r6, r7, r8, r9, r10, r11", 36
"""The registers that a function saves besides lr, and the bytes of stack of all of them."""


def moved(register: str, distance: int) -> Lines:
    """Adds a constant to a register."""
    lines: list[str] = []
    while distance:
        step = max(-REACH, min(distance, REACH))
        lines += [f"{'add' if step > 0 else 'sub'} {register}, {register}, #{abs(step)}"]
        distance -= step
    return tuple(lines)


def bytes_of(lines: Sequence[str]) -> int:
    """An upper bound of the bytes of flash: four for each instruction."""
    return 4 * instructions(lines)


def pushed(lines: Sequence[str]) -> int:
    """The bytes of stack that instructions push."""
    lists = [line.removeprefix("push {").removesuffix("}").split(", ") for line in lines if line.startswith("push ")]
    return 4 * sum(len(registers) for registers in lists)


def statement(lines: Sequence[str]) -> str:
    """The body of a naked function."""
    return shared.statement([*SYNTAX, *lines])


def saved(frame: int) -> Lines:
    """Saves all registers that a call preserves, and allocates a stack frame of some bytes."""
    return (f"push {{{SAVED}, lr}}", *moved("sp", -frame))


def restored(frame: int) -> Lines:
    """Restores the registers and returns."""
    return (*moved("sp", frame), f"pop {{{SAVED}, pc}}")

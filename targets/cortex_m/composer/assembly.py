"""Instruction sets, additions of constants, and assembly as a C statement."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.composer import lines as shared
from tinyml.targets.composer.instructions import Code, Instruction, Line, printed
from tinyml.targets.composer.lines import Lines
from tinyml.targets.cortex_m.assembly import thumb as t
from tinyml.targets.cortex_m.assembly.encodings import REACH

ARMV6M, ARMV7M, DSP = 6, 7, 8
"""The instruction sets as `tinyml/cores.h` numbers them."""

SYNTAX: Lines = (".syntax unified",)
"""The directive before instructions, which selects one syntax for both instruction sizes."""

SAVED = ("r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11")
"""The registers that a function saves, apart from lr."""


def moved(register: str, distance: int) -> Code:
    """Adds a constant to a register."""
    lines: list[Line] = []
    while distance:
        step = max(-REACH, min(distance, REACH))
        lines += [(t.add if step > 0 else t.sub)(register, register, abs(step))]
        distance -= step
    return tuple(lines)


def short_bytes_of(lines: Sequence[Line]) -> int:
    """The bytes of flash on ARMv6-M; raises ValueError if an instruction has no encoding there."""
    bytes = 0
    for line in lines:
        if isinstance(line, Instruction):
            if line.size is None:
                raise ValueError(f"{line.text}: ARMv6-M has no such instruction")
            bytes += line.size
    return bytes


def statement(lines: Sequence[Line], core: int) -> str:
    """The body of a naked function for an instruction set."""
    if core == ARMV6M:
        short_bytes_of(lines)
    return shared.statement([*SYNTAX, *printed(lines)])


def saved(frame: int) -> Code:
    """Saves all registers that a call preserves, and allocates a stack frame. frame: its size in bytes."""
    return (t.push((*SAVED, "lr")), *moved("sp", -frame))


def restored(frame: int) -> Code:
    """Restores the registers and returns."""
    return (*moved("sp", frame), t.pop((*SAVED, "pc")))

"""Instruction set and registers: which ones a function saves, and additions of constants to them."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.composer.lines import Lines, joined

RV32IM = 32
"""The instruction set as `tinyml/cores.h` numbers it."""

REACH = 2047
"""The greatest offset of a load or store, and the greatest constant of an addition."""

SAVED = ("ra", *(f"s{number}" for number in range(12)))


def bytes_of(lines: Sequence[str]) -> int:
    """An upper bound of the bytes of flash: two for copies and additions of a register, and four for all others."""
    return sum(2 if _is_short(line) else 4 for line in lines if not line.endswith(":"))


def _is_short(line: str) -> bool:
    name, _, operands = line.partition(" ")
    registers = operands.split(", ")
    return name == "mv" or (name == "add" and registers[0] == registers[1])


def saved(frame: int) -> Lines:
    """Makes a frame of some bytes, a multiple of 16, with all saved registers at its end."""
    return joined(f"addi sp, sp, -{frame}", (f"sw {register}, {at}(sp)" for register, at in _places(frame)))


def restored(frame: int) -> Lines:
    """Restores the registers and returns."""
    return joined((f"lw {register}, {at}(sp)" for register, at in _places(frame)), f"addi sp, sp, {frame}", "ret")


def _places(frame: int) -> list[tuple[str, int]]:
    return [(register, frame - 4 * number) for number, register in enumerate(SAVED, 1)]


def moved(register: str, distance: int, spare: str, start: str | None = None) -> Lines:
    """Sets a register to a constant behind another one, or behind itself. spare: changes for a great distance."""
    start = start or register
    if distance == 0:
        return () if start == register else (f"mv {register}, {start}",)
    if abs(distance) <= REACH:
        return (f"addi {register}, {start}, {distance}",)
    if abs(distance) <= 2 * REACH:
        near = REACH if distance > 0 else -REACH
        return f"addi {register}, {start}, {near}", f"addi {register}, {register}, {distance - near}"
    return joined(constant(spare, distance), f"add {register}, {start}, {spare}")


def constant(register: str, value: int) -> Lines:
    """Sets a register to a number of 32 bits."""
    if -REACH <= value <= REACH:
        return (f"li {register}, {value}",)
    high = value + 0x800 >> 12
    low = value - (high << 12)
    rest = (f"addi {register}, {register}, {low}",) if low else ()
    return f"lui {register}, {high & 0xFFFFF}", *rest

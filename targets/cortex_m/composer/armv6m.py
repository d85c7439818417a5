"""Fragments for ARMv6-M: constants, stack frames and loops, in instructions of two bytes.

Only r0 to r7 are operands of most instructions; r8 to r12 and lr hold sums, which additions reach.
"""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.composer.lines import Lines, instructions, joined
from tinyml.targets.composer.repeated import Repeated

SUMS = ("r8", "r9", "r10", "r11", "r12", "lr")

_LOW, _HIGH = ("r4", "r5", "r6", "r7"), ("r8", "r9", "r10", "r11")
_RESTORED = tuple(f"mov {high}, {low}" for high, low in zip(_HIGH, _LOW, strict=True))
SAVED_BYTES = 36

_NEAR, REACH = 240, 2000
"""The most bytes of code that are in reach of a conditional branch, and of an unconditional one."""

_BYTE = 255
_FRAME = 508
"""The most bytes by which one instruction moves the stack pointer."""


def bytes_of(lines: Sequence[str]) -> int:
    """The bytes of flash."""
    return 2 * instructions(lines)


def saved(frame: int) -> Lines:
    """Saves all registers that a call preserves, and allocates a stack frame. frame: bytes, a multiple of 4."""
    copies = (f"mov {low}, {high}" for low, high in zip(_LOW, _HIGH, strict=True))
    return joined("push {r4, r5, r6, r7, lr}", copies, "push {r4, r5, r6, r7}", _moved_stack("sub", frame))


def restored(frame: int) -> Lines:
    """Restores the registers and returns."""
    return joined(_moved_stack("add", frame), "pop {r4, r5, r6, r7}", _RESTORED, "pop {r4, r5, r6, r7, pc}")


def _moved_stack(name: str, frame: int) -> Lines:
    sizes = [_FRAME] * (frame // _FRAME) + ([frame % _FRAME] if frame % _FRAME else [])
    return tuple(f"{name} sp, #{size}" for size in sizes)


def constant(register: str, value: int) -> Lines:
    """Sets a low register to a number of at most 31 bits and a sign; the flags change."""
    if value < 0:
        return joined(constant(register, -value), f"rsbs {register}, {register}, #0")
    zeros = (value & -value).bit_length() - 1 if value > _BYTE else 0
    if value >> zeros <= _BYTE:
        shift = (f"lsls {register}, {register}, #{zeros}",) if zeros else ()
        return f"movs {register}, #{value >> zeros}", *shift
    low = (f"adds {register}, #{value & _BYTE}",) if value & _BYTE else ()
    return joined(constant(register, value >> 8), f"lsls {register}, {register}, #8", low)


def moved(register: str, distance: int, spare: str) -> Lines:
    """Adds a constant to a low register; the flags change. spare: a low scratch register for large constants."""
    name, size = ("adds", distance) if distance > 0 else ("subs", -distance)
    if size <= 2 * _BYTE:
        parts = (min(size, _BYTE), size - min(size, _BYTE))
        return tuple(f"{name} {register}, #{part}" for part in parts if part)
    return joined(constant(spare, size), f"{name} {register}, {register}, {spare}")


def moved_in_frame(place: int, distance: int) -> Lines:
    """Adds a constant to a stack slot; r0 and r1 change."""
    return joined(f"ldr r0, [sp, #{place}]", moved("r0", distance, "r1"), f"str r0, [sp, #{place}]")


def again(code: Repeated, begin: Lines, end: Lines, count: int, label: int) -> Repeated:
    """A loop of `count` iterations, which ends where `end`, behind an iteration, sets the flags of equality.

    A long loop uses the label behind this one, too. A single iteration has neither `begin` nor `end`.
    """
    if bytes_of((*code.lines, *end)) <= _NEAR:
        return code.looped(begin, (*end, f"bne {label}b"), count, label)
    leave = f"beq {label + 1}f", f"b {label}b"
    loop = code.looped(begin, (*end, *leave), count, label, skipped=1)
    return loop.then((f"{label + 1}:",)) if count > 1 else code

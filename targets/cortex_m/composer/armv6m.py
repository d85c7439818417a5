"""Fragments for ARMv6-M: constants, stack frames and loops, in two-byte instructions.

Most instructions accept only r0 to r7 as operands. Additions also accept r8 to r12 and lr, so these registers contain
sums.
"""

from __future__ import annotations

from tinyml.targets.composer.instructions import Code, Repeated, instructions, joined
from tinyml.targets.composer.tile_code import RepeatedCode
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.fragments import short_bytes_of
from tinyml.targets.cortex_m.thumb import Opcode, slot

SUMS = ("r8", "r9", "r10", "r11", "r12", "lr")

_LOW, _HIGH = ("r4", "r5", "r6", "r7"), ("r8", "r9", "r10", "r11")
_RESTORED = tuple(t.mov(high, low) for high, low in zip(_HIGH, _LOW, strict=True))

_NEAR, REACH = 120, 2000
"""The reach of a conditional branch, in instructions, and of an unconditional one, in bytes."""

_BYTE = 255
_FRAME = 508
"""The maximum number of bytes by which one instruction moves the stack pointer."""


class Armv6mCode(RepeatedCode):
    """Code that consists only of instructions that ARMv6-M can encode, so that its size is known."""

    @property
    def bytes(self) -> int:
        return short_bytes_of(self.code.lines)


def saved(frame: int) -> Code:
    """Code that saves all registers that a call preserves, and allocates a stack frame.

    frame: the size of the frame in bytes, a multiple of 4.
    """
    copies = (t.mov(low, high) for low, high in zip(_LOW, _HIGH, strict=True))
    return joined(t.push((*_LOW, "lr")), copies, t.push(_LOW), _moved_stack(t.sub, frame))


def restored(frame: int) -> Code:
    return joined(_moved_stack(t.add, frame), t.pop(_LOW), _RESTORED, t.pop((*_LOW, "pc")))


def _moved_stack(opcode: Opcode, frame: int) -> Code:
    sizes = [_FRAME] * (frame // _FRAME) + ([frame % _FRAME] if frame % _FRAME else [])
    return tuple(opcode("sp", size) for size in sizes)


def constant(register: str, value: int) -> Code:
    """Code that loads a constant of magnitude below 2^31 into a low register. It clobbers the flags."""
    if value < 0:
        return joined(constant(register, -value), t.rsbs(register, register, 0))
    zeros = (value & -value).bit_length() - 1 if value > _BYTE else 0
    if value >> zeros <= _BYTE:
        shift = (t.lsls(register, register, zeros),) if zeros else ()
        return t.movs(register, value >> zeros), *shift
    low = (t.adds(register, value & _BYTE),) if value & _BYTE else ()
    return joined(constant(register, value >> 8), t.lsls(register, register, 8), low)


def moved(register: str, distance: int, spare: str) -> Code:
    """Code that adds the constant `distance` to a low register. It clobbers the flags.

    spare: a low scratch register, which is needed for large constants.
    """
    opcode, size = (t.adds, distance) if distance > 0 else (t.subs, -distance)
    if size <= 2 * _BYTE:
        parts = (min(size, _BYTE), size - min(size, _BYTE))
        return tuple(opcode(register, part) for part in parts if part)
    return joined(constant(spare, size), opcode(register, register, spare))


def moved_in_frame(place: int, distance: int) -> Code:
    """Code that adds the constant `distance` to a word in the stack frame. It clobbers r0 and r1.

    place: the byte offset of the word.
    """
    return joined(t.ldr("r0", slot(place)), moved("r0", distance, "r1"), t.str_("r0", slot(place)))


def low_product(sum: str) -> Code:
    """Code that adds the product of r6 and r7 to a sum. It clobbers r7."""
    return t.muls("r7", "r6", "r7"), t.add(sum, sum, "r7")


def low_product_64(low_sum: str, high_sum: str) -> Code:
    """Code that adds the product of r6 and r7 to a 64-bit sum. It clobbers r6 and r7."""
    return (
        t.muls("r7", "r6", "r7"),
        t.asrs("r6", "r7", 31),
        t.adds(low_sum, low_sum, "r7"),
        t.adcs(high_sum, high_sum, "r6"),
    )


def again(code: Repeated, begin: Code, end: Code, count: int, label: int) -> Repeated:
    """A loop of `count` iterations: `begin`, then the code and `end` in each iteration. The loop ends when `end` sets
    the zero flag.

    A loop with a long body also uses the label `label` + 1. For a single iteration, `begin` and `end` are omitted.
    """
    if instructions((*code.lines, *end)) <= _NEAR:
        return code.looped(begin, (*end, t.bne(back=label)), count, label)
    leave = t.beq(ahead=label + 1), t.b(back=label)
    loop = code.looped(begin, (*end, *leave), count, label, skipped=1)
    return loop.then((t.label(label + 1),)) if count > 1 else code

"""Helium instructions as records, with the execution units that they occupy, for `cycles_of_each`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tinyml.targets.composer.instructions import Code, Instruction, LocalLabel, Repeated, Run, joined, statement
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.fragments import SYNTAX, moved

HEADER, CORE = "tinyml/cores.h", "TM_CORE == 8 && defined(__ARM_FEATURE_MVE)"
"""The header of kernels, and the condition for their assembly."""

MEMORY, MULTIPLY, INTEGER = "memory", "multiply", "integer"
"""The execution units of vector instructions."""

VECTOR_CYCLES = 2
"""The cycles for which a vector instruction of four beats occupies its unit in a core that executes two beats per
cycle.
"""

VECTOR = 16
"""The bytes of a vector."""

MAX_STEP = 127
"""The greatest step of a post-indexed access of bytes."""


def _instruction(unit: str, name: str, *operands: str | int) -> Instruction:
    shown = (f"#{operand}" if isinstance(operand, int) else operand for operand in operands)
    return Instruction(f"{name} {', '.join(shown)}", name, 4, unit=unit, held=VECTOR_CYCLES if unit else 1)


multiply, integer, scalar = partial(_instruction, MULTIPLY), partial(_instruction, INTEGER), partial(_instruction, "")
"""Makers of instructions that occupy the unit for products, that for other operations, or neither."""


def access(name: str, vector: str, pointer: str, step: int = 0, offset: int = 0) -> Instruction:
    """A load or store of a vector. Afterwards, the pointer advances by `step` bytes.

    name: the mnemonic, with the type of the elements in memory.
    offset: the offset from the pointer in bytes; must be 0 if `step` is not 0.
    """
    address = f"[{pointer}], #{step}" if step else f"[{pointer}, #{offset}]" if offset else f"[{pointer}]"
    return Instruction(f"{name} {vector}, {address}", name, 4, unit=MEMORY, held=VECTOR_CYCLES)


SAVE_VECTORS = Instruction("vpush {d8-d15}", "vpush", 4, "several", 16, ("sp",), stack=64)
RESTORE_VECTORS = Instruction("vpop {d8-d15}", "vpop", 4, "several", 16, ("sp",))
"""Code that saves and restores q4 to q7, which a function must preserve."""


GATHERED_PER_CYCLE = 2
"""Elements of at most 32 bits that a gather or scatter accesses in a cycle."""


def gathered(vector: str, pointer: str, offsets: str) -> Instruction:
    """A load of the bytes at offsets from a pointer. The elements of both vectors are bytes."""
    text = f"vldrb.u8 {vector}, [{pointer}, {offsets}]"
    return Instruction(text, "vldrb.u8", 4, unit=MEMORY, held=VECTOR // GATHERED_PER_CYCLE)


def gathered_halfwords(vector: str, pointer: str, offsets: str) -> Instruction:
    """A load of the halfwords at offsets, in elements, from a pointer. Both vectors contain halfwords."""
    text = f"vldrh.u16 {vector}, [{pointer}, {offsets}, uxtw #1]"
    return Instruction(text, "vldrh.u16", 4, unit=MEMORY, held=VECTOR // 2 // GATHERED_PER_CYCLE)


def gathered_bytes(vector: str, pointer: str, offsets: str, *, masked: bool = False) -> Instruction:
    """A load of the bytes at offsets from a pointer, widened to halfwords.

    masked: true for a load under a predicate.
    """
    name = f"vldrb{'t' * masked}.u16"
    text = f"{name} {vector}, [{pointer}, {offsets}]"
    return Instruction(text, name, 4, unit=MEMORY, held=VECTOR // 2 // GATHERED_PER_CYCLE)


def scattered_bytes(vector: str, pointer: str, offsets: str, *, masked: bool = False) -> Instruction:
    """A store of the lowest bytes of four lanes at offsets from a pointer.

    masked: true for a store under a predicate.
    """
    name = f"vstrb{'t' * masked}.32"
    return Instruction(f"{name} {vector}, [{pointer}, {offsets}]", name, 4, unit=MEMORY, held=VECTOR_CYCLES)


def gathered_lanes(name: str, vector: str, pointer: str, offsets: str, shift: int) -> Instruction:
    """A load of four 32-bit lanes at offsets from a pointer. Offsets are counted in elements of 2^shift bytes."""
    scaled = f", uxtw #{shift}" if shift else ""
    return Instruction(f"{name} {vector}, [{pointer}, {offsets}{scaled}]", name, 4, unit=MEMORY, held=VECTOR_CYCLES)


def predicate(elements: int, bits: int, register: str) -> Code:
    """Code that sets the predicate for the first `elements` elements of a vector, which have `bits` bits each.

    register: the core register that the code overwrites.
    """
    return t.mov(register, elements), scalar(f"vctp.{bits}", register)


def lanes(vector: str, *registers: str) -> tuple[Instruction, ...]:
    """Instructions that move four core registers to the lanes of a vector."""
    first, second, third, fourth = registers
    return (
        scalar("vmov", f"{vector}[2]", f"{vector}[0]", first, third),
        scalar("vmov", f"{vector}[3]", f"{vector}[1]", second, fourth),
    )


def low_overhead(code: Repeated, count: int, label: int) -> Repeated:
    """A loop of `count` iterations, counted in lr.

    From the second iteration on, the core does not execute the branch at the end of the loop.
    """
    if count == 1:
        return code
    runs = [run.repeated(count) for run in (*code.runs, Run((_le(label),)))]
    begin = Repeated.once((*number_in("lr", count), scalar("dls", "lr", "lr")))
    return begin.followed_by(Repeated(joined(LocalLabel(label), code.lines, _le(label)), runs))


def _le(label: int) -> Instruction:
    return scalar("le", "lr", f"{label}b")


def naked(lines: Sequence[str]) -> str:
    return statement((*SYNTAX, *lines))


def number_in(register: str, value: int) -> Code:
    """Code that moves a 32-bit integer to a register."""
    low, high = value & 0xFFFF, value >> 16 & 0xFFFF
    return (t.mov(register, low), t.movt(register, high)) if high else (t.mov(register, low),)


def stepped(name: str, vector: str, pointer: str, step: int) -> Code:
    """Code that loads or stores bytes and then advances the pointer by a step of any size."""
    if abs(step) <= MAX_STEP:
        return (access(name, vector, pointer, step),)
    return (access(name, vector, pointer), *moved(pointer, step))

"""Instructions of the vector extension as records, and sequences of instructions."""

from __future__ import annotations

from tinyml.extend.chips import Code, Instruction, Repeated

HEADER, CORE = "tinyml/cores.h", "TM_CORE == 32 && defined(__riscv_v_min_vlen) && __riscv_v_min_vlen >= 128"
"""The header of kernels, and the condition for their assembly."""

VECTOR = 16
"""The minimum bytes of a vector register, for which kernels are composed; with longer ones, results are the same."""

REACH = 2047
"""The greatest offset of a scalar load, and the greatest immediate of an addition."""

_MOST_IMMEDIATE_LANES = 31


def op(name: str, *operands: str | int) -> Instruction:
    """The instruction with the given mnemonic and operands."""
    return Instruction(f"{name} {', '.join(map(str, operands))}", name, 4)


def lanes(count: int, bits: int, group: int, scratch: str, masked: str = "ma") -> Code:
    """Code that sets the number of lanes.

    bits: the width of a lane.
    group: the length of a group of lanes in eighths of a register.
    scratch: a register that is overwritten.
    masked: the policy for lanes that a mask excludes: `ma` permits any content, `mu` leaves it unchanged.
    """
    multiple = f"m{group // 8}" if group >= 8 else f"mf{8 // group}"
    kind = f"e{bits}", multiple, "ta", masked
    if count <= _MOST_IMMEDIATE_LANES:
        return (op("vsetivli", "zero", count, *kind),)
    return op("li", scratch, count), op("vsetvli", "zero", scratch, *kind)


def moved(pointer: str, distance: int, scratch: str, base: str = "") -> Code:
    """Code that advances a pointer by `distance`, or sets it to `base` plus `distance` if the register `base` is given.

    scratch: a register that is overwritten.
    """
    base = base or pointer
    if distance == 0 and base == pointer:
        return ()
    if abs(distance) <= REACH:
        return (op("addi", pointer, base, distance),)
    return op("li", scratch, distance), op("add", pointer, base, scratch)


def counted(code: Repeated, times: int, register: str, label: int) -> Repeated:
    """A loop of `times` iterations that a register counts.

    label: a number that differs from the labels of enclosing and inner loops.
    """
    end = op("addi", register, register, -1), op("bnez", register, f"{label}b")
    return code.looped((op("li", register, times),), end, times, label)

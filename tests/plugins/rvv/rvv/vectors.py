"""Instructions of the vector extension as records, and the C around them."""

from __future__ import annotations

from tinyml.extend.chips import Code, Instruction, Repeated

HEADER, CORE = "tinyml/cores.h", "TM_CORE == 32 && defined(__riscv_v_min_vlen) && __riscv_v_min_vlen >= 128"
"""The header of kernels, and the condition for their assembly."""

VECTOR = 16
"""The least bytes of a vector register, for which kernels are composed; on longer ones they compute the same."""

REACH = 2047
"""The greatest offset of a scalar load, and the greatest number that an addition contains."""

_MOST_IMMEDIATE_LANES = 31


def op(name: str, *operands: str | int) -> Instruction:
    """An instruction."""
    return Instruction(f"{name} {', '.join(map(str, operands))}", name, 4)


def lanes(count: int, bits: int, group: int, scratch: str, masked: str = "ma") -> Code:
    """Let vectors have a number of lanes. group: the eighths of a register that they fill. scratch: overwritten.

    masked: what becomes of lanes that a mask leaves out, `ma` for anything and `mu` for nothing.
    """
    multiple = f"m{group // 8}" if group >= 8 else f"mf{8 // group}"
    kind = f"e{bits}", multiple, "ta", masked
    if count <= _MOST_IMMEDIATE_LANES:
        return (op("vsetivli", "zero", count, *kind),)
    return op("li", scratch, count), op("vsetvli", "zero", scratch, *kind)


def moved(pointer: str, distance: int, scratch: str, base: str = "") -> Code:
    """Advance a pointer, or set it to a distance from another one. scratch: overwritten."""
    base = base or pointer
    if distance == 0 and base == pointer:
        return ()
    if abs(distance) <= REACH:
        return (op("addi", pointer, base, distance),)
    return op("li", scratch, distance), op("add", pointer, base, scratch)


def counted(code: Repeated, times: int, register: str, label: int) -> Repeated:
    """A loop that a register counts. label: unlike those of the loops around and inside."""
    end = op("addi", register, register, -1), op("bnez", register, f"{label}b")
    return code.looped((op("li", register, times),), end, times, label)

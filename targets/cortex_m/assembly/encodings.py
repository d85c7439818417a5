"""The operands that encodings of Thumb instructions take."""

from __future__ import annotations

from tinyml.targets.cortex_m.assembly.operands import LOW, Address, Operand, is_register, names

REACH, BEFORE, _PAIR = 4095, 255, 1020
"""The greatest offsets of a load or store: upwards, downwards and of post-indexed addresses, and of two registers."""

IMMEDIATE = 0xFFFF
"""The greatest constant that one instruction moves to a register."""

_SLOTS, _BEHIND = 1020, 31
"""The greatest offsets in 16 bits: of stack slots, and, in units of the access, behind a low register."""


def is_constant(value: int) -> bool:
    """True if an instruction can add a number: 12 bits, or eight that are shifted or repeated."""
    low, next = value & 0xFF, value >> 8 & 0xFF
    repeated = value in (low * 0x10001, next * 0x1000100, low * 0x1010101)
    return 0 <= value <= REACH or repeated or (value >> 32 == 0 and value < (value & -value) << 8)


def fits(kind: str, operand: Operand) -> bool:
    """True if an operand is of a kind.

    w, r, u, p: registers; v: a register or a constant; m: a register or a wide constant; i: a wide constant; a: an
    address; d: that of two registers; l, L: lists of registers; c: a condition.
    """
    match operand:
        case Address(base, offset, _, step):
            if isinstance(offset, str):
                return kind == "a" and is_register(base) and is_register(offset)
            distance = step or offset or 0
            if kind == "d":
                return is_register(base) and abs(distance) <= _PAIR and distance % 4 == 0
            return kind == "a" and is_register(base) and -BEFORE <= distance <= (BEFORE if step else REACH)
        case tuple():
            return kind in "lL" and all(map(is_register, names(operand)))
        case str():
            return operand == "eq" if kind == "c" else kind in "wrupvm" and is_register(operand)
        case int():
            return is_constant(operand) if kind == "v" else kind in "mi" and 0 <= operand <= IMMEDIATE


def is_short(form: str, operands: tuple[Operand, ...]) -> bool:
    """True if an encoding of ARMv6-M takes operands.

    l: a low register; h: any; =: the first operand again; sp: itself; a number, or two by a multiplication sign: a
    constant up to the first, a multiple of the second; a1, a2, a4: addresses of as many bytes; x: the sum of two
    registers; list, lr, pc: low registers, with lr or pc.
    """
    kinds = form.split()
    pairs = zip(kinds, operands, strict=False)
    return len(kinds) == len(operands) and all(_is_short(kind, operand, operands[0]) for kind, operand in pairs)


def _is_short(kind: str, operand: Operand, first: Operand) -> bool:
    match operand:
        case Address(base, offset, lsl, step):
            if isinstance(offset, str):
                return kind in ("x", "a1", "a2", "a4") and lsl == 0 and {base, offset} <= LOW
            if kind not in ("a1", "a2", "a4") or step:
                return False
            bytes, distance = int(kind[1]), offset or 0
            most = _SLOTS if base == "sp" else _BEHIND * bytes
            return (base in LOW or (base, bytes) == ("sp", 4)) and 0 <= distance <= most and distance % bytes == 0
        case tuple():
            return kind in ("list", "lr", "pc") and {*names(operand)} <= {*LOW, kind}
        case str():
            return kind == "h" or (kind == "l" and operand in LOW) or operand == (first if kind == "=" else kind)
        case int():
            most, _, of = kind.partition("*")
            return most.isdigit() and 0 <= operand <= int(most) and operand % int(of or 1) == 0

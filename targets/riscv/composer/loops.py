"""Loops whose iterations are known, and loops that end where a pointer has reached an address."""

from __future__ import annotations

from tinyml.targets.composer.lines import Lines
from tinyml.targets.composer.repeated import Repeated
from tinyml.targets.riscv.composer.registers import constant


def counted(code: Repeated, count: int, counter: str, label: int) -> Repeated:
    """Code some times, which a register counts."""
    end = f"addi {counter}, {counter}, -1", f"bnez {counter}, {label}b"
    return code.looped(constant(counter, count), end, count, label)


def until(code: Repeated, pointer: str, end: Lines, at: str, count: int, label: int) -> Repeated:
    """Code until a pointer reaches an address, which is known to be some times.

    end: what brings the address into the register `at`.
    """
    return code.looped((), (*end, f"bne {pointer}, {at}, {label}b"), count, label)


def far_until(code: Repeated, pointer: str, end: Lines, at: str, count: int, label: int) -> Repeated:
    """The same for long code, as conditional branches reach 4 KB only. The next label ends it."""
    leave = f"beq {pointer}, {at}, {label + 1}f", f"j {label}b"
    return code.looped((), (*end, *leave), count, label, skipped=1).then((f"{label + 1}:",))

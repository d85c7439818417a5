"""Loops whose iterations are known, and loops that end where a pointer has reached an address."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tinyml.targets.composer.lines import Lines, instructions, joined
from tinyml.targets.composer.repeated import Repeated
from tinyml.targets.riscv.composer.fetch import scaled
from tinyml.targets.riscv.composer.registers import constant

UNROLLED = 4
"""The elements that stand one after the other in a loop."""

Step = Callable[[int], Lines]
"""The instructions for the element with a number, counted from where the pointers are."""


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


def in_blocks(step: Step, pointers: Mapping[str, int], whole: str, end: str) -> Lines:
    """Runs a step for each element from the first pointer to `whole` in blocks, then one by one to `end`.

    pointers: the bytes by which each moves in a step. whole, end: registers.
    """
    first = next(iter(pointers))
    return joined(
        (f"beq {first}, {whole}, 2f", "1:"),
        *map(step, range(UNROLLED)),
        _behind(pointers, UNROLLED),
        (f"bne {first}, {whole}, 1b", "2:", f"beq {first}, {end}, 4f", "3:"),
        step(0),
        _behind(pointers, 1),
        (f"bne {first}, {end}, 3b", "4:"),
    )


def time_of_step(step: Step, pointers: Mapping[str, int]) -> float:
    """Instructions of a step in a block, and its share of the loop."""
    return instructions(step(0)) + (len(pointers) + 1) / UNROLLED


def time_of_rest(pointers: Mapping[str, int]) -> float:
    """Instructions that a step takes more if it belongs to no block."""
    return (len(pointers) + 1) * (1 - 1 / UNROLLED)


def ends(bits: int, pointer: str, count: str, whole: str, end: str) -> Lines:
    """The addresses at which blocks and all elements from a pointer on end."""
    return joined(
        f"andi {whole}, {count}, -{UNROLLED}",
        scaled(bits, whole, whole),
        f"add {whole}, {whole}, {pointer}",
        scaled(bits, count, end),
        f"add {end}, {end}, {pointer}",
    )


def _behind(pointers: Mapping[str, int], steps: int) -> Lines:
    return tuple(f"addi {pointer}, {pointer}, {steps * bytes}" for pointer, bytes in pointers.items())

"""Loops over columns of matrices, in blocks of several fetches."""

from __future__ import annotations

from tinyml.targets.composer.lines import Lines, joined
from tinyml.targets.composer.repeated import Repeated

UNROLLED = 4
"""The steps of an iteration of an unrolled loop."""


def counted(code: Repeated, count: int, counter: str, label: int) -> Repeated:
    """A loop that a register counts."""
    return code.looped((f"mov {counter}, #{count}",), (f"subs {counter}, #1", f"bne {label}b"), count, label)


def counted_in_memory(code: Repeated, count: int, counter: str, register: str, label: int) -> Repeated:
    """The same with the count in a stack slot. register: a scratch register, free behind an iteration."""
    begin = f"mov {register}, #{count}", f"str {register}, {counter}"
    end = f"ldr {register}, {counter}", f"subs {register}, #1", f"str {register}, {counter}", f"bne {label}b"
    return code.looped(begin, end, count, label)


def repeated(step: Lines, count: int, counter: str, label: int) -> Repeated:
    """A step `count` times, in an unrolled loop where there are many."""
    if count <= 2 * UNROLLED:
        return Repeated.once(step * count)
    loops, rest = divmod(count, UNROLLED)
    return Repeated.once(step * rest).followed_by(counted(Repeated.once(step * UNROLLED), loops, counter, label))


def blocks(step: Lines) -> Lines:
    """Runs a step for every four columns of those that r2 counts, of which it leaves the last ones."""
    return joined("subs r2, r2, #4", "blt 2f", "1:", step, "subs r2, r2, #4", "bge 1b", "2:", "adds r2, r2, #4")


def blocks_by_alignment(aligned: Lines, any: Lines) -> Lines:
    """The same, with another step where the rows, from r0 on and of 2 * r2 bytes, begin at multiples of 4."""
    return joined(
        ("orr r3, r0, r2, lsl #1", "subs r2, r2, #4", "blt 3f", "lsls r3, r3, #30", "bne 2f"),
        ("1:", *aligned, "subs r2, r2, #4", "bge 1b", "b 3f"),
        ("2:", *any, "subs r2, r2, #4", "bge 2b", "3:", "adds r2, r2, #4"),
    )


def single_columns(step: Lines) -> Lines:
    """Runs a step for each column that r2 counts."""
    return joined("cbz r2, 9f", "8:", step, "subs r2, r2, #1", "bne 8b", "9:")


def counted_up(step: Lines, bytes: int) -> Lines:
    """Runs a step until r5, which moves by some bytes, is 0; the flags are those of r5."""
    return joined("beq 2f", "1:", step, f"adds r5, r5, #{bytes}", "bne 1b", "2:")

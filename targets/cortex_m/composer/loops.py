"""Loops over columns of matrices, in blocks of several fetches."""

from __future__ import annotations

from tinyml.targets.cortex_m.composer.assembly import Lines, instructions, joined

UNROLLED = 4
"""The steps that stand one after the other in a loop."""


def counted(step: Lines, counter: str, first: int) -> Lines:
    """Runs a step as often as a register says, which is then zero. first: the number of its first of four labels."""
    again, rest, single, done = range(first, first + 4)
    return joined(
        f"subs {counter}, #{UNROLLED}",
        f"blt {rest}f",
        f"{again}:",
        *[step] * UNROLLED,
        f"subs {counter}, #{UNROLLED}",
        f"bge {again}b",
        f"{rest}:",
        f"adds {counter}, #{UNROLLED}",
        f"beq {done}f",
        f"{single}:",
        step,
        f"subs {counter}, #1",
        f"bne {single}b",
        f"{done}:",
    )


def time_of_step(step: Lines) -> float:
    """Instructions of a step and its share of the loop."""
    return instructions(step) + 2 / UNROLLED


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

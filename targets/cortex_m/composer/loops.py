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

"""Counted loops, and loops over the columns of matrices in blocks of four."""

from __future__ import annotations

from tinyml.targets.composer.instructions import Code, joined
from tinyml.targets.composer.repeated import Repeated
from tinyml.targets.cortex_m.assembly import thumb as t
from tinyml.targets.cortex_m.assembly.operands import Address

UNROLLED = 4
"""The steps of an iteration of an unrolled loop."""


def counted(code: Repeated, count: int, counter: str, label: int) -> Repeated:
    """A loop that a register counts."""
    return code.looped((t.mov(counter, count),), (t.subs(counter, 1), t.bne(back=label)), count, label)


def counted_in_memory(code: Repeated, count: int, counter: Address, register: str, label: int) -> Repeated:
    """A loop that a stack slot counts. register: a scratch register, free at the end of an iteration."""
    begin = t.mov(register, count), t.str_(register, counter)
    end = t.ldr(register, counter), t.subs(register, 1), t.str_(register, counter), t.bne(back=label)
    return code.looped(begin, end, count, label)


def repeated(step: Code, count: int, counter: str, label: int) -> Repeated:
    """A step `count` times: straight-line code for a few, otherwise an unrolled loop."""
    if count <= 2 * UNROLLED:
        return Repeated.once(step * count)
    loops, rest = divmod(count, UNROLLED)
    return Repeated.once(step * rest).followed_by(counted(Repeated.once(step * UNROLLED), loops, counter, label))


def blocks(step: Code) -> Code:
    """Runs a step for every four of the columns that r2 counts; r2 keeps the number of the rest."""
    four = t.subs("r2", "r2", 4)
    return joined(four, t.blt(ahead=2), t.label(1), step, four, t.bge(back=1), t.label(2), t.adds("r2", "r2", 4))


def blocks_by_alignment(aligned: Code, any: Code) -> Code:
    """As `blocks`, with the step `aligned` if the rows, of 2 * r2 bytes each from r0 on, begin at multiples of 4."""
    four = t.subs("r2", "r2", 4)
    return joined(
        (t.orr("r3", "r0", "r2", lsl=1), four, t.blt(ahead=3), t.lsls("r3", "r3", 30), t.bne(ahead=2)),
        (t.label(1), *aligned, four, t.bge(back=1), t.b(ahead=3)),
        (t.label(2), *any, four, t.bge(back=2), t.label(3), t.adds("r2", "r2", 4)),
    )


def single_columns(step: Code) -> Code:
    """Runs a step for each column that r2 counts."""
    return joined(t.cbz("r2", ahead=9), t.label(8), step, t.subs("r2", "r2", 1), t.bne(back=8), t.label(9))


def counted_up(step: Code, bytes: int) -> Code:
    """Runs a step until r5, which advances by `bytes`, is 0; on entry the flags are those of r5."""
    return joined(t.beq(ahead=2), t.label(1), step, t.adds("r5", "r5", bytes), t.bne(back=1), t.label(2))

"""Loops that unpack groups of packed elements in RAM into a plain array."""

from __future__ import annotations

from tinyml.dialects.layouts.packed_bits import group_length
from tinyml.targets.avr.assembly.instructions import statement
from tinyml.targets.avr.composer.fragments.fetch import RAM, next_byte
from tinyml.targets.avr.composer.fragments.packed_fetch import Group
from tinyml.targets.c.composer.elements import copier_head
from tinyml.targets.composer.lines import Lines, joined

_INTO = "r19"


def unpacking(width: int, *, signed: bool) -> Lines:
    """The instructions that unpack a group at X to Z. signed: false for elements without a sign."""
    group = Group(width, next_byte(RAM, "X"), ("r18", "r20"), signed=signed)
    lines: list[str] = []
    for element in range(group_length(width)):
        *low, last = group.fetches(element)
        into = group.keep[0] if group.stays(element) else _INTO
        lines += joined(group.shared(element), *(joined(fetch(_INTO), f"st Z+,{_INTO}") for fetch in low))
        lines += joined(last(into), f"st Z+,{into}")
    return tuple(lines)


def unpacker(name: str, width: int, *, signed: bool) -> str:
    """The function that unpacks groups, for AVR."""
    lines = joined("1:", unpacking(width, signed=signed), "dec %0", "breq 2f", "rjmp 1b", "2:")
    operands = ' : "+r"(groups), "+x"(x), "+z"(to) : : "r18", "r19", "r20", "memory");'
    body = statement(lines).removesuffix(");") + operands
    return f"static TM_UNPACK {copier_head(name, width)}\n{{\n    if (groups == 0)\n        return;\n{body}\n}}\n"

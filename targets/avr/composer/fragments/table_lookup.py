"""Loads of the integers that raws of up to 8 bits encode, from a table in flash.

The middle of the table is the entry of raw 0, in a pair of registers. Z is lost: another pair keeps it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.avr.assembly.instructions import pair
from tinyml.targets.avr.composer.fragments.fetch import Fetch, next_byte
from tinyml.targets.composer.lines import Lines, joined

SAVED = "r12"
"""The first of two registers that keep Z."""
SAVE, RESTORE = f"movw {SAVED},r30", f"movw r30,{SAVED}"


def entry(raw: str, table: str) -> Sequence[Fetch]:
    """The bytes of the entry of a signed byte in a register, the low one first. table: the first of two registers."""
    low, high = pair(table)
    address = (f"lsl {raw}", "sbc r31,r31", f"mov r30,{raw}", f"add r30,{low}", f"adc r31,{high}")
    return [lambda to: joined(address, f"lpm {to},Z+"), _upper]


def entries(table: str) -> Sequence[Fetch]:
    """The same for the next raw of a run in working memory."""
    return [lambda to: joined(next_byte("ram", "X")(to), entry(to, table)[0](to)), _upper]


def _upper(to: str) -> Lines:
    return (f"lpm {to},Z",)

"""Loads of the integers that raws of up to 8 bits encode, from a table in flash.

A register pair holds the address of the middle of the table, the entry of raw 0. Z is overwritten, and saved in another
pair.
"""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.avr.assembly.instructions import pair
from tinyml.targets.avr.composer.fragments.fetch import Fetch, next_byte
from tinyml.targets.composer.lines import Lines, joined

SAVED = "r12"
"""The first of two registers in which Z is saved."""
SAVE, RESTORE = f"movw {SAVED},r30", f"movw r30,{SAVED}"


def entry(raw: str, table: str) -> Sequence[Fetch]:
    """Fetches of the entry for a signed byte in a register, the low byte first. table: the first of two registers."""
    low, high = pair(table)
    address = (f"lsl {raw}", "sbc r31,r31", f"mov r30,{raw}", f"add r30,{low}", f"adc r31,{high}")
    return [lambda to: joined(address, f"lpm {to},Z+"), _upper]


def entries(table: str) -> Sequence[Fetch]:
    """Fetches of the entry for the next raw of a run in RAM, the low byte first."""
    return [lambda to: joined(next_byte("ram", "X")(to), entry(to, table)[0](to)), _upper]


def _upper(to: str) -> Lines:
    return (f"lpm {to},Z",)

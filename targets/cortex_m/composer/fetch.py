"""Fetches of elements into registers: single ones, and four at a time as two words of two signed halfwords each.

Bytes come apart into elements 0 and 2 and elements 1 and 3, as SXTB16 takes them. Both factors of a product need the
same order. Single words may be loaded from any address, pairs of them from multiples of 4 only.
"""

from __future__ import annotations

from tinyml.targets.cortex_m.composer.assembly import Lines

QUAD = 4
"""The elements of a fetch."""

_LOADS = {8: "ldrsb", 16: "ldrsh"}


def next_one(bits: int, pointer: str, to: str) -> Lines:
    """The element at a pointer, which moves on."""
    return (f"{_LOADS[bits]} {to}, [{pointer}], #{bits // 8}",)


def at(bits: int, base: str, offset: str, to: str) -> Lines:
    """The element at an offset in bytes."""
    return (f"{_LOADS[bits]} {to}, [{base}, {offset}]",)


def parted_bytes(load: str, even: str, odd: str) -> Lines:
    """Four bytes that `load` brings into `odd`: elements 0 and 2 into `even`, 1 and 3 into `odd`."""
    return load, f"sxtb16 {even}, {odd}", f"sxtb16 {odd}, {odd}, ror #8"


def halfwords_in_order(pointer: str, first: str, second: str) -> Lines:
    """Four halfwords: elements 0 and 1, then 2 and 3."""
    return tuple(f"ldr {register}, [{pointer}], #4" for register in (first, second))


def halfword_pair(pointer: str, first: str, second: str) -> Lines:
    """The same from a multiple of 4."""
    return (f"ldrd {first}, {second}, [{pointer}], #8",)


def parted_halfwords(pointer: str, even: str, odd: str, spare: str) -> Lines:
    """Four halfwords in the order of parted bytes."""
    return (
        *halfwords_in_order(pointer, odd, spare),
        f"pkhbt {even}, {odd}, {spare}, lsl #16",
        f"pkhtb {odd}, {spare}, {odd}, asr #16",
    )


def pair_of_windows(tile: str, registers: str) -> Lines:
    """Four widened elements of two windows: even and odd ones of the first, then of the second."""
    return (f"ldm {tile}!, {{{registers}}}",)

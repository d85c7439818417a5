"""Fetches of elements into registers, each at a distance from a pointer that stays; loads reach 2 KB."""

from __future__ import annotations

from tinyml.targets.composer.lines import Lines

_LOADS = {8: "lb", 16: "lh", 32: "lw"}


def loaded(bits: int, pointer: str, distance: int, to: str) -> Lines:
    """The signed number at a distance in bytes, of which those of 16 and 32 bits are at multiples of their size."""
    return (f"{_LOADS[bits]} {to}, {distance}({pointer})",)


def unsigned(pointer: str, distance: int, to: str) -> Lines:
    """The unsigned byte at a distance."""
    return (f"lbu {to}, {distance}({pointer})",)


def scaled(bits: int, count: str, to: str) -> Lines:
    """The bytes of a number of elements of 8 or 16 bits."""
    if bits == 16:
        return (f"slli {to}, {count}, 1",)
    return () if to == count else (f"mv {to}, {count}",)

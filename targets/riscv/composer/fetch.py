"""Fetches of elements into registers, each at a distance from a pointer that stays; loads reach 2 KB."""

from __future__ import annotations

from tinyml.targets.composer.lines import Lines

_LOADS = {8: "lb", 16: "lh"}


def byte(pointer: str, distance: int, to: str) -> Lines:
    """The signed byte at a distance."""
    return (f"lb {to}, {distance}({pointer})",)


def word(pointer: str, distance: int, to: str) -> Lines:
    """The word at a distance, from a multiple of 4."""
    return (f"lw {to}, {distance}({pointer})",)


def element(bits: int, pointer: str, number: int, to: str) -> Lines:
    """The element with a number."""
    return (f"{_LOADS[bits]} {to}, {number * bits // 8}({pointer})",)


def scaled(bits: int, count: str, to: str) -> Lines:
    """The bytes of a number of elements."""
    if bits == 16:
        return (f"slli {to}, {count}, 1",)
    return () if to == count else (f"mv {to}, {count}",)

"""Fetches of elements into registers, each at a distance from a pointer."""

from __future__ import annotations

from tinyml.targets.composer.lines import Lines


def byte(pointer: str, distance: int, to: str) -> Lines:
    """The signed byte at a distance."""
    return (f"lb {to}, {distance}({pointer})",)


def word(pointer: str, distance: int, to: str) -> Lines:
    """The word at a distance, from a multiple of 4."""
    return (f"lw {to}, {distance}({pointer})",)

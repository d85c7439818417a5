"""Fetches of elements into registers: four at a time, as two words of two signed halfwords each.

Bytes come apart into elements 0 and 2 and elements 1 and 3, as SXTB16 takes them. Both factors of a product need the
same order.
"""

from __future__ import annotations

from tinyml.targets.cortex_m.composer.assembly import Lines

QUAD = 4
"""The elements of a fetch."""

TILE_BYTES = 16
"""The bytes of four elements of two windows once they are widened."""


def parted_bytes(load: str, even: str, odd: str) -> Lines:
    """Four bytes that `load` brings into `odd`: elements 0 and 2 into `even`, 1 and 3 into `odd`."""
    return load, f"sxtb16 {even}, {odd}", f"sxtb16 {odd}, {odd}, ror #8"


def pair_of_windows(tile: str, registers: str) -> Lines:
    """Four widened elements of two windows: even and odd ones of the first, then of the second."""
    return (f"ldm {tile}!, {{{registers}}}",)

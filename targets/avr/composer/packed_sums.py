"""The choice of the AVR kernel for sums with packed or coded weights. `compose.py` generates its code."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from tinyml.dialects.formats.number_format import INTEGER, TABLE
from tinyml.dialects.layouts.packed_bits import GAP_BITS, WIDTHS
from tinyml.targets.avr.assembly import FAR_FLASH, FLASH, RAM
from tinyml.targets.avr.boards import MUL
from tinyml.targets.kernel import Kernel

_FETCHED = (1, 2, 4, 6, 9, 10, 12)
"""The widths of elements that can be fetched from RAM by their index."""


@cache
def compose(wanted: Kernel) -> Kernel | None:
    """The kernel that computes the sums described by `wanted`; None if AVR has no such kernel."""
    return _composed(wanted, FLASH if wanted.flash else RAM)


@cache
def compose_far(wanted: Kernel) -> Kernel | None:
    """The kernel that computes the sums described by `wanted` with weights anywhere in flash; None if AVR has no such
    kernel.

    There are no kernels with tables, because LPM reads the tables and overwrites Z.
    """
    return _composed(wanted, FAR_FLASH) if wanted.flash and TABLE not in wanted.codings else None


def _composed(wanted: Kernel, memory: str) -> Kernel | None:
    # Kernels of the list take elements of whole bytes in RAM; others are decoded first.
    if (wanted.flash is False and wanted.weights % 8 == 0) or not {*wanted.codings} <= {INTEGER, TABLE}:
        return None
    coded = TABLE in wanted.codings
    bytes = wanted.weights <= 8 and wanted.vector == 8 and not coded
    if wanted.sum not in ((16, 24, 32) if bytes else (32,)):
        return None
    whole = wanted.vector in (8, 16)
    if wanted.op == "num.dot" and whole and (_has_tables(wanted) if coded else wanted.weights in WIDTHS):
        from tinyml.targets.avr.composer.compose import dense_dot

        return replace(dense_dot(replace(wanted, gaps=0), memory), needs=MUL)
    near = wanted.op == "num.sparse_dot" and not coded and wanted.weights in (*WIDTHS, 8, 16)
    if near and wanted.flash and (whole or wanted.vector in _FETCHED):
        from tinyml.targets.avr.composer.compose import near_dot

        return replace(near_dot(replace(wanted, gaps=GAP_BITS), memory), needs=MUL)
    return None


def _has_tables(wanted: Kernel) -> bool:
    """True if tables can decode the weights and, if it is coded, the vector: their raws have at most 8 bits."""
    return wanted.codings[0] == TABLE and wanted.weights <= 8 and (wanted.codings[1] == INTEGER or wanted.vector == 8)

"""The composed kernels of AVR: products of packed and coded weights."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from tinyml.dialects.formats.number_format import INTEGER, TABLE
from tinyml.dialects.layouts.packed_bits import GAP_BITS, WIDTHS
from tinyml.targets.avr.boards import MUL
from tinyml.targets.avr.composer.fragments.packed_fetch import FETCHED
from tinyml.targets.avr.composer.sums.packed_rows import dense_dot, near_dot
from tinyml.targets.avr.composer.sums.unpack import unpacker
from tinyml.targets.c.composer.elements import element_function
from tinyml.targets.kernel import ElementFunction, Kernel


@cache
def compose(wanted: Kernel) -> Kernel | None:
    """The kernel for a description without a name; None if there is none."""
    # Elements of whole bytes in RAM have kernels in the list, or are decoded before.
    if (wanted.flash is False and wanted.weights % 8 == 0) or not {*wanted.codings} <= {INTEGER, TABLE}:
        return None
    coded = TABLE in wanted.codings
    bytes = wanted.weights <= 8 and wanted.vector == 8 and not coded
    if wanted.sum not in ((16, 24, 32) if bytes else (32,)):
        return None
    whole = wanted.vector in (8, 16)
    if wanted.op == "num.dot" and whole and (_has_tables(wanted) if coded else wanted.weights in WIDTHS):
        return replace(dense_dot(replace(wanted, gaps=0)), needs=MUL)
    near = wanted.op == "num.sparse_dot" and not coded and wanted.weights in (*WIDTHS, 8, 16)
    if near and wanted.flash and (whole or wanted.vector in FETCHED):
        return replace(near_dot(replace(wanted, gaps=GAP_BITS)), needs=MUL)
    return None


def _has_tables(wanted: Kernel) -> bool:
    """True if the raws of weights, and those of a coded vector, have at most 8 bits."""
    return wanted.codings[0] == TABLE and wanted.weights <= 8 and (wanted.codings[1] == INTEGER or wanted.vector == 8)


def functions(function: ElementFunction) -> str:
    """The text of a function of packed elements; on AVR, functions that unpack groups are assembly loops."""
    text = element_function(function)
    if function.kind != "unpack":
        return text
    loop = unpacker(function.symbol, function.bits, signed=function.signed)
    return f"#ifdef __AVR__\n{loop}#else\n{text}#endif\n"

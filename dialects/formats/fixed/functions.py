"""Functions of fixed-point numbers, by look-up tables sized for the pair of formats.

A small domain is a table of results; a large one is interpolated linearly in the smallest table that is accurate
enough; exp with a result of more than 16 bits takes SeeDot's two tables, at a larger size than SeeDot's; a logarithm is
that of a power of two plus one between 1 and 2. The device never divides. The schemes of the literature are available
for comparison.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from tinyml.dialects.formats.fixed.domains import Domain, FixedFunction
from tinyml.dialects.formats.fixed.published_functions import PUBLISHED, SCHEMES
from tinyml.dialects.formats.fixed.tables import (
    ENTRY_BITS,
    LOG_FRAC,
    DirectTable,
    Interpolation,
    Logarithm,
    TwoTableExp,
)
from tinyml.dialects.formats.number_format import Function
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int
from tinyml.dialects.machine.real_functions import REAL_FUNCTIONS, exactly

if TYPE_CHECKING:
    from tinyml.dialects.formats.scaled_integer import ScaledInteger

DIRECT_ENTRIES = 256
"""Domains of at most this many arguments are a table of results."""

SHARE_OF_RESULT = 1 / 16
"""Error that an interpolation may add to the rounding of the result, in units in the last place of the result..."""

SHARE_OF_ARGUMENT = 1 / 32
"""...or, if that is more, as a share of the change over one unit in the last place of the argument..."""

ENTRY_UNITS = 1.5
"""...or in units in the last place of its entries, whose own rounding takes half a unit twice."""

EXP_INDEX_BITS = 7
"""T of the two tables; SeeDot's 6 quadruples the error."""


def is_in_integers(function: Function, result: ScaledInteger) -> bool:
    """True if a function with a result of some format is computed without floats."""
    if function == "log":
        return result.stored_width <= ENTRY_BITS and result.frac.data <= LOG_FRAC
    return result.stored_width <= REAL_FUNCTIONS[function].widest


@lru_cache
def fixed_function(
    function: Function, source: ScaledInteger, result: ScaledInteger, scheme: str | None
) -> FixedFunction:
    """The program for a function between two formats, by a scheme of the literature or, for None, as suits them
    best."""
    domain = Domain(function, source, result)
    if scheme is not None and function in PUBLISHED:
        return SCHEMES[scheme](domain)
    if domain.size <= DIRECT_ENTRIES:
        return DirectTable(domain)
    if function == "log":
        return Logarithm(domain)
    if function == "exp" and result.stored_width > ENTRY_BITS:
        return TwoTableExp(domain, EXP_INDEX_BITS)
    return _smallest_interpolation(domain)


def _smallest_interpolation(domain: Domain) -> Interpolation:
    """The interpolation with the least sufficient scale, found by bisection: more segments make a smaller error."""
    frac = domain.result.frac.data
    argument = math.ldexp(domain.steepest, frac - domain.source.frac.data)
    entry = math.ldexp(1.0, frac - Interpolation(domain, 1).frac)
    wanted = 0.5 + max(SHARE_OF_RESULT, SHARE_OF_ARGUMENT * argument, ENTRY_UNITS * entry)
    low, high = 1, Interpolation.greatest_scale(domain)
    while low < high:
        middle = (low + high) // 2
        if greatest_error(Interpolation(domain, middle), domain) <= wanted:
            high = middle
        else:
            low = middle + 1
    return Interpolation(domain, low)


def greatest_error(function: FixedFunction, domain: Domain) -> float:
    """The greatest error in units in the last place of the result, against the exact function clamped to its range."""
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

    x = domain.arguments().astype(domain.source.dtype)
    raws = function.apply(NumpyMachine(), Int(x, domain.source.stored_width, domain.first, domain.last)).value
    exact = np.ldexp(exactly(domain.function, domain.source.decode(x)), domain.result.frac.data)
    return float(np.abs(raws - np.clip(exact, *domain.result.limits)).max())

"""exp, tanh and sigmoid of fixed-point numbers by look-up tables, which the compiler sizes for the pair of formats.

Few arguments are one table of results, many are straight lines between the entries of the smallest table that is good
enough, and exp with a result of more than 16 bits is SeeDot's two tables, larger than SeeDot's own. Nothing is divided
on the device. The schemes of the literature are there to be compared with.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from tinyml.dialects.formats.fixed.domains import Domain, FixedFunction
from tinyml.dialects.formats.fixed.published_functions import SCHEMES
from tinyml.dialects.formats.fixed.tables import ENTRY_BITS, DirectTable, Interpolation, TwoTableExp
from tinyml.dialects.formats.number_format import Function
from tinyml.dialects.machine.lazy_numpy import np
from tinyml.dialects.machine.machine import Int
from tinyml.dialects.machine.real_functions import exactly

if TYPE_CHECKING:
    from tinyml.dialects.formats.scaled_integer import ScaledInteger

DIRECT_ENTRIES = 256
"""A domain of so few arguments is one table of results."""

SHARE_OF_RESULT = 1 / 16
"""Beside the rounding of the result, an interpolation may err by this share of a unit of the result's last place..."""

SHARE_OF_ARGUMENT = 1 / 32
"""...by this share of what a unit of the argument's last place changes, if that is more..."""

ENTRY_UNITS = 1.5
"""...and by so many units of the last place of its entries, whose own rounding takes half of one twice."""

EXP_INDEX_BITS = 7
"""T of the two tables; SeeDot takes 6, which quadruples the error."""


@lru_cache
def fixed_function(
    function: Function, source: ScaledInteger, result: ScaledInteger, scheme: str | None
) -> FixedFunction:
    """The program for a function between two formats, by a scheme of the literature or (None) by what suits them."""
    domain = Domain(function, source, result)
    if scheme is not None:
        return SCHEMES[scheme](domain)
    if domain.size <= DIRECT_ENTRIES:
        return DirectTable(domain)
    if function == "exp" and result.stored_width > ENTRY_BITS:
        return TwoTableExp(domain, EXP_INDEX_BITS)
    return _smallest_interpolation(domain)


def _smallest_interpolation(domain: Domain) -> Interpolation:
    """The least scale that is good enough, found by halving: the more segments, the smaller the error."""
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
    """In units of the result's last place, against the exact function limited to what the result can hold."""
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

    x = domain.arguments().astype(domain.source.dtype)
    raws = function.apply(NumpyMachine(), Int(x, domain.source.stored_width, domain.first, domain.last)).value
    exact = np.ldexp(exactly(domain.function, domain.source.decode(x)), domain.result.frac.data)
    return float(np.abs(raws - np.clip(exact, *domain.result.limits)).max())

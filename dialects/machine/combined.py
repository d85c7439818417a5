"""Sums of products and numbers in formats that round after each step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat, Term
    from tinyml.dialects.machine.machine import Machine

V = TypeVar("V")


def combined_in_order(result: NumberFormat, m: Machine[V], terms: Sequence[Term[V]]) -> V:
    """The sum of at least one term in a format, each product and each partial sum rounded into it."""
    total: V | None = None
    for sign, factors in terms:
        (value, format), *others = factors
        for other, of_other in others:
            value, format = result.mul(m, value, format, other, of_other), result
        if total is None:
            total = result.neg(m, value, format) if sign < 0 else result.recode(m, value, format)
        else:
            total = (result.sub if sign < 0 else result.add)(m, total, result, value, format)
    assert total is not None
    return total

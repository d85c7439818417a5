"""Sums of a few signed products of exact numbers, some of them standard posits, rounded once.

They are sums of two numbers, differences, products and negations. The sums are computed in a quire.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, TypeVar

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.exact.numbers import ExactNumbers
from tinyml.dialects.formats.number_format import Factor, NumberFormat, Product
from tinyml.dialects.formats.posit.parts import parts_of
from tinyml.dialects.formats.posit.quire import quire_for, quire_of
from tinyml.dialects.formats.posit.quire_steps import Add, MultiplyAdd
from tinyml.dialects.machine.machine import Machine

V = TypeVar("V")

SignedProduct: TypeAlias = "tuple[int, Sequence[tuple[V, NumberFormat]]]"
"""A sign, and the factors of a product, each with its format."""


def combined(m: Machine[V], terms: Sequence[SignedProduct[V]], result: NumberFormat) -> V:
    """The exact sum of signed products, rounded once to `result`; its `undefined` if a factor is NaR.

    In a sum with products, a single number is multiplied by 1.

    Raises `InputError` for a product of more than two factors.
    """
    if all(len(factors) == 1 for _, factors in terms):
        numbers = [(sign, *factors[0]) for sign, factors in terms]
        quire = quire_of([format for _, _, format in numbers])
        total = quire.zero(m)
        for sign, value, format in numbers:
            total = m.perform(Add(quire, parts_of(format), sign < 0), total, value)
        return result.finish(m, total, quire, None)
    if any(len(factors) > 2 for _, factors in terms):
        raise InputError("a sum in a quire has no products of more than two factors: round a product first")
    one = m.int_constant(1, 8), ExactNumbers.INTEGERS(8, 0)
    products = [(sign, factors[0], factors[1] if len(factors) > 1 else one) for sign, factors in terms]
    quire = quire_for([Product(1, Factor(lhs), Factor(rhs)) for _, (_, lhs), (_, rhs) in products])
    total = quire.zero(m)
    for sign, (lhs, of_lhs), (rhs, of_rhs) in products:
        total = m.perform(MultiplyAdd(quire, parts_of(of_lhs), parts_of(of_rhs), sign < 0), total, lhs, rhs)
    return result.finish(m, total, quire, None)

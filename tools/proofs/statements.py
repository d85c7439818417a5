"""The statements about a format: every op on its numbers, at the scales that some ranges of values require.

Operands and results have formats of one family. Each format is fitted to one of `RANGES`. Sums have the accumulators
that the family chooses for some lengths.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import NamedTuple

from xdsl.dialects.builtin import f32, i8
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import num
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import Factor, NumberFormat, Product
from tinyml.dialects.formats.specification import RoundedOnce, Specification
from tinyml.dialects.machine.machine import limits
from tinyml.tools.proofs.op_meanings import TABLE_RAWS, ascending
from tinyml.tools.proofs.op_statements import OpStatement, statement
from tinyml.tools.proofs.proving import Domain

RANGES = ((-1.0, 1.0), (0.0, 0.1), (-7.5, 6.0), (-100.0, 90.0))
"""The ranges of values for which formats are fitted."""

CLAMPS = ((0.0, None), (0.0, 6.0), (-1.0, 0.3), (-1.0e9, 1.0e9), (1.0e9, None))
THRESHOLDS = (0.0, 0.3, 0.7, -1.7, 1.0e9, -1.0e9)
CONSTANTS = (0.0, 1.0, -1.0, 0.5, 0.3, 1 / 3, -0.0625, 2.5, -7.5, 100.0, 1.0e9, -1.0e9)
LENGTHS = (1, 9, 784)
"""Lengths of sums of products."""

COUNTS = (3, 4, 9, 49, 100)
"""Numbers of elements of averages."""

SHIFTS = (0, 1, 5, 7, 8, 15, 16, 31, 46)
"""Shift amounts of sums, limited to the amounts that formats support."""

NEAR_RANGE = (-2.0, 2.0)
"""The range whose format has half the scale of the format for the first of `RANGES`, if formats have scales."""

POWERS = (1, 4)
"""Exponents of the factors of `num.scale`."""


class Known(NamedTuple):
    """A format and its documented specification."""

    format: NumberFormat
    documented: Specification

    @property
    def operand(self) -> tuple[Attribute, Domain]:
        return self.format.type, self.documented.raws

    def __str__(self) -> str:
        return str(self.format.type)


def fitted(format: NumberFormat, ranges: Sequence[tuple[float, float]]) -> list[Known]:
    """The formats of the given format's class and width for some ranges. Formats without documented meanings are
    omitted.
    """
    formats = {
        candidate.type: candidate
        for candidate in (format.for_range(*ends) for ends in ranges)
        if type(candidate) is type(format)
    }
    return [
        Known(candidate, documented)
        for candidate in formats.values()
        if (documented := candidate.specification) is not None
    ]


def variants(format: NumberFormat) -> list[Known]:
    """The formats of the given format's class and width for `RANGES`, or a single format if it does not depend on a
    range.

    Formats without documented meanings are omitted.
    """
    if (formats := fitted(format, RANGES)) or (documented := format.specification) is None:
        return formats
    return [Known(format, documented)]


def statements(format: NumberFormat) -> Iterator[OpStatement]:
    """Yield all statements about a format; raises `InputError` for a format without documented meanings."""
    if not (formats := variants(format)):
        raise InputError(f"{format.type} has no `specification` that could be proved")
    narrowest = [known for known in variants(format.candidates[0])[-1:] if known.format.bits != format.bits]
    near = [known for known in fitted(format, [NEAR_RANGE]) if known not in formats]
    for lhs, rhs, result in product(formats, repeat=3):
        yield from binary(lhs, rhs, result)
    for lhs, rhs in product(narrowest, formats):
        yield from binary(lhs, rhs, formats[0])
        yield from binary(rhs, formats[-1], lhs)
    for known, first in product(near, formats[:1]):
        yield from unary(first, known)
        yield from unary(known, first)
        yield from binary(first, known, first)
        yield from binary(known, first, known)
        yield from binary(first, first, known)
    for source, result in product([*formats, *narrowest], repeat=2):
        yield from unary(source, result)
        yield from functions(source, result)
    for known in formats:
        yield from comparisons(known)
        yield from constants(known)
        yield from (scaled(known, exponent) for exponent in POWERS)
    for source, result in product(formats, repeat=2):
        yield from averages(source, result)
    for result in formats:
        yield from combined(formats[0], formats[-1], result)
    for lhs, rhs in product(formats, repeat=2):
        yield from continued(lhs, rhs)
    for place, (lhs, rhs) in enumerate(combinations_with_replacement(formats, 2)):
        results = formats if place == 0 else [formats[place % len(formats)]]
        for result, length in product(results, LENGTHS):
            yield from sums(lhs, rhs, result, length)


def binary(lhs: Known, rhs: Known, result: Known) -> Iterator[OpStatement]:
    """Yield statements about the sum, the difference and the product."""
    for op in (num.AddOp, num.SubOp, num.MulOp):
        yield statement(
            f"{lhs}, {rhs} -> {result}",
            lambda x, op=op: op(x[0], x[1], result.format.type),
            [lhs.operand, rhs.operand],
        )


def unary(source: Known, result: Known) -> Iterator[OpStatement]:
    """Yield statements about negation and conversion."""
    for op in (num.NegOp, num.ConvertOp):
        yield statement(f"{source} -> {result}", lambda x, op=op: op(x[0], result.format.type), [source.operand])


FUNCTIONS = (num.ExpOp, num.TanhOp, num.SigmoidOp, num.ErfOp, num.LogOp, num.SoftplusOp)


def functions(source: Known, result: Known) -> Iterator[OpStatement]:
    """Yield statements about functions with so few arguments that they are tables."""
    if len(source.documented.raws) <= TABLE_RAWS and isinstance(source.documented, RoundedOnce):
        for op in FUNCTIONS:
            yield statement(f"{source} -> {result}", lambda x, op=op: op(x[0], result.format.type), [source.operand])


def comparisons(known: Known) -> Iterator[OpStatement]:
    """Yield statements about clamps to reals, comparisons with reals and with numbers of the format, extremes, and the
    step function.
    """
    for low, high in CLAMPS:
        yield statement(
            f"{known} to [{low:g}, {high}]", lambda x, low=low, high=high: num.ClampOp(x[0], low, high), [known.operand]
        )
    for threshold in THRESHOLDS:
        yield statement(
            f"{known} with {threshold:g}", lambda x, real=threshold: num.AtLeastOp(x[0], real), [known.operand]
        )
    yield statement(f"{known}", lambda x: num.GreaterOp(x[0], x[1]), [known.operand, known.operand])
    for extreme in (num.MaximumOp, num.MinimumOp):
        yield statement(
            f"{known}", lambda x, op=extreme: op(x[0], x[1], known.format.type), [known.operand, known.operand]
        )
    yield statement(f"{known}", lambda x: num.StepOp(x[0], known.format.type), [known.operand])


def constants(known: Known) -> Iterator[OpStatement]:
    """Yield statements about reals that are rounded at compile time."""
    for real in CONSTANTS:
        yield statement(f"{real:g} -> {known}", lambda x, real=real: num.ConstantOp(real, known.format.type), [])


def scaled(known: Known, exponent: int) -> OpStatement:
    """The statement about the product with 2^exponent, for operands whose product is in range.

    A format for constant factors represents 2^exponent.
    """
    factor = known.format.for_range(0.0, math.ldexp(1.5, exponent))
    power, documented = factor.specification, known.documented
    assert power is not None
    raws, order = ascending(documented), documented.order
    most = documented.number(raws[-1]) / (1 << exponent)
    first = raws[bisect_left(raws, -most, key=documented.number)]
    last = raws[bisect_right(raws, most, key=documented.number) - 1]
    return statement(
        f"{known} by {1 << exponent}",
        lambda x: num.ScaleOp(x[0], x[1], known.format.type),
        [known.operand, (factor.type, [power.nearest(Fraction(1 << exponent))])],
        assumed=lambda x: (order(x[0]) <= order(last)) & (order(x[0]) >= order(first)),
    )


def averages(source: Known, result: Known) -> Iterator[OpStatement]:
    """Yield statements about totals of numbers and averages; yield nothing for formats whose totals are floats."""
    type, raws = source.operand
    low, high = raws[0], raws[-1]
    for count in COUNTS:
        if (total := source.format.total(count)) == f32:
            return
        if source.format == result.format:
            yield statement(
                f"{count} of {source}",
                lambda x: num.TallyOp(x[0], x[1]),
                [(total, range((count - 1) * low, (count - 1) * high + 1)), (type, raws)],
            )
        for op in (num.AverageOp, num.MeanOp):
            yield statement(
                f"{count} of {source} -> {result}",
                lambda x, op=op, count=count: op(x[0], count, source.format, result.format.type),
                [(total, range(count * low, count * high + 1))],
            )


def combined(lhs: Known, rhs: Known, result: Known) -> Iterator[OpStatement]:
    """Yield statements about x * y - z, rounded once; formats that round each step have separate statements for the
    steps.
    """
    if isinstance(result.documented, RoundedOnce):
        yield statement(
            f"x * y - z of {lhs}, {rhs}, {lhs} -> {result}",
            lambda x: num.CombineOp(x, [2, -1], result.format.type),
            [lhs.operand, rhs.operand, lhs.operand],
        )


def continued(lhs: Known, rhs: Known) -> Iterator[OpStatement]:
    """Yield statements about exact sums that are continued in finer units, added with a left shift, or shifted.

    Yields nothing for a format that rounds each step, and if the sums of `rhs` cannot continue those of `lhs`.
    """
    coarse, fine = (known.format.accumulator(known.format, known.format, None) for known in (lhs, rhs))
    if not isinstance(lhs.documented, RoundedOnce) or not fine.follows(coarse):
        return
    low, high = limits(fine.bits)
    domain = range(low, high + 1)
    yield statement(f"{coarse.type} -> {fine.type}", lambda x: num.AlignOp(x[0], fine.type), [(coarse.type, domain)])
    for places in (places for places in SHIFTS if places < fine.bits):
        shift = (i8, [places])
        sum = (fine.type, domain)
        yield statement(f"{fine.type} by {places}", lambda x: num.ShiftOp(x[0], x[1]), [sum, shift])
        yield statement(f"{fine.type} by {places}", lambda x: num.AddShiftedOp(x[0], x[1], x[2]), [sum, sum, shift])


def sums(lhs: Known, rhs: Known, result: Known, length: int) -> Iterator[OpStatement]:
    """Yield statements about a sum of `length` products: its start, each addition, and the final rounding.

    Yields nothing if no accumulator can represent the sum.
    """
    terms = [Product(length, Factor(lhs.format), Factor(rhs.format))]
    try:
        bound = result.format.sum_bound(terms)
        accumulator = result.format.accumulator_for(terms[0], bound)
        if bound is not None:
            accumulator = result.format.accumulator(lhs.format, rhs.format, bound)
    except (InputError, VerifyException):
        return
    (low, high), unit = _products(lhs, rhs), lhs.documented.unit_of_products(rhs.documented)
    products, sum = f"{length} products of {lhs} and {rhs}", accumulator.type
    assert accumulator.sum_unit == unit, f"{sum} has not the unit of {products}"
    yield statement(f"{sum}", lambda x: num.ZeroOp(sum), [])
    if accumulator.starts(result.format):
        yield statement(f"{result} -> {sum}", lambda x: num.StartOp(x[0], sum), [result.operand])
    yield statement(
        f"{products} in {sum}",
        lambda x: num.MacOp(x[0], x[1], x[2]),
        [(sum, range((length - 1) * low, (length - 1) * high + 1)), lhs.operand, rhs.operand],
    )
    yield statement(
        f"{products} in {sum} -> {result}",
        lambda x: num.FinishOp(x[0], result.format.type, bound),
        [(sum, range(length * low, length * high + 1))],
        cuts=result.documented.cuts_of_sums(unit),
    )


def _products(lhs: Known, rhs: Known) -> tuple[int, int]:
    """Two products of a number in each format: the least product or 0, whichever is less, and the greatest product or
    0, whichever is greater.
    """
    raws = [
        [raw for raw in (known.documented.raws[0], -1, 0, known.documented.raws[-1]) if raw in known.documented.raws]
        for known in (lhs, rhs)
    ]
    products = [lhs.documented.product(a, b, rhs.documented) for a, b in product(*raws)]
    return min(0, *products), max(0, *products)

"""The documented meaning of `num` ops as functions of their operands' raws, from the specifications of the formats."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, singledispatch
from typing import Any, TypeAlias, cast

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute

from tinyml.dialects import num
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.formats.specification import RoundedOnce, Specification
from tinyml.dialects.machine.exact_integers import Number, choose, entry
from tinyml.dialects.machine.machine import limits
from tinyml.tools.proofs.exact_functions import exactly
from tinyml.tools.proofs.proving import Documented
from tinyml.tools.proofs.reading import within

TABLE_RAWS = 256
"""Functions of at most this many raws are tables of nearest raws."""

SORTED_RAWS = 1 << 8
"""Formats with more numbers than this have raws in the order of the numbers."""


class Undocumented(Exception):
    """Raised for an op whose meaning no specification defines. The message contains the name of the op."""


Nullary: TypeAlias = Callable[[], Number]
Unary: TypeAlias = Callable[[Number], Number]
Binary: TypeAlias = Callable[[Number, Number], Number]
Ternary: TypeAlias = Callable[[Number, Number, Number], Number]
"""The documented result of an op as a function of the raws of its operands, in the order of the operands."""


def meaning_of(op: num.NumOp) -> Documented:
    """The documented result of an op; raises `Undocumented` if there is none."""
    meaning = _meaning(op)
    return lambda raws: meaning(*raws)


@singledispatch
def _meaning(op: num.NumOp) -> Callable[..., Number]:
    raise Undocumented(f"{op.name} has no statement")


@_meaning.register(num.AddOp)
@_meaning.register(num.SubOp)
@_meaning.register(num.MulOp)
@_meaning.register(num.ScaleOp)
def _(op: num.AddOp | num.SubOp | num.MulOp | num.ScaleOp) -> Binary:
    lhs, rhs, result = (documented_by(value.type) for value in (op.lhs, op.rhs, op.result))
    methods = {num.AddOp: result.add, num.SubOp: result.sub, num.MulOp: result.mul, num.ScaleOp: result.mul}
    combined = methods[type(op)]
    return lambda x, y: combined(x, lhs, y, rhs)


@_meaning.register
def _(op: num.NegOp) -> Unary:
    source, result = documented_by(op.input.type), documented_by(op.result.type)
    return lambda x: result.neg(x, source)


@_meaning.register
def _(op: num.ConvertOp) -> Unary:
    source, result = documented_by(op.input.type), documented_by(op.result.type)
    if op.input.type == op.result.type:
        return lambda x: x
    _same_family(op.input.type, op.result.type)
    return lambda x: result.converted(x, source)


@_meaning.register
def _(op: num.ConstantOp) -> Nullary:
    raw = documented_by(op.result.type).nearest(Fraction(op.value.value.data))
    return lambda: raw


@_meaning.register
def _(op: num.ClampOp) -> Unary:
    documented, (low, high) = documented_by(op.input.type), op.limits
    order, least = documented.order, documented.nearest(Fraction(low))
    greatest = None if high is None else documented.nearest(Fraction(high))

    def clamp(x: Number) -> Number:
        below = x if greatest is None else choose(order(x) > order(greatest), greatest, x)
        return choose(order(x) < order(least), least, below)

    return clamp


@_meaning.register
def _(op: num.AtLeastOp) -> Unary:
    return _compared(documented_by(op.input.type), op.threshold.value.data, bisect_left)


@_meaning.register
def _(op: num.GreaterOp) -> Binary:
    if accumulator_of(op.lhs.type) is not None:
        return lambda x, y: x > y
    order = documented_by(op.lhs.type).order
    return lambda x, y: order(x) > order(y)


@_meaning.register(num.MaximumOp)
@_meaning.register(num.MinimumOp)
def _(op: num.MaximumOp | num.MinimumOp) -> Binary:
    lhs, rhs, result = (documented_by(value.type) for value in (op.lhs, op.rhs, op.result))
    _same_family(op.lhs.type, op.rhs.type, op.result.type)
    is_minimum = isinstance(op, num.MinimumOp)

    def extreme(x: Number, y: Number) -> Number:
        x, y = result.converted(x, lhs), result.converted(y, rhs)
        less, greater = (x, y) if is_minimum else (y, x)
        return choose(result.order(y) > result.order(x), less, greater)

    return extreme


@_meaning.register
def _(op: num.StepOp) -> Unary:
    is_positive = _compared(documented_by(op.input.type), 0.0, bisect_right)
    zero, one = (documented_by(op.result.type).nearest(Fraction(real)) for real in (0, 1))
    return lambda x: choose(is_positive(x), one, zero)


@_meaning.register
def _(op: num.TallyOp) -> Binary:
    value = documented_by(op.value.type)
    return lambda sum, x: value.tallied(sum, x)


@_meaning.register(num.AverageOp)
@_meaning.register(num.MeanOp)
def _(op: num.AverageOp | num.MeanOp) -> Unary:
    source, result, count = documented_by(op.of), documented_by(op.result.type), op.count.value.data
    quotient = result.average if isinstance(op, num.AverageOp) else result.mean
    return lambda sum: quotient(sum, count, source)


@_meaning.register
def _(op: num.CombineOp) -> Callable[..., Number]:
    """The sum of all terms, rounded once.

    Raises `Undocumented` for formats that round each step; they have separate statements for the steps.
    """
    result = documented_by(op.result.type)
    factors = [documented_by(factor.type) for factor in op.factors]
    if not isinstance(result, RoundedOnce) or not all(isinstance(factor, RoundedOnce) for factor in factors):
        raise Undocumented(f"{op.name} of {op.result.type} is rounded step by step")
    terms: list[tuple[int, Sequence[int]]] = num.grouped_factors(range(len(factors)), op.counts)

    def combine(*raws: Number) -> Number:
        return result.combined([(sign, [(raws[place], factors[place]) for place in places]) for sign, places in terms])

    return combine


@_meaning.register
def _(op: num.ZeroOp) -> Nullary:
    return lambda: 0


@_meaning.register
def _(op: num.MacOp) -> Ternary:
    lhs, rhs = documented_by(op.lhs.type), documented_by(op.rhs.type)
    return lambda sum, x, y: sum + lhs.product(x, y, rhs)


@_meaning.register
def _(op: num.StartOp) -> Unary:
    value = rounded_once_by(op.value.type)
    left = _scale(op.result.type) - value.scale
    return lambda x: value.integer(x) * (1 << left)


@_meaning.register
def _(op: num.AlignOp) -> Unary:
    left = _scale(op.result.type) - _scale(op.sum.type)
    return lambda sum: sum * (1 << left)


@_meaning.register
def _(op: num.ShiftOp) -> Binary:
    return lambda sum, places: sum // (1 << places)


@_meaning.register
def _(op: num.AddShiftedOp) -> Ternary:
    return lambda sum, term, places: sum + term * (1 << places)


@_meaning.register
def _(op: num.FunctionOp) -> Unary:
    """The raw nearest to the function's value, for a function that is tabulated.

    Raises `Undocumented` for a function that is interpolated, because its argument has too many raws or its scheme
    requires this.
    """
    source, result = rounded_once_by(op.input.type), rounded_once_by(op.result.type)
    if len(source.raws) > TABLE_RAWS or op.scheme is not None:
        raise Undocumented(f"{op.name} of {op.input.type} is interpolated")
    first, last = source.raws[0], source.raws[-1]

    @cache
    def table() -> Sequence[int]:
        known = {raw: result.nearest(exactly(op.FUNCTION, source.number(raw))) for raw in source.raws}
        return [known.get(raw, 0) for raw in range(first, last + 1)]

    return lambda x: entry(table(), x - first)


@_meaning.register
def _(op: num.FinishOp) -> Unary:
    result, accumulator = documented_by(op.result.type), accumulator_of(op.sum.type)
    if accumulator is None or (unit := accumulator.sum_unit) is None:
        raise Undocumented(f"{op.sum.type} documents no unit")
    return lambda sum: result.finished(sum, unit)


def documented_by(type: Attribute) -> Specification:
    """The specification of a type's format; raises `Undocumented` for a format without one."""
    format = number_format(type)
    if format is None or (documented := format.specification) is None:
        raise Undocumented(f"{type} documents nothing that could be proved")
    return documented


def rounded_once_by(type: Attribute) -> RoundedOnce:
    """The specification of a format with exact sums; raises `Undocumented` for any other format."""
    documented = documented_by(type)
    if not isinstance(documented, RoundedOnce):
        raise Undocumented(f"{type} has no exact sums")
    return documented


def _scale(type: Attribute) -> int:
    accumulator = accumulator_of(type)
    if accumulator is None or not isinstance(accumulator.sum_unit, int):
        raise Undocumented(f"{type} has no exact sums")
    return accumulator.sum_unit


def assumption_of(op: num.NumOp) -> Documented | None:
    """The assumption about the operands of an op: the result fits in its type, and a function is defined at its
    argument.

    None without an assumption.
    """
    match op:
        case num.MacOp() | num.StartOp() | num.AlignOp() | num.TallyOp() | num.AddShiftedOp():
            type, meaning = op.results[0].type, meaning_of(op)
            accumulator = accumulator_of(type)
            low, high = limits(cast("IntegerType[int, Any]", accumulator.storage if accumulator else type).width.data)
            if not isinstance(op, num.AddShiftedOp):
                return lambda raws: within(meaning(raws), low, high)

            # Terms that join a sum also have proven bounds.
            def sum_and_term_fit(raws: Sequence[Number]) -> Number:
                _, term, places = raws
                return within(meaning(raws), low, high) & within(term * (1 << places), low, high)

            return sum_and_term_fit
        case num.LogOp():
            order, zero = documented_by(op.input.type).order, documented_by(op.input.type).nearest(Fraction(0))
            return lambda raws: order(raws[0]) > order(zero)
        case _:
            return None


def _same_family(*types: Attribute) -> None:
    families = {format.FAMILY for format in map(number_format, types) if format is not None}
    if len(families) > 1:
        raise Undocumented(f"{' and '.join(map(str, types))} are of different families")


def _compared(documented: Specification, threshold: float, place: Callable[..., int]) -> Unary:
    """The documented result of comparing a number with `threshold`, a real.

    place: `bisect_left` to test whether the number is at least the real, `bisect_right` to test whether it is greater.
    """
    raws, order = ascending(documented), documented.order
    first = place(raws, Fraction(threshold), key=documented.number)
    least = raws[first] if first < len(raws) else None
    return lambda x: False if least is None else order(x) >= order(least)


def ascending(documented: Specification) -> Sequence[int]:
    """All raws of a format, in the order of their numbers."""
    raws = documented.raws
    return sorted(raws, key=documented.number) if len(raws) <= SORTED_RAWS else raws

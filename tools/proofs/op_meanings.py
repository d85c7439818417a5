"""The documented meaning of `num` ops as functions of their operands' raws, from the specifications of the formats."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, cast

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


def meaning_of(op: num.NumOp) -> Documented:
    """The documented result of an op; raises `Undocumented` if there is none."""
    match op:
        case num.AddOp() | num.SubOp() | num.MulOp():
            a, b, result = documented_by(op.lhs.type), documented_by(op.rhs.type), documented_by(op.result.type)
            binary = {num.AddOp: result.add, num.SubOp: result.sub, num.MulOp: result.mul}[type(op)]
            return lambda x: binary(x[0], a, x[1], b)
        case num.ScaleOp():
            a, b, result = documented_by(op.lhs.type), documented_by(op.rhs.type), documented_by(op.result.type)
            return lambda x: result.mul(x[0], a, x[1], b)
        case num.NegOp():
            a, result = documented_by(op.input.type), documented_by(op.result.type)
            return lambda x: result.neg(x[0], a)
        case num.ConvertOp():
            a, result = documented_by(op.input.type), documented_by(op.result.type)
            if op.input.type == op.result.type:
                return lambda x: x[0]
            _same_family(op.input.type, op.result.type)
            return lambda x: result.converted(x[0], a)
        case num.ConstantOp():
            raw = documented_by(op.result.type).nearest(Fraction(op.value.value.data))
            return lambda x: raw
        case num.ClampOp():
            return _clamp(documented_by(op.input.type), *op.limits)
        case num.AtLeastOp():
            return _from(documented_by(op.input.type), op.threshold.value.data, bisect_left)
        case num.GreaterOp():
            if accumulator_of(op.lhs.type) is not None:
                return lambda x: x[0] > x[1]
            order = documented_by(op.lhs.type).order
            return lambda x: order(x[0]) > order(x[1])
        case num.MaximumOp() | num.MinimumOp():
            a, b, result = (documented_by(each.type) for each in (op.lhs, op.rhs, op.result))
            _same_family(op.lhs.type, op.rhs.type, op.result.type)
            order, is_least = result.order, isinstance(op, num.MinimumOp)

            def extreme(x: Any) -> Any:
                first, second = result.converted(x[0], a), result.converted(x[1], b)
                second_is_greater = order(second) > order(first)
                return (
                    choose(second_is_greater, first, second) if is_least else choose(second_is_greater, second, first)
                )

            return extreme
        case num.StepOp():
            positive = _from(documented_by(op.input.type), 0.0, bisect_right)
            off, on = (documented_by(op.result.type).nearest(Fraction(real)) for real in (0, 1))
            return lambda x: choose(positive(x), on, off)
        case num.TallyOp():
            a = documented_by(op.value.type)
            return lambda x: a.tallied(x[0], x[1])
        case num.AverageOp() | num.MeanOp():
            a, result, count = documented_by(op.of), documented_by(op.result.type), op.count.value.data
            quotient = result.average if isinstance(op, num.AverageOp) else result.mean
            return lambda x: quotient(x[0], count, a)
        case num.CombineOp():
            return _combined(op)
        case num.ZeroOp():
            return lambda x: 0
        case num.MacOp():
            a, b = documented_by(op.lhs.type), documented_by(op.rhs.type)
            return lambda x: x[0] + a.product(x[1], x[2], b)
        case num.StartOp():
            value = rounded_once_by(op.value.type)
            left = _scale(op.result.type) - value.scale
            return lambda x: value.integer(x[0]) * (1 << left)
        case num.AlignOp():
            left = _scale(op.result.type) - _scale(op.sum.type)
            return lambda x: x[0] * (1 << left)
        case num.ShiftOp():
            return lambda x: x[0] // (1 << x[1])
        case num.AddShiftedOp():
            return lambda x: x[0] + x[1] * (1 << x[2])
        case num.FunctionOp():
            return _tabulated(op)
        case num.FinishOp():
            result, accumulator = documented_by(op.result.type), accumulator_of(op.sum.type)
            if accumulator is None or (unit := accumulator.sum_unit) is None:
                raise Undocumented(f"{op.sum.type} documents no unit")
            return lambda x: result.finished(x[0], unit)
        case _:
            raise Undocumented(f"{op.name} has no statement")


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


def _tabulated(op: num.FunctionOp) -> Documented:
    """The documented result of a function that is tabulated: the raw nearest to the function's value.

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

    return lambda x: entry(table(), x[0] - first)


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
            if isinstance(op, num.AddShiftedOp):
                # Terms that join a sum also have proven bounds.
                return lambda x: within(meaning(x), low, high) & within(x[1] * (1 << x[2]), low, high)
            return lambda x: within(meaning(x), low, high)
        case num.LogOp():
            order, zero = documented_by(op.input.type).order, documented_by(op.input.type).nearest(Fraction(0))
            return lambda x: order(x[0]) > order(zero)
        case _:
            return None


def _same_family(*types: Attribute) -> None:
    families = {format.FAMILY for format in map(number_format, types) if format is not None}
    if len(families) > 1:
        raise Undocumented(f"{' and '.join(map(str, types))} are of different families")


def _clamp(documented: Specification, low: float, high: float | None) -> Documented:
    order = documented.order
    least, most = (documented.nearest(Fraction(end)) for end in (low, 1.0e30 if high is None else high))

    def clamp(x: Sequence[Number]) -> Number:
        return choose(order(x[0]) < order(least), least, choose(order(x[0]) > order(most), most, x[0]))

    return clamp


def _from(documented: Specification, threshold: float, place: Callable[..., int]) -> Documented:
    """The documented result of comparing a number with `threshold`, a real.

    place: `bisect_left` to test whether the number is at least the real, `bisect_right` to test whether it is greater.
    """
    raws, order = ascending(documented), documented.order
    first = place(raws, Fraction(threshold), key=documented.number)
    least = raws[first] if first < len(raws) else None
    return lambda x: False if least is None else order(x[0]) >= order(least)


def ascending(documented: Specification) -> Sequence[int]:
    """All raws of a format, in the order of their numbers."""
    raws = documented.raws
    return sorted(raws, key=documented.number) if len(raws) <= SORTED_RAWS else raws


def _combined(op: num.CombineOp) -> Documented:
    """The documented result of a combination: the sum of all terms, rounded once.

    Raises `Undocumented` for formats that round each step; they have separate statements for the steps.
    """
    result = documented_by(op.result.type)
    factors = [documented_by(factor.type) for factor in op.factors]
    if not isinstance(result, RoundedOnce) or not all(isinstance(one, RoundedOnce) for one in factors):
        raise Undocumented(f"{op.name} of {op.result.type} is rounded step by step")
    terms: list[tuple[int, Sequence[int]]] = num.grouped_factors(range(len(factors)), op.counts)

    def combine(x: Sequence[Number]) -> Number:
        return result.combined([(sign, [(x[place], factors[place]) for place in places]) for sign, places in terms])

    return combine

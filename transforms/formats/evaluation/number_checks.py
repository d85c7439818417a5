"""Checks of a number format's numbers and operations against reals, for the tests of a format's author.

The evaluator and the devices compute the same bits by construction. A comparison of their results therefore cannot
detect an operation that drops a scale, rounds ties differently or saturates too early, but a comparison with reals can.
`check_numbers` computes with the evaluator. The format need not be registered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any, cast, get_args

import numpy as np

from tinyml.dialects.formats.exact.numbers import ExactNumbers
from tinyml.dialects.formats.number_format import INTEGER, TABLE, Function, NumberFormat, Reals
from tinyml.dialects.machine.real_functions import exactly
from tinyml.transforms.formats.evaluation.composite_checks import check_composites
from tinyml.transforms.formats.evaluation.tried_numbers import (
    DOUBLE,
    NUMBERS,
    OUT_OF_RANGE,
    PAIRED,
    RANGES,
    SINGLE,
    M,
    Numbers,
    check_result,
    require,
)

_LIMITS = ((0.0, None), (0.0, 6.0), (-1.0, 0.3), (-1.0e9, 1.0e9))
_THRESHOLDS = (0.0, 0.3, -1.7, 1.0e9)


def check_numbers(prototype: NumberFormat) -> None:
    """Raise `AssertionError` unless a format's numbers and operations equal the reals within the promised rounding.

    prototype: any format of the family and width. With `ROUNDS_ONCE`, each result must be the number to which `encode`
    rounds the exact result. Otherwise the error may be at most one and a half units in the last place of the result and
    of the operands. `AS_PUBLISHED` must be false, since published arithmetic promises nothing.
    """
    assert not prototype.AS_PUBLISHED, f"{prototype.type} rounds as its paper does"
    with np.errstate(all="ignore"):
        known = {format.type: Numbers(format) for format in (prototype.for_range(*bounds) for bounds in RANGES)}
        numbers = [*known.values()]
        for bounds in RANGES:
            _check_range(known[prototype.for_range(*bounds).type], bounds)
        for each in numbers:
            _check_order(each)
            _check_rounding(each)
            _check_comparisons(each)
            _check_clamps(each)
            _check_floats(each)
            _check_coding(each)
            _check_relatives(each)
        for turn, (lhs, rhs) in enumerate(product(numbers, repeat=2)):
            _check_operations(lhs, rhs, numbers[(turn + turn // len(numbers)) % len(numbers)])
            _check_difference(lhs, rhs)
        for lhs, result in product(numbers, repeat=2):
            _check_unary(lhs, result)
        check_composites(numbers)


def _check_range(numbers: Numbers, bounds: tuple[float, float]) -> None:
    """Check that a format for a range covers the range to within one and a half units in the last place.

    A format without negative or without positive numbers need not cover that side of the range.
    """
    format = numbers.format
    reals = np.array([end for end in bounds if end > 0 or numbers.ends[0] < 0])
    got = format.decode(format.encode(reals))
    near = np.abs(got - reals) <= 1.5 * np.maximum(numbers.place(got), numbers.place(reals)) + SINGLE * np.abs(reals)
    require(near, f"`for_range(*{bounds})`, {format.type}: rounding", got, reals, {"end": reals})


def _check_order(numbers: Numbers) -> None:
    """Check that raws are in the order of the numbers, in which ops compare and sort them, and that raw 0 of an exact
    format represents zero. Formats that compute in another format are exempt.
    """
    format = numbers.format
    if format.computed.type != format.type:
        return
    raws = numbers.raws.astype(np.int64) if format.dtype.kind == "i" else numbers.raws
    apart = np.flatnonzero((np.diff(raws) < 0) & (np.diff(numbers.reals) > 0))
    for at in apart[:1].tolist():
        pair = " and ".join(f"raw {raws[i]} represents {numbers.reals[i]:g}" for i in (at, at + 1))
        raise AssertionError(f"{format.type}: raws are not in the order of the numbers: {pair}")
    if not isinstance(format, ExactNumbers):
        return
    zero = float(format.decode(np.zeros(1, format.dtype))[0])
    assert zero == 0, f"{format.type}: raw 0 represents {zero:g}, expected zero"


def _reals_around(numbers: Numbers) -> Reals:
    reals = numbers.format.decode(numbers.some(NUMBERS))
    halves = (reals[1:] + reals[:-1]) / 2
    if numbers.is_complete:
        at = np.searchsorted(numbers.reals, reals[:-1])
        halves = (numbers.reals[at] + numbers.reals[at + 1]) / 2
    low, high = numbers.ends
    aside = (halves * (1 + sign * 2.0**-20) for sign in (-1, 1))
    around = np.concatenate([reals, halves, *aside, np.linspace(2 * low, 2 * high, 997), [1e30, -1e30, 0.0]])
    size = np.abs(around)
    # Floats have fewer bits below 2^-126.
    return np.sort(around[(size <= OUT_OF_RANGE[1]) & ((size >= 2.0**-120) | (size == 0))])


def _check_rounding(numbers: Numbers) -> None:
    """Check that `encode` rounds to nearest, is monotonic, saturates and inverts `decode`. Check that `constant`
    agrees with `encode`.
    """
    format, reals = numbers.format, _reals_around(numbers)
    raws = format.encode(reals)
    assert raws.shape == reals.shape, f"{format.type}: `encode` gives shape {raws.shape} for {reals.shape}"
    assert raws.dtype == format.dtype, f"{format.type}: `encode` gives {raws.dtype}, `dtype` is {format.dtype}"
    got, given = format.decode(raws), {"real": reals}
    again = format.decode(format.encode(got))
    require(
        format.encode(got) == raws,
        f"{format.type}: `encode` is not the inverse of `decode`: a number",
        again,
        got,
        given,
    )
    falls = np.append(np.diff(got) >= 0, True)
    require(falls, f"{format.type}: `encode` falls: rounding", got, reals, given)
    low, high = numbers.ends
    limited = np.clip(reals, low, high)
    if numbers.is_complete:
        above = np.clip(np.searchsorted(numbers.reals, limited), 1, len(numbers.reals) - 1)
        around = numbers.reals[above - 1], numbers.reals[above]
        best = np.minimum(*(np.abs(each - limited) for each in around))
        # Numbers on a logarithmic scale may be rounded there, and those of quantised files in single precision.
        slack = (
            DOUBLE * np.abs(limited) if format.ROUNDS_ONCE else 0.13 * numbers.place(limited) + SINGLE * np.abs(reals)
        )
    else:
        best, slack = 0.0, SINGLE * np.maximum(np.abs(limited), 2.0**-5 * high)
    require(np.abs(got - limited) <= best + slack, f"{format.type}: `encode`", got, limited, given)
    away = format.decode(format.encode_away(reals))
    beyond = (away == got) | ((away - limited) * (got - limited) <= 0)
    require(beyond, f"{format.type}: `encode_away`", away, limited, given)
    for real in (0.0, 1.0, -0.3, 1e-9, *OUT_OF_RANGE):
        constant, rounded = (
            format.decode(np.asarray(each))
            for each in (format.constant(M, real), format.encode_clipped(np.array(real)))
        )
        require(constant == rounded, f"{format.type}: `constant`", constant, rounded, {"real": np.array(real)})


def _check_comparisons(numbers: Numbers) -> None:
    format = numbers.format
    some = numbers.some(PAIRED)
    a, b = np.repeat(some, len(some)), np.tile(some, len(some))
    x, y = format.decode(a), format.decode(b)
    greater = np.asarray(format.greater(M, a, b)).astype(bool)
    require(greater == (x > y), f"{format.type}: `greater`", greater, x > y, {"lhs": x, "rhs": y})
    for real in _THRESHOLDS:
        raws = np.append(numbers.some(NUMBERS), format.encode(np.array(real)))
        reals = format.decode(raws)
        reached = np.asarray(format.at_least(M, raws, real)).astype(bool)
        require(
            reached == (reals >= real), f"{format.type}: `at_least` {real}", reached, reals >= real, {"real": reals}
        )


def _check_clamps(numbers: Numbers) -> None:
    """Check that clamping maps numbers outside the limits to the numbers nearest to the limits, and changes no number
    inside. `binds` must be true for limits at which clamping changes a number.
    """
    format, raws = numbers.format, numbers.some(NUMBERS)
    reals = format.decode(raws)
    for low, high in _LIMITS:
        most = math.inf if high is None else high
        ends = format.decode(format.encode_clipped(np.array([low, min(most, OUT_OF_RANGE[1])])))
        expected = np.clip(reals, ends[0], math.inf if high is None else ends[1])
        clamped = format.decode(np.broadcast_to(format.clamp(M, raws, low, high), raws.shape))
        require(clamped == expected, f"{format.type}: `clamp` to [{low}, {high}]", clamped, expected, {"number": reals})
        binds = format.binds(low, high) or bool((clamped == reals).all())
        assert binds, f"{format.type}: `binds({low}, {high})` is False, but `clamp` changes a number"


def _check_floats(numbers: Numbers) -> None:
    format, raws = numbers.format, numbers.some(NUMBERS)
    reals = format.decode(raws)
    floats = np.asarray(format.to_f32(M, raws), np.float64)
    slack = (1 if format.ROUNDS_ONCE else 2) * SINGLE * np.abs(reals) + 2.0**-126
    require(np.abs(floats - reals) <= slack, f"{format.type}: `to_f32`", floats, reals, {"number": reals})
    given = _reals_around(numbers).astype(np.float32)
    given = given[np.isfinite(given)]
    check_result(numbers, "`from_f32`", format.from_f32(M, given), given.astype(np.float64), 0.0, {"float": given})


def _check_coding(numbers: Numbers) -> None:
    """Check that the integers that kernels load equal the numbers divided by the value of one unit.

    Only the codings `INTEGER` and `TABLE` are checked.
    """
    format, coding = numbers.format, numbers.format.coding
    if coding is None or coding.name not in (INTEGER, TABLE):
        return
    raws = numbers.raws.astype(np.int64)
    if coding.name == TABLE:
        assert coding.table is not None
        integers = coding.table[raws + coding.zero].astype(np.float64)
    else:
        integers = (raws - format.without_offset()[1]).astype(np.float64)
    at = int(np.argmax(np.abs(integers)))
    read = integers * (numbers.reals[at] / integers[at])
    near = np.abs(read - numbers.reals) <= SINGLE * np.abs(numbers.reals)
    require(near, f"{format.type}: `coding`", read, numbers.reals, {"number": numbers.reals})


def _check_relatives(numbers: Numbers) -> None:
    """Check the other formats that methods of the format return. Each must be of the same family and cover the
    promised range.
    """
    format, high = numbers.format, numbers.ends[1]
    for bits in range(1, 5):
        narrow = format.narrowed(bits)
        assert narrow.FAMILY == format.FAMILY, f"{format.type}: `narrowed` leaves the family: {narrow.type}"
        if math.isfinite(high):
            reached = narrow.decode(narrow.encode(np.array(OUT_OF_RANGE)))[1]
            near = np.asarray(0.49 * high <= reached) & np.asarray(reached <= 2.01 * high)
            require(near, f"{format.type}: the range of `narrowed`", reached, np.array(high), {"bits": np.array(bits)})
    widths = [candidate.bits for candidate in format.candidates]
    assert widths == sorted(widths), f"{format.type}: `candidates` do not rise: {widths}"
    for other in (*format.candidates, *format.variants, format.in_register()):
        assert other.FAMILY == format.FAMILY, f"{format.type} offers {other.type} of another family"
    assert {each.bits for each in format.variants} == {format.bits}, f"{format.type}: `variants` differ in width"


def _check_operations(lhs: Numbers, rhs: Numbers, result: Numbers) -> None:
    some = lhs.some(PAIRED), rhs.some(PAIRED)
    a, b = np.repeat(some[0], len(some[1])), np.tile(some[1], len(some[0]))
    x, y = lhs.format.decode(a), rhs.format.decode(b)
    apart = np.maximum(lhs.place(x), rhs.place(y))
    for name, exact, slack in (("add", x + y, apart), ("sub", x - y, apart), ("mul", x * y, 0.0 * apart)):
        computed = getattr(result.format, name)(M, a, lhs.format, b, rhs.format)
        what = f"`{name}` of {lhs.format.type} and {rhs.format.type}"
        check_result(result, what, computed, exact, slack, {"lhs": x, "rhs": y})


def _check_difference(lhs: Numbers, rhs: Numbers) -> None:
    if (format := lhs.format.difference(rhs.format)) is None:
        return
    some = lhs.some(PAIRED), rhs.some(PAIRED)
    a, b = np.repeat(some[0], len(some[1])), np.tile(some[1], len(some[0]))
    x, y = lhs.format.decode(a), rhs.format.decode(b)
    computed = format.decode(np.asarray(format.sub(M, a, lhs.format, b, rhs.format)))
    what = f"`difference` of {lhs.format.type} and {rhs.format.type}, {format.type}"
    require(np.abs(computed - (x - y)) <= SINGLE * np.abs(x - y), what, computed, x - y, {"lhs": x, "rhs": y})


def _check_unary(source: Numbers, result: Numbers) -> None:
    raws, to, type = source.some(NUMBERS), result.format, source.format.type
    x = source.format.decode(raws)
    place = source.place(x)
    check_result(result, f"`neg` of {type}", to.neg(M, raws, source.format), -x, place, {"number": x})
    check_result(result, f"`recode` of {type}", to.recode(M, raws, source.format), x, place, {"number": x})
    if result.is_complete:
        three = np.stack([raws, raws[::-1], np.roll(raws, len(raws) // 3)])
        total = np.zeros(len(raws), _numpy_type(source.format, 3))
        for each in three:
            total = np.asarray(source.format.tally(M, cast(Any, total), each))
        exact = source.format.decode(three).mean(0)
        mean = to.decode(np.asarray(to.average(M, cast(Any, total), 3, source.format)))
        limited = np.clip(exact, *result.ends)
        reach = np.abs(source.format.decode(three)).max(0)
        apart = 0.0 if source.format.ROUNDS_ONCE else source.place(exact)
        near = np.abs(mean - limited) <= 1.51 * result.place(limited) + apart + 4 * SINGLE * reach
        require(near, f"`average` of three of {type} in {to.type}", mean, limited, {"mean": exact})
        _check_functions(source, result)


def _numpy_type(format: NumberFormat, count: int) -> str:
    total = str(format.total(count))
    return f"{total[0]}{int(total[1:]) // 8}"


def _check_functions(source: Numbers, result: Numbers) -> None:
    """Check that the error of functions is at most 8 units in the last place of the result plus 2e-3 of the
    function's value.

    Tables and interpolation cause errors of this size.
    """
    raws = source.some(NUMBERS)
    x = source.format.decode(raws)
    raws, x = raws[np.abs(x) < 80], x[np.abs(x) < 80]
    for name in cast(Sequence[Function], get_args(Function)):
        computed = result.format.function(M, name, raws, source.format)
        got = result.format.decode(np.broadcast_to(computed, raws.shape))
        exact = np.clip(exactly(name, np.maximum(x, 2.0**-126) if name == "log" else x), *result.ends)
        near = np.abs(got - exact) <= 8 * result.place(exact) + 2e-3 * np.abs(exact) + 4 * SINGLE
        require(near, f"`{name}` of {source.format.type} in {result.format.type}", got, exact, {"number": x})

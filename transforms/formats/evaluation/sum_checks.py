"""Checks of a number format's sums against reals, for the tests of a format's author.

A sum that drops a scale, a carry or a small term loses accuracy. No other test detects this, because the evaluator and
every device compute the same wrong number. `check_sums` computes sums of one and of two products with the evaluator and
compares them with sums in double precision. The format need not be registered. Sums of integers must be exact until
they are rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, cycle, product
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.number_format import (
    UNBOUNDED_INTERVAL,
    Bound,
    Factor,
    Interval,
    NumberFormat,
    Product,
    Raws,
    Reals,
)
from tinyml.runtime.evaluator.arithmetics import Bits
from tinyml.transforms.formats.evaluation.tried_numbers import OUT_OF_RANGE, RANGES, M, require
from tinyml.transforms.ir.chosen_accumulators import choose

_Start: TypeAlias = tuple[NumberFormat, Raws]

SAMPLES, LENGTH = 24, 3

RANGE_EXPONENTS = range(13)
"""Exponents of the ranges of results that are so coarse that sums lie halfway between two of them."""

EXTREME_LENGTHS = (1, 7, 40)
"""Lengths of sums of the greatest products; each pair of ranges uses one length, and each range all."""

_SHIFT = 2
"""Places by which sums of rows and of groups are shifted."""

_FACTOR = 2.0**-16
"""The relative error of a factor between scales, in formats that do not round once."""

NARROWED_BITS = range(16)
"""Bits that factors give up, as `assign-format` does, until an accumulator holds their sum."""


@dataclass(frozen=True)
class _Sum:
    """A test case: sums of one or two products.

    name: the name of the test, for messages.
    ranges: the ranges of the factors, alternately of a left and of a right factor.
    factors: reals of shape (samples, length), which are rounded to their formats.
    start: the range of the sums' initial values, and these values; None for sums that start from zero.
    reach: the range of the result divided by the range that the sums need.
    is_short: whether the sums have so few digits that double precision is exact for formats of any width.
    """

    name: str
    ranges: Sequence[tuple[float, float]]
    factors: Sequence[Reals]
    start: tuple[tuple[float, float], Reals] | None = None
    reach: float = 1.0
    is_short: bool = False


def check_sums(prototype: NumberFormat) -> None:
    """Raise `AssertionError` unless sums of products equal the real sums, rounded as the format promises.

    Sums of integers must be rounded once if the format promises this for its results; otherwise their error may be two
    roundings. The error of all other sums may be one more rounding per term. Sums outside the result's range must
    saturate. Partial sums must stay within their bound.

    prototype: any format of the family and width. `AS_PUBLISHED` must be false, since published arithmetic promises
    nothing.
    """
    assert not prototype.AS_PUBLISHED, f"{prototype.type} rounds as its paper does"
    for case in _cases(prototype):
        _check(prototype, case)
    for (first, second), length in zip(product(RANGES, repeat=2), cycle(EXTREME_LENGTHS)):
        _check_extremes(prototype.for_range(*first), prototype.for_range(*second), length)
        _check_units(prototype.for_range(*first), prototype.for_range(*second))


def _cases(prototype: NumberFormat) -> Iterator[_Sum]:
    random = np.random.default_rng(0)

    def drawn(bounds: tuple[float, float]) -> Reals:
        return random.uniform(*bounds, (SAMPLES, LENGTH))

    for place, first in enumerate(RANGES):
        for second in (*RANGES[place + 1 :], *RANGES[:place]):
            # W x + U h, with different scales of both weights and both vectors.
            ranges = (first, RANGES[0], second, RANGES[1])
            yield _Sum("of two scales", ranges, [*map(drawn, ranges)])
            yield _Sum("from numbers of another scale", ranges[:2], [*map(drawn, ranges[:2])], (second, drawn(second)))
            yield _Sum("of two scales, from a third", ranges, [*map(drawn, ranges)], (second, drawn(second)))
    for wide, narrow in ((RANGES[3], RANGES[2]), (RANGES[1], RANGES[0])):
        # The greatest terms cancel, and only the added terms remain.
        great = _number(prototype, wide, np.full((SAMPLES, 1), wide[1]))
        ends = np.concatenate([great, great, 0 * great], 1), np.concatenate([great, -great, 0 * great], 1)
        if np.array_equal(_number(prototype, wide, ends[1]), ends[1]):
            yield _Sum("of unlike terms", (wide, wide, narrow, narrow), [*ends, drawn(narrow), drawn(narrow)])
            up, down = np.repeat(great, 8, 1), np.repeat(-great, 8, 1)
            small = [drawn(wide), drawn(wide)]
            factors = np.concatenate([up, up, small[0]], 1), np.concatenate([up, down, small[1]], 1)
            yield _Sum("that carries far and returns", (wide, wide), factors)
    for bounds in RANGES:
        ones = np.full((SAMPLES, LENGTH), bounds[1])
        yield _Sum("that saturates", (bounds, bounds), [ones, ones], reach=0.125)
        if bounds[0] < 0:
            yield _Sum("that saturates below", (bounds, bounds), [ones, -ones], reach=0.125)
        yield _Sum("of one product", (bounds, RANGES[0]), [drawn(bounds), drawn(RANGES[0])])
    for exponent in RANGE_EXPONENTS:
        eighths = [random.integers(-8, 9, (SAMPLES, LENGTH)) / 8 for _ in range(2)]
        yield _Sum("halfway", (RANGES[0], RANGES[0]), eighths, reach=2.0**exponent, is_short=True)


def _number(prototype: NumberFormat, bounds: tuple[float, float], reals: Reals) -> Reals:
    format = prototype.for_range(*bounds)
    return format.decode(format.encode(reals))


def _check(prototype: NumberFormat, case: _Sum) -> None:
    formats = [prototype.for_range(*bounds) for bounds in case.ranges]
    if case.start is not None and len(formats) > 2 and not prototype.SUMS_GO_ON:
        return
    exact, _ = _reals(formats, case.factors)
    reach = float(np.abs(exact).max())
    if case.start is not None:
        reach += float(np.abs(case.start[1][:, 0]).max())
    reach *= case.reach
    result = prototype.for_range(-reach, reach)
    formats = _fitting(formats, result, case)
    exact, magnitude = _reals(formats, case.factors)
    start: _Start | None = None
    if case.start is not None:
        format = _start_format(prototype.for_range(*case.start[0]), formats, result)
        start = format, format.encode(case.start[1][:, :1])
        begun = format.decode(start[1])[:, 0]
        exact, magnitude = exact + begun, magnitude + float(np.abs(begun).max())
    types = " + ".join(f"{lhs.type} * {rhs.type}" for lhs, rhs in zip(formats[::2], formats[1::2], strict=True))
    if start is not None:
        types = f"{start[0].type} + {types}"
    try:
        raws, is_exact = _computed(formats, case.factors, result, start)
    except (InputError, ValueError) as error:
        raise AssertionError(f"a sum {case.name}, {types} -> {result.type}, is not computed: {error}") from error
    terms = 0 if is_exact else 2 + sum(left.shape[1] for left in case.factors[::2])
    slack = terms * _rounding(prototype.for_range(-magnitude, magnitude), magnitude) + 1e-6 * magnitude
    once = is_exact and (case.is_short or _is_short(formats))
    _compare(f"a sum {case.name}, {types}", result, raws, exact, None if once else slack)


def _is_short(formats: Sequence[NumberFormat]) -> bool:
    return all(format.dtype.itemsize <= 2 for format in formats)


def _compare(what: str, result: NumberFormat, raws: Raws, exact: Reals, slack: float | None) -> None:
    """Raise `AssertionError` unless the raws represent the exact sums, rounded.

    what: the name of the test, for messages.
    slack: the greatest error of sums before they are rounded; None for exact sums, for which only one result is right
        with `ROUNDS_ONCE`.
    """
    computed, nearest = result.decode(raws), result.decode(result.encode(exact))
    with np.errstate(all="ignore"):
        limited = np.clip(exact, *result.decode(result.encode(np.array(OUT_OF_RANGE))))
    if slack is None and result.ROUNDS_ONCE:
        require(
            computed == nearest, f"{what} -> {result.type}, rounded once", computed, nearest, {"the real one": exact}
        )
    else:
        magnitude, least = float(np.abs(exact).max()), 1e-6 if result.ROUNDS_ONCE else _FACTOR
        slack = 2.01 * _rounding(result, magnitude) + least * magnitude + (slack or 0.0)
        near = np.abs(computed - limited) <= slack
        require(near, f"{what} -> {result.type}", computed, limited, {"the real one": exact})


def _check_units(lhs: NumberFormat, rhs: NumberFormat) -> None:
    unit, other = (lhs.accumulator(*factors, None) for factors in ((lhs, lhs), (rhs, rhs)))
    if unit.of(rhs, rhs).type != unit.type:
        assert not unit.sums(rhs, rhs), f"{unit.type} claims to sum products of {rhs.type}, which have {other.type}"
    assert unit.sums(lhs, lhs), f"{unit.type} does not sum products of {lhs.type}, which have it"


def _check_extremes(lhs: NumberFormat, rhs: NumberFormat, length: int) -> None:
    random = np.random.default_rng(length)
    reals = np.concatenate([random.uniform(-1, 1, (2, length)), np.ones((1, length)), -np.ones((1, length))])
    ends = [float(end) for end in lhs.decode(np.array(lhs.ends()))]
    reals = np.where(reals > 0, reals * min(ends[1], 1e3), -reals * max(ends[0], -1e3))
    for known, interval in product((True, False), (UNBOUNDED_INTERVAL, (-0.4, 0.3))):
        reach = length * max(map(abs, ends)) if math.isfinite(ends[1]) else 1e3
        result = lhs.for_range(-reach, reach)
        for bits in NARROWED_BITS:
            left, right = lhs.narrowed(bits), rhs.narrowed(bits)
            weights = left.encode(reals)
            sums = Product(length, Factor(left, weights if known else None), Factor(right, interval=interval))
            try:
                bound = result.sum_bound([sums])
                accumulator = result.accumulator_for(sums, bound)
            except InputError:
                continue
            _check_extreme(accumulator, bound, (left, weights), (right, interval), result)
            break


def _check_extreme(
    accumulator: Accumulator,
    bound: Bound | None,
    constant: tuple[NumberFormat, Raws],
    other: tuple[NumberFormat, Interval],
    result: NumberFormat,
) -> None:
    """Run the checks of `_check_extremes` for one accumulator and its bound.

    constant: the format and the raws of the constant factor.
    other: the format and the range of the other factor.
    """
    (lhs, weights), (rhs, interval) = constant, other
    low, high = (rhs.encode_clipped(np.array(end)) for end in np.clip(interval, -1e3, 1e3))
    positive = lhs.decode(weights) > 0
    for least, most in ((low, high), (high, low)):
        vectors = np.where(positive, most, least).astype(rhs.dtype)
        exact = (lhs.decode(weights) * rhs.decode(vectors)).sum(1)
        sums = cast(Any, np.broadcast_to(accumulator.zero(M), (len(weights),)))
        what = f"a sum of {weights.shape[1]} extreme products, {lhs.type} * {rhs.type} in {accumulator.type}"
        for k in range(weights.shape[1]):
            sums = accumulator.mac(M, sums, weights[:, k], lhs, vectors[:, k], rhs)
            if accumulator.INTEGER and bound is not None:
                within = (bound[0] <= sums) & (sums <= bound[1])
                require(
                    within, f"{what}, partial, within {bound}", sums, np.clip(sums, *bound), {"the real one": exact}
                )
        if accumulator.below is None:
            product = accumulator.matmul(weights[:, None, :], lhs, vectors[:, :, None], rhs)
            product = np.broadcast_to(product, (len(weights), 1, 1))[:, 0, 0]
            require(product == sums, f"{what}: `matmul` and the chain of `mac`", product, sums, {"the real one": exact})
        if accumulator.bits <= 64 and accumulator.levelled(result).type == accumulator.type:
            raws = np.broadcast_to(result.finish(M, sums, accumulator, bound), exact.shape)
            slack = (
                None
                if accumulator.INTEGER and _is_short([lhs, rhs])
                else (2 + weights.shape[1]) * _rounding(result, float(np.abs(exact).max()))
            )
            _compare(what, result, raws, exact, slack)
            if accumulator.INTEGER and (right := accumulator.shift(result)) is not None:
                ends = np.array(result.ends()).astype(np.int64)
                shifted = np.clip(sums.astype(np.int64) + (1 << right >> 1) >> right, *ends)
                require(shifted == raws, f"{what}: `shift`", raws, shifted, {"the real one": exact})
        if accumulator.INTEGER:
            greater = np.asarray(accumulator.greater(M, sums, np.roll(sums, 1))).astype(bool)
            expected = exact > np.roll(exact, 1)
            apart = np.abs(exact - np.roll(exact, 1)) > 1e-6 * np.abs(exact)
            require((greater == expected) | ~apart, f"{what}: `greater`", greater, expected, {"the real one": exact})
            places, rounded = np.array(_SHIFT, np.int8), sums >> _SHIFT
            right = np.asarray(accumulator.shifted(M, sums, places))
            require(right == rounded, f"{what}: `shifted`", right, rounded, {"the real one": exact})
            joined = np.asarray(accumulator.add_shifted(M, sums - (rounded << _SHIFT), rounded, places))
            require(joined == sums, f"{what}: `add_shifted`", joined, sums, {"the real one": exact})
    for wider in (accumulator.widened(accumulator.bits + 1), accumulator.in_memory):
        assert wider.bits >= accumulator.bits, f"{accumulator.type} gives the narrower {wider.type}"
        assert wider.sums(lhs, rhs), f"{wider.type} does not sum what {accumulator.type} does"
    assert accumulator.exchanged.sums(rhs, lhs), f"`exchanged` of {accumulator.type} does not sum exchanged factors"


def _start_format(start: NumberFormat, factors: Sequence[NumberFormat], result: NumberFormat) -> NumberFormat:
    units = [result.accumulator(lhs, rhs, None) for lhs, rhs in zip(factors[::2], factors[1::2], strict=True)]
    reach = float(np.abs(start.decode(np.array(start.ends()))).max())
    reaches = np.ldexp(reach, np.arange(1, 40)) if math.isfinite(reach) else ()
    for unit in units:
        wanted = unit.start_constant(start)
        narrowed, wider = map(wanted.narrowed, range(start.bits)), map(start.for_range, -np.asarray(reaches), reaches)
        found = next(filter(unit.starts, chain(narrowed, wider)), None)
        assert found is not None, f"no sum in {unit.type} starts from any number of {start.type} or coarser"
        start = found
    return start


def _reals(formats: Sequence[NumberFormat], factors: Sequence[Reals]) -> tuple[Reals, float]:
    """Round the factors to their formats. Return the exact sums of their products, and the greatest sum of the
    products' magnitudes.
    """
    numbers = [format.decode(format.encode(reals)) for format, reals in zip(formats, factors, strict=True)]
    terms = np.concatenate([lhs * rhs for lhs, rhs in zip(numbers[::2], numbers[1::2], strict=True)], 1)
    return terms.sum(1), float(np.abs(terms).sum(1).max())


def _rounding(format: NumberFormat, reach: float) -> float:
    reals = np.linspace(-reach, reach, 4001)
    with np.errstate(all="ignore"):
        low, high = format.decode(format.encode(np.array(OUT_OF_RANGE)))
    reals = np.clip(reals, low, high)
    return float(np.abs(format.decode(format.encode(reals)) - reals).max())


def _fitting(formats: Sequence[NumberFormat], result: NumberFormat, case: _Sum) -> Sequence[NumberFormat]:
    reason: InputError | None = None
    for bits in NARROWED_BITS:
        narrowed = [format.narrowed(bits) for format in formats]
        products = [
            Product(left.shape[1], Factor(lhs), Factor(rhs))
            for lhs, rhs, left in zip(narrowed[::2], narrowed[1::2], case.factors[::2], strict=True)
        ]
        initial = None
        try:
            if case.start is not None:
                initial = Factor(_start_format(result.for_range(*case.start[0]), narrowed, result))
            bound = result.sum_bound(products, initial)
            for each in products:
                result.accumulator_for(each, bound)
        except InputError as error:
            reason = error
            continue
        return narrowed
    raise AssertionError(f"no accumulator of {result.type} holds a sum {case.name}: {reason}")


def _computed(
    formats: Sequence[NumberFormat], factors: Sequence[Reals], result: NumberFormat, start: _Start | None
) -> tuple[Raws, bool]:
    """Return the raws of sums in the result's format, and whether the accumulators of the sums add integers.

    If a format accepts only products of one scale, the program adds rounded sums, and so does this function.
    """
    raws = [format.encode(reals) for format, reals in zip(formats, factors, strict=True)]
    op = _op(formats, [each.shape[1] for each in raws], result, start)
    try:
        choose(op)
    except InputError as error:
        if result.SUMS_GO_ON or len(formats) == 2:
            raise AssertionError(f"a sum of products has no accumulator: {error}") from error
        terms: list[tuple[Raws, NumberFormat]] = []
        for pair, begun in ((slice(0, 2), start), (slice(2, 4), None)):
            sums, _ = _reals(formats[pair], factors[pair])
            reach = float(np.abs(sums).max())
            if begun is not None:
                reach += float(np.abs(begun[0].decode(begun[1])).max())
            term = result.for_range(-reach, reach)
            terms.append((_computed(formats[pair], factors[pair], term, begun)[0], term))
        return result.add(M, *terms[0], *terms[1]), False
    if start is not None:
        raws.append(start[1])
    given = dict(zip(_arguments(op), raws, strict=True))
    sums = _run(op, given)
    if op.accumulator.below is None:
        by_macs = _by_macs(op, given)
        numbers = result.decode(sums), result.decode(by_macs)
        require(
            sums == by_macs, f"`matmul` of {op.accumulator.type} is not a chain of `mac`", *numbers, {"sum": numbers[1]}
        )
    return sums, op.accumulator.INTEGER


def _run(op: tdsl.MatmulSumOp, given: Mapping[SSAValue, Raws]) -> Raws:
    arrays = [given[factor].reshape(-1, *tdsl.shape_of(factor)) for factor in op.operands]
    return op.compute(Bits(), arrays).reshape(-1)


def _by_macs(op: tdsl.MatmulSumOp, given: Mapping[SSAValue, Raws]) -> Raws:
    accumulators = op.accumulators
    before = accumulators[0]
    if op.initial is None:
        sums = cast(Any, before.zero(M))
    else:
        sums = before.start(M, given[op.initial][:, 0], tdsl.format_of(op.initial))
    for accumulator, (lhs, rhs) in zip(accumulators, op.pairs, strict=True):
        sums, before = accumulator.align(M, sums, before), accumulator
        for a, b in zip(given[lhs].T, given[rhs].T, strict=True):
            sums = accumulator.mac(M, sums, a, tdsl.format_of(lhs), b, tdsl.format_of(rhs))
    rounded = op.rounded(M, np.asarray(sums).reshape(-1, 1, 1), before, np.zeros((1, 1), np.int64))
    return np.broadcast_to(rounded, (SAMPLES, 1, 1)).reshape(-1)


def _arguments(op: tdsl.MatmulSumOp) -> Sequence[SSAValue]:
    block = op.factors[0].owner
    assert isinstance(block, Block)
    return block.args


def _op(
    formats: Sequence[NumberFormat], lengths: Sequence[int], result: NumberFormat, start: _Start | None
) -> tdsl.MatmulSumOp:
    shapes = [(1, length) if place % 2 == 0 else (length, 1) for place, length in enumerate(lengths)]
    types = [TensorType(format.type, shape) for format, shape in zip(formats, shapes, strict=True)]
    if start is not None:
        types.append(TensorType(start[0].type, (1, 1)))
    arguments = Block(arg_types=types).args
    pairs = [*zip(arguments[: len(lengths) : 2], arguments[1 : len(lengths) : 2], strict=True)]
    return tdsl.MatmulSumOp(pairs, None if start is None else arguments[-1], result.type)

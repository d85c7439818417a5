"""Checks of a number format's sums against reals, for the tests of whoever writes a format.

A sum that loses a scale, a carry or a small term loses accuracy, and nothing else notices: the evaluator and every
device agree on the wrong number. `check_sums` computes sums of one and of two products on the evaluator and compares
them with double precision; the format needs no registration.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import Factor, NumberFormat, Product, Raws, Reals
from tinyml.runtime.evaluator.arithmetics import Bits
from tinyml.transforms.formats.choose_accumulators import choose

RANGES = ((-1.0, 1.0), (-7.5, 6.0), (0.0, 0.1), (-100.0, 90.0))
"""The ranges for which formats of factors are made: their scales differ, where a format has any."""

SAMPLES, LENGTH = 24, 3

NARROWED = range(16)
"""Bits that factors give up, as `assign-format` does, until an accumulator holds their sum."""


@dataclass(frozen=True)
class _Sum:
    """Sums of products of raws; `ranges` are those of the factors, left and right in turn.

    factors: reals of shape (samples, length), which are rounded into their formats. saturated: the result has an
    eighth of the range that it needs.
    """

    name: str
    ranges: Sequence[tuple[float, float]]
    factors: Sequence[Reals]
    saturated: bool = False


def check_sums(prototype: NumberFormat) -> None:
    """Raise `AssertionError` unless sums of products come as close to the real ones as the format's numbers permit.

    prototype: any format of the family and width. Sums of integers may be two roundings off, others one more per term;
    sums beyond the result's numbers saturate. Arithmetic `AS_PUBLISHED` promises nothing.
    """
    assert not prototype.AS_PUBLISHED, f"{prototype.type} rounds as its paper does"
    for case in _cases(prototype):
        _check(prototype, case)


def _cases(prototype: NumberFormat) -> Iterator[_Sum]:
    """Sums of one product and of two, of terms of all magnitudes and signs."""
    random = np.random.default_rng(0)

    def drawn(bounds: tuple[float, float]) -> Reals:
        return random.uniform(*bounds, (SAMPLES, LENGTH))

    for place, first in enumerate(RANGES):
        for second in (*RANGES[place + 1 :], *RANGES[:place]):
            # W x + U h, where neither weights nor vectors share a scale.
            ranges = (first, RANGES[0], second, RANGES[1])
            yield _Sum("of two scales", ranges, [*map(drawn, ranges)])
    for wide, narrow in ((RANGES[3], RANGES[2]), (RANGES[1], RANGES[0])):
        # The greatest terms cancel, and only what is added to them remains.
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
        yield _Sum("that saturates", (bounds, bounds), [ones, ones], saturated=True)
        yield _Sum("of one product", (bounds, RANGES[0]), [drawn(bounds), drawn(RANGES[0])])


def _number(prototype: NumberFormat, bounds: tuple[float, float], reals: Reals) -> Reals:
    format = prototype.for_range(*bounds)
    return format.decode(format.encode(reals))


def _check(prototype: NumberFormat, case: _Sum) -> None:
    formats = [prototype.for_range(*bounds) for bounds in case.ranges]
    exact, magnitude = _reals(formats, case.factors)
    reach = float(np.abs(exact).max()) * (0.125 if case.saturated else 1.0)
    result = prototype.for_range(-reach, reach)
    formats = _fitting(formats, result, case)
    exact, magnitude = _reals(formats, case.factors)
    computed, is_exact = _computed(formats, case.factors, result)
    with np.errstate(all="ignore"):
        limited = np.clip(exact, *result.decode(result.encode(np.array([-3.0e38, 3.0e38]))))
    tolerance = 2.01 * _rounding(result, reach)
    if not is_exact:
        terms = 2 + sum(left.shape[1] for left in case.factors[::2])
        tolerance += terms * _rounding(prototype.for_range(-magnitude, magnitude), magnitude)
    wrong = np.abs(computed - limited) > tolerance + 1e-6 * magnitude
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        types = " + ".join(f"{lhs.type} * {rhs.type}" for lhs, rhs in zip(formats[::2], formats[1::2], strict=True))
        raise AssertionError(
            f"a sum {case.name}, {types} -> {result.type}: got {computed[at]:g} for {limited[at]:g}, "
            f"expected within {tolerance:.2g}; {wrong.sum()} of {wrong.size} are wrong"
        )


def _reals(formats: Sequence[NumberFormat], factors: Sequence[Reals]) -> tuple[Reals, float]:
    """The exact sums of factors that are rounded into their formats, and the greatest sum of magnitudes."""
    numbers = [format.decode(format.encode(reals)) for format, reals in zip(formats, factors, strict=True)]
    terms = np.concatenate([lhs * rhs for lhs, rhs in zip(numbers[::2], numbers[1::2], strict=True)], 1)
    return terms.sum(1), float(np.abs(terms).sum(1).max())


def _rounding(format: NumberFormat, reach: float) -> float:
    """The greatest rounding error of reals between -reach and reach, as far as the format reaches."""
    reals = np.linspace(-reach, reach, 4001)
    with np.errstate(all="ignore"):
        low, high = format.decode(format.encode(np.array([-3.0e38, 3.0e38])))
    reals = np.clip(reals, low, high)
    return float(np.abs(format.decode(format.encode(reals)) - reals).max())


def _fitting(formats: Sequence[NumberFormat], result: NumberFormat, case: _Sum) -> Sequence[NumberFormat]:
    """The formats of factors with so few bits that the result's accumulators hold their sum."""
    for bits in NARROWED:
        narrowed = [format.narrowed(bits) for format in formats]
        products = [
            Product(left.shape[1], Factor(lhs), Factor(rhs))
            for lhs, rhs, left in zip(narrowed[::2], narrowed[1::2], case.factors[::2], strict=True)
        ]
        try:
            bound = result.sum_bound(products)
            for product in products:
                result.accumulator_for(product, bound)
        except InputError:
            continue
        return narrowed
    raise AssertionError(f"no accumulator of {result.type} holds a sum {case.name}")


def _computed(formats: Sequence[NumberFormat], factors: Sequence[Reals], result: NumberFormat) -> tuple[Reals, bool]:
    """The sums in the result's format as reals, and whether their accumulators add integers.

    A format that takes the products of one scale alone adds rounded sums, as its programs do.
    """
    raws = [format.encode(reals) for format, reals in zip(formats, factors, strict=True)]
    op = _op(formats, [each.shape[1] for each in raws], result)
    try:
        choose(op)
    except InputError as error:
        if result.SUMS_GO_ON or len(formats) == 2:
            raise AssertionError(f"a sum of products has no accumulator: {error}") from error
        terms: list[tuple[Raws, NumberFormat]] = []
        for pair in (slice(0, 2), slice(2, 4)):
            sums, _ = _reals(formats[pair], factors[pair])
            term = result.for_range(-float(np.abs(sums).max()), float(np.abs(sums).max()))
            terms.append((term.encode(_computed(formats[pair], factors[pair], term)[0]), term))
        return result.decode(result.add(Bits().machine, *terms[0], *terms[1])), False
    return result.decode(_run(op, raws)), op.accumulator.INTEGER


def _run(op: tdsl.MatmulSumOp, raws: Sequence[Raws]) -> NDArray[Any]:
    """The raws of the results, one for each sample. raws: those of the factors as they were given."""
    given = dict(zip(_arguments(op), raws, strict=True))
    arrays = [given[factor].reshape(-1, *tdsl.shape_of(factor)) for factor in op.factors]
    return op.compute(Bits(), arrays).reshape(-1)


def _arguments(op: tdsl.MatmulSumOp) -> Sequence[SSAValue]:
    """The factors in the order in which they were passed; the op may reorder them."""
    block = op.factors[0].owner
    assert isinstance(block, Block)
    return block.args


def _op(formats: Sequence[NumberFormat], lengths: Sequence[int], result: NumberFormat) -> tdsl.MatmulSumOp:
    """The sum of products of rows and columns of these lengths."""
    shapes = [(1, length) if place % 2 == 0 else (length, 1) for place, length in enumerate(lengths)]
    types = [TensorType(format.type, shape) for format, shape in zip(formats, shapes, strict=True)]
    arguments = Block(arg_types=types).args
    return tdsl.MatmulSumOp([*zip(arguments[::2], arguments[1::2], strict=True)], None, result.type)

"""Checks of a number format against reals: composite operations, and the formats and parameters that the format
chooses.

The operations are softmax, normalisation, steps, leaky ReLUs, sums of products of single numbers and means. A format
chooses further formats for constants, registers, addends, rotations and sums of votes. A bad choice reduces accuracy
without any error message: a constant saturates, or the argument of a function is clipped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast, get_args

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block

from tinyml.dialects import tdsl
from tinyml.dialects.formats.number_format import Function, NumberFormat, Reals
from tinyml.dialects.machine.real_functions import exactly
from tinyml.runtime.evaluator.arithmetics import Bits
from tinyml.transforms.formats.evaluation.tried_numbers import (
    NUMBERS,
    OUT_OF_RANGE,
    PAIRED,
    SINGLE,
    M,
    Numbers,
    require,
)

ROWS, LENGTH = 40, 5
"""The number and the length of the vectors that are normalised."""

_SLOPES = (0.3, -0.1)

_ERROR_RATIO = 8
"""The permitted ratio of squared errors of a fitted format, such as a symmetric one for numbers of one sign."""

_RELATIVE_ERROR = 2.0**-10
"""The relative error of roots, exponentials and quotients in integers of 16 bits."""


def check_composites(numbers: Sequence[Numbers]) -> None:
    """Raise `AssertionError` unless the results of composite operations, and the chosen formats, agree with reals.

    numbers: formats of one family and width.
    """
    for place, source in enumerate(numbers):
        result = numbers[(place + 1) % len(numbers)]
        _check_branches(source, result)
        _check_combined(source, result)
        _check_vectors(source)
        _check_means(source, result)
        _check_distances(source)
        _check_constants(source.format)
        _check_named(source, result)
        _check_arguments(result)


def _check_branches(source: Numbers, result: Numbers) -> None:
    raws, to, of = source.some(NUMBERS), result.format, source.format
    raws = raws[np.abs(of.decode(raws)) < OUT_OF_RANGE[1]]
    x = of.decode(raws)
    one, none = (to.decode(to.encode_clipped(np.array(real))) for real in (1.0, 0.0))
    step = to.decode(np.broadcast_to(to.step(M, raws, of), x.shape))
    require(step == np.where(x > 0, one, none), f"`step` of {of.type} in {to.type}", step, x > 0, {"number": x})
    for slope in _SLOPES:
        factor = Numbers(of.for_range(min(slope, 0.0), max(slope, 0.0)))
        error = np.where(x < 0, np.abs(x) * 1.5 * factor.place(np.array(slope)), 0.0)
        exact = np.where(x < 0, slope * x, x)
        _check_near(result, f"`leaky_relu` {slope} of {of.type}", to.leaky_relu(M, raws, of, slope), exact, error, x)
    parts = np.maximum(source.place(x), source.place(np.array(3.0))) / 6
    for most in (6.0, 1.0):
        parts = parts + Numbers(of.for_range(0.0, most)).place(np.array(most)) / most
    if source.ends[0] <= -3 and source.ends[1] >= 3:
        exact = x * np.clip(x + 3, 0, 6) / 6
        error = np.abs(x) * 3 * parts
        _check_near(result, f"`hard_swish` of {of.type}", to.hard_swish(M, raws, of), exact, error, x)


def _check_near(result: Numbers, what: str, computed: Any, exact: Reals, error: Reals, x: Reals) -> None:
    """Check that a result differs from the exact result by at most `error` plus two units in the last place. The
    exact result is first clamped to the range of the format.

    what: the name of the operation, for messages.
    x: the operand, for messages.
    """
    got, limited = result.format.decode(np.broadcast_to(computed, x.shape)), np.clip(exact, *result.ends)
    near = np.abs(got - limited) <= 2.01 * result.place(limited) + error + 4 * SINGLE * np.abs(exact)
    require(near, f"{what} in {result.format.type}", got, limited, {"number": x})


def _check_combined(source: Numbers, result: Numbers) -> None:
    if not source.is_complete:
        return
    format, some = source.format, source.some(PAIRED)
    factors = [np.roll(some, by) for by in (0, 3, 11, 29)]
    a, b, c, d = map(format.decode, factors)
    of = [(each, format) for each in factors]
    got = result.format.combined(M, [(1, of[:2]), (-1, of[2:])])
    # Other formats also round the products.
    products = a * b, c * d
    exact = products[0] - products[1]
    fits = np.maximum.reduce([*map(np.abs, products), np.abs(exact)]) <= result.ends[1]
    exact, got = np.where(fits, exact, 0.0), np.where(fits, got, result.format.encode(np.array(0.0)))
    error = result.place(products[0]) + result.place(products[1])
    _check_near(result, f"`combined` of {format.type}", got, exact, error, a)


def _check_vectors(source: Numbers) -> None:
    format = source.format
    random = np.random.default_rng(0)
    reach = min(source.ends[1], 8.0)
    low = -reach if source.ends[0] < 0 else 0.0
    raws = format.encode(random.uniform(low, reach, (ROWS, LENGTH)))
    x = format.decode(raws)
    for name, op, bounds, exact in (
        ("softmax", tdsl.SoftmaxOp, (0.0, 1.0), np.exp(x) / np.exp(x).sum(-1, keepdims=True)),
        ("normalise", tdsl.NormaliseOp, (-1.0, 1.0), x / np.maximum(np.sqrt((x * x).sum(-1, keepdims=True)), 1e-30)),
    ):
        result = Numbers(format.for_range(*bounds))
        block = Block(arg_types=[TensorType(format.type, (LENGTH,))])
        got = result.format.decode(op(block.args[0], result.format.type).compute(Bits(), [raws]))
        limited = np.clip(exact, *result.ends)
        near = np.abs(got - limited) <= 2.01 * result.place(limited) + 4 * _RELATIVE_ERROR
        require(near, f"`{name}` of {format.type} in {result.format.type}", got, limited, {"number": x})


def _check_means(source: Numbers, result: Numbers) -> None:
    if not (source.is_complete and result.is_complete):
        return
    raws = source.some(NUMBERS)
    three = np.stack([raws, raws[::-1], np.roll(raws, len(raws) // 3)])
    block = Block(arg_types=[TensorType(source.format.type, (3, len(raws)))])
    op = tdsl.MeanOp(block.args[0], [0], result.format.type)
    got = result.format.decode(op.compute(Bits(), [three[None]])).reshape(-1)
    exact = source.format.decode(three).mean(0)
    reach = np.abs(source.format.decode(three)).max(0)
    error = 0.0 if source.format.ROUNDS_ONCE else source.place(exact)
    limited = np.clip(exact, *result.ends)
    near = np.abs(got - limited) <= 1.51 * result.place(limited) + error + 4 * SINGLE * reach
    require(near, f"`mean` of three of {source.format.type} in {result.format.type}", got, limited, {"mean": exact})


def _check_distances(source: Numbers) -> None:
    format = source.format
    if format.difference(format) is None:
        return
    low, high = (format.decode(end) for end in format.ends())
    unit = _unit_of_squares(format)
    for vectors in (None, format.encode(np.array([[0.0, float(high), float(low)]]))):
        bound = format.distance_bound(3, format, vectors)
        if bound is None or unit is None:
            continue
        against = np.full(3, low) if vectors is None else format.decode(vectors[0])
        most = np.maximum((high - against) ** 2, (low - against) ** 2).sum() / unit
        what = f"{format.type}: `distance_bound` gives {bound} for squares that reach {most:g}"
        assert bound[0] <= 0 <= most <= bound[1] * (1 + SINGLE), what


def _unit_of_squares(format: NumberFormat) -> float | None:
    difference = format.difference(format)
    assert difference is not None
    unit = difference.accumulator(difference, difference, None).sum_unit
    if unit is None:
        return None
    return math.ldexp(1.0, -unit) if isinstance(unit, int) else unit


def _check_constants(format: NumberFormat) -> None:
    """Check that the error of a format fitted to a constant is at most `_ERROR_RATIO` times that of a format for the
    constant's range.

    Also check that `squared_error` returns the actual error.
    """
    random = np.random.default_rng(0)
    for constant in (
        random.normal(0, 0.3, (6, 40)),
        random.uniform(-2, 2, (4, 32)),
        np.abs(random.normal(0, 5, (3, 7))),
    ):
        general = format.for_range(float(constant.min()), float(constant.max()))
        for rows in (False, True):
            fitted = general.fitted_to(constant, None, rows=rows)
            lost, kept = (
                float(((each.decode(each.encode(constant)) - constant) ** 2).sum()) for each in (fitted, general)
            )
            what = f"{general.type}: `fitted_to` gives {fitted.type}, which loses {lost:g} of a constant, not {kept:g}"
            assert lost <= _ERROR_RATIO * kept + 1e-12, what
            said = fitted.squared_error(constant, None)
            what = f"{fitted.type}: `squared_error` is {said:g}, and numbers are {lost:g} off"
            assert math.isclose(said, lost, rel_tol=1e-6, abs_tol=1e-12), what


def _check_named(numbers: Numbers, result: Numbers) -> None:
    """Check the formats that a number format returns for registers, computation, integers, sums of votes, rotations and
    addends. Also check the list of numbers that `ranked` returns.

    Each format must represent the numbers that it is returned for.
    """
    format, some = numbers.format, numbers.format.decode(numbers.some(NUMBERS))
    for name, other in (("in_register", format.in_register()), ("computed", format.computed)):
        got = other.decode(other.encode(some))
        near = np.abs(got - some) <= 0.51 * numbers.place(some)
        require(near, f"{format.type}: `{name}`, {other.type}, of", got, some, {"number": some})
    for name, other, most in (
        ("as_integers", format.as_integers(16), math.inf),
        ("format_of_sums", format.format_of_sums(-1.0, 1.0), 1.0),
    ):
        if other is not None:
            inside = some[np.abs(some) <= most]
            got = other.decode(other.encode(inside))
            require(got == inside, f"{format.type}: `{name}`, {other.type}, of", got, inside, {"number": inside})
    ends = np.array([-1.0, 1.0])
    rotations = Numbers(format.of_rotations)
    got = rotations.format.decode(rotations.format.encode(ends))
    near = np.abs(got - ends) <= 1.01 * rotations.place(ends) + SINGLE
    require(
        near | (numbers.ends[0] >= 0),
        f"{format.type}: `of_rotations`, {rotations.format.type},",
        got,
        ends,
        {"end": ends},
    )
    addend = Numbers(format.addend(result.format, result.format))
    got = addend.format.decode(addend.format.encode(some))
    near = np.abs(got - some) <= 1.01 * np.maximum(numbers.place(some), result.place(some))
    require(near, f"{format.type}: `addend`, {addend.format.type}, of", got, some, {"number": some})
    format.verify_raws(numbers.some(NUMBERS))
    if (ranked := format.ranked(M, numbers.some(NUMBERS))) is not None:
        index, raws = ranked
        got, known = format.decode(raws[np.asarray(index.value)]), some
        require(got == known, f"{format.type}: `ranked`", got, known, {"number": known})


def _check_arguments(result: Numbers) -> None:
    to = result.format
    for name in cast(Sequence[Function], get_args(Function)):
        low, high = to.useful_range(name, -40.0, 40.0)
        x = np.linspace(-40, 40, 4001)
        x = np.maximum(x, 2.0**-126) if name == "log" else x
        cut = np.clip(x, low, high)
        exact, got = (np.clip(exactly(name, each), *result.ends) for each in (x, cut))
        near = np.abs(got - exact) <= 1.01 * result.place(exact) + 4 * SINGLE * np.abs(exact)
        require(near, f"{to.type}: `useful_range` of {name}, [{low:g}, {high:g}],", got, exact, {"argument": x})
        least, most = to.result_range(name, 0.1, 0.3)
        assert least <= 0.1 < 0.3 <= most, f"{to.type}: `result_range` of {name}, [0.1, 0.3], is [{least:g}, {most:g}]"

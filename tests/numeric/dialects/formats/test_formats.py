"""For every number format, the emitted IR computes the same raws as numpy.

8-bit values are tried exhaustively, also in pairs within one format; 16-bit values exhaustively in functions from a
format to itself. `make exhaustive` tries all values of both widths in every test.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, cast

import numpy as np
import pytest
from programs.number_formats import (
    FORMATS,
    RANGES,
    SORTS,
    Array,
    Sort,
    assert_same_bits,
    extremes,
    function,
    lowered,
    lowered_op,
    narrowed_to_fit,
    pairings,
    pairs_of,
    raws_of,
    some_raws_of,
    some_sorts,
)
from programs.spread import spread_product
from xdsl.dialects.builtin import StringAttr, f32
from xdsl.ir import Operation, SSAValue

from tinyml.dialects import num
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.number_format import Bound, Function, NumberFormat
from tinyml.dialects.machine.numpy_machine import NumpyMachine

M = NumpyMachine()

every_sort = pytest.mark.parametrize("sort", SORTS, ids=str)

BINARY: dict[str, type[num.BinaryOp]] = {
    "add": num.AddOp,
    "sub": num.SubOp,
    "mul": num.MulOp,
    "maximum": num.MaximumOp,
    "minimum": num.MinimumOp,
}
FUNCTIONS: dict[Function, type[num.FunctionOp]] = {
    op.FUNCTION: op for op in (num.ExpOp, num.TanhOp, num.SigmoidOp, num.ErfOp, num.LogOp, num.SoftplusOp)
}


def widths_of_family(sort: Sort) -> list[Sort]:
    return [member for member in SORTS if member.variants[0].FAMILY == sort.variants[0].FAMILY]


@pytest.fixture(autouse=True)
def float_overflow_is_no_error():
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        yield


def check_binary(name: str, lhs: NumberFormat, rhs: NumberFormat, result: NumberFormat):
    a, b = pairs_of(lhs, rhs, every=lhs == rhs)
    emitted = lowered_op([lhs, rhs], lambda v: BINARY[name](v[0], v[1], result.type))
    assert_same_bits(emitted(a, b), getattr(result, name)(M, a, lhs, b, rhs), a, b)


@pytest.mark.long
@pytest.mark.parametrize(("sort", "name"), spread_product(25, SORTS, BINARY), ids=str)
def test_binary(sort: Sort, name: str):
    """The raws of a binary op equal numpy's for every pair of variants of a format as operands. Every variant also
    occurs as the result format.
    """
    for (i, lhs), (j, rhs) in product(enumerate(sort.variants), repeat=2):
        check_binary(name, lhs, rhs, sort.variants[(i + j) % len(sort.variants)])


@pytest.mark.long
@pytest.mark.parametrize(("sort", "name"), spread_product(25, SORTS, BINARY), ids=str)
def test_binary_of_mixed_widths(sort: Sort, name: str):
    """The raws of a binary op equal numpy's if the operands have different widths, or if the width of the result
    differs from that of both operands.
    """
    first, last = sort.variants[0], sort.variants[-1]
    for turn, other in enumerate(widths_of_family(sort), [*BINARY].index(name)):
        if other != sort:
            rhs = other.variants[turn % len(other.variants)]
            if turn % 2:
                check_binary(name, last, rhs, sort.variants[turn % len(sort.variants)])
            else:
                check_binary(name, first, last, rhs)


@pytest.mark.long
@every_sort
@pytest.mark.parametrize(("turn", "real"), [*enumerate([1.0, 2.0, 0.25, -0.5, 0.3, 0.0])])
def test_products_with_a_constant(sort: Sort, turn: int, real: float):
    """A product with a constant factor, for which the emitted code may be shorter, equals numpy's product. The cases
    use the variants of the result format in turn.
    """
    factor = sort.variants[-1]
    for place, one in enumerate(sort.variants, turn):
        x, result = some_raws_of(one), sort.variants[place % len(sort.variants)]

        def body(v: Sequence[SSAValue], to: NumberFormat = result) -> list[Operation]:
            constant = num.ConstantOp(real, factor.type)
            return [constant, num.MulOp(constant.result, v[0], to.type)]

        computed = result.mul(M, factor.constant(M, real), factor, x, one)
        assert_same_bits(lowered_op([one], body)(x), computed, x)


@pytest.mark.long
@pytest.mark.parametrize(("sort", "name"), spread_product(len(SORTS), SORTS, FUNCTIONS), ids=str)
def test_functions(sort: Sort, name: Function):
    for source, result in pairings(sort, widths_of_family(sort), [*FUNCTIONS].index(name)):
        x = raws_of(source) if source == result else some_raws_of(source)
        for scheme in (None, *result.SCHEMES):
            known = None if scheme is None else StringAttr(scheme)
            emitted = lowered_op([source], lambda v, to=result.type, by=known: FUNCTIONS[name](v[0], to, by))
            assert_same_bits(emitted(x), result.function(M, name, x, source, scheme), x)


@pytest.mark.long
@every_sort
def test_negation(sort: Sort):
    for source, result in (*pairings(sort, widths_of_family(sort)), *pairings(sort, [sort], 1)):
        x = some_raws_of(source)
        emitted = lowered_op([source], lambda v, to=result.type: num.NegOp(v[0], to))
        assert_same_bits(emitted(x), result.neg(M, x, source), x)


@pytest.mark.long
@every_sort
def test_conversion_within_and_between_families(sort: Sort):
    for source, result in (*pairings(sort, some_sorts(sort)), *pairings(sort, widths_of_family(sort), 1)):
        x = some_raws_of(source)
        emitted = lowered_op([source], lambda v, to=result.type: num.ConvertOp(v[0], to))
        assert_same_bits(emitted(x), result.convert(M, x, source), x)


@pytest.mark.long
@every_sort
@pytest.mark.parametrize("limits", [(0.0, None), (0.0, 6.0), (-1.0, 0.3), (-1.0e9, 1.0e9), (1.0e9, None)])
def test_clamp(sort: Sort, limits: tuple[float, float | None]):
    for format in sort.variants:
        x = some_raws_of(format)
        emitted = lowered_op([format], lambda v: num.ClampOp(v[0], *limits))
        assert_same_bits(emitted(x), format.clamp(M, x, *limits), x)


@pytest.mark.long
@every_sort
@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.7, -1.7, 1.0e9, -1.0e9])
def test_at_least(sort: Sort, threshold: float):
    """The result of the comparison is `real >= threshold` for the exact real of each raw; the threshold is not rounded
    to the format.
    """
    for format in sort.variants:
        x = np.append(some_raws_of(format), format.encode(np.array(threshold)))
        computed = np.broadcast_to(format.at_least(M, x, threshold), x.shape)
        emitted = lowered_op([format], lambda v: num.AtLeastOp(v[0], threshold))
        assert_same_bits(emitted(x), computed, x)
        np.testing.assert_array_equal(computed, format.decode(x) >= threshold)


@pytest.mark.long
@every_sort
def test_greater(sort: Sort):
    for format in sort.variants:
        a, b = pairs_of(format, format, every=format == sort.variants[0])
        computed = format.greater(M, a, b)
        assert_same_bits(lowered_op([format, format], lambda v: num.GreaterOp(*v))(a, b), computed, a, b)
        np.testing.assert_array_equal(computed, format.decode(a) > format.decode(b))


@pytest.mark.long
@every_sort
@pytest.mark.parametrize("real", [0.0, 1.0, -0.3, 1.0e-9, 3.0e38, -3.0e38])
def test_constant(sort: Sort, real: float):
    for format in sort.variants:
        emitted = lowered_op([], lambda v, to=format.type: num.ConstantOp(real, to))
        assert_same_bits(emitted(), format.constant(M, real))
        assert_same_bits(emitted(), format.encode_clipped(np.array(real)))


def vectors(format: NumberFormat, length: int, seed: int) -> Array:
    """Vectors of raws, of shape (6, length): all least, all greatest, both in turn, random raws, normally distributed
    numbers, and a sixth vector.

    seed: the seed of the random vectors. The sixth vector contains both extremes in turn if the seed is odd, otherwise
        only the least raw.
    """
    random = np.random.default_rng(seed)
    low, high = format.encode(extremes(format))
    turns = np.resize(np.array([low, high]), length)
    ordinary = format.encode(random.normal(size=length) * min(extremes(format)[1] / 2, 1.0))
    last = turns if seed % 2 else np.full(length, low)
    return np.stack(
        [np.full(length, low), np.full(length, high), turns, random.choice(raws_of(format), length), ordinary, last]
    )


@pytest.mark.long
@pytest.mark.parametrize(("sort", "length"), spread_product(40, SORTS, [0, 1, 2, 17, 300]), ids=str)
def test_dot_products(sort: Sort, length: int):
    """The emitted loop, a chain of numpy multiply-accumulates, and the evaluator's matrix product compute the same sum.

    For the longest vectors, each format is tested with one combination of variants.
    """
    variants = sort.variants
    cases = [*zip(variants, (*variants[1:], variants[0]), reversed(variants), strict=True)]
    for lhs, rhs, result in [cases[SORTS.index(sort) % len(cases)]] if length > 100 else cases:
        check_dot_product(*narrowed_to_fit(result, lhs, rhs, length), result, length)


def check_dot_product(lhs: NumberFormat, rhs: NumberFormat, bound: Bound | None, result: NumberFormat, length: int):
    accumulator = result.accumulator(lhs, rhs, bound)
    a, b = vectors(lhs, length, 0), vectors(rhs, length, 1)
    emitted = lowered(
        function("zero", [], lambda v: num.ZeroOp(accumulator.type)),
        function("mac", [accumulator.type, lhs.type, rhs.type], lambda v: num.MacOp(*v)),
        function("finish", [accumulator.type], lambda v: num.FinishOp(v[0], result.type, bound)),
        function("unproven", [accumulator.type], lambda v: num.FinishOp(v[0], result.type)),
    )
    running, computed = emitted(name="zero"), cast(Any, accumulator.zero(M))
    assert_same_bits(running, computed)
    for k in range(length):
        running = emitted(running, a[:, k], b[:, k], name="mac")
        computed = accumulator.mac(M, computed, a[:, k], lhs, b[:, k], rhs)
    assert_same_bits(running, computed)
    finished = emitted(running, name="finish")
    assert_same_bits(finished, result.finish(M, computed, accumulator, bound))
    assert_same_bits(finished, emitted(running, name="unproven"))
    sums = accumulator.matmul(a[:, None, :], lhs, b[:, :, None], rhs)
    assert sums.shape == (len(a), 1, 1)
    assert_same_bits(finished, np.ravel(result.finish(M, sums, accumulator, bound)))


@every_sort
def test_the_suite_finds_formats(sort: Sort):
    names = {str(one) for one in SORTS}
    assert {"f32-32", *(f"{FixedType.name}-{width}" for width in (8, 16, 32))} <= names
    assert all(one.FAMILY == sort.variants[0].FAMILY for one in sort.variants)
    assert f32 in {one.type for one in FORMATS}
    assert len(sort.variants) in (1, len(RANGES))

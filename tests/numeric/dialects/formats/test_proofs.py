"""The proofs that exclude overflow hold: intervals of values, bounds of sums, widths of accumulators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from interpreters.bits import Overflow, run
from numpy.typing import NDArray
from programs.number_formats import FORMATS, FUNCTIONS, extremes, function, lowered, raws_of
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerType, ModuleOp

from tinyml.dialects import num
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.exact.accumulator import AccumulatorType
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.number_format import Factor, Function, NumberFormat, Product
from tinyml.dialects.machine.machine import Int, limits
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.machine.real_functions import exactly

M = NumpyMachine()

fixed = st.builds(FixedType, st.integers(2, 32), st.integers(-6, 40))


def half_up(x: int, right: int) -> int:
    return x << -right if right <= 0 else (x + (1 << (right - 1))) >> right


def leaf(width: int, bounds: tuple[int, int], random: np.random.Generator) -> tuple[Int[Any], list[int]]:
    """A stored integer whose interval is `bounds`, and values of it: both bounds and some numbers between them."""
    values = [*bounds, *random.integers(*bounds, 6, np.int64, endpoint=True).tolist()]
    return Int(np.array(values, f"i{width // 8}"), width, *bounds), values


@dataclass(frozen=True)
class Step:
    """One op on two earlier values of an expression. `kind` is the name of the op.

    first, second: the indices of the operands.
    right: the number of bits for shifts, `rescale` and `low_bits`.
    low, high: the limits of a clamp; `low` is also the threshold of `choose`.
    """

    kind: str
    first: int
    second: int
    right: int
    low: int
    high: int

    def compute(self, a: Int[Any], b: Int[Any]) -> Int[Any]:
        match self.kind:
            case "add":
                return M.add(a, b)
            case "sub":
                return M.sub(a, b)
            case "mul":
                return M.mul(a, b)
            case "choose":
                return M.choose(M.at_least(a, self.low), a, b)
            case "shift_right":
                return M.shift_right(a, self.right % a.width)
            case "low_bits":
                return M.low_bits(a, self.right % 21)
            case "rescale":
                return M.rescale(a, self.right)
            case "rescale_to":
                return M.rescale_to(a, self.right, self.low, self.high)
            case _:
                return M.clamp(a, self.low, self.high)

    def expect(self, x: int, y: int, width: int) -> int:
        match self.kind:
            case "add":
                return x + y
            case "sub":
                return x - y
            case "mul":
                return x * y
            case "choose":
                return x if x >= self.low else y
            case "shift_right":
                return x >> self.right % width
            case "low_bits":
                return x % (1 << self.right % 21)
            case "rescale":
                return half_up(x, self.right)
            case "rescale_to":
                return min(max(half_up(x, self.right), self.low), self.high)
            case _:
                return min(max(x, self.low), self.high)


KINDS = ["add", "sub", "mul", "choose", "shift_right", "low_bits", "rescale", "rescale_to", "clamp"]
places = st.integers(0, 9)
steps = st.builds(
    Step,
    st.sampled_from(KINDS),
    places,
    places,
    st.integers(-12, 70) | st.integers(0, 4),
    st.integers(-300, 0),
    st.integers(0, 40000),
)


@st.composite
def leaves(draw: st.DrawFn) -> tuple[int, tuple[int, int]]:
    width = draw(st.sampled_from([8, 16, 32, 64]))
    ends = st.integers(*limits(width)) | st.integers(-5, 5) | st.sampled_from(limits(width))
    low, high = sorted((draw(ends), draw(ends)))
    return width, (low, high)


@given(st.lists(leaves(), min_size=2, max_size=3), st.lists(steps, max_size=6))
def test_values_are_exact_and_never_leave_their_interval(sources: list[tuple[int, tuple[int, int]]], trail: list[Step]):
    """In random expressions, every intermediate value equals that in unlimited integers and lies in its proved
    interval.
    """
    random = np.random.default_rng(0)
    pool = [leaf(width, bounds, random) for width, bounds in sources]
    for step in trail:
        (a, x), (b, y) = pool[step.first % len(pool)], pool[step.second % len(pool)]
        try:
            result = step.compute(a, b)
        except InputError:
            # Beyond 64 bits, which is said and not computed.
            continue
        expected = [step.expect(p, q, a.width) for p, q in zip(x, y, strict=True)]
        values = np.broadcast_to(result.value, len(expected))
        assert values.dtype == ("i4" if result.width == 24 else f"i{result.width // 8}")
        assert values.tolist() == expected
        assert result.low <= min(expected)
        assert max(expected) <= result.high
        assert limits(result.width)[0] <= result.low
        assert result.high <= limits(result.width)[1]
        pool.append((result, expected))


@st.composite
def products(draw: st.DrawFn):
    """Random formats of weights, factors and result, and a random matrix of weights (3, k)."""
    lhs, rhs, result = draw(fixed), draw(fixed), draw(fixed)
    length = draw(st.integers(0, 12))
    row = st.lists(st.integers(*lhs.limits), min_size=length, max_size=length)
    return lhs, rhs, result, np.array(draw(st.lists(row, min_size=3, max_size=3)), lhs.dtype).reshape(3, length)


def worst(weights: NDArray[Any], rhs: FixedType) -> list[int]:
    """For each row of weights, the sum of products with the inputs that maximise it, in unlimited integers."""
    return [sum(abs(int(w)) for w in row) * rhs.limits[1] for row in weights]


@given(products())
def test_bounds_of_sums_hold_for_the_worst_inputs(case: tuple[FixedType, FixedType, FixedType, NDArray[Any]]):
    lhs, rhs, result, weights = case
    length = weights.shape[1]
    reached = max(worst(weights, rhs))
    constant, anything = Factor(lhs, weights), Factor(rhs)
    assert result.sum_bound([Product(length, constant, anything)]) == (-reached, reached), "true and tight"
    assert result.sum_bound([Product(length, anything, constant)]) == (-reached, reached)
    unknown = length * lhs.limits[1] * rhs.limits[1]
    assert result.sum_bound([Product(length, Factor(lhs), anything)]) == (-unknown, unknown)


@given(products(), st.floats(-100, 100), st.floats(-100, 100))
def test_bounds_of_sums_with_a_known_factor(
    case: tuple[FixedType, FixedType, FixedType, NDArray[Any]], a: float, b: float
):
    """If the elements of the factor that the weights multiply lie in the interval from a to b, the bounds of the sums
    are the least and the greatest of all partial sums.
    """
    lhs, rhs, result, weights = case
    low, high = (int(raw) for raw in rhs.encode(np.array(sorted((a, b)))))
    bound = result.sum_bound(
        [Product(weights.shape[1], Factor(lhs, weights), Factor(rhs, interval=(min(a, b), max(a, b))))]
    )
    rows = [[sorted((0, int(w) * low, int(w) * high)) for w in row] for row in weights]
    assert bound == (min(sum(p[0] for p in row) for row in rows), max(sum(p[-1] for p in row) for row in rows))


@given(products())
def test_accumulators_hold_the_bound_and_the_rounding(case: tuple[FixedType, FixedType, FixedType, NDArray[Any]]):
    """The accumulator has the least width of 16, 24, 32 and 64 bits that holds each product and the sum with the addend
    for rounding. If 64 bits do not suffice, the format raises `InputError`. The emitted code does not overflow.
    """
    lhs, rhs, result, weights = case
    bound = result.sum_bound([Product(weights.shape[1], Factor(lhs, weights), Factor(rhs))])
    assert bound is not None
    reached = bound[1]
    frac = lhs.frac.data + rhs.frac.data
    half = 1 << max(frac - result.frac.data - 1, 0)
    needed = max(reached + half, lhs.limits[1] * rhs.limits[1])
    try:
        accumulator = result.accumulator(lhs, rhs, bound)
    except InputError:
        assert needed >= 1 << 63
        return
    assert isinstance(accumulator, AccumulatorType)
    assert accumulator.sums(lhs, rhs)
    assert accumulator.frac.data == frac
    assert accumulator.width.data == next(width for width in (16, 24, 32, 64) if needed < 1 << (width - 1))
    try:
        emitted = lowered(function("f", [accumulator.type], lambda v: num.FinishOp(v[0], result.type, bound)))
    except InputError:
        assume(False)
    held = {16: np.int16, 24: np.int32, 32: np.int32, 64: np.int64}[accumulator.width.data]
    raws = np.broadcast_to(emitted(np.array([reached, -reached, 0], held)), 3)
    expected = [
        min(max(half_up(x, frac - result.frac.data), result.limits[0]), result.limits[1])
        for x in (reached, -reached, 0)
    ]
    assert raws.tolist() == expected


@pytest.mark.long
@pytest.mark.parametrize("format", FORMATS, ids=lambda format: str(format.type))
def test_narrowed_formats_keep_their_range(format: NumberFormat):
    for bits in range(7):
        narrow = format.narrowed(bits)
        if not np.allclose(extremes(narrow), extremes(format), rtol=1e-9, atol=0):
            # One place of the narrow format is missing at the top.
            below, high = np.sort(narrow.decode(raws_of(narrow)))[-2:]
            missing = np.abs(extremes(narrow) - extremes(format))
            assert (missing <= (high - below) / high * np.abs(extremes(format))).all()
            low, high = narrow.encode(extremes(narrow))
            # Formats of sensors have the least integer, too.
            assert low in ((-high, -high - 1) if extremes(format)[0] < 0 else (0,))
        assert narrow.FAMILY == format.FAMILY


@pytest.mark.parametrize("format", FORMATS, ids=lambda format: str(format.type))
def test_registers_lose_nothing(format: NumberFormat):
    wide = format.in_register()
    assert wide.FAMILY == format.FAMILY
    assert wide.bits >= format.bits
    np.testing.assert_array_equal(wide.decode(wide.encode(extremes(format))), extremes(format))


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("format", FORMATS, ids=lambda format: str(format.type))
def test_functions_do_not_change_beyond_their_useful_range(format: NumberFormat, function: Function):
    most = 0.0 if function == "exp" else 300.0
    low, high = format.useful_range(function, -300.0, most)
    assert -300.0 <= low < high <= most
    beyond = np.linspace(-300.0, low), np.linspace(high, most)
    for x in beyond:
        given = format.encode(exactly(function, x)).astype(np.float64)
        # Where a limit lies halfway between two numbers, both are equally near.
        assert len(np.unique(given)) <= 2
    assert format.useful_range(function, 500.0, 600.0)[0] <= format.useful_range(function, 500.0, 600.0)[1]


@given(st.floats(-1.0e6, 1.0e6), st.floats(-1.0e6, 1.0e6), st.sampled_from([8, 16, 32]))
def test_scales_use_the_range(a: float, b: float, width: int):
    """The format for a profile represents both extremes to within one and a half steps. With half the step, the greater
    magnitude would exceed its range.
    """
    low, high = min(a, b), max(a, b)
    magnitude = max(abs(low), abs(high))
    assume(magnitude > 1e-3)
    format = FixedType.of_width(width).for_range(low, high)
    unit = 2.0**-format.frac.data
    assert magnitude < 2.0 ** (width - 1 - format.frac.data) + unit / 2
    assert magnitude >= 2.0 ** (width - 2 - format.frac.data)
    decoded = format.decode(format.encode(np.array([low, high])))
    assert (np.abs(decoded - [low, high]) <= 1.5 * unit).all()


def test_the_interpreter_of_these_tests_notices_overflow():
    def module(op: type[arith.AddiOp | arith.MuliOp], width: int) -> ModuleOp:
        type = IntegerType(width)
        f = func.FuncOp("f", ([type, type], [type]))
        a, b = f.body.block.args
        result = op(a, b)
        f.body.block.add_ops([result, func.ReturnOp(result)])
        return ModuleOp([f])

    for width in (8, 16, 32, 64):
        greatest = np.array(limits(width)[1], f"i{width // 8}")
        one, two = np.ones_like(greatest), 2 * np.ones_like(greatest)
        assert run(module(arith.AddiOp, width), "f", greatest, -one) == limits(width)[1] - 1
        with pytest.raises(Overflow):
            run(module(arith.AddiOp, width), "f", greatest, one)
        with pytest.raises(Overflow):
            run(module(arith.MuliOp, width), "f", greatest, two)


@given(st.integers(2, 16), st.integers(2, 16), st.integers(1, 5), st.data())
def test_a_distance_stays_within_its_bound(lhs_width: int, rhs_width: int, length: int, data: st.DataObject):
    """The sum of squared differences equals its bound if each difference is as great as the formats permit. Differences
    are exact.
    """
    lhs, rhs = FixedType(lhs_width, 3), FixedType(rhs_width, 3)
    exact = lhs.difference(rhs)
    assert exact is not None
    raws = st.lists(st.integers(*rhs.limits), min_size=length, max_size=length)
    vectors = np.array([data.draw(raws), data.draw(raws)], rhs.dtype)
    furthest = np.where(vectors > 0, -lhs.limits[1], lhs.limits[1]).astype(lhs.dtype)
    differences = exact.sub(M, furthest, lhs, vectors, rhs).astype(np.int64)
    assert (differences == furthest.astype(np.int64) - vectors).all()
    bound, blind = lhs.distance_bound(length, rhs, vectors), lhs.distance_bound(length, rhs, None)
    assert bound is not None
    assert blind is not None
    assert bound[0] == blind[0] == 0
    assert int((differences**2).sum(-1).max()) == bound[1] <= blind[1]


@given(st.integers(0, (1 << 31) - 1), st.integers(1, 1 << 20), st.integers(0, 2**32))
def test_a_division_by_a_constant_is_exact(most: int, divisor: int, seed: int):
    a, values = leaf(32, (0, most), np.random.default_rng(seed))
    near = [x for k in (1, most // divisor) for x in (k * divisor - 1, k * divisor) if 0 <= x <= most]
    a = Int(np.array([*values, *near], "i4"), 32, 0, most)
    quotient = M.divide(a, M.const(divisor))
    assert (quotient.low, quotient.high) == (0, most // divisor)
    assert np.broadcast_to(quotient.value, len(values) + len(near)).tolist() == [x // divisor for x in [*values, *near]]

"""Formats with one wrong method fail the checks of numbers and sums; the error names the wrong numbers.

The evaluator and a device agree on the results of such a format, so that a comparison of the two detects nothing.
"""

# Of lambdas in tables no type is known.
# pyright: basic

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import pytest
from programs.number_formats import SORTS, Sort

from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.bf16 import BF16, BF16_FORMAT
from tinyml.dialects.formats.exact.accumulator import AccumulatorType
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.minifloat import MinifloatType
from tinyml.dialects.formats.mxint import MxIntType
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.formats.posit.type import PositType
from tinyml.transforms.formats.evaluation.group_checks import check_groups
from tinyml.transforms.formats.evaluation.number_checks import check_numbers
from tinyml.transforms.formats.evaluation.sum_checks import check_sums

OWN = [sort for sort in SORTS if not sort.variants[0].AS_PUBLISHED]

Wrong: TypeAlias = "Callable[[Callable[..., Any]], Callable[..., Any] | property]"
"""Makes a wrong method or property of the right one."""


@pytest.mark.long
@pytest.mark.parametrize("sort", OWN, ids=str)
def test_numbers_are_those_of_reals(sort: Sort):
    check_numbers(sort.variants[0])


def scaled(format: Any, reals: Any) -> Any:
    """Reals, limited to magnitudes of 1e9, divided by the step of a format."""
    return np.ldexp(np.clip(reals, -1e9, 1e9), format.scale)


def raised(method: Callable[..., Any], by: int) -> Callable[..., Any]:
    """A method that calls `method` and adds `by` to its integer result."""
    return lambda *arguments: np.asarray(method(*arguments)) + np.int8(by)


NUMBERS: dict[str, tuple[str, Wrong]] = {
    "rounds down": ("encode", lambda _: lambda f, x: np.clip(np.floor(scaled(f, x)), *f.limits).astype(f.dtype)),
    "breaks ties to even": ("encode", lambda _: lambda f, x: np.clip(np.rint(scaled(f, x)), *f.limits).astype(f.dtype)),
    "wraps around": ("encode", lambda _: lambda f, x: np.floor(scaled(f, x) + 0.5).astype(np.int64).astype(f.dtype)),
    "saturates early": ("encode", lambda right: lambda f, x: np.clip(right(f, x), f.limits[0], f.limits[1] // 2)),
    "rounds zero up": ("encode", lambda right: lambda f, x: np.where(right(f, x) == 0, f.dtype.type(1), right(f, x))),
    "falls": ("encode", lambda right: lambda f, x: right(f, x) ^ f.dtype.type(1)),
    "reads without a scale": ("decode", lambda _: lambda f, raws: np.asarray(raws, np.float64)),
    "reads half": ("decode", lambda right: lambda f, raws: right(f, raws) / 2),
    "reads no sign": ("decode", lambda right: lambda f, raws: np.abs(right(f, raws))),
    "rounds away to the same side": ("encode_away", lambda right: lambda f, x: raised(f.encode, 1)(x)),
    "becomes a float without a scale": ("to_f32", lambda _: lambda f, m, x: x.astype(np.float32)),
    "takes floats at half": ("from_f32", lambda right: lambda f, m, x: right(f, m, m.mulf(x, m.float_constant(0.5)))),
    "takes floats rounded down": (
        "from_f32",
        lambda _: lambda f, m, x: f.encode(np.floor(scaled(f, x)) * 0.5**f.scale),
    ),
    "stores without saturation": (
        "store",
        lambda _: lambda f, m, x, scale: m.rescale(x, scale - f.scale).value.astype(f.dtype),
    ),
    "stores rounded down": (
        "store",
        lambda _: (
            lambda f, m, x, scale: m.settle(
                m.clamp(m.shift_right(m.rescale(x, min(scale - f.scale, 0)), max(scale - f.scale, 0)), *f.limits),
                f.stored_width,
            )
        ),
    ),
    "stores ties down": (
        "store",
        lambda right: lambda f, m, x, scale: right(f, m, m.sub(x, m.const(1)) if scale > f.scale else x, scale),
    ),
    "clamps to raws": (
        "clamp",
        lambda _: lambda f, m, x, low, high: np.clip(x, *np.clip([low, 1e9 if high is None else high], *f.limits)),
    ),
    "clamps below alone": ("clamp", lambda right: lambda f, m, x, low, high: right(f, m, x, low, None)),
    "clamps to 0": ("clamp", lambda right: lambda f, m, x, low, high: right(f, m, x, max(low, 0.0), high)),
    "does not bind": ("binds", lambda _: lambda f, low, high: False),
    "has equal ones greater": ("greater", lambda _: lambda f, m, a, b: a >= b),
    "rounds thresholds": ("at_least", lambda _: lambda f, m, x, real: x >= f.encode(np.array(real))),
    "adds without the other scale": ("add", lambda right: lambda f, m, a, of_a, b, _: right(f, m, a, of_a, b, of_a)),
    "adds with a carry": ("add", lambda right: lambda *arguments: raised(right, 1)(*arguments)),
    "subtracts the other way": ("sub", lambda right: lambda f, m, a, of_a, b, of_b: right(f, m, b, of_b, a, of_a)),
    "multiplies without a scale": ("mul", lambda right: lambda f, m, a, of_a, b, _: right(f, m, a, of_a, b, f)),
    "negates nothing": ("neg", lambda right: lambda f, m, x, of_x: f.recode(m, x, of_x)),
    "converts no scale": ("recode", lambda _: lambda f, m, x, of_x: x),
    "has constants of half": ("constant", lambda right: lambda f, m, real: right(f, m, real / 2)),
    "fits half of a range": ("for_range", lambda right: lambda f, low, high: right(f, low / 2, high / 2)),
    "narrows the range": ("narrowed", lambda right: lambda f, bits: type(f)(f.bits - bits, f.frac.data)),
    "averages more": ("average", lambda right: lambda f, m, x, count, of_x: right(f, m, x, count + 1, of_x)),
    "tallies one less": ("tally", lambda right: lambda f, m, total, x: right(f, m, total, x) - 1),
    "has functions of raws": ("function", lambda right: lambda f, m, name, x, *_: right(f, m, name, x, f)),
    "differs in too few bits": ("difference", lambda _: lambda f, other: f),
}
"""Wrong methods of fixed point, by what they do."""


@pytest.mark.long
@pytest.mark.parametrize("what", NUMBERS)
@pytest.mark.parametrize("bits", [8, 16])
def test_wrong_numbers_do_not_pass(what: str, bits: int, monkeypatch: pytest.MonkeyPatch):
    method, wrong = NUMBERS[what]
    monkeypatch.setattr(FixedType, method, wrong(getattr(FixedType, method)))
    wrongly = r"got .* for .* are wrong|but `clamp` changes a number|raws are not in the order"
    with pytest.raises(AssertionError, match=wrongly):
        check_numbers(FixedType(bits, bits - 1))


def test_sign_and_magnitude_are_no_order(monkeypatch: pytest.MonkeyPatch):
    """Bytes of a sign and a magnitude, whose negative raws fall with the numbers, are rejected."""

    def exchanged(raws: Any) -> Any:
        raws = np.clip(raws, -127, 127).astype(np.int8)
        return np.where(raws < 0, np.int8(-128) - raws, raws)

    encode, decode = FixedType.encode, FixedType.decode
    monkeypatch.setattr(FixedType, "encode", lambda f, reals: exchanged(encode(f, reals)))
    monkeypatch.setattr(FixedType, "decode", lambda f, raws: decode(f, exchanged(raws)))
    with pytest.raises(AssertionError, match=r"order of the numbers: raw -1 represents -0.99"):
        check_numbers(FixedType(8, 7))


def test_patterns_of_floats_are_no_order(monkeypatch: pytest.MonkeyPatch):
    """Formats without exact sums are sorted by their raws, too: patterns of bfloat16 with a sign bit are rejected."""

    def exchanged(raws: Any) -> Any:
        return np.where(raws < 0, np.int16(-(1 << 15)) - raws, raws).astype(np.int16)

    encode, decode = BF16.encode, BF16.decode
    monkeypatch.setattr(BF16, "encode", lambda f, reals: exchanged(encode(f, reals)))
    monkeypatch.setattr(BF16, "decode", lambda f, raws: decode(f, exchanged(raws)))
    with pytest.raises(AssertionError, match=r"bf16: raws are not in the order of the numbers: raw -129 represents -3"):
        check_numbers(BF16_FORMAT)


COMPOSITES: dict[str, tuple[str, Wrong]] = {
    "fits a quarter": ("fitted_to", lambda _: lambda f, x, importance, rows: f.for_range(x.min() / 4, x.max() / 4)),
    "fits sixteen times": (
        "fitted_to",
        lambda _: lambda f, x, importance, rows: f.for_range(16 * x.min(), 16 * x.max()),
    ),
    "cuts arguments off": ("useful_range", lambda right: lambda f, name, low, high: (low / 4, high / 4)),
    "scales results for half": ("result_range", lambda right: lambda f, name, low, high: (low / 2, high / 2)),
    "loses nothing": ("squared_error", lambda _: lambda f, x, importance: 0.0),
    "adds one exponential": ("softmax_add", lambda _: lambda f, m, total, term: term),
    "divides the other way": ("softmax_share", lambda right: lambda f, m, term, total: right(f, m, total, term)),
    "adds no square": ("add_square", lambda _: lambda f, m, total, x, of_x: total),
    "normalises to half": ("normalised", lambda right: lambda f, m, x, by, *rest: right(f, m, x, by >> 1, *rest)),
    "adds coarse constants": ("addend", lambda _: lambda f, other, result: f.narrowed(6)),
    "turns by a quarter": ("of_rotations", lambda _: property(lambda f: f.for_range(-0.25, 0.25))),
    "adds the first term": ("combined", lambda right: lambda f, m, terms: right(f, m, terms[:1])),
    "steps everywhere": ("step", lambda _: lambda f, m, x, of_x: f.constant(m, 1.0)),
    "leaks everything": ("leaky_relu", lambda _: lambda f, m, x, of_x, slope: f.recode(m, x, of_x)),
    "swishes nothing": ("hard_swish", lambda _: lambda f, m, x, of_x: f.recode(m, x, of_x)),
    "bounds no distance": ("distance_bound", lambda _: lambda f, length, other, vectors: (0, 1)),
    "has narrow registers": ("in_register", lambda _: lambda f: f.narrowed(3)),
    "computes narrowly": ("computed", lambda _: property(lambda f: f.narrowed(1))),
    "ranks the other way": ("ranked", lambda right: lambda f, m, x: (right(f, m, x)[0], right(f, m, x)[1][::-1])),
    "means more": ("mean", lambda right: lambda f, m, x, count, of_x: right(f, m, x, count + 1, of_x)),
}
"""Wrong methods of fixed point that make something of several numbers, or name another format."""


@pytest.mark.long
@pytest.mark.parametrize("what", COMPOSITES)
def test_wrong_composites_do_not_pass(what: str, monkeypatch: pytest.MonkeyPatch):
    method, wrong = COMPOSITES[what]
    monkeypatch.setattr(FixedType, method, wrong(getattr(FixedType, method)))
    with pytest.raises(AssertionError, match=f"`{method}`|softmax|normalise"):
        check_numbers(FixedType(8, 7))


GROUPS: dict[str, tuple[str, Wrong]] = {
    "saturates in groups": ("best_scales", lambda right: lambda f, *rest: right(f, *rest) + 3),
    "has coarse groups": ("best_scales", lambda right: lambda f, *rest: right(f, *rest) - 5),
    "decodes twice": ("decode", lambda right: lambda f, raws: right(f, raws) * 2),
    "has other integers": ("integers", lambda right: lambda f, raws: right(f, raws) * 2),
    "has the limits of elements": ("integer_limits", lambda _: property(lambda f: f.element.integer_limits)),
    "narrows all groups": ("narrowed", lambda _: lambda f, bits: f.with_groups(f.scale - bits, f.groups)),
    "rounds away to the same side": ("encode_away", lambda _: lambda f, x: f.encode(x) + 1),
    "shows kernels no groups": ("coding", lambda _: property(lambda f: f.element.coding)),
}
"""Wrong methods of integers in groups."""


@pytest.mark.parametrize("what", GROUPS)
def test_wrong_groups_do_not_pass(what: str, monkeypatch: pytest.MonkeyPatch):
    method, wrong = GROUPS[what]
    monkeypatch.setattr(MxIntType, method, wrong(getattr(MxIntType, method)))
    with pytest.raises(AssertionError, match=f"`{method}`|group|`integers`"):
        check_groups(MxIntType.of_width(4))


def test_sums_of_groups_of_other_integers_do_not_pass(monkeypatch: pytest.MonkeyPatch):
    right = AccumulatorType.matmul_aligned
    monkeypatch.setattr(AccumulatorType, "matmul_aligned", lambda *arguments: right(*arguments) & -2)
    with pytest.raises(AssertionError, match="`matmul_aligned`"):
        check_groups(MxIntType.of_width(4))


def test_codings_of_other_numbers_do_not_pass(monkeypatch: pytest.MonkeyPatch):
    right = MinifloatType(3, 4).coding
    assert right is not None
    monkeypatch.setattr(MinifloatType, "coding", replace(right, zero=right.zero - 1))
    with pytest.raises(AssertionError, match=r"`coding` .*got"):
        check_numbers(MinifloatType(3, 4))


def halved(bound: tuple[int, int]) -> tuple[int, int]:
    return bound[0] // 2, bound[1] // 2


FORMATS: dict[str, tuple[str, Wrong]] = {
    "bounds half": ("sum_bound", lambda right: lambda f, products, initial=None: halved(right(f, products, initial))),
    "bounds one product": (
        "sum_bound",
        lambda right: lambda f, products, initial=None: right(f, [replace(each, length=1) for each in products]),
    ),
    "bounds one side": (
        "sum_bound",
        lambda right: lambda f, products, initial=None: (0, right(f, products, initial)[1]),
    ),
    "takes an accumulator of 16 bits": (
        "accumulator",
        lambda _: lambda f, lhs, rhs, bound: AccumulatorType(16, lhs.scale + rhs.scale),
    ),
    "takes an accumulator without a scale": (
        "accumulator",
        lambda _: lambda f, lhs, rhs, bound: AccumulatorType(64, f.scale),
    ),
    "finishes rounded down": (
        "finish",
        lambda _: (
            lambda f, m, sum, unit, bound: np.clip(
                np.asarray(sum, np.int64) >> max(unit.frac.data - f.scale, 0) << max(f.scale - unit.frac.data, 0),
                *f.limits,
            ).astype(f.dtype)
        ),
    ),
    "finishes without a scale": (
        "finish",
        lambda _: lambda f, m, sum, unit, bound: np.clip(sum, *f.limits).astype(f.dtype),
    ),
    "finishes without saturation": (
        "finish",
        lambda _: (
            lambda f, m, sum, unit, bound: (
                np.floor(np.ldexp(np.asarray(sum, np.float64), f.scale - unit.frac.data) + 0.5)
                .astype(np.int64)
                .astype(f.dtype)
            )
        ),
    ),
    "finishes ties to even": (
        "finish",
        lambda _: (
            lambda f, m, sum, unit, bound: np.clip(
                np.rint(np.ldexp(np.asarray(sum, np.float64), f.scale - unit.frac.data)), *f.limits
            ).astype(f.dtype)
        ),
    ),
}
"""Wrong methods of fixed point with which sums are wrong."""

SUMS: dict[str, tuple[str, Wrong]] = {
    "aligns nothing": ("align", lambda _: lambda a, m, sum, other: sum),
    "aligns twice": ("align", lambda right: lambda a, m, sum, other: right(a, m, right(a, m, sum, other), other)),
    "follows anything": ("follows", lambda _: lambda a, other: True),
    "has one unit": ("of", lambda _: lambda a, lhs, rhs: a),
    "sums anything in one unit": ("sums", lambda _: lambda a, lhs, rhs: True),
    "has the unit of the left": ("of", lambda right: lambda a, lhs, rhs: right(a, lhs, lhs)),
    "starts without a scale": ("start", lambda _: lambda a, m, x, format: m.resize(x, a.bits)),
    "starts from zero": ("start", lambda _: lambda a, m, x, format: a.zero(m)),
    "adds rounded products": (
        "mac",
        lambda right: lambda a, m, sum, x, of_x, y, of_y: right(a, m, sum, x, of_x, y, of_y) >> 1 << 1,
    ),
    "multiplies without a scale": (
        "mac",
        lambda right: lambda a, m, sum, x, of_x, y, of_y: right(a, m, sum, x, of_x, y, of_y) * 2 - sum,
    ),
    "loses the sum": (
        "mac",
        lambda right: lambda a, m, sum, x, of_x, y, of_y: right(a, m, a.zero(m), x, of_x, y, of_y),
    ),
    "saturates at 12 bits": (
        "mac",
        lambda right: lambda a, m, sum, *rest: np.clip(right(a, m, sum, *rest), -(1 << 12), 1 << 12),
    ),
    "subtracts": ("mac", lambda right: lambda a, m, sum, *rest: 2 * sum - right(a, m, sum, *rest)),
    "multiplies matrices otherwise": ("matmul", lambda right: lambda *arguments: right(*arguments) & -2),
    "begins at one": ("zero", lambda right: lambda a, m: right(a, m) + 1),
    "compares the other way": ("greater", lambda _: lambda a, m, x, y: x < y),
    "shifts rows no further": ("shifted", lambda _: lambda a, m, sum, right: sum),
    "adds groups unshifted": (
        "add_shifted",
        lambda right: lambda a, m, sum, part, left: right(a, m, sum, part, 0 * left),
    ),
    "shifts one less": ("shift", lambda right: lambda a, result: (right(a, result) or 1) - 1 or None),
}
"""Wrong methods of the accumulator of exact sums."""


@pytest.mark.long
@pytest.mark.parametrize("what", [*FORMATS, *SUMS])
@pytest.mark.parametrize("bits", [8, 16])
def test_wrong_sums_do_not_pass(what: str, bits: int, monkeypatch: pytest.MonkeyPatch):
    owner = FixedType if what in FORMATS else AccumulatorType
    method, wrong = (FORMATS | SUMS)[what]
    monkeypatch.setattr(owner, method, wrong(getattr(owner, method)))
    with pytest.raises(AssertionError, match=r"got .* for .* are wrong|no accumulator|is not computed|claims to sum"):
        check_sums(FixedType(bits, bits - 1))


@pytest.mark.parametrize("method", ["of", "align"])
def test_the_base_class_decides_nothing_about_scales(method: str, monkeypatch: pytest.MonkeyPatch):
    """A format with scales whose accumulator inherits `method` from the base class is rejected; the error names the
    method.
    """
    monkeypatch.setattr(AccumulatorType, method, getattr(Accumulator, method))
    with pytest.raises(AssertionError, match=rf"^a sum of .* has no method `{method}`"):
        check_sums(FixedType(8, 7))


LOADED: dict[str, tuple[NumberFormat, str, Wrong]] = {
    "posits are loaded at half": (
        PositType(8, 1),
        "load",
        lambda right: lambda f, m, x: m.shift_right(right(f, m, x), 1),
    ),
    "minifloats are loaded without a sign": (
        MinifloatType(3, 4),
        "load",
        lambda right: lambda f, m, x: right(f, m, np.abs(x)),
    ),
    "minifloats are stored at half": (
        MinifloatType(3, 4),
        "store",
        lambda right: lambda f, m, x, scale: right(f, m, x, scale + 1),
    ),
}


@pytest.mark.parametrize("what", LOADED)
@pytest.mark.parametrize("check", [check_numbers, check_sums])
def test_wrong_decoders_do_not_pass(what: str, check: Callable[[NumberFormat], None], monkeypatch: pytest.MonkeyPatch):
    format, method, wrong = LOADED[what]
    monkeypatch.setattr(type(format), method, wrong(getattr(type(format), method)))
    with pytest.raises(AssertionError, match=r"got .* for .* are wrong"):
        check(format)

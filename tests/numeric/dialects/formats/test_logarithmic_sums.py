"""A logarithmic format with rounded sums passes the checks against reals; with a wrong method it does not.

Numbers and sums are computed by numpy alone, since these checks run no device.
"""

# Of lambdas in tables no type is known.
# pyright: basic

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import IntAttr, i16
from xdsl.irdl import irdl_attr_definition

from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.f32 import F32
from tinyml.dialects.formats.parameters import IntegerParameters
from tinyml.transforms.formats.evaluation.number_checks import check_numbers
from tinyml.transforms.formats.evaluation.sum_checks import check_sums

GREATEST, FRACTION = (1 << 15) - 1, 10
"""The greatest raw, and the bits of a logarithm after the point."""


def rounded(reals: Any) -> Any:
    """Reals rounded to the nearest number of the logarithmic format."""
    size = np.abs(np.where(reals == 0, 1.0, reals))
    return np.sign(reals) * np.exp2(np.round(np.log2(size) * 2**FRACTION) / 2**FRACTION)


@irdl_attr_definition
class Sum(IntegerParameters, Accumulator):
    """The accumulator of `Logarithmic`. Its values are zero and signed powers of two with `FRACTION` fraction bits in
    the exponent, in units of 2^top. This implementation stores them as reals.
    """

    name = "logarithmic.sum"
    FAMILY = "logarithmic"
    top: IntAttr

    @property
    def storage(self):
        return i16

    def of(self, lhs_format: Any, rhs_format: Any):
        return Sum(IntAttr(lhs_format.top.data + rhs_format.top.data))

    def follows(self, other: Accumulator):
        return isinstance(other, Sum)

    def align(self, m: Any, sum: Any, other: Any):
        return sum * 2.0 ** (other.top.data - self.top.data)

    def start(self, m: Any, value: Any, format: Any):
        return format.decode(value) * 2.0**-self.top.data

    def zero(self, m: Any) -> Any:
        return np.float64(0.0)

    def mac(self, m: Any, sum: Any, lhs: Any, lhs_format: Any, rhs: Any, rhs_format: Any):
        x, y = (format.decode(raw) * 2.0**-format.top.data for format, raw in ((lhs_format, lhs), (rhs_format, rhs)))
        return rounded(sum + rounded(x * y))

    def greater(self, m: Any, lhs: Any, rhs: Any):
        return lhs > rhs


@irdl_attr_definition
class Logarithmic(IntegerParameters, F32):
    """The format of zero and of the numbers 2^(top - k / 2^FRACTION) with either sign, for integers k from 0."""

    name = "logarithmic.t"
    FAMILY = "logarithmic"
    ROUNDS_ONCE = False
    top: IntAttr

    def __init__(self, top: int):
        super().__init__(IntAttr(top))

    @property
    def storage(self):
        return i16

    @property
    def dtype(self):
        return np.dtype(np.int16)

    @property
    def bits(self):
        return 16

    def for_range(self, low: float, high: float):
        return Logarithmic(math.ceil(math.log2(max(abs(low), abs(high), 1e-9))))

    def decode(self, raws: Any):
        places = (GREATEST - np.abs(np.asarray(raws, np.float64))) / 2**FRACTION
        return np.sign(raws) * np.exp2(self.top.data - places)

    def encode(self, reals: Any):
        reals = np.nan_to_num(np.asarray(reals, np.float64))
        size = np.abs(np.where(reals == 0, 1.0, reals))
        raws = np.round(GREATEST + (np.log2(size) - self.top.data) * 2**FRACTION)
        half_of_least = 2.0 ** (self.top.data - (GREATEST - 1) / 2**FRACTION - 1)
        kept = np.abs(reals) >= half_of_least
        return np.where(kept, np.sign(reals) * np.clip(raws, 1, GREATEST), 0).astype(np.int16)

    def accumulator(self, lhs: Any, rhs: Any, bound: Any):
        return Sum(IntAttr(lhs.top.data + rhs.top.data))

    def finish(self, m: Any, sum: Any, accumulator: Any, bound: Any):
        return self.encode(sum * 2.0**accumulator.top.data)

    def constant(self, m: Any, real: float) -> Any:
        return self.encode(np.array(real))

    def to_f32(self, m: Any, value: Any):
        return self.decode(value).astype(np.float32)

    def from_f32(self, m: Any, value: Any) -> Any:
        return self.encode(value)

    def greater(self, m: Any, lhs: Any, rhs: Any):
        return lhs > rhs


@pytest.mark.long
@pytest.mark.parametrize("check", [check_numbers, check_sums])
def test_rounded_logarithms_pass(check: Callable[[Any], None]):
    check(Logarithmic(0))


WRONG: dict[str, tuple[type, str, Callable[[Any], Any]]] = {
    "aligns nothing": (Sum, "align", lambda _: lambda s, m, sum, other: sum),
    "aligns the wrong way": (Sum, "align", lambda right: lambda s, m, sum, other: right(other, m, sum, s)),
    "has one unit": (Sum, "of", lambda _: lambda s, lhs, rhs: s),
    "starts without a unit": (Sum, "start", lambda _: lambda s, m, value, format: format.decode(value)),
    "adds magnitudes": (
        Sum,
        "mac",
        lambda right: lambda s, m, sum, x, of_x, y, of_y: right(s, m, sum, abs(x), of_x, y, of_y),
    ),
    "keeps the greater term": (
        Sum,
        "mac",
        lambda right: (
            lambda s, m, sum, *factors: (lambda term: np.where(np.abs(sum) > np.abs(term), sum, term))(
                right(s, m, s.zero(m), *factors)
            )
        ),
    ),
    "loses small terms": (
        Sum,
        "mac",
        lambda right: (
            lambda s, m, sum, *factors: np.where(
                np.abs(right(s, m, s.zero(m), *factors)) < np.abs(sum) / 16, sum, right(s, m, sum, *factors)
            )
        ),
    ),
    "finishes without a unit": (Logarithmic, "finish", lambda _: lambda f, m, sum, unit, bound: f.encode(sum)),
    "finishes three places up": (
        Logarithmic,
        "finish",
        lambda right: lambda f, m, sum, *rest: right(f, m, sum * 2 ** (3 / 2**FRACTION), *rest),
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_logarithms_do_not_pass(what: str, monkeypatch: pytest.MonkeyPatch):
    owner, method, wrong = WRONG[what]
    monkeypatch.setattr(owner, method, wrong(getattr(owner, method)))
    with pytest.raises(AssertionError, match=r"a sum .* got .* for .* are wrong"):
        check_sums(Logarithmic(0))

"""Sums of products of every registered format, compared with reals; formats with wrong sums must fail the
comparison.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
import pytest
from programs.number_formats import SORTS, Sort
from xdsl.dialects import func
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr, TensorType, f32
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.f32 import F32
from tinyml.dialects.formats.number_format import Bound, NumberFormat, Raws, Reals
from tinyml.dialects.machine.machine import Machine
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass
from tinyml.transforms.formats.evaluation.sum_checks import check_sums

V = TypeVar("V")
OWN = [sort for sort in SORTS if not sort.variants[0].AS_PUBLISHED]


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("sort", OWN, ids=str)
def test_sums_are_those_of_reals(sort: Sort):
    check_sums(sort.variants[0])


class PlainSum(ParametrizedAttribute, TypeAttribute, Accumulator):
    """A float accumulator in units of 2^-scale with only the required methods, none of which handles other scales."""

    FAMILY = "scaled"
    scale: IntAttr

    def __init__(self, scale: int):
        super().__init__(IntAttr(scale))

    @property
    def type(self) -> Attribute:
        return self

    @property
    def storage(self) -> Attribute:
        return f32

    def zero(self, m: Machine[V]) -> V:
        return m.float_constant(0.0)

    def start(self, m: Machine[V], value: V, format: NumberFormat) -> V:
        return m.mulf(value, m.float_constant(math.ldexp(1.0, self.scale.data - cast(Scaled, format).scale.data)))

    def mac(self, m: Machine[V], sum: V, lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        return m.addf(sum, m.mulf(lhs, rhs))

    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        return m.cmp_ogt(lhs, rhs)


class SeparateSum(PlainSum):
    """An accumulator for formats with `SUMS_GO_ON = False`: products of different scales have separate accumulators."""

    def of(self, lhs_format: NumberFormat, rhs_format: NumberFormat) -> Accumulator:
        scales = [cast(Scaled, format).scale.data for format in (lhs_format, rhs_format)]
        return cast(Any, type(self))(sum(scales))


class ContinuedSum(SeparateSum):
    """An accumulator for formats in which a sum in one unit may be continued in another. `align` converts the sum."""

    def follows(self, other: Accumulator) -> bool:
        return isinstance(other, PlainSum)

    def align(self, m: Machine[V], sum: V, other: Accumulator) -> V:
        return m.mulf(sum, m.float_constant(math.ldexp(1.0, self.scale.data - cast(PlainSum, other).scale.data)))


class Scaled(ParametrizedAttribute, TypeAttribute, F32):
    """A format of floats between -1 and 1 in units of 2^-scale.

    SUMS: the class of its accumulator.
    """

    FAMILY = "scaled"
    scale: IntAttr
    SUMS: ClassVar[Callable[[int], PlainSum]]

    def __init__(self, scale: int):
        super().__init__(IntAttr(scale))

    @property
    def type(self) -> Attribute:
        return self

    @property
    def unit(self) -> float:
        return math.ldexp(1.0, -self.scale.data)

    def encode(self, reals: Reals) -> Raws:
        return np.clip(np.asarray(reals) / self.unit, -1, 1).astype(np.float32)

    def decode(self, raws: Raws) -> Reals:
        return raws.astype(np.float64) * self.unit

    def for_range(self, low: float, high: float) -> Scaled:
        return type(self)(-math.frexp(max(abs(low), abs(high), 1e-9))[1])

    def accumulator(self, lhs: NumberFormat, rhs: NumberFormat, bound: Bound | None) -> Accumulator:
        return cast(Any, self).SUMS(cast(Scaled, lhs).scale.data + cast(Scaled, rhs).scale.data)

    def finish(self, m: Machine[V], sum: V, accumulator: Accumulator, bound: Bound | None) -> V:
        right = cast(PlainSum, accumulator).scale.data - self.scale.data
        return self.clamp(m, m.mulf(sum, m.float_constant(math.ldexp(1.0, -right))), -1.0, 1.0)

    def clamp(self, m: Machine[V], value: V, low: float, high: float | None) -> V:
        return F32().clamp(m, value, low, high)

    def to_f32(self, m: Machine[V], value: V) -> V:
        return m.mulf(value, m.float_constant(self.unit))

    def from_f32(self, m: Machine[V], value: V) -> V:
        return self.clamp(m, m.mulf(value, m.float_constant(1 / self.unit)), -1.0, 1.0)


def with_sums(sums: type[PlainSum], format: type[Scaled] = Scaled) -> NumberFormat:
    """A format of the given class with the given accumulator class."""
    fields = {"__annotations__": {"scale": IntAttr}}
    final: Any = irdl_attr_definition(type("Sum", (sums,), {"name": "scaled.sum", **fields}))
    number: Any = irdl_attr_definition(type("Number", (format,), {"name": "scaled.t", "SUMS": final, **fields}))
    return number(0)


class ScaledApart(Scaled):
    SUMS_GO_ON = False


@pytest.mark.long
def test_right_sums_of_other_scales_pass():
    check_sums(with_sums(ContinuedSum))
    check_sums(with_sums(SeparateSum, ScaledApart))


class AlignsNothing(ContinuedSum):
    """An accumulator whose `align` is wrong: it returns the sum unchanged although the units differ."""

    def align(self, m: Machine[V], sum: V, other: Accumulator) -> V:
        return sum


class HasNoUnit(PlainSum):
    SCALE_FREE = True


class HasOneUnit(ContinuedSum):
    def of(self, lhs_format: NumberFormat, rhs_format: NumberFormat) -> Accumulator:
        return self


class FollowsWithoutAligning(SeparateSum):
    def follows(self, other: Accumulator) -> bool:
        return True


class AlignsTheWrongWay(ContinuedSum):
    def align(self, m: Machine[V], sum: V, other: Accumulator) -> V:
        return ContinuedSum.align(cast(ContinuedSum, other), m, sum, self)


class LosesCarries(ContinuedSum):
    def mac(self, m: Machine[V], sum: V, lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        return F32().clamp(m, super().mac(m, sum, lhs, lhs_format, rhs, rhs_format), -4.0, 4.0)


class LosesSmallTerms(ContinuedSum):
    """An accumulator that is wrong because it rounds products to multiples of 2^-4 before their addition."""

    def mac(self, m: Machine[V], sum: V, lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        far = m.float_constant(3 * 2.0**18)
        return m.addf(sum, m.subf(m.addf(m.mulf(lhs, rhs), far), far))


class LosesSigns(ContinuedSum):
    def mac(self, m: Machine[V], sum: V, lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        return super().mac(m, sum, lhs, lhs_format, F32().clamp(m, rhs, 0.0, None), rhs_format)


class TakesTheLastProduct(ContinuedSum):
    def mac(self, m: Machine[V], sum: V, lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        return m.mulf(lhs, rhs)


class RoundsWithoutScale(Scaled):
    def finish(self, m: Machine[V], sum: V, accumulator: Accumulator, bound: Bound | None) -> V:
        return self.clamp(m, sum, -1.0, 1.0)


class DoesNotSaturate(Scaled):
    def clamp(self, m: Machine[V], value: V, low: float, high: float | None) -> V:
        return value


WRONG = [
    *((sums, Scaled) for sums in (AlignsNothing, HasNoUnit, HasOneUnit, PlainSum, SeparateSum, FollowsWithoutAligning)),
    *((sums, Scaled) for sums in (AlignsTheWrongWay, LosesCarries, LosesSmallTerms, LosesSigns, TakesTheLastProduct)),
    *((ContinuedSum, format) for format in (RoundsWithoutScale, DoesNotSaturate)),
]


@pytest.mark.parametrize(("sums", "format"), WRONG)
def test_wrong_sums_do_not_pass(sums: type[PlainSum], format: type[Scaled]):
    with pytest.raises(AssertionError, match=r"got .* for |is not computed|has no accumulator"):
        check_sums(with_sums(sums, format))


class IsOfAnotherFamily(ContinuedSum):
    FAMILY = "another"


def test_the_error_of_another_family_names_family():
    """The error says what to set, and does not send the reader to the methods that continue sums."""
    with pytest.raises(AssertionError, match="FAMILY of the accumulator is 'another', that of ") as raised:
        check_sums(with_sums(IsOfAnotherFamily, Scaled))
    assert "SUMS_GO_ON" not in str(raised.value)


class GoesOnInEvenUnits(ContinuedSum):
    """An accumulator whose `follows` is wrong because it is not an order: of two sums with different odd scales,
    neither follows the other.
    """

    def follows(self, other: Accumulator) -> bool:
        return self == other or self.scale.data % 2 == 0


def sum_of(format: NumberFormat, scales: Sequence[int]) -> ModuleOp:
    """A program that adds the products of vectors of the given scales with one vector. The location of the op is line 7
    of `model.sd`.
    """
    number: Any = type(format)
    vector = TensorType(number(0), (2, 1))
    types = [TensorType(number(scale), (1, 2)) for scale in scales]
    function = func.FuncOp("f", ([vector, *types], [TensorType(number(0), (1, 1))]))
    x, *weights = function.body.block.args
    op = tdsl.MatmulSumOp([(w, x) for w in weights], None, number(0))
    op.location = FileLineColLoc(StringAttr("model.sd"), IntAttr(7), IntAttr(3))
    function.body.block.add_ops([op, func.ReturnOp(op.out)])
    return ModuleOp([function])


def test_the_product_in_which_all_others_go_on_is_the_last():
    module = sum_of(with_sums(GoesOnInEvenUnits), [2, 3])
    ChooseAccumulatorsPass().apply(context(), module)
    [op] = [op for op in module.walk() if isinstance(op, tdsl.MatmulSumOp)]
    assert [cast(Scaled, tdsl.format_of(lhs)).scale.data for lhs, _ in op.pairs] == [3, 2]
    module.verify()


@pytest.mark.parametrize("scales", [(3, 5), (3, 2, 5), (2, 3, 5)])
def test_sums_that_do_not_go_on_are_refused_where_they_stand(scales: Sequence[int]):
    with pytest.raises(InputError, match=r"does not continue in .*SUMS_GO_ON = False") as error:
        ChooseAccumulatorsPass().apply(context(), sum_of(with_sums(GoesOnInEvenUnits), scales))
    assert str(error.value).startswith("model.sd:7:3: a sum in ")

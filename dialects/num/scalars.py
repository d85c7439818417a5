"""Ops on single elements.

The class of an op defines its semantics: the `NumberFormat` method that computes the op on bits, the real function that
the op approximates, the derivative of this function, and an interval that contains every result.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, cast

from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IntegerType, StringAttr, f64, i1, i64
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import UNBOUNDED_INTERVAL, Function, Interval
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.real_functions import exactly
from tinyml.dialects.num.base import CLAMPED, COMPARED, OF_ONE_FAMILY, SCALAR, Computation, NumOp, format_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "AddOp",
    "AtLeastOp",
    "BinaryOp",
    "ClampOp",
    "CombineOp",
    "ConstantOp",
    "ConvertOp",
    "FunctionOp",
    "GreaterOp",
    "MulOp",
    "NegOp",
    "ScalarOp",
    "ScaleOp",
    "SubOp",
    "UnaryOp",
    "grouped_factors",
]


Array: TypeAlias = "NDArray[Any]"


class ScalarOp(NumOp, ABC):
    """An op with scalars of number formats as operands and a scalar as result. The body of a `tdsl.map` consists of
    such ops.

    In its methods, array arguments contain many elements at once. Arrays of operands are broadcast to the shape of the
    results.
    """

    INTERVAL: ClassVar[Interval] = UNBOUNDED_INTERVAL
    """An interval of reals that contains every result, for any operands."""

    AFFINE: ClassVar[bool] = False
    """True if the result on reals is an affine function of each operand, where the other operands are fixed."""

    @property
    def interval(self) -> Interval:
        """An interval of reals that contains the result for all operands."""
        return self.INTERVAL

    @abstractmethod
    def real(self, x: Sequence[Array]) -> Array:
        """The results for the operands `x`, in double precision."""

    @abstractmethod
    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        """The gradient with respect to each operand in `x`.

        y: the result of the op.
        slope: the gradient with respect to the result.
        """


class UnaryOp(ScalarOp, ABC):
    """An op on one scalar. The format of its result belongs to the family of the operand's format."""

    METHOD: ClassVar[str]
    """The name of the `NumberFormat` method; its arguments are the machine, the value and the value's format."""

    input = operand_def(OF_ONE_FAMILY)
    result = result_def(OF_ONE_FAMILY)
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, type: Attribute):
        super().__init__(operands=[input], result_types=[type])

    def computation(self) -> Computation:
        source, method = format_of(self.input), getattr(format_of(self.result), self.METHOD)
        return lambda machine, x: method(machine, x[0], source)


class BinaryOp(ScalarOp, ABC):
    """An op on two scalars. The formats of operands and result belong to one family."""

    METHOD: ClassVar[str]
    """The name of the `NumberFormat` method; its arguments are the machine and both values, each with its format."""

    lhs = operand_def(OF_ONE_FAMILY)
    rhs = operand_def(OF_ONE_FAMILY)
    result = result_def(OF_ONE_FAMILY)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue, type: Attribute):
        super().__init__(operands=[lhs, rhs], result_types=[type])

    def computation(self) -> Computation:
        lhs, rhs, method = format_of(self.lhs), format_of(self.rhs), getattr(format_of(self.result), self.METHOD)
        return lambda machine, x: method(machine, x[0], lhs, x[1], rhs)


class FunctionOp(UnaryOp, ABC):
    """A transcendental function that every number format implements, possibly by several schemes.

    The property `scheme` is one of the `SCHEMES` of the result's format.
    """

    FUNCTION: ClassVar[Function]
    scheme = opt_prop_def(StringAttr)
    irdl_options = (ParsePropInAttrDict(),)

    def __init__(self, input: SSAValue, type: Attribute, scheme: StringAttr | None = None):
        super().__init__(input, type)
        self.scheme = scheme

    def verify_(self) -> None:
        format = format_of(self.result)
        if self.scheme is not None and self.scheme.data not in format.SCHEMES:
            raise VerifyException(f"{format.type} has no scheme '{self.scheme.data}' for functions")

    def computation(self) -> Computation:
        source, result = format_of(self.input), format_of(self.result)
        scheme = self.scheme.data if self.scheme else None
        return lambda machine, x: result.function(machine, self.FUNCTION, x[0], source, scheme)

    def real(self, x: Sequence[Array]) -> Array:
        return exactly(self.FUNCTION, x[0])


@irdl_op_definition
class AddOp(BinaryOp):
    """The sum of two numbers, rounded to the format of the result."""

    name = "num.add"
    METHOD: ClassVar[str] = "add"
    AFFINE: ClassVar[bool] = True

    def real(self, x: Sequence[Array]) -> Array:
        return x[0] + x[1]

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        return slope, slope


@irdl_op_definition
class SubOp(BinaryOp):
    """The difference of two numbers, rounded to the format of the result."""

    name = "num.sub"
    METHOD: ClassVar[str] = "sub"
    AFFINE: ClassVar[bool] = True

    def real(self, x: Sequence[Array]) -> Array:
        return x[0] - x[1]

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        return slope, -slope


@irdl_op_definition
class MulOp(BinaryOp):
    """The product of two numbers, rounded to the format of the result."""

    name = "num.mul"
    METHOD: ClassVar[str] = "mul"
    AFFINE: ClassVar[bool] = True

    def real(self, x: Sequence[Array]) -> Array:
        return x[0] * x[1]

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        return slope * x[1], slope * x[0]


@irdl_op_definition
class ScaleOp(BinaryOp):
    """The product of the number `lhs` and `rhs`, a power of two of at least 1. The product must be within the range of
    the result's format.
    """

    name = "num.scale"
    METHOD: ClassVar[str] = "scaled"
    AFFINE: ClassVar[bool] = True

    def real(self, x: Sequence[Array]) -> Array:
        return x[0] * x[1]

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        return slope * x[1], slope * x[0]


@irdl_op_definition
class NegOp(UnaryOp):
    """The negation of a number, rounded to the format of the result."""

    name = "num.neg"
    METHOD: ClassVar[str] = "neg"
    AFFINE: ClassVar[bool] = True

    def real(self, x: Sequence[Array]) -> Array:
        return -x[0]

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        return (-slope,)


@irdl_op_definition
class ConvertOp(UnaryOp, HasFolderInterface):
    """The operand, rounded to another format, which may belong to another family."""

    name = "num.convert"
    input = operand_def(SCALAR)
    result = result_def(SCALAR)
    METHOD: ClassVar[str] = "convert"

    def fold(self) -> tuple[SSAValue] | None:
        return (self.input,) if self.input.type == self.result.type else None

    def real(self, x: Sequence[Array]) -> Array:
        return x[0]

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        return (slope,)


@irdl_op_definition
class ConstantOp(ScalarOp):
    """A real, rounded to the format of the result."""

    name = "num.constant"
    value = prop_def(FloatAttr)
    result = result_def(SCALAR)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "attr-dict `->` type($result)"

    def __init__(self, value: float, type: Attribute):
        super().__init__(properties={"value": FloatAttr(value, f64)}, result_types=[type])

    def computation(self) -> Computation:
        format = format_of(self.result)
        return lambda machine, x: format.constant(machine, self.value.value.data)

    def real(self, x: Sequence[Array]) -> Array:
        return np.array(self.value.value.data)

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        return ()


@irdl_op_definition
class ClampOp(ScalarOp):
    """A value clamped to the reals [low, high]. Without `high`, there is no upper limit."""

    name = "num.clamp"
    input = operand_def(CLAMPED)
    low = prop_def(FloatAttr)
    high = opt_prop_def(FloatAttr)
    result = result_def(CLAMPED)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, low: float, high: float | None = None):
        properties = {"low": FloatAttr(low, f64)}
        if high is not None:
            properties["high"] = FloatAttr(high, f64)
        super().__init__(operands=[input], properties=properties, result_types=[input.type])

    @property
    def limits(self) -> tuple[float, float | None]:
        return self.low.value.data, None if self.high is None else self.high.value.data

    @property
    def interval(self) -> Interval:
        low, high = self.limits
        return low, UNBOUNDED_INTERVAL[1] if high is None else high

    def computation(self) -> Computation:
        format, (low, high) = format_of(self.input), self.limits
        return lambda machine, x: format.clamp(machine, x[0], low, high)

    def real(self, x: Sequence[Array]) -> Array:
        return x[0].clip(*self.limits)

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        return (np.where(x[0] == y, slope, 0.0),)


@irdl_op_definition
class AtLeastOp(NumOp):
    """Whether input >= threshold in real arithmetic."""

    name = "num.at_least"
    input = operand_def(SCALAR)
    threshold = prop_def(FloatAttr)
    result = result_def(i1)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$input attr-dict `:` type($input)"

    def __init__(self, input: SSAValue, threshold: float):
        super().__init__(operands=[input], properties={"threshold": FloatAttr(threshold, f64)}, result_types=[i1])

    def computation(self) -> Computation:
        format = format_of(self.input)
        return lambda machine, x: format.at_least(machine, x[0], self.threshold.value.data)


@irdl_op_definition
class GreaterOp(NumOp):
    """Whether lhs > rhs, for numbers of one format or sums in one accumulator."""

    name = "num.greater"
    lhs = operand_def(COMPARED)
    rhs = operand_def(COMPARED)
    result = result_def(i1)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], result_types=[i1])

    def computation(self) -> Computation:
        ordered = accumulator_of(self.lhs.type) or format_of(self.lhs)
        return lambda machine, x: ordered.greater(machine, x[0], x[1])


@irdl_op_definition
class CombineOp(ScalarOp):
    """A sum of signed terms. Each term is a number or a product of two numbers: `terms = [2, -1]` is `x[0] * x[1] -
    x[2]`.

    The magnitude of an entry of `terms` is the number of factors of a term. If the entry is negative, the term is
    subtracted.
    """

    name = "num.combine"
    factors = var_operand_def(OF_ONE_FAMILY)
    terms = prop_def(DenseArrayBase.constr(i64))
    result = result_def(OF_ONE_FAMILY)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$factors attr-dict `:` type($factors) `->` type($result)"

    def __init__(self, factors: Sequence[SSAValue], terms: Sequence[int], type: Attribute):
        properties = {"terms": DenseArrayBase.from_list(i64, terms)}
        super().__init__(operands=[factors], properties=properties, result_types=[type])

    @property
    def counts(self) -> Sequence[int]:
        """The number of factors of each term, negated for terms that are subtracted."""
        return tuple(cast("DenseArrayBase[IntegerType[Any, Any]]", self.terms).get_values())

    def verify_(self) -> None:
        counts = self.counts
        if not counts or not {*counts} <= {1, 2, -1, -2}:
            raise VerifyException(f"terms have one or two factors, got {list(counts)}")
        if sum(map(abs, counts)) != len(self.factors):
            raise VerifyException(f"terms {list(counts)} do not take {len(self.factors)} factors")

    def computation(self) -> Computation:
        formats, result, counts = [format_of(factor) for factor in self.factors], format_of(self.result), self.counts

        def compute(machine: Any, x: Sequence[Any]) -> Any:
            return result.combined(machine, grouped_factors(list(zip(x, formats, strict=True)), counts))

        return compute

    def real(self, x: Sequence[NDArray[Any]]) -> NDArray[Any]:
        total: NDArray[Any] = np.zeros(())
        for sign, factors in grouped_factors(x, self.counts):
            total = total + sign * (factors[0] if len(factors) == 1 else factors[0] * factors[1])
        return total

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        slopes: list[Array] = []
        for sign, factors in grouped_factors(x, self.counts):
            others = [sign] if len(factors) == 1 else [sign * factors[1], sign * factors[0]]
            slopes += [slope * other for other in others]
        return slopes


def grouped_factors(factors: Sequence[Any], counts: Sequence[int]) -> list[tuple[int, Sequence[Any]]]:
    """The terms of a sum, each as a pair (sign, factors).

    factors: the factors of all terms in order.
    counts: the number of factors of each term, negated for terms that are subtracted.
    """
    groups: list[tuple[int, Sequence[Any]]] = []
    at = 0
    for count in counts:
        groups.append((1 if count > 0 else -1, factors[at : at + abs(count)]))
        at += abs(count)
    return groups

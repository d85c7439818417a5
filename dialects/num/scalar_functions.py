"""Ops that apply a function to single elements: transcendental functions, and activations of networks."""

from __future__ import annotations

import math
from abc import ABC
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, f64, i8
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import ParsePropInAttrDict, irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import UNBOUNDED_INTERVAL, Function, Interval, NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.machine.real_functions import LEAST_POSITIVE, exactly
from tinyml.dialects.num.base import Computation, format_of
from tinyml.dialects.num.scalars import Array, BinaryOp, FunctionOp, UnaryOp

if TYPE_CHECKING:
    from tinyml.dialects.machine.machine import Machine

__all__ = [
    "ErfOp",
    "ExpOp",
    "HardSwishOp",
    "LeakyReluOp",
    "LogOp",
    "LookupOp",
    "MaximumOp",
    "MinimumOp",
    "SigmoidOp",
    "SoftplusOp",
    "StepOp",
    "TanhOp",
    "raws_in_order",
]


@irdl_op_definition
class ExpOp(FunctionOp):
    """Natural exponential.

    `scheme` is the method by which the function is computed, one of the `SCHEMES` of the result's format. Without
    `scheme`, the format selects the method.
    """

    name = "num.exp"
    FUNCTION: ClassVar[Function] = "exp"
    INTERVAL: ClassVar[Interval] = (0.0, UNBOUNDED_INTERVAL[1])

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        return (slope * y,)


@irdl_op_definition
class TanhOp(FunctionOp):
    """Hyperbolic tangent. `scheme` is as in `num.exp`."""

    name = "num.tanh"
    FUNCTION: ClassVar[Function] = "tanh"
    INTERVAL: ClassVar[Interval] = (-1.0, 1.0)

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        return (slope * (1 - y * y),)


@irdl_op_definition
class SigmoidOp(FunctionOp):
    """Logistic function 1 / (1 + exp(-x)). `scheme` is as in `num.exp`."""

    name = "num.sigmoid"
    FUNCTION: ClassVar[Function] = "sigmoid"
    INTERVAL: ClassVar[Interval] = (0.0, 1.0)

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        return (slope * (y * (1 - y)),)


@irdl_op_definition
class ErfOp(FunctionOp):
    """Gauss error function. The format selects the method of computation; `scheme` has no effect."""

    name = "num.erf"
    FUNCTION: ClassVar[Function] = "erf"
    INTERVAL: ClassVar[Interval] = (-1.0, 1.0)

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        return (slope * (2 / np.sqrt(np.pi)) * np.exp(-x[0] * x[0]),)


@irdl_op_definition
class LogOp(FunctionOp):
    """Natural logarithm. For arguments below 2^-126, including negative numbers, it is the logarithm of 2^-126. The
    format selects the method of computation; `scheme` has no effect.
    """

    name = "num.log"
    FUNCTION: ClassVar[Function] = "log"

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        return (slope * np.where(x[0] > LEAST_POSITIVE, 1 / np.maximum(x[0], LEAST_POSITIVE), 0.0),)


@irdl_op_definition
class SoftplusOp(FunctionOp):
    """log(1 + exp(x)). The format selects the method of computation; `scheme` has no effect."""

    name = "num.softplus"
    FUNCTION: ClassVar[Function] = "softplus"
    INTERVAL: ClassVar[Interval] = (0.0, UNBOUNDED_INTERVAL[1])

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        return (slope * exactly("sigmoid", x[0]),)


@irdl_op_definition
class LookupOp(UnaryOp):
    """A function of a number of at most 8 bits, as a table that contains the result's raw for every raw of the input.

    The table is in the order of the input's raws. Training computes with a function of reals instead, which
    interpolates linearly between the entries.
    """

    name = "num.lookup"
    table = prop_def(DenseArrayBase.constr(i8))
    irdl_options = (ParsePropInAttrDict(),)

    def __init__(self, input: SSAValue, type: Attribute, table: Sequence[int]):
        super().__init__(input, type)
        self.table = DenseArrayBase.from_list(i8, table)

    def verify_(self) -> None:
        source, result = format_of(self.input), format_of(self.result)
        if (raws := raws_in_order(source)) is None or result.dtype != np.int8:
            raise VerifyException(f"tables have at most 8 bits, got {source.type} and {result.type}")
        if len(raws) != len(self.table):
            raise VerifyException(f"{source.type} has {len(raws)} numbers, the table has {len(self.table)}")
        result.verify_raws(self._entries)

    @property
    def _entries(self) -> Array:
        return np.array(self.table.get_values(), np.int8)

    def computation(self) -> Computation:
        source, table = format_of(self.input), self._entries

        def compute(machine: Machine[Any], x: Sequence[Any]) -> Any:
            ranked = source.ranked(machine, x[0])
            assert ranked is not None
            return machine.settle(machine.entry("lookup", table, ranked[0]), 8)

        return compute

    def real(self, x: Sequence[Array]) -> Array:
        arguments, results = self._points
        return np.interp(x[0], arguments, results)

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        arguments, results = self._points
        steps = np.diff(results) / np.diff(arguments)
        segment = np.searchsorted(arguments, x[0], side="right") - 1
        return (slope * steps[np.clip(segment, 0, len(steps) - 1)],)

    @property
    def _points(self) -> tuple[Array, Array]:
        source, result = format_of(self.input), format_of(self.result)
        raws = raws_in_order(source)
        assert raws is not None
        return source.decode(raws), result.decode(self._entries)


def raws_in_order(format: NumberFormat) -> Array | None:
    """The raws of a format of at most 8 bits, in ascending order; None for wider formats and for formats with NaR."""
    if format.dtype != np.int8 or np.isnan(format.decode(np.arange(-128, 128).astype(np.int8))).any():
        return None
    ranked = format.ranked(NumpyMachine(), format.encode(np.zeros(1)))
    return None if ranked is None else ranked[1]


@irdl_op_definition
class LeakyReluOp(UnaryOp):
    """x if it is at least 0, otherwise slope * x."""

    name = "num.leaky_relu"
    METHOD: ClassVar[str] = "leaky_relu"
    slope = prop_def(FloatAttr)
    irdl_options = (ParsePropInAttrDict(),)

    def __init__(self, input: SSAValue, slope: float, type: Attribute):
        super().__init__(input, type)
        self.slope = FloatAttr(slope, f64)

    def verify_(self) -> None:
        if not math.isfinite(self.slope.value.data):
            raise VerifyException(f"the slope must be finite, got {self.slope.value.data}")

    def computation(self) -> Computation:
        source, result, slope = format_of(self.input), format_of(self.result), self.slope.value.data
        return lambda machine, x: result.leaky_relu(machine, x[0], source, slope)

    def real(self, x: Sequence[Array]) -> Array:
        return np.where(x[0] >= 0, x[0], self.slope.value.data * x[0])

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        return (slope * np.where(x[0] >= 0, 1.0, self.slope.value.data),)


@irdl_op_definition
class HardSwishOp(UnaryOp):
    """x * min(max(x + 3, 0), 6) / 6 (Howard et al., "Searching for MobileNetV3", 2019)."""

    name = "num.hard_swish"
    METHOD: ClassVar[str] = "hard_swish"

    def real(self, x: Sequence[Array]) -> Array:
        return x[0] * (x[0] + 3).clip(0, 6) / 6

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        inner = np.where(x[0] >= 3, 1.0, (2 * x[0] + 3) / 6)
        return (slope * np.where(x[0] <= -3, 0.0, inner),)


class _ExtremeOp(BinaryOp, ABC):
    """The base class of `num.maximum` and `num.minimum`. In training, the gradient flows to the first of two equal
    numbers.
    """

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        first = x[0] == self.real(x)
        return np.where(first, slope, 0.0), np.where(first, 0.0, slope)


@irdl_op_definition
class MaximumOp(_ExtremeOp):
    """The greater of two numbers, rounded to the format of the result."""

    name = "num.maximum"
    METHOD: ClassVar[str] = "maximum"

    def real(self, x: Sequence[Array]) -> Array:
        return np.maximum(x[0], x[1])


@irdl_op_definition
class MinimumOp(_ExtremeOp):
    """The lesser of two numbers, rounded to the format of the result."""

    name = "num.minimum"
    METHOD: ClassVar[str] = "minimum"

    def real(self, x: Sequence[Array]) -> Array:
        return np.minimum(x[0], x[1])


@irdl_op_definition
class StepOp(UnaryOp):
    """1 if the input is greater than 0, otherwise 0.

    Applied to the decision function of a pair of classes, the op computes a vote: 1 for one of the two classes, 0 for
    the other.
    """

    name = "num.step"
    METHOD: ClassVar[str] = "step"
    INTERVAL: ClassVar[Interval] = (0.0, 1.0)

    def real(self, x: Sequence[Array]) -> Array:
        return np.where(x[0] > 0, 1.0, 0.0)

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        return (np.zeros_like(slope),)

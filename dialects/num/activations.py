"""Activations of networks on single elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from xdsl.dialects.builtin import FloatAttr, f64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import ParsePropInAttrDict, irdl_op_definition, prop_def

from tinyml.dialects.formats.product import Interval
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.num.base import Computation, format_of
from tinyml.dialects.num.scalars import UnaryOp

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HardSwishOp", "LeakyReluOp", "StepOp"]

Array: TypeAlias = "NDArray[Any]"


@irdl_op_definition
class LeakyReluOp(UnaryOp):
    """The input where it is at least 0, slope * input elsewhere."""

    name = "num.leaky_relu"
    METHOD: ClassVar[str] = "leaky_relu"
    slope = prop_def(FloatAttr)
    irdl_options = (ParsePropInAttrDict(),)

    def __init__(self, input: SSAValue, slope: float, type: Attribute):
        super().__init__(input, type)
        self.slope = FloatAttr(slope, f64)

    def computation(self) -> Computation:
        source, result, slope = format_of(self.input), format_of(self.result), self.slope.value.data
        return lambda machine, x: result.leaky_relu(machine, x[0], source, slope)

    def real(self, x: Sequence[Array]) -> Array:
        return np.where(x[0] >= 0, x[0], self.slope.value.data * x[0])

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        return (slope * np.where(x[0] >= 0, 1.0, self.slope.value.data),)


@irdl_op_definition
class HardSwishOp(UnaryOp):
    """input * min(max(input + 3, 0), 6) / 6."""

    name = "num.hard_swish"
    METHOD: ClassVar[str] = "hard_swish"

    def real(self, x: Sequence[Array]) -> Array:
        return x[0] * (x[0] + 3).clip(0, 6) / 6

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        inner = np.where(x[0] >= 3, 1.0, (2 * x[0] + 3) / 6)
        return (slope * np.where(x[0] <= -3, 0.0, inner),)


@irdl_op_definition
class StepOp(UnaryOp):
    """1 where the input is greater than 0, else 0."""

    name = "num.step"
    METHOD: ClassVar[str] = "step"
    INTERVAL: ClassVar[Interval] = (0.0, 1.0)

    def real(self, x: Sequence[Array]) -> Array:
        return np.where(x[0] > 0, 1.0, 0.0)

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        return (np.zeros_like(slope),)

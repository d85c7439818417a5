"""Elementwise activations of networks: limits, and functions that formats compute in ways of their own."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import FloatAttr, f64
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import num
from tinyml.dialects.tdsl.base import fold_to, format_of
from tinyml.dialects.tdsl.elementwise import Insert, UnaryOp, elementwise_op_definition

__all__ = ["ClampOp", "ClipOp", "HardSwishOp", "LeakyReluOp", "Relu6Op", "ReluOp", "StepOp"]


class ClampOp(UnaryOp, HasFolderInterface, ABC):
    """Values limited to `limits`; the bits of values inside are unchanged."""

    MOVES_BITS: ClassVar[bool] = True

    @property
    @abstractmethod
    def limits(self) -> tuple[float, float | None]:
        """The least and the greatest result; None for no upper limit."""

    def scalar(self, x: Sequence[SSAValue], element: Attribute, insert: Insert) -> SSAValue:
        return insert(num.ClampOp(x[0], *self.limits))

    def fold(self) -> tuple[SSAValue] | None:
        low, high = self.limits
        inside = isinstance(inner := self.input.owner, ClampOp) and _contains(self.limits, inner.limits)
        return fold_to(self, self.input) if inside or not format_of(self.input).binds(low, high) else None


def _contains(outer: tuple[float, float | None], inner: tuple[float, float | None]) -> bool:
    """True if limits contain all numbers within other limits."""
    return outer[0] <= inner[0] and (outer[1] is None or (inner[1] is not None and inner[1] <= outer[1]))


@irdl_op_definition
class ReluOp(ClampOp):
    """max(x, 0)."""

    name = "tdsl.relu"

    @property
    def limits(self) -> tuple[float, float | None]:
        return 0.0, None


@irdl_op_definition
class Relu6Op(ClampOp):
    """min(max(x, 0), 6)."""

    name = "tdsl.relu6"

    @property
    def limits(self) -> tuple[float, float | None]:
        return 0.0, 6.0


@irdl_op_definition
class ClipOp(ClampOp):
    """min(max(x, low), high)."""

    name = "tdsl.clip"
    low = prop_def(FloatAttr)
    high = prop_def(FloatAttr)

    def __init__(self, input: SSAValue, low: float, high: float):
        super().__init__(input)
        self.low, self.high = FloatAttr(low, f64), FloatAttr(high, f64)

    @property
    def limits(self) -> tuple[float, float | None]:
        return self.low.value.data, self.high.value.data

    def verify_more(self) -> None:
        low, high = self.low.value.data, self.high.value.data
        if not -math.inf < low <= high < math.inf:
            raise VerifyException(f"clips to finite limits in order, got [{low}, {high}]")


@elementwise_op_definition(num.LeakyReluOp)
class LeakyReluOp(UnaryOp):
    name = "tdsl.leaky_relu"
    slope = prop_def(FloatAttr)

    def __init__(self, input: SSAValue, slope: float, element: Attribute | None = None):
        super().__init__(input, element)
        self.slope = FloatAttr(slope, f64)


@elementwise_op_definition(num.HardSwishOp)
class HardSwishOp(UnaryOp):
    name = "tdsl.hard_swish"


@elementwise_op_definition(num.StepOp)
class StepOp(UnaryOp):
    name = "tdsl.step"

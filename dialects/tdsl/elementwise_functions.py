"""Elementwise ops that few programs contain: transcendental functions, activations of networks, maximum and minimum."""

from __future__ import annotations

from xdsl.dialects.builtin import FloatAttr, f64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import prop_def

from tinyml.dialects import num
from tinyml.dialects.tdsl.elementwise import BinaryOp, FunctionOp, UnaryOp, elementwise_op_definition

__all__ = [
    "ErfOp",
    "ExpOp",
    "HardSwishOp",
    "LeakyReluOp",
    "LogOp",
    "MaximumOp",
    "MinimumOp",
    "SigmoidOp",
    "SoftplusOp",
    "StepOp",
    "TanhOp",
]


@elementwise_op_definition(num.MaximumOp)
class MaximumOp(BinaryOp):
    name = "tdsl.maximum"


@elementwise_op_definition(num.MinimumOp)
class MinimumOp(BinaryOp):
    name = "tdsl.minimum"


@elementwise_op_definition(num.ExpOp)
class ExpOp(FunctionOp):
    name = "tdsl.exp"


@elementwise_op_definition(num.TanhOp)
class TanhOp(FunctionOp):
    name = "tdsl.tanh"


@elementwise_op_definition(num.SigmoidOp)
class SigmoidOp(FunctionOp):
    name = "tdsl.sigmoid"


@elementwise_op_definition(num.ErfOp)
class ErfOp(FunctionOp):
    name = "tdsl.erf"


@elementwise_op_definition(num.LogOp)
class LogOp(FunctionOp):
    name = "tdsl.log"


@elementwise_op_definition(num.SoftplusOp)
class SoftplusOp(FunctionOp):
    name = "tdsl.softplus"


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

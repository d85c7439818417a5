"""The dialect `gated`: ops in which a gate blends two numbers, as in the cells of recurrent networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray
from xdsl.ir import Attribute, Dialect, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.universe import Universe

from tinyml.extend.ops import OF_ONE_FAMILY, SHAPED, elementwise_op_definition, num, tdsl


@irdl_op_definition
class BlendElementOp(num.ScalarOp):
    """rhs + gate * (lhs - rhs), rounded after each of the three operations."""

    name = "gated.blend_element"
    gate = operand_def(OF_ONE_FAMILY)
    lhs = operand_def(OF_ONE_FAMILY)
    rhs = operand_def(OF_ONE_FAMILY)
    result = result_def(OF_ONE_FAMILY)
    traits = traits_def(Pure())
    assembly_format = (
        "$gate `,` $lhs `,` $rhs attr-dict `:` type($gate) `,` type($lhs) `,` type($rhs) `->` type($result)"
    )

    def __init__(self, gate: SSAValue, lhs: SSAValue, rhs: SSAValue, type: Attribute):
        super().__init__(operands=[gate, lhs, rhs], result_types=[type])

    def computation(self) -> num.Computation:
        gate, lhs, rhs = map(num.format_of, self.operands)
        result = num.format_of(self.result)

        def blend(machine: Any, x: Sequence[Any]) -> Any:
            part = result.mul(machine, x[0], gate, result.sub(machine, x[1], lhs, x[2], rhs), result)
            return result.add(machine, x[2], rhs, part, result)

        return blend

    def real(self, x: Sequence[NDArray[Any]]) -> NDArray[Any]:
        return x[2] + x[0] * (x[1] - x[2])

    def derivative(self, x: Sequence[NDArray[Any]], y: NDArray[Any], slope: NDArray[Any]) -> Sequence[NDArray[Any]]:
        return slope * (x[1] - x[2]), slope * x[0], slope * (1 - x[0])


@elementwise_op_definition(BlendElementOp)
class BlendOp(tdsl.ElementwiseOp):
    name = "gated.blend"
    gate = operand_def(SHAPED)
    lhs = operand_def(SHAPED)
    rhs = operand_def(SHAPED)
    assembly_format = (
        "$gate `,` $lhs `,` $rhs attr-dict `:` type($gate) `,` type($lhs) `,` type($rhs)"
        " (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def infer_shape(self) -> tdsl.Shape:
        return tdsl.shape_of(self.gate)


GATED = Universe(all_dialects={"gated": lambda: Dialect("gated", [BlendElementOp, BlendOp], [])})

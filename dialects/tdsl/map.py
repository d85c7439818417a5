"""A chain of elementwise ops as one op, whose region computes one element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import HasParent, IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.tdsl.base import SHAPED, Shape, broadcast, shape_of, shaped
from tinyml.dialects.tdsl.elementwise import ElementwiseOp, Insert, ScalarBody

__all__ = ["MapOp", "YieldOp"]


@irdl_op_definition
class MapOp(ElementwiseOp):
    """`result[..] = body(inputs[..])` with numpy's broadcasting; each op of the body rounds once, as on tensors.

    The region's block takes one scalar of each input's format and ends in `tdsl.yield`.
    """

    name = "tdsl.map"
    ONE_FAMILY: ClassVar[bool] = False
    FUSES: ClassVar[bool] = False
    operands_ = var_operand_def(SHAPED)
    body = region_def("single_block")
    assembly_format = (
        "$operands_ attr-dict `:` type($operands_) (`into` $dest^ `:` type($dest))? (`->` type($result)^)? $body"
    )

    def __init__(self, inputs: Sequence[SSAValue], body: Block, shape: Shape, element: Attribute):
        IRDLOperation.__init__(
            self, operands=[inputs, []], result_types=[TensorType(element, shape)], regions=[Region(body)]
        )

    def infer_shape(self) -> Shape:
        shape: Shape = ()
        for value in self.inputs:
            shape = broadcast(shape, shape_of(value))
        return shape

    @property
    def scalar_body(self) -> ScalarBody:
        block = self.body.block
        *steps, last = block.ops
        assert isinstance(last, YieldOp)
        return ScalarBody(block.args, steps, last.value)

    def scalar(self, x: Sequence[SSAValue], element: Attribute, insert: Insert) -> SSAValue:
        body = self.scalar_body
        scalars: dict[SSAValue, SSAValue] = dict(zip(body.arguments, x, strict=True))
        for step in body.steps:
            copy: Operation = step.clone(value_mapper=scalars)
            insert(copy)
            scalars.update(zip(step.results, copy.results, strict=True))
        return scalars[body.result]

    def verify_more(self) -> None:
        block = self.body.block
        elements = [shaped(value).get_element_type() for value in self.inputs]
        if list(block.arg_types) != elements:
            raise VerifyException("the block takes one scalar for each input, of the input's format")
        last = block.last_op
        if not isinstance(last, YieldOp):
            raise VerifyException("the block ends in tdsl.yield")
        if last.value.type != shaped(self.out).get_element_type():
            raise VerifyException(f"yields {last.value.type}, the result has {shaped(self.out).get_element_type()}")


@irdl_op_definition
class YieldOp(IRDLOperation):
    """The value of one element of a `tdsl.map`."""

    name = "tdsl.yield"
    value = operand_def(AnyAttr())
    traits = traits_def(IsTerminator(), HasParent(MapOp), Pure())
    assembly_format = "$value attr-dict `:` type($value)"

    def __init__(self, value: SSAValue):
        super().__init__(operands=[value])

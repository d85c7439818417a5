"""Two ops on images: the average of each pixel and its four neighbours, and a gated sum of two images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Dialect, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def
from xdsl.universe import Universe
from xdsl.utils.exceptions import VerifyException

from tinyml.extend.ops import (
    SHAPED,
    Arithmetic,
    Array,
    Indices,
    Insert,
    LoopBuilder,
    element_type,
    init_tensor_op,
    lowers_to_loops,
    num,
    shaped,
    tdsl,
    zero_total,
)

CROSS = (0, 1), (1, 0), (1, 1), (1, 2), (2, 1)
"""The (row, column) of each averaged pixel in a window of 3x3."""


@irdl_op_definition
class CrossAverageOp(tdsl.TensorOp):
    """For each pixel inside the border of an image 1 x H x W x C, the average of the pixel and its four neighbours."""

    name = "neighbours.cross_average"
    image = operand_def(SHAPED)
    assembly_format = "$image attr-dict `:` type($image) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, image: SSAValue):
        _, height, width, channels = tdsl.shape_of(image)
        shape = 1, height - 2, width - 2, channels
        init_tensor_op(self, [image], TensorType(shaped(image).get_element_type(), shape))

    def infer_shape(self) -> tdsl.Shape:
        shape = tdsl.shape_of(self.image)
        if len(shape) != 4 or shape[0] != 1 or min(shape[1:3]) < 3:
            raise VerifyException(f"averages neighbours in images 1xHxWxC of at least 3x3 pixels, got {shape}")
        return 1, shape[1] - 2, shape[2] - 2, shape[3]

    def footprint(self, operand: SSAValue) -> tdsl.Footprint:
        return tdsl.Footprint(kernel=(3, 3))

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        _, height, width, _ = tdsl.shape_of(self.out)
        total = arithmetic.no_total(self.image, len(CROSS), (len(x[0]), *tdsl.shape_of(self.out)))
        for i, j in CROSS:
            total = arithmetic.tally(self.image, total, x[0][:, :, i : i + height, j : j + width])
        return arithmetic.average(self.out, tdsl.format_of(self.image), total, len(CROSS), over_axes=False)


@lowers_to_loops(CrossAverageOp)
def lower_cross_average(op: CrossAverageOp, nest: LoopBuilder) -> None:
    format = tdsl.format_of(op.image)

    def pixel(indices: Indices) -> None:
        image, y, x, channel = indices
        total = zero_total(format.total(len(CROSS)), nest)
        for i, j in CROSS:
            place = [image, nest.add(y, nest.index(i)), nest.add(x, nest.index(j)), channel]
            total = nest.insert(num.TallyOp(total, nest.load(op.image, place)))
        nest.store(nest.insert(num.AverageOp(total, len(CROSS), format, element_type(op.out))), op.out, indices)

    nest.over(tdsl.shape_of(op.out), pixel)


@irdl_op_definition
class GatedSumOp(tdsl.ElementwiseOp):
    """`gate * lhs + (1 - gate) * rhs`."""

    name = "neighbours.gated_sum"
    gate = operand_def(SHAPED)
    lhs = operand_def(SHAPED)
    rhs = operand_def(SHAPED)
    assembly_format = (
        "$gate `,` $lhs `,` $rhs attr-dict `:` type($gate) `,` type($lhs) `,` type($rhs)"
        " (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, gate: SSAValue, lhs: SSAValue, rhs: SSAValue):
        init_tensor_op(self, [gate, lhs, rhs], TensorType(shaped(lhs).get_element_type(), tdsl.shape_of(lhs)))

    def infer_shape(self) -> tdsl.Shape:
        shapes = {tdsl.shape_of(value) for value in (self.gate, self.lhs, self.rhs)}
        if len(shapes) > 1:
            raise VerifyException("a gate and both terms have one shape")
        return shapes.pop()

    def scalar(self, x: Sequence[SSAValue], element: Attribute, insert: Insert) -> SSAValue:
        gate, lhs, rhs = x
        rest = insert(num.SubOp(insert(num.ConstantOp(1.0, gate.type)), gate, gate.type))
        return insert(num.AddOp(insert(num.MulOp(gate, lhs, element)), insert(num.MulOp(rest, rhs, element)), element))


NEIGHBOURS = Universe(all_dialects={"neighbours": lambda: Dialect("neighbours", [CrossAverageOp, GatedSumOp])})

"""Convolutions, NHWC: imported and shape-checked; their lowering is not written yet."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, shape_of, shaped, spell
from tinyml.dialects.tdsl.windows import integer_array, integers, windows

__all__ = ["Conv2dOp"]


@irdl_op_definition
class Conv2dOp(TensorOp):
    """Convolution of NxHxWxC images with filters of shape GxHxWxCinxCout (G groups), as SeeDot's conv2d."""

    name = "tdsl.conv2d"
    input = operand_def(SHAPED)
    filter = operand_def(SHAPED)
    strides = prop_def(DenseArrayBase.constr(i64))
    padding = prop_def(DenseArrayBase.constr(i64))
    dilations = prop_def(DenseArrayBase.constr(i64))
    groups = prop_def(IntegerAttr)
    assembly_format = (
        "$input `,` $filter attr-dict `:` type($input) `,` type($filter)"
        " (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(
        self,
        input: SSAValue,
        filter: SSAValue,
        strides: Sequence[int],
        padding: Sequence[int],
        dilations: Sequence[int],
        groups: int,
    ):
        shape = _convolved(shape_of(input), shape_of(filter), strides, padding, dilations, groups)
        build(
            self,
            [input, filter],
            TensorType(shaped(input).get_element_type(), shape),
            {
                "strides": integer_array(strides),
                "padding": integer_array(padding),
                "dilations": integer_array(dilations),
                "groups": IntegerAttr(groups, i64),
            },
        )

    def infer_shape(self) -> Shape:
        return _convolved(
            shape_of(self.input),
            shape_of(self.filter),
            integers(self.strides, "strides", 2),
            integers(self.padding, "padding", 4),
            integers(self.dilations, "dilations", 2),
            self.groups.value.data,
        )


def _convolved(
    image: Shape,
    filter: Shape,
    strides: Sequence[int],
    padding: Sequence[int],
    dilations: Sequence[int],
    groups: int,
) -> Shape:
    if len(image) != 4 or len(filter) != 5:
        raise VerifyException(
            f"convolves NxHxWxC images with GxHxWxCinxCout filters, got {spell(image)} and {spell(filter)}"
        )
    n, h, w, c = image
    g, kh, kw, c_in, c_out = filter
    if g != groups or c != g * c_in:
        raise VerifyException(f"{c} channels do not match {g} filter groups of {c_in} channels with {groups} groups")
    return (
        n,
        windows(h, kh, padding[0], padding[1], strides[0], dilations[0]),
        windows(w, kw, padding[2], padding[3], strides[1], dilations[1]),
        g * c_out,
    )

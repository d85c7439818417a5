"""Layers of convolutional networks, NHWC: imported and shape-checked; their lowering is not written yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, shape_of, shaped, spell
from tinyml.dialects.tdsl.elementwise import UnaryOp


def _ints(attribute: DenseArrayBase[IntegerType], name: str, count: int) -> tuple[int, ...]:
    values = tuple(int(value) for value in attribute.get_values())
    if len(values) != count:
        raise VerifyException(f"{name} needs {count} values, got {len(values)}")
    return values


def _array(values: Sequence[int]) -> DenseArrayBase[IntegerType]:
    return DenseArrayBase.from_list(i64, values)


def _window(extent: int, kernel: int, before: int, after: int, stride: int, dilation: int = 1) -> int:
    if kernel < 1 or stride < 1 or dilation < 1 or before < 0 or after < 0:
        raise VerifyException("windows, strides and dilations are at least 1, padding at least 0")
    span = extent + before + after - dilation * (kernel - 1) - 1
    if span < 0:
        raise VerifyException(f"a window of {kernel} does not fit in {extent} elements with this padding")
    return span // stride + 1


@irdl_op_definition
class NormaliseL2Op(UnaryOp):
    """Each vector along the last axis divided by its Euclidean length."""

    name = "tdsl.normalise_l2"


@irdl_op_definition
class MaxpoolOp(TensorOp):
    """Greatest element of each window. kernel [h, w], padding [top, bottom, left, right], strides [h, w]."""

    name = "tdsl.maxpool"
    MOVES_BITS: ClassVar[bool] = True
    input = operand_def(SHAPED)
    kernel = prop_def(DenseArrayBase.constr(i64))
    padding = prop_def(DenseArrayBase.constr(i64))
    strides = prop_def(DenseArrayBase.constr(i64))
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, kernel: Sequence[int], padding: Sequence[int], strides: Sequence[int]):
        shape = _pooled(shape_of(input), kernel, padding, strides)
        build(
            self,
            [input],
            TensorType(shaped(input).get_element_type(), shape),
            {"kernel": _array(kernel), "padding": _array(padding), "strides": _array(strides)},
        )

    def infer_shape(self) -> Shape:
        kernel, padding, strides = (
            _ints(self.kernel, "kernel", 2),
            _ints(self.padding, "padding", 4),
            _ints(self.strides, "strides", 2),
        )
        return _pooled(shape_of(self.input), kernel, padding, strides)


def _pooled(shape: Shape, kernel: Sequence[int], padding: Sequence[int], strides: Sequence[int]) -> Shape:
    if len(shape) != 4:
        raise VerifyException(f"pools images of shape NxHxWxC, got {spell(shape)}")
    n, h, w, c = shape
    return (
        n,
        _window(h, kernel[0], padding[0], padding[1], strides[0]),
        _window(w, kernel[1], padding[2], padding[3], strides[1]),
        c,
    )


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
                "strides": _array(strides),
                "padding": _array(padding),
                "dilations": _array(dilations),
                "groups": IntegerAttr(groups, i64),
            },
        )

    def infer_shape(self) -> Shape:
        return _convolved(
            shape_of(self.input),
            shape_of(self.filter),
            _ints(self.strides, "strides", 2),
            _ints(self.padding, "padding", 4),
            _ints(self.dilations, "dilations", 2),
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
        _window(h, kh, padding[0], padding[1], strides[0], dilations[0]),
        _window(w, kw, padding[2], padding[3], strides[1], dilations[1]),
        g * c_out,
    )


@irdl_op_definition
class MbconvOp(TensorOp):
    """MobileNet's bottleneck: 1x1 expansion, depthwise convolution, 1x1 projection.

    operands: filter, weight (scale of the batch norm) and bias of each of the three stages, in this order.
    """

    name = "tdsl.mbconv"
    input = operand_def(SHAPED)
    stages = var_operand_def(SHAPED)
    strides = prop_def(DenseArrayBase.constr(i64))
    padding = prop_def(DenseArrayBase.constr(i64))
    assembly_format = (
        "$input `[` $stages `]` attr-dict `:` type($input) `,` type($stages) "
        "(`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, input: SSAValue, stages: Sequence[SSAValue], strides: Sequence[int], padding: Sequence[int]):
        shape = _bottleneck(shape_of(input), [shape_of(stage) for stage in stages], strides, padding)
        element: Attribute = shaped(input).get_element_type()
        build(
            self,
            [input, stages],
            TensorType(element, shape),
            {"strides": _array(strides), "padding": _array(padding)},
        )

    def infer_shape(self) -> Shape:
        return _bottleneck(
            shape_of(self.input),
            [shape_of(stage) for stage in self.stages],
            _ints(self.strides, "strides", 2),
            _ints(self.padding, "padding", 4),
        )


def _bottleneck(image: Shape, stages: Sequence[Shape], strides: Sequence[int], padding: Sequence[int]) -> Shape:
    if len(stages) != 9:
        raise VerifyException("needs filter, weight and bias of three stages")
    expand, depthwise, project = stages[0], stages[3], stages[6]
    hidden = expand[-1] if expand else 0
    shape = _convolved(image, expand, (1, 1), (0, 0, 0, 0), (1, 1), 1)
    shape = _convolved(shape, depthwise, strides, padding, (1, 1), hidden)
    shape = _convolved(shape, project, (1, 1), (0, 0, 0, 0), (1, 1), 1)
    for vector, channels in zip(
        (stages[1], stages[2], stages[4], stages[5], stages[7], stages[8]),
        (hidden, hidden, hidden, hidden, shape[-1], shape[-1]),
        strict=True,
    ):
        if vector != (channels,):
            raise VerifyException(f"expected a vector of {channels} per stage, got {spell(vector)}")
    return shape

"""The `tosa` dialect, extended by ops of TOSA 1.0 that xDSL 0.74 does not contain.

The ops are printed in the generic form, which `mlir-opt` parses. The specification is
github.com/arm/tosa-specification. Names are those of MLIR's dialect.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from math import prod
from typing import TypeAlias, cast

from xdsl.dialects.builtin import (
    I32,
    I64,
    BoolAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntAttr,
    IntegerAttr,
    TensorType,
)
from xdsl.dialects.tosa import TOSA as XDSL_TOSA
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

Tensor: TypeAlias = TensorType[Attribute]


@irdl_attr_definition
class ShapeType(ParametrizedAttribute, TypeAttribute):
    """A shape with `rank` extents, `!tosa.shape<rank>`: an operand of ops that change shapes."""

    name = "tosa.shape"
    rank: IntAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer(allow_boolean=False, allow_negative=False))]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(str(self.rank.data))


def extents(value: SSAValue) -> tuple[int, ...]:
    return cast(Tensor, value.type).get_shape()


@irdl_op_definition
class ConstShapeOp(IRDLOperation):
    """A constant shape, whose extents are `values`."""

    name = "tosa.const_shape"
    values = prop_def(DenseIntOrFPElementsAttr)
    output = result_def(ShapeType)
    traits = traits_def(Pure())

    def __init__(self, numbers: Sequence[int]):
        values = DenseIntOrFPElementsAttr.from_list(TensorType(IndexType(), [len(numbers)]), numbers)
        super().__init__(properties={"values": values}, result_types=[ShapeType(IntAttr(len(numbers)))])

    def verify_(self) -> None:
        if self.values.get_type() != (expected := TensorType(IndexType(), [self.output.type.rank.data])):
            raise VerifyException(f"expected values of {expected}, got {self.values.get_type()}")


class _Convolution(IRDLOperation, ABC):
    """Sums of products of an image N x H x W x C and weights, each minus its zero point, with a bias as initial value.

    `pad` contains the numbers of padding elements above, below, on the left and on the right. Padding elements are
    equal to the zero point of the image.
    """

    input = operand_def(TensorType)
    weight = operand_def(TensorType)
    bias = operand_def(TensorType)
    input_zp = operand_def(TensorType)
    weight_zp = operand_def(TensorType)
    pad = prop_def(DenseArrayBase[I64])
    stride = prop_def(DenseArrayBase[I64])
    dilation = prop_def(DenseArrayBase[I64])
    acc_type = prop_def(AnyAttr())
    output = result_def(TensorType)
    traits = traits_def(Pure())

    def verify_windows(self, kernel: Sequence[int], channels: int) -> None:
        """Raise `VerifyException` unless the result and the bias have `channels` channels and the extents of the result
        follow TOSA's rule.

        According to this rule, the last window must end where the padded image ends.
        """
        pad, image, result = self.pad.get_values(), extents(self.input), extents(self.output)
        if len(pad) != 4 or len(image) != 4 or len(result) != 4:
            raise VerifyException("expected images of rank 4 and four numbers as pad")
        if result[3] != channels or extents(self.bias) not in ((channels,), (1,)):
            raise VerifyException(f"expected results and a bias of {channels} channels")
        steps = zip(self.stride.get_values(), self.dilation.get_values(), strict=True)
        for axis, (stride, dilation) in enumerate(steps):
            room = image[axis + 1] - 1 + pad[2 * axis] + pad[2 * axis + 1] - (kernel[axis] - 1) * dilation
            if room % stride or room // stride + 1 != result[axis + 1]:
                raise VerifyException(
                    f"{room} steps along axis {axis + 1} in strides of {stride} do not give {result[axis + 1]} results"
                )


@irdl_op_definition
class Conv2DOp(_Convolution):
    """A convolution. Weights have the shape O x KH x KW x C."""

    name = "tosa.conv2d"

    def verify_(self) -> None:
        channels, *kernel, depth = extents(self.weight)
        if depth != extents(self.input)[-1]:
            raise VerifyException(f"filters of {depth} channels for {extents(self.input)[-1]}")
        self.verify_windows(kernel, channels)


@irdl_op_definition
class DepthwiseConv2DOp(_Convolution):
    """A convolution of each channel separately. Weights have the shape KH x KW x C x M, for M results per channel."""

    name = "tosa.depthwise_conv2d"

    def verify_(self) -> None:
        *kernel, depth, several = extents(self.weight)
        if depth != extents(self.input)[-1]:
            raise VerifyException(f"filters of {depth} channels for {extents(self.input)[-1]}")
        self.verify_windows(kernel, depth * several)


class _Movement(IRDLOperation, ABC):
    output = result_def(TensorType)
    traits = traits_def(Pure())


class _SameElements(_Movement, ABC):
    def verify_(self) -> None:
        if prod(extents(moved := self.operands[0])) != prod(extents(self.output)):
            raise VerifyException(f"{moved.type} and {self.output.type} differ in elements")


@irdl_op_definition
class ReshapeOp(_SameElements):
    """The same elements in row-major order, with another shape."""

    name = "tosa.reshape"
    input1 = operand_def(TensorType)
    shape = operand_def(ShapeType)


@irdl_op_definition
class TransposeOp(_SameElements):
    """Axis i of the result is axis perms[i] of the input."""

    name = "tosa.transpose"
    input1 = operand_def(TensorType)
    perms = prop_def(DenseArrayBase[I32])

    def verify_(self) -> None:
        perms, shape = self.perms.get_values(), extents(self.input1)
        if sorted(perms) != list(range(len(shape))) or tuple(shape[axis] for axis in perms) != extents(self.output):
            raise VerifyException(f"perms {list(perms)} do not bring {self.input1.type} to {self.output.type}")


@irdl_op_definition
class SliceOp(_Movement):
    """The part of `size` elements that starts at `start` along each axis."""

    name = "tosa.slice"
    input1 = operand_def(TensorType)
    start = operand_def(ShapeType)
    size = operand_def(ShapeType)


@irdl_op_definition
class PadOp(_Movement):
    """A tensor padded with `pad_const`. `padding` contains, for each axis, the numbers of elements before and after
    it.
    """

    name = "tosa.pad"
    input1 = operand_def(TensorType)
    padding = operand_def(ShapeType)
    pad_const = operand_def(TensorType)


@irdl_op_definition
class ReverseOp(_SameElements):
    """The elements in reverse order along an axis."""

    name = "tosa.reverse"
    input1 = operand_def(TensorType)
    axis = prop_def(IntegerAttr[I32])


@irdl_op_definition
class GatherOp(IRDLOperation):
    """The rows of `values`, shape N x K x C, that the 32-bit `indices`, shape N x W, select. The result has the shape N
    x W x C.
    """

    name = "tosa.gather"
    values = operand_def(TensorType)
    indices = operand_def(TensorType)
    output = result_def(TensorType)
    traits = traits_def(Pure())

    def verify_(self) -> None:
        (batch, _, channels), (same, count) = extents(self.values), extents(self.indices)
        if same != batch or extents(self.output) != (batch, count, channels):
            raise VerifyException(f"{self.values.type} at {self.indices.type} does not give {self.output.type}")


@irdl_op_definition
class TableOp(IRDLOperation):
    """For each 8-bit integer, the corresponding entry of a table of 256 entries. The first entry is that of -128."""

    name = "tosa.table"
    input1 = operand_def(TensorType)
    table = operand_def(TensorType)
    output = result_def(TensorType)
    traits = traits_def(Pure())

    def verify_(self) -> None:
        if extents(self.table) != (256,) or extents(self.input1) != extents(self.output):
            raise VerifyException(f"expected a table of 256 entries and {self.input1.type} as result")


class _Elementwise(IRDLOperation, ABC):
    """An elementwise op. Operands are broadcast along axes of extent 1."""

    output = result_def(TensorType)
    traits = traits_def(Pure())

    def verify_(self) -> None:
        shapes = [extents(operand) for operand in self.operands]
        if any(len(shape) != len(extents(self.output)) for shape in shapes):
            raise VerifyException(f"operands have the rank of {self.output.type}")
        for axis, extent in enumerate(extents(self.output)):
            if {shape[axis] for shape in shapes} - {1, extent}:
                raise VerifyException(f"operands do not broadcast to {self.output.type}")


class _Binary(_Elementwise, ABC):
    input1 = operand_def(TensorType)
    input2 = operand_def(TensorType)


@irdl_op_definition
class IntDivOp(_Binary):
    """Quotients of 32-bit integers, rounded towards zero."""

    name = "tosa.intdiv"


@irdl_op_definition
class GreaterEqualOp(_Binary):
    """1 if the first operand is greater than or equal to the second, otherwise 0."""

    name = "tosa.greater_equal"


@irdl_op_definition
class ArithmeticRightShiftOp(_Binary):
    """Arithmetic right shifts, rounded down. With `round`, they are rounded to nearest, halves upwards."""

    name = "tosa.arithmetic_right_shift"
    round = prop_def(BoolAttr)


@irdl_op_definition
class LogicalLeftShiftOp(_Binary):
    """Each integer of `input1`, shifted left by the number of bits in `input2`."""

    name = "tosa.logical_left_shift"


@irdl_op_definition
class CountLeadingZerosOp(_Elementwise):
    """The number of zero bits above the highest bit that is set, in 32-bit integers."""

    name = "tosa.clz"
    input1 = operand_def(TensorType)


@irdl_op_definition
class SelectOp(_Elementwise):
    """The element of the second operand where the first operand is 1, otherwise the element of the third operand."""

    name = "tosa.select"
    pred = operand_def(TensorType)
    on_true = operand_def(TensorType)
    on_false = operand_def(TensorType)


TOSA = Dialect(
    "tosa",
    [
        *XDSL_TOSA.operations,
        ArithmeticRightShiftOp,
        ConstShapeOp,
        Conv2DOp,
        CountLeadingZerosOp,
        DepthwiseConv2DOp,
        GatherOp,
        GreaterEqualOp,
        IntDivOp,
        LogicalLeftShiftOp,
        PadOp,
        ReshapeOp,
        ReverseOp,
        SelectOp,
        SliceOp,
        TableOp,
        TransposeOp,
    ],
    [*XDSL_TOSA.attributes, ShapeType],
)

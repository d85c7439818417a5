"""Products and convolutions of StableHLO."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import (
    I1,
    I64,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    TensorType,
)
from xdsl.irdl import (
    AnyAttr,
    BaseAttr,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)

from tinyml.dialects.stablehlo.attributes import ConvAttr, DotAttr, PrecisionAttr
from tinyml.dialects.stablehlo.base import Integers, PureOp, expect, expect_axes, expect_shape, numbers, shape_of


@irdl_op_definition
class DotGeneralOp(PureOp):
    """Sums of products of two tensors over some of their axes.

    The axes of the result are the batching axes, then the remaining axes of the left operand, then the remaining axes
    of the right operand.
    """

    name = "stablehlo.dot_general"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    dot_dimension_numbers = prop_def(DotAttr)
    precision_config = opt_prop_def(ArrayAttr[PrecisionAttr])
    algorithm = opt_prop_def(AnyAttr())
    result = result_def(TensorType)

    def verify_(self) -> None:
        axes, shapes = self.dot_dimension_numbers, (shape_of(self.lhs), shape_of(self.rhs))
        lhs, rhs = (
            (numbers(batching), numbers(contracting))
            for batching, contracting in (
                (axes.lhs_batching_dimensions, axes.lhs_contracting_dimensions),
                (axes.rhs_batching_dimensions, axes.rhs_contracting_dimensions),
            )
        )
        for (batching, contracting), shape in zip((lhs, rhs), shapes, strict=True):
            expect_axes((*batching, *contracting), len(shape), "dot_dimension_numbers")
        for mine, theirs in zip(lhs, rhs, strict=True):
            extents = [shapes[0][at] for at in mine], [shapes[1][at] for at in theirs]
            expect(extents[0] == extents[1], f"products of axes of {extents[0]} and {extents[1]} elements")
        rest = [
            n for used, shape in zip((lhs, rhs), shapes, strict=True) for at, n in enumerate(shape)
            if at not in (*used[0], *used[1])
        ]  # fmt: skip
        expect_shape(self.result, [*(shapes[0][at] for at in lhs[0]), *rest])


@irdl_op_definition
class ConvolutionOp(PureOp):
    """Sums of products of windows with filters. `dimension_numbers` names the axes of images, filters and results."""

    name = "stablehlo.convolution"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    window_strides = opt_prop_def(DenseArrayBase[I64])
    padding = opt_prop_def(BaseAttr(DenseIntOrFPElementsAttr))
    lhs_dilation = opt_prop_def(DenseArrayBase[I64])
    rhs_dilation = opt_prop_def(DenseArrayBase[I64])
    window_reversal = opt_prop_def(DenseArrayBase[I1])
    dimension_numbers = prop_def(ConvAttr)
    feature_group_count = prop_def(IntegerAttr[I64])
    batch_group_count = prop_def(IntegerAttr[I64])
    precision_config = opt_prop_def(ArrayAttr[PrecisionAttr])
    result = result_def(TensorType)

    def verify_(self) -> None:
        shapes = [shape_of(each) for each in (self.lhs, self.rhs, self.result)]
        for axes, shape in zip(self.dimension_numbers.axes, shapes, strict=True):
            expect(len(axes) == len(shape), f"dimension_numbers name {len(axes)} axes of a tensor {list(shape)}")
        count = len(shapes[0]) - 2
        for name in ("window_strides", "lhs_dilation", "rhs_dilation", "window_reversal"):
            found = cast("Integers | None", self.properties.get(name))
            expect(found is None or len(found) == count, f"expected {count} numbers as {name}")
        expect(self.padding is None or len(numbers(self.padding)) == 2 * count, f"expected padding of {count} axes")
        (image, filter, result), extents = self.dimension_numbers.axes, [list(shape) for shape in shapes]
        channels = extents[0][image.index("f")], extents[1][filter.index("i")] * self.feature_group_count.value.data
        expect(channels[0] == channels[1], f"filters of {channels[1]} channels for {channels[0]}")
        expect(
            extents[1][filter.index("o")] == extents[2][result.index("f")],
            f"{extents[1][filter.index('o')]} filters for {extents[2][result.index('f')]} channels of the result",
        )

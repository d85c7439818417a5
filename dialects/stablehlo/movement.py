"""Constants of StableHLO, and ops that move elements."""

from __future__ import annotations

from math import prod
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I64,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IntegerAttr,
    TensorType,
)
from xdsl.irdl import (
    BaseAttr,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    var_operand_def,
)

from tinyml.dialects.stablehlo.base import PureOp, expect, expect_axes, expect_shape, numbers, shape_of
from tinyml.dialects.stablehlo.elementwise import UnaryOp


@irdl_op_definition
class ConstantOp(PureOp):
    """A constant tensor. `value`, a dense attribute or a dense resource, contains its elements."""

    name = "stablehlo.constant"
    value = prop_def(BaseAttr(DenseIntOrFPElementsAttr) | BaseAttr(DenseResourceAttr))
    output = result_def(TensorType)

    def verify_(self) -> None:
        type = cast(DenseResourceAttr, self.value).type
        expect(type == self.output.type, f"its result is {self.output.type}, not {type}")


@irdl_op_definition
class IotaOp(PureOp):
    """A tensor in which each element equals its own index along an axis."""

    name = "stablehlo.iota"
    iota_dimension = prop_def(IntegerAttr[I64])
    output = result_def(TensorType)

    def verify_(self) -> None:
        expect_axes([self.iota_dimension.value.data], len(shape_of(self.output)), "iota_dimension")


@irdl_op_definition
class BroadcastInDimOp(PureOp):
    """The operand, repeated along axes. Axis i of the operand becomes axis broadcast_dimensions[i] of the result.

    The operand is repeated along all other axes of the result, and along those of its own axes that have extent 1.
    """

    name = "stablehlo.broadcast_in_dim"
    operand = operand_def(TensorType)
    broadcast_dimensions = prop_def(DenseArrayBase[I64])
    result = result_def(TensorType)

    def verify_(self) -> None:
        axes, shape, result = numbers(self.broadcast_dimensions), shape_of(self.operand), shape_of(self.result)
        expect_axes(axes, len(result), "broadcast_dimensions")
        fits = len(axes) == len(shape) and all(n in (1, result[axis]) for n, axis in zip(shape, axes, strict=True))
        expect(fits, f"{list(shape)} does not broadcast to {list(result)} along {list(axes)}")


@irdl_op_definition
class ReshapeOp(PureOp):
    """The same elements in row-major order, with another shape."""

    name = "stablehlo.reshape"
    operand = operand_def(TensorType)
    result = result_def(TensorType)

    def verify_(self) -> None:
        before, after = shape_of(self.operand), shape_of(self.result)
        known = DYNAMIC_INDEX not in (*before, *after)
        expect(not known or prod(before) == prod(after), f"{list(before)} cannot become {list(after)}")


@irdl_op_definition
class TransposeOp(PureOp):
    """Axis i of the result is axis permutation[i] of the operand."""

    name = "stablehlo.transpose"
    operand = operand_def(TensorType)
    permutation = prop_def(DenseArrayBase[I64])
    result = result_def(TensorType)

    def verify_(self) -> None:
        axes, shape = numbers(self.permutation), shape_of(self.operand)
        expect(sorted(axes) == list(range(len(shape))), f"{list(axes)} does not order the axes of {list(shape)}")
        expect_shape(self.result, [shape[axis] for axis in axes])


@irdl_op_definition
class SliceOp(PureOp):
    """Along each axis, the elements from `start_indices` up to but excluding `limit_indices`, in steps of `strides`."""

    name = "stablehlo.slice"
    operand = operand_def(TensorType)
    start_indices = prop_def(DenseArrayBase[I64])
    limit_indices = prop_def(DenseArrayBase[I64])
    strides = prop_def(DenseArrayBase[I64])
    result = result_def(TensorType)

    @property
    def ranges(self) -> list[range]:
        """For each axis, the indices of the selected elements."""
        bounds = (numbers(each) for each in (self.start_indices, self.limit_indices, self.strides))
        return [range(*each) for each in zip(*bounds, strict=True)]

    def verify_(self) -> None:
        shape, limits = shape_of(self.operand), numbers(self.limit_indices)
        bounds = (numbers(self.start_indices), limits, numbers(self.strides))
        expect({len(each) for each in bounds} == {len(shape)}, f"expected bounds of {len(shape)} axes")
        inside = all(n == DYNAMIC_INDEX or limit <= n for limit, n in zip(limits, shape, strict=True))
        expect(inside, f"the limits {list(limits)} do not lie in {list(shape)}")
        forward = all(0 <= start <= limit and step > 0 for start, limit, step in zip(*bounds, strict=True))
        expect(forward, f"the range {[list(each) for each in bounds]} is reversed")
        expect_shape(self.result, [len(each) for each in self.ranges])


@irdl_op_definition
class ReverseOp(UnaryOp):
    """The operand with the elements in reverse order along the given axes."""

    name = "stablehlo.reverse"
    dimensions = prop_def(DenseArrayBase[I64])

    def verify_(self) -> None:
        super().verify_()
        expect_axes(numbers(self.dimensions), len(shape_of(self.operand)), "dimensions")


@irdl_op_definition
class ConcatenateOp(PureOp):
    """The concatenation of tensors along an axis."""

    name = "stablehlo.concatenate"
    inputs = var_operand_def(TensorType)
    dimension = prop_def(IntegerAttr[I64])
    result = result_def(TensorType)

    def verify_(self) -> None:
        axis, shapes = self.dimension.value.data, [shape_of(each) for each in self.inputs]
        expect_axes([axis], rank := len(shape_of(self.result)), "dimension")
        rest = {(*shape[:axis], *shape[axis + 1 :]) for shape in shapes}
        joined = len(rest) == 1 and all(len(shape) == rank for shape in shapes)
        expect(joined, f"tensors of shapes {', '.join(map(str, map(list, shapes)))} do not join along axis {axis}")
        total = sum(shape[axis] for shape in shapes)
        expect_shape(self.result, (*shapes[0][:axis], total, *shapes[0][axis + 1 :]))


@irdl_op_definition
class PadOp(PureOp):
    """A tensor with padding before, after and between its elements along each axis. A negative count removes
    elements.
    """

    name = "stablehlo.pad"
    operand = operand_def(TensorType)
    padding_value = operand_def(TensorType)
    edge_padding_low = prop_def(DenseArrayBase[I64])
    edge_padding_high = prop_def(DenseArrayBase[I64])
    interior_padding = prop_def(DenseArrayBase[I64])
    result = result_def(TensorType)

    def verify_(self) -> None:
        counts = [numbers(each) for each in (self.edge_padding_low, self.edge_padding_high, self.interior_padding)]
        shape = shape_of(self.operand)
        expect({len(each) for each in counts} == {len(shape)}, f"expected padding of {len(shape)} axes")
        axes = zip(shape, *counts, strict=True)
        expect_shape(self.result, [n + low + high + inner * max(n - 1, 0) for n, low, high, inner in axes])


@irdl_op_definition
class DynamicSliceOp(PureOp):
    """The part of a tensor that starts at computed indices. The indices are clamped so that the part lies inside the
    tensor.
    """

    name = "stablehlo.dynamic_slice"
    operand = operand_def(TensorType)
    start_indices = var_operand_def(TensorType)
    slice_sizes = prop_def(DenseArrayBase[I64])
    result = result_def(TensorType)

    def verify_(self) -> None:
        shape, sizes = shape_of(self.operand), numbers(self.slice_sizes)
        expect(len(self.start_indices) == len(sizes) == len(shape), f"expected indices and sizes of {len(shape)} axes")
        inside = all(n == DYNAMIC_INDEX or 0 <= size <= n for size, n in zip(sizes, shape, strict=True))
        expect(inside, f"a part of {list(sizes)} does not lie in {list(shape)}")
        expect_shape(self.result, sizes)


@irdl_op_definition
class DynamicUpdateSliceOp(PureOp):
    """A copy of a tensor in which a part that starts at computed indices is replaced. The indices are clamped so that
    the part lies inside the tensor.
    """

    name = "stablehlo.dynamic_update_slice"
    operand = operand_def(TensorType)
    update = operand_def(TensorType)
    start_indices = var_operand_def(TensorType)
    result = result_def(TensorType)

    def verify_(self) -> None:
        shape, part = shape_of(self.operand), shape_of(self.update)
        expect(len(self.start_indices) == len(part) == len(shape), f"expected indices of {len(shape)} axes")
        inside = all(DYNAMIC_INDEX in pair or pair[0] <= pair[1] for pair in zip(part, shape, strict=True))
        expect(inside, f"a part of {list(part)} does not lie in {list(shape)}")
        expect_shape(self.result, shape)

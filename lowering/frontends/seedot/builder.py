"""SeeDot's operations on SSA values: type rules, coercions, ranges of integers, and the `tdsl` op for each type of
operand.

The types are defined in the paper (SeeDot, PLDI 2019, figure 3). Integers are `index` values, reals are tensors, and a
real scalar is a tensor of rank 0. A tensor of one element serves as a scalar (T-M2S) and vice versa (T-S2M). The ranges
of integers are precise enough to detect indices outside a tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, TypeAlias, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import FileLineColLoc, IndexType, IntAttr, LocationAttr, StringAttr, TensorType, f32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import Shape, shape_of
from tinyml.lowering.frontends.layers.margins import padded
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.seedot.ast import Location
from tinyml.lowering.frontends.seedot.parameters import check_real, check_shape, spell_shape
from tinyml.lowering.frontends.seedot.syntax import LARGEST_INTEGER

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws


Source: TypeAlias = SSAValue | None
"""A source of variation of an integer: a loop index, or None for the data."""

DATA = frozenset[Source]((None,))


@dataclass(frozen=True)
class IndexRange:
    """An interval of integers, low <= integer <= high.

    sources: the independent variables on which the integer depends, if it is known to reach both ends; None if low and
        high are only bounds.
    """

    low: int
    high: int
    sources: frozenset[Source] | None = frozenset()

    def combine(self, other: IndexRange, operator: str) -> IndexRange:
        """The interval of `self operator other`, for + - *. It is exact if both operands are exact and vary
        independently.
        """
        a, b = (self.low, self.high), (other.low, other.high)
        match operator:
            case "+":
                ends = [x + y for x in a for y in b]
            case "-":
                ends = [x - y for x in a for y in b]
            case _:
                ends = [x * y for x in a for y in b]
        if self.sources is None or other.sources is None or self.sources & other.sources:
            return IndexRange(min(ends), max(ends), None)
        return IndexRange(min(ends), max(ends), self.sources | other.sources)

    def choice(self, other: IndexRange, by_data: bool) -> IndexRange:
        """The interval of `condition ? self : other`.

        by_data: whether the condition depends on data, so that both results can occur.
        """
        low, high = min(self.low, other.low), max(self.high, other.high)
        if by_data and self.sources is not None and other.sources is not None:
            return IndexRange(low, high, self.sources | other.sources | DATA)
        return IndexRange(low, high, None)

    def complaint(self, size: int, extent: int) -> str | None:
        """The error message for a slice of `size` elements that starts at this index, if the slice exceeds an axis of
        `extent`; None otherwise.

        If the index is known to reach both ends of the interval, the slice must be inside the axis for both. If the
        ends are only bounds, the message is returned only if the slice exceeds the axis for every index in the
        interval.
        """
        last = extent - size
        low, high = (self.low, self.high) if self.sources is not None else (self.high, self.low)
        if low >= 0 and high <= last:
            return None
        reach = str(self.low) if self.low == self.high else f"{self.low} to {self.high}"
        what = f"index {reach}" if size == 1 else f"a slice of {size} elements from {reach} on"
        return f"{what} does not fit in an axis of {extent}"


_INTEGER_OPS: dict[str, Callable[[SSAValue, SSAValue], Operation]] = {
    "+": arith.AddiOp,
    "-": arith.SubiOp,
    "*": arith.MuliOp,
}
_TENSOR_OPS: dict[str, type[tdsl.BinaryOp]] = {"+": tdsl.AddOp, "-": tdsl.SubOp, "<*>": tdsl.MulOp}
_ROW_OPS: dict[str, type[tdsl.BinaryOp]] = {"<+>": tdsl.AddOp, "<->": tdsl.SubOp}
_FUNCTIONS: dict[str, type[tdsl.UnaryOp]] = {
    "relu": tdsl.ReluOp,
    "relu6": tdsl.Relu6Op,
    "exp": tdsl.ExpOp,
    "tanh": tdsl.TanhOp,
    "sigmoid": tdsl.SigmoidOp,
}


def is_integer(value: SSAValue) -> bool:
    return isinstance(value.type, IndexType)


class SeedotBuilder(ModelBuilder):
    """A builder that appends ops at the location of the current expression; errors name this location."""

    def __init__(self, file: str):
        super().__init__(file)
        self.source = Location(1, 1)
        self.ranges: dict[SSAValue, IndexRange] = {}
        self.parameters: dict[SSAValue, tdsl.ConstOp] = {}
        self.sparse: dict[tdsl.ConstOp, tdsl.ConstOp] = {}

    @property
    def location(self) -> LocationAttr:
        return FileLineColLoc(StringAttr(self.file), IntAttr(self.source.line), IntAttr(self.source.column))

    def error(self, message: str) -> InputError:
        return self.source.error(message)

    def check_shape(self, shape: Sequence[int]) -> None:
        check_shape(shape, self.source)

    def at(self, location: Location) -> SeedotBuilder:
        """Set the location of the next ops, and return the builder."""
        self.source = location
        return self

    def integer(self, location: Location, value: int) -> SSAValue:
        op = self.at(location).emit(arith.ConstantOp.from_int_and_width, value, IndexType())
        self.ranges[op.result] = IndexRange(value, value)
        return op.result

    def real(self, location: Location, value: float) -> SSAValue:
        raws = np.array(check_real(value, location), np.float32)
        return self.at(location).emit(tdsl.ConstOp, raws, F32_FORMAT).result

    def fill(self, location: Location, value: float, shape: Shape) -> SSAValue:
        return self.at(location).op(tdsl.FillOp, check_real(value, location), TensorType(f32, shape))

    def negate(self, location: Location, value: SSAValue) -> SSAValue:
        if is_integer(value):
            return self.binary(location, "-", self.integer(location, 0), value)
        return self.at(location).op(tdsl.NegOp, value)

    def binary(self, location: Location, operator: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        if is_integer(lhs) and is_integer(rhs) and operator in _INTEGER_OPS:
            reach = self.ranges[lhs].combine(self.ranges[rhs], operator)
            if max(-reach.low, reach.high) > LARGEST_INTEGER:
                raise location.error(f"the integer can reach {max(reach.low, reach.high, key=abs)}: more than 32 bits")
            result = self.at(location).emit(_INTEGER_OPS[operator], lhs, rhs).results[0]
            self.ranges[result] = reach
            return result
        if is_integer(lhs) or is_integer(rhs):
            kinds = [("an integer" if is_integer(value) else "a tensor") for value in (lhs, rhs)]
            raise location.error(f"'{operator}' of {kinds[0]} and {kinds[1]} (reals have a point, 2.0)")
        match operator:
            case "*" if 1 not in (prod(shape_of(lhs)), prod(shape_of(rhs))):
                return self.at(location).op(tdsl.MatmulOp, lhs, rhs)
            case "*":
                return self.elementwise(location, "<*>", lhs, rhs)
            case "|*|":
                return self.at(location).op(tdsl.SpmvOp, self.as_sparse(location, lhs), rhs)
            case "<+>" | "<->":
                row = shape_of(rhs)
                if len(row) != 1 or shape_of(lhs)[-1:] != row:
                    shapes = f"{spell_shape(shape_of(lhs))} and {spell_shape(row)}"
                    raise location.error(f"'{operator}' takes a vector as long as the last axis, got {shapes}")
                return self.at(location).op(_ROW_OPS[operator], lhs, rhs)
            case _:
                return self.elementwise(location, operator, lhs, rhs)

    def elementwise(self, location: Location, operator: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        left, right = shape_of(lhs), shape_of(rhs)
        if left != right:
            if prod(left) == 1 and (len(left) <= len(right) or prod(right) != 1):
                lhs = self.as_scalar(location, lhs, right)
            elif prod(right) == 1:
                rhs = self.as_scalar(location, rhs, left)
            else:
                hint = "; '<+>' and '<->' repeat a vector" if operator in "+-" else ""
                raise location.error(
                    f"'{operator}' of different shapes {spell_shape(left)} and {spell_shape(right)}{hint}"
                )
        return self.at(location).op(_TENSOR_OPS[operator], lhs, rhs)

    def as_scalar(self, location: Location, value: SSAValue, partner: Shape) -> SSAValue:
        """Reshape a tensor of one element to a scalar if it has a higher rank than `partner`, so that it broadcasts to
        this shape without adding axes. Otherwise, return the tensor unchanged.
        """
        return value if len(shape_of(value)) <= len(partner) else self.at(location).op(tdsl.ReshapeOp, value, ())

    def as_sparse(self, location: Location, value: SSAValue) -> SSAValue:
        """Copy a parameter to sparse storage, and return the copy. Raises `InputError` for a value that is not a
        parameter.
        """
        if (dense := self.parameters.get(value)) is None:
            raise location.error(
                "the left operand of '|*|' must be a parameter, the only thing that is stored sparsely"
            )
        if dense not in self.sparse:
            sparse = tdsl.ConstOp(dense.raws, F32_FORMAT, tdsl.Csr())
            sparse.location = dense.location
            sparse.result.name_hint = dense.result.name_hint
            cast(Block, dense.parent).insert_op_after(sparse, dense)
            self.sparse[dense] = sparse
        return self.sparse[dense].result

    def drop_replaced_parameters(self) -> None:
        """Remove the dense copies of parameters that are used only in sparse storage."""
        for dense in self.sparse:
            if dense.result.first_use is None:
                Rewriter.erase_op(dense)

    def conditional(
        self, location: Location, condition: SSAValue, threshold: int, if_true: SSAValue, if_false: SSAValue
    ) -> SSAValue:
        by_data = not is_integer(condition)
        if by_data:
            decision = self.at(location).emit(tdsl.AtLeastOp, condition, float(threshold)).result
        else:
            decision = self.at(location).emit(arith.CmpiOp, condition, self.integer(location, threshold), "sge").result
        if is_integer(if_true) and is_integer(if_false):
            result = self.at(location).emit(arith.SelectOp, decision, if_true, if_false).result
            self.ranges[result] = self.ranges[if_true].choice(self.ranges[if_false], by_data)
            return result
        if is_integer(if_true) or is_integer(if_false):
            raise location.error("one branch is an integer, the other a tensor (reals have a point, 2.0)")
        return self.at(location).op(tdsl.SelectOp, decision, if_true, self.fit(location, if_false, shape_of(if_true)))

    def fit(self, location: Location, value: SSAValue, shape: Shape) -> SSAValue:
        """Reshape a value of one element to a shape with one element. Return any other value unchanged."""
        if shape_of(value) != shape and prod(shape) == prod(shape_of(value)) == 1:
            return self.at(location).op(tdsl.ReshapeOp, value, shape)
        return value

    def function(self, location: Location, name: str, value: SSAValue) -> SSAValue:
        if name == "sgn":
            sign = self.at(location).emit(tdsl.SignOp, value).result
            self.ranges[sign] = IndexRange(0, 1, DATA)
            return sign
        if name not in ("argmax", "normaliseL2", *_FUNCTIONS):
            raise location.error(f"unknown function '{name}'")
        if name == "argmax" and not shape_of(value):
            raise location.error(f"'{name}' needs a tensor with an axis, got a scalar")
        if name == "argmax":
            label = self.at(location).emit(tdsl.ArgmaxOp, value).result
            self.ranges[label] = IndexRange(0, prod(shape_of(value)) - 1, DATA)
            return label
        if name == "normaliseL2":
            return self.normalise(location, value)
        return self.at(location).op(_FUNCTIONS[name], value)

    def normalise(self, location: Location, value: SSAValue) -> SSAValue:
        """Emit L2 normalisation of a column, or of the vectors along the last axis."""
        if (shape := shape_of(value))[1:] != (1,):
            return self.at(location).op(tdsl.NormaliseOp, value)
        row = self.at(location).op(tdsl.ReshapeOp, value, shape[::-1])
        return self.at(location).op(tdsl.ReshapeOp, self.at(location).op(tdsl.NormaliseOp, row), shape)

    def transpose(self, location: Location, value: SSAValue) -> SSAValue:
        if len(shape_of(value)) != 2:
            raise location.error(f"'^T' needs a matrix, got shape {spell_shape(shape_of(value))}")
        return self.at(location).op(tdsl.TransposeOp, value, (1, 0))

    def rearranged(self, location: Location, value: SSAValue, shape: Shape, order: Shape) -> SSAValue:
        """Emit a tensor of a new shape, filled with the elements of `value` in the order of traversal. Raises
        `InputError` unless `order` contains each axis once.

        order: the axes of `value` in the order of traversal, from slowest to fastest.
        """
        axes = tuple(axis - 1 for axis in order)
        identity = tuple(range(len(shape_of(value))))
        if tuple(sorted(axes)) != identity:
            raise location.error(f"the order {spell_shape(order)} does not name each of the {len(identity)} axes once")
        check_shape(shape, location)
        if axes != identity:
            value = self.at(location).op(tdsl.TransposeOp, value, axes)
        return self.at(location).op(tdsl.ReshapeOp, value, shape)

    def convolve(
        self,
        location: Location,
        image: SSAValue,
        filter: SSAValue,
        strides: Sequence[int],
        padding: Sequence[int],
        dilations: Sequence[int],
        groups: int,
    ) -> SSAValue:
        """Emit a convolution of an NHWC image. Raises `InputError` for operands of other ranks, and for a filter with
        another number of groups.

        filter: of shape groups x height x width x input channels x output channels; the channels are those of one
            group.
        strides, dilations: along rows and columns of the image.
        padding: top, bottom, left, right.
        groups: the number of groups of channels.
        """
        if len(shape := shape_of(filter)) != 5 or len(shape_of(image)) != 4:
            shapes = f"{spell_shape(shape_of(image))} and {spell_shape(shape)}"
            raise location.error(f"'conv2d' takes an image NxHxWxC and a filter GxKHxKWxCinxCout, got {shapes}")
        if shape[0] != groups:
            raise location.error(f"the filter has {shape[0]} groups, expected {{g {groups}}}")
        image = padded(self.at(location), image, padding)
        rows = self.at(location).op(tdsl.TransposeOp, filter, (0, 4, 1, 2, 3))
        rows = self.at(location).op(tdsl.ReshapeOp, rows, (groups * shape[4], *shape[1:4]))
        return self.at(location).op(tdsl.Conv2dOp, rows, image, strides, dilations, groups)

    def bottleneck(
        self,
        location: Location,
        image: SSAValue,
        stages: Sequence[Sequence[SSAValue]],
        strides: Sequence[int],
        padding: Sequence[int],
    ) -> SSAValue:
        """Emit MobileNet's bottleneck: pointwise, depthwise and pointwise convolution. Raises `InputError` for stages
        of other shapes.

        stages: filter, weight and bias of the three convolutions.
        strides, padding: of the depthwise convolution.
        """
        [widen, *_], [spread, *_], _ = stages
        if len(shape_of(widen)) != 5 or len(shape_of(spread)) != 5:
            raise location.error("the filters of 'mbconv' have shape GxKHxKWxCinxCout")
        alone: tuple[Sequence[int], Sequence[int], int] = ((1, 1), (0, 0, 0, 0), 1)
        forms = [alone, (strides, padding, shape_of(widen)[4]), alone]
        for number, (form, (filter, weight, bias)) in enumerate(zip(forms, stages, strict=True)):
            channels = shape_of(filter)[0] * shape_of(filter)[-1]
            for value in (weight, bias):
                if shape_of(value) != (channels,):
                    got = spell_shape(shape_of(value))
                    raise location.error(f"weight and bias of a filter are vectors of {channels} numbers, got {got}")
            constants = [self.parameters.get(value) for value in (filter, weight, bias)]
            known = [constant for constant in constants if constant is not None]
            if folded := len(known) == len(constants):
                # Batch normalisation is free once folded into the filter.
                factors = known[1].raws.astype("f8")
                rows = known[0].raws * factors.reshape(shape_of(filter)[0], 1, 1, 1, -1)
                filter, bias = (
                    self._changed(location, constant, raws)
                    for constant, raws in ((known[0], rows), (known[2], known[2].raws * factors))
                )
            image = self.convolve(location, image, filter, form[0], form[1], (1, 1), form[2])
            image = self.at(location).op(tdsl.AddOp, image, bias)
            if not folded:
                image = self.at(location).op(tdsl.MulOp, image, weight)
            if number < 2:
                image = self.at(location).op(tdsl.Relu6Op, image)
        return image

    def _changed(self, location: Location, constant: tdsl.ConstOp, raws: Raws) -> SSAValue:
        new = self.at(location).emit(tdsl.ConstOp, raws.astype(constant.raws.dtype), F32_FORMAT)
        new.result.name_hint = constant.result.name_hint
        return new.result

    def element(self, location: Location, value: SSAValue, index: SSAValue) -> SSAValue:
        if shape := shape_of(value):
            self.check_index(location, index, 1, shape[0])
        return self.at(location).op(tdsl.IndexOp, value, index)

    def splice(self, location: Location, value: SSAValue, offsets: Sequence[SSAValue], sizes: Shape) -> SSAValue:
        self.check_box(location, value, offsets, sizes)
        return self.at(location).op(tdsl.SliceOp, value, offsets, sizes)

    def insert(
        self, location: Location, update: SSAValue, value: SSAValue, offsets: Sequence[SSAValue], sizes: Shape
    ) -> SSAValue:
        self.check_box(location, value, offsets, sizes)
        update = self.fit(location, update, sizes)
        if shape_of(update) != sizes:
            raise location.error(f"a splice of shape {spell_shape(sizes)} cannot take {spell_shape(shape_of(update))}")
        return self.at(location).op(tdsl.InsertSliceOp, update, value, offsets)

    def check_box(self, location: Location, value: SSAValue, offsets: Sequence[SSAValue], sizes: Shape) -> None:
        shape = shape_of(value)
        if len(sizes) != len(shape):
            raise location.error(f"{len(sizes)} splices on a tensor with {len(shape)} axes, shape {spell_shape(shape)}")
        check_shape(sizes, location)
        for offset, size, extent in zip(offsets, sizes, shape, strict=True):
            self.check_index(location, offset, size, extent)

    def check_index(self, location: Location, index: SSAValue, size: int, extent: int) -> None:
        if (complaint := self.ranges[index].complaint(size, extent)) is not None:
            raise location.error(complaint)


class NestedBuilder(SeedotBuilder):
    """A builder for a program inside a function that another frontend builds. Locations and errors are those of the
    other frontend.
    """

    def __init__(self, around: ModelBuilder):
        super().__init__(around.file)
        self.around, self.entry, self.block = around, around.entry, around.block

    @property
    def location(self) -> LocationAttr:
        return self.around.location

    def error(self, message: str) -> InputError:
        return self.around.error(message)

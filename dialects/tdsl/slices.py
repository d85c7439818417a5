"""Ops that read, write or receive a part of a tensor: slices at computed offsets, and windows of NHWC images.

A window that extends beyond the image, or is not a slice of it, is copied element by element, including its padding.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, ClassVar, cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IndexType, IntegerAttr, IntegerType, TensorType, f64, i64
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import Interval
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.base import SHAPED, Footprint, Shape, TensorOp, build, fold_to, shape_of, shaped, spell
from tinyml.dialects.tdsl.index_maps import Move, dimensions, identity, is_run
from tinyml.dialects.tdsl.movement import MovementOp
from tinyml.dialects.tdsl.values import Arithmetic, Array

__all__ = ["InsertSliceOp", "MoveUpOp", "ReceiveOp", "SliceOp", "WindowOp", "insertion_in"]


def _verify_slice(whole: Shape, part: Sequence[int], offsets: int) -> None:
    if len(whole) != len(part) or offsets != len(whole):
        raise VerifyException(f"slice of {spell(whole)} needs {len(whole)} offsets and sizes")
    if any(small > large for small, large in zip(part, whole, strict=True)):
        raise VerifyException(f"a slice of shape {spell(part)} does not fit in {spell(whole)}")


def _shifted(rank: int, steps: Sequence[int] | None = None) -> list[AffineExpr]:
    """The affine expressions of an index along `rank` axes that is multiplied by `steps`, by default 1, and then
    shifted by computed offsets.
    """
    return [
        dimension * (1 if steps is None else steps[axis]) + AffineExpr.symbol(axis)
        for axis, dimension in enumerate(dimensions(rank))
    ]


@irdl_op_definition
class SliceOp(MovementOp, HasFolderInterface):
    """The part of the input that starts at computed offsets, in the shape of the result (SeeDot's `x[i:+n]`).

    `result[i, ..] = input[offset + i * stride, ..]`, as in `tensor.extract_slice`. The part must lie inside the input.
    Strides are 1 by default, and may be negative.
    """

    name = "tdsl.slice"
    MAY_BE_VIEW: ClassVar[bool] = True
    STORES_LAST: ClassVar[bool] = True
    input = operand_def(SHAPED)
    offsets = var_operand_def(IndexType)
    strides = opt_prop_def(DenseArrayBase.constr(i64))
    assembly_format = (
        "$input `[` $offsets `]` attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(
        self,
        input: SSAValue,
        offsets: Sequence[SSAValue],
        sizes: Sequence[int],
        strides: Sequence[int] | None = None,
    ):
        properties: dict[str, Attribute] = {}
        if strides is not None and any(step != 1 for step in strides):
            properties["strides"] = DenseArrayBase.from_list(i64, strides)
        build(self, [input, offsets], TensorType(shaped(input).get_element_type(), sizes), properties)

    @property
    def steps(self) -> tuple[int, ...]:
        """The stride along each axis, in elements."""
        if self.strides is None:
            return (1,) * len(self.offsets)
        return tuple(cast("DenseArrayBase[IntegerType[Any, Any]]", self.strides).get_values())

    def infer_shape(self) -> Shape:
        whole, part = shape_of(self.input), shape_of(self.out)
        _verify_slice(whole, part, len(self.offsets))
        if len(self.steps) != len(whole) or 0 in self.steps:
            raise VerifyException(f"slice of {spell(whole)} needs {len(whole)} strides other than 0")
        spans = tuple((size - 1) * abs(step) + 1 for size, step in zip(part, self.steps, strict=True))
        if any(span > extent for span, extent in zip(spans, whole, strict=True)):
            steps = spell(self.steps)
            raise VerifyException(f"a slice of shape {spell(part)} in steps of {steps} does not fit in {spell(whole)}")
        return part

    @property
    def indices(self) -> Sequence[SSAValue]:
        return self.offsets

    @property
    def run(self) -> Sequence[SSAValue] | None:
        return self.offsets if self.strides is None and is_run(shape_of(self.input), shape_of(self.out)) else None

    @property
    def moves(self) -> Sequence[Move]:
        return self.gather(self.input, _shifted(len(self.offsets), self.steps))

    def fold(self) -> tuple[SSAValue] | None:
        # A part of full size that lies inside must start at 0, unless it is visited backwards.
        return fold_to(self, self.input) if self.strides is None else None


@irdl_op_definition
class InsertSliceOp(MovementOp, HasFolderInterface):
    """A copy of `input` in which `part` replaces the elements at computed offsets (SeeDot's splice on the left of `=`).

    `axes` contains, for each axis of the part, the corresponding axis of the input. By default, corresponding axes have
    the same index.
    """

    name = "tdsl.insert_slice"
    part = operand_def(SHAPED)
    input = operand_def(SHAPED)
    offsets = var_operand_def(IndexType)
    axes = opt_prop_def(DenseArrayBase.constr(i64))
    assembly_format = (
        "$part `,` $input `[` $offsets `]` attr-dict `:` type($part) `,` type($input) "
        "(`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, part: SSAValue, input: SSAValue, offsets: Sequence[SSAValue], axes: Sequence[int] | None = None):
        properties: dict[str, Attribute] = {} if axes is None else {"axes": DenseArrayBase.from_list(i64, axes)}
        build(self, [part, input, offsets], TensorType(shaped(input).get_element_type(), shape_of(input)), properties)

    @property
    def order(self) -> tuple[int, ...]:
        """For each axis of the part, the corresponding axis of the input."""
        if self.axes is None:
            return tuple(range(len(self.offsets)))
        return tuple(cast("DenseArrayBase[IntegerType[Any, Any]]", self.axes).get_values())

    def infer_shape(self) -> Shape:
        part, order = shape_of(self.part), self.order
        if sorted(order) != list(range(len(part))):
            raise VerifyException(f"axes {list(order)} do not order the {len(part)} axes of the part")
        _verify_slice(shape_of(self.input), [part[order.index(axis)] for axis in range(len(part))], len(self.offsets))
        return shape_of(self.input)

    @property
    def indices(self) -> Sequence[SSAValue]:
        return self.offsets

    @property
    def moves(self) -> Sequence[Move]:
        rank = len(self.offsets)
        moved = [AffineExpr.dimension(self.order.index(axis)) + AffineExpr.symbol(axis) for axis in range(rank)]
        same, shifted = identity(rank, rank), AffineMap(rank, rank, tuple(moved))
        return [Move(self.input, shape_of(self.input), same, same), Move(self.part, shape_of(self.part), same, shifted)]

    @property
    def updated(self) -> SSAValue:
        return self.input

    def reads_in_place(self, operand: SSAValue) -> bool:
        return self.input is operand and self.part is not operand

    def fold(self) -> tuple[SSAValue] | None:
        return fold_to(self, self.part) if self.axes is None else None


def insertion_in(loop: scf.ForOp, position: int) -> InsertSliceOp | None:
    """The op by which each iteration of a loop inserts a part into a tensor that the loop carries.

    position: the position of the tensor among the carried values.

    Returns None unless this insertion is the loop's only use of the tensor. No iteration then depends on the parts of
    another iteration.
    """
    carried, last = loop.body.block.args[1 + position], loop.body.block.last_op
    assert last is not None
    op = last.operands[position].owner
    if not isinstance(op, InsertSliceOp) or op.input is not carried or not op.out.has_one_use():
        return None
    return op if carried.has_one_use() else None


@irdl_op_definition
class MoveUpOp(MovementOp):
    """The input shifted by `count` elements towards the start of an axis. The first `count` elements are dropped. The
    last `count` elements of the result are those of the input.
    """

    name = "tdsl.move_up"
    input = operand_def(SHAPED)
    axis = prop_def(IntegerAttr)
    count = prop_def(IntegerAttr)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, axis: int, count: int):
        result = TensorType(shaped(input).get_element_type(), shape_of(input))
        build(self, [input], result, {"axis": IntegerAttr(axis, i64), "count": IntegerAttr(count, i64)})

    def infer_shape(self) -> Shape:
        shape, axis, count = shape_of(self.input), self.axis.value.data, self.count.value.data
        if not 0 <= axis < len(shape) or not 0 < count < shape[axis]:
            raise VerifyException(f"elements of {spell(shape)} do not move up by {count} along axis {axis}")
        return shape

    @property
    def moves(self) -> Sequence[Move]:
        shape, axis, count = [*shape_of(self.input)], self.axis.value.data, self.count.value.data
        same, source = identity(len(shape)), dimensions(len(shape))
        source[axis] = source[axis] + count
        moving = (*shape[:axis], shape[axis] - count, *shape[axis + 1 :])
        later = AffineMap(len(shape), 0, tuple(source))
        return [Move(self.input, tuple(shape), same, same), Move(self.input, moving, later, same)]

    @property
    def updated(self) -> SSAValue:
        return self.input

    def reads_in_place(self, operand: SSAValue) -> bool:
        # An element is loaded before another is stored in its bytes.
        return True


@irdl_op_definition
class ReceiveOp(MovementOp):
    """The rows from `top` up to but excluding `top + h` of an image 1 x H x W x C, as a tensor 1 x h x W x C.

    The image is the program's input, which is not in memory (`received` of the program's interface). On a device, a
    function of the caller supplies the rows one after another. A program therefore receives each row once, in order.
    """

    name = "tdsl.receive"
    image = operand_def(SHAPED)
    top = operand_def(IndexType)
    STORES_LAST: ClassVar[bool] = True
    assembly_format = (
        "$image `[` $top `]` attr-dict `:` type($image) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, image: SSAValue, top: SSAValue, rows: int):
        shape = 1, rows, *shape_of(image)[2:]
        build(self, [image, top], TensorType(shaped(image).get_element_type(), shape))

    def infer_shape(self) -> Shape:
        image, part = shape_of(self.image), shape_of(self.out)
        if len(image) != 4 or len(part) != 4 or image[0] != 1:
            raise VerifyException(f"expected an image 1xHxWxC, got {spell(image)}")
        if not 1 <= part[1] <= image[1]:
            raise VerifyException(f"{part[1]} rows are not part of {spell(image)}")
        return 1, part[1], *image[2:]

    @property
    def indices(self) -> Sequence[SSAValue]:
        return (self.top,)

    @property
    def moves(self) -> Sequence[Move]:
        first, row, column, channel = dimensions(4)
        return self.gather(self.image, [first, row + AffineExpr.symbol(0), column, channel])

    def footprint(self, operand: SSAValue) -> Footprint | None:
        return Footprint() if shape_of(operand) == shape_of(self.out) else None


def integers(attribute: DenseArrayBase[IntegerType], name: str, count: int) -> tuple[int, ...]:
    """The values of the array property `name`. Raises `VerifyException` unless there are `count` values."""
    values = tuple(int(value) for value in attribute.get_values())
    if len(values) != count:
        raise VerifyException(f"{name} needs {count} values, got {len(values)}")
    return values


def integer_array(values: Sequence[int]) -> DenseArrayBase[IntegerType]:
    """The integers `values` as an array property of 64-bit elements."""
    return DenseArrayBase.from_list(i64, values)


def windows(extent: int, kernel: int, before: int, after: int, stride: int, dilation: int = 1) -> int:
    """The number of windows along an axis.

    extent: the extent of the axis.
    kernel: the extent of a window.
    before, after: the padding before and after the axis.
    stride, dilation: the distance between adjacent windows, and between adjacent elements of a window.

    Raises `VerifyException` if no window fits, for negative padding, and unless `kernel`, `stride` and `dilation` are
    at least 1.
    """
    if kernel < 1 or stride < 1 or dilation < 1 or before < 0 or after < 0:
        raise VerifyException("windows, strides and dilations are at least 1, padding at least 0")
    span = extent + before + after - dilation * (kernel - 1) - 1
    if span < 0:
        raise VerifyException(f"a window of {kernel} does not fit in {extent} elements with this padding")
    return span // stride + 1


@irdl_op_definition
class WindowOp(TensorOp):
    """Adjacent windows of an image 1 x H x W x C, as a tensor N x KH x KW x C.

    Element (n, i, j, c) of the result is `image[0, top + i * dilations[0], left + n * across + j * dilations[1], c]`.
    Outside the image, it is the real `value` (0 by default). `margins` contains the maximum numbers of pixels by which
    a window extends beyond the image above, below, on the left and on the right. `across` is the distance between
    windows in pixels, if there are several windows.

    `ring` may be set for a single window. It is the height and width of the image. The operand, 1 x h x w x C, then
    contains only some pixels of this image, which include the pixels of the window. Pixel (y, x) is stored at (y mod h,
    x mod w). In an operand with a single row, pixel number n, counted row by row, is stored at n mod w.

    `axes` is the order of the operand's axes, if it differs: axis i of the image is axis `axes[i]` of the operand. The
    shapes stated above are then shapes of the image. A ring with permuted axes contains whole rows.
    """

    name = "tdsl.window"
    MOVES_BITS: ClassVar[bool] = True
    image = operand_def(SHAPED)
    top = operand_def(IndexType)
    left = operand_def(IndexType)
    dilations = prop_def(DenseArrayBase.constr(i64))
    margins = prop_def(DenseArrayBase.constr(i64))
    value = opt_prop_def(FloatAttr)
    ring = opt_prop_def(DenseArrayBase.constr(i64))
    across = opt_prop_def(IntegerAttr)
    axes = opt_prop_def(DenseArrayBase.constr(i64))
    assembly_format = (
        "$image `[` $top `,` $left `]` attr-dict `:` type($image) (`into` $dest^ `:` type($dest))?"
        " (`->` type($result)^)?"
    )

    def __init__(
        self,
        image: SSAValue,
        top: SSAValue,
        left: SSAValue,
        size: tuple[int, int],
        dilations: Sequence[int],
        margins: Sequence[int],
        value: float = 0.0,
        ring: Sequence[int] | None = None,
        count: int = 1,
        across: int = 1,
        axes: Sequence[int] | None = None,
    ):
        properties: dict[str, Attribute] = {"dilations": integer_array(dilations), "margins": integer_array(margins)}
        if value:
            properties["value"] = FloatAttr(value, f64)
        if ring is not None:
            properties["ring"] = integer_array(ring)
        if count > 1:
            properties["across"] = IntegerAttr(across, i64)
        if axes is not None:
            properties["axes"] = integer_array(axes)
        shape = count, *size, shape_of(image)[3 if axes is None else axes[3]]
        build(self, [image, top, left], TensorType(shaped(image).get_element_type(), shape), properties)

    @property
    def order(self) -> tuple[int, ...]:
        """For each axis of the image, the corresponding axis of the operand."""
        return (0, 1, 2, 3) if self.axes is None else integers(self.axes, "axes", 4)

    @property
    def held(self) -> Shape:
        """The shape of the operand in the order 1 x H x W x C of an image."""
        shape = shape_of(self.image)
        return tuple(shape[axis] for axis in self.order)

    @property
    def pitches(self) -> tuple[int, int, int]:
        """The distances in the operand between adjacent rows, columns and channels of the image, in elements."""
        shape = shape_of(self.image)
        row, column, channel = (prod(shape[axis + 1 :]) for axis in self.order[1:])
        return row, column, channel

    @property
    def spread(self) -> tuple[int, int]:
        """The dilations along height and width, in pixels."""
        down, right = integers(self.dilations, "dilations", 2)
        return down, right

    @property
    def steps(self) -> range:
        """The distance of each window from the first window, in pixels."""
        count = shape_of(self.out)[0]
        across = 1 if self.across is None else self.across.value.data
        return range(0, count * across, across)

    def span(self, top: Any, left: Any) -> tuple[Any, Any]:
        """The indices of the first and the last element of the operand that windows starting at (top, left) read. The
        op must not read a ring.

        Elements outside the image count as the nearest elements inside.

        top, left: integers, or arrays of integers.
        """
        _, rows, columns, channels = self.held
        down, across, deep = self.pitches
        _, height, width, _ = shape_of(self.out)
        bottom, right = top + (height - 1) * self.spread[0], left + self.steps[-1] + (width - 1) * self.spread[1]
        first, last = (
            np.clip(y, 0, rows - 1) * down + np.clip(x, 0, columns - 1) * across
            for y, x in ((top, left), (bottom, right))
        )
        return first, last + (channels - 1) * deep

    @property
    def reach(self) -> tuple[int, int, int, int]:
        """The numbers of pixels by which windows extend beyond the image: above, below, on the left and on the
        right.
        """
        top, bottom, left, right = integers(self.margins, "margins", 4)
        return top, bottom, left, right

    @property
    def extents(self) -> tuple[int, int]:
        """The height and the width of the image. If the operand is a ring, it contains only some pixels of the
        image.
        """
        if self.ring is None:
            _, height, width, _ = self.held
        else:
            height, width = integers(self.ring, "ring", 2)
        return height, width

    @property
    def filling(self) -> float:
        return 0.0 if self.value is None else self.value.value.data

    @property
    def added(self) -> Interval:
        return (self.filling, self.filling)

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        image, top, left = x
        image = image.transpose(0, *(1 + axis for axis in self.order))
        filling = arithmetic.number(self.out, self.filling).astype(image.dtype)
        return np.concatenate([self._gathered(image, (top, left + step), filling) for step in self.steps], 1)

    def _gathered(self, image: Array, corner: tuple[Any, Any], filling: Array) -> Array:
        """One window of each image or ring, copied element by element.

        corner: the row and the column at which the window starts, as integers or as arrays with an entry per sample.
        filling: the elements outside the image.
        """
        indices: list[Array] = []
        inside = np.ones((1, 1, 1), bool)
        for axis, (first, gap) in enumerate(zip(corner, self.spread, strict=True)):
            at = np.reshape(first, (-1, 1)) + gap * np.arange(shape_of(self.out)[1 + axis])
            at = at[:, :, None] if axis == 0 else at[:, None, :]
            extent = self.extents[axis]
            inside = inside & (at >= 0) & (at < extent)
            indices.append(np.clip(at, 0, extent - 1))
        samples = np.arange(max(len(image), len(inside)) if len(image) > 1 else 1)[:, None, None]
        down, across = indices
        if self.ring is not None:
            _, height, width, _ = self.held
            number = across if height > 1 else down * self.extents[1] + across
            down, across = down % height, number % width
        return np.where(inside[..., None], image[samples, 0, down, across], filling)[:, None]

    def infer_shape(self) -> Shape:
        image, window = shape_of(self.image), shape_of(self.out)
        if len(image) == 4 and self.axes is not None:
            if sorted(self.order) != [0, 1, 2, 3] or self.order[0] != 0:
                raise VerifyException(f"axes {list(self.order)} do not order those of an image after the first")
            image = self.held
        if len(image) != 4 or len(window) != 4 or image[3] != window[3] or image[0] != 1:
            raise VerifyException(f"gathers windows NxKHxKWxC of images 1xHxWxC, got {spell(window)} of {spell(image)}")
        if (self.across is None) != (window[0] == 1) or (self.across is not None and self.across.value.data < 1):
            raise VerifyException("needs the distance of windows, at least 1, if there are several of them")
        if self.ring is not None and window[0] > 1:
            raise VerifyException("windows of a ring are gathered one at a time")
        top, bottom, left, right = self.reach
        for extent, kernel, before, after, gap in (
            (self.extents[0], window[1], top, bottom, self.spread[0]),
            (self.extents[1], window[2], left, right, self.spread[1]),
        ):
            windows(extent, kernel, before, after, 1, gap)
        if self.ring is not None:
            self._verify_ring(image[1:3], window[1:3])
        return window

    def _verify_ring(self, held: Shape, window: Shape) -> None:
        """Raise `VerifyException` unless a ring of shape `held` contains all pixels of the image from the first to the
        last pixel of the window, but not the whole image.

        A ring with permuted axes must contain whole rows.
        """
        height, width = self.extents
        if self.axes is not None and held[1] != width:
            raise VerifyException(f"a ring in another order of axes holds whole rows of {width} pixels, got {held[1]}")
        if prod(held) >= height * width:
            raise VerifyException(f"a ring holds a part of {height * width} pixels, got {spell(held)}")
        down, across = (gap * (count - 1) + 1 for gap, count in zip(self.spread, window, strict=True))
        if held[0] == 1 and held[1] != width:
            reach = 1, (min(down, height) - 1) * width + min(across, width)
        else:
            reach = min(down, height), min(across, width)
        if held[0] < reach[0] or held[1] < reach[1]:
            raise VerifyException(f"windows reach over {spell(reach)} pixels, the ring holds {spell(held)}")

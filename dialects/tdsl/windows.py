"""Windows of images, NHWC: the op that gathers them, and what ops on windows share."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, ClassVar

from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IndexType, IntegerAttr, IntegerType, TensorType, f64, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import Interval
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, shape_of, shaped, spell
from tinyml.dialects.tdsl.values import Arithmetic, Array

__all__ = ["WindowOp"]


def integers(attribute: DenseArrayBase[IntegerType], name: str, count: int) -> tuple[int, ...]:
    """The values of a property; raises `VerifyException` unless there are `count`."""
    values = tuple(int(value) for value in attribute.get_values())
    if len(values) != count:
        raise VerifyException(f"{name} needs {count} values, got {len(values)}")
    return values


def integer_array(values: Sequence[int]) -> DenseArrayBase[IntegerType]:
    """A property that holds integers."""
    return DenseArrayBase.from_list(i64, values)


def windows(extent: int, kernel: int, before: int, after: int, stride: int, dilation: int = 1) -> int:
    """The number of windows along an axis; raises `VerifyException` if none fits."""
    if kernel < 1 or stride < 1 or dilation < 1 or before < 0 or after < 0:
        raise VerifyException("windows, strides and dilations are at least 1, padding at least 0")
    span = extent + before + after - dilation * (kernel - 1) - 1
    if span < 0:
        raise VerifyException(f"a window of {kernel} does not fit in {extent} elements with this padding")
    return span // stride + 1


@irdl_op_definition
class WindowOp(TensorOp):
    """Adjacent windows, in the result's shape N x KH x KW x C, of an image 1 x H x W x C.

    Element (n, i, j, c) is `image[0, top + i * dilations[0], left + n * across + j * dilations[1], c]`, or the real
    `value` (0 by default) outside of the image. margins: how far a window may reach beyond the image above, below, on
    the left and on the right. across: pixels from a window to the next, if there are several.

    ring, for a single window: height and width of an image of which the operand, 1 x h x w x C, holds only some pixels,
    those of the window among them: pixel (y, x) at (y mod h, x mod w), or in an operand of a single row pixel number n,
    counted row by row, at n mod w.

    axes: of the operand, if those of the image lie there in another order: axis i of the image is axis `axes[i]`. The
    shapes above are then those of the image. A ring in another order holds whole rows.
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
        """The operand's axis for each axis of the image."""
        return (0, 1, 2, 3) if self.axes is None else integers(self.axes, "axes", 4)

    @property
    def held(self) -> Shape:
        """The shape of the operand as an image 1 x H x W x C."""
        shape = shape_of(self.image)
        return tuple(shape[axis] for axis in self.order)

    @property
    def pitches(self) -> tuple[int, int, int]:
        """The elements of the operand from a row of the image to the next, from a column and from a channel."""
        shape = shape_of(self.image)
        row, column, channel = (prod(shape[axis + 1 :]) for axis in self.order[1:])
        return row, column, channel

    @property
    def spread(self) -> tuple[int, int]:
        """The dilations along height and width."""
        down, right = integers(self.dilations, "dilations", 2)
        return down, right

    @property
    def steps(self) -> range:
        """The offset of each window from the first, in pixels."""
        count = shape_of(self.out)[0]
        across = 1 if self.across is None else self.across.value.data
        return range(0, count * across, across)

    @property
    def reach(self) -> tuple[int, int, int, int]:
        """The margins above, below, on the left and on the right."""
        top, bottom, left, right = integers(self.margins, "margins", 4)
        return top, bottom, left, right

    @property
    def extents(self) -> tuple[int, int]:
        """Height and width of the image, of which a ring holds only a part."""
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
        """One window of each image, or ring of some of its pixels. corner: its row and column, perhaps by sample."""
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
        """Verify that the ring holds all pixels of the image from the first to the last of the window."""
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

"""Windows of NHWC images: their number along an axis, and the op that copies them.

A window that extends beyond the image, or is not a slice of it, is copied element by element, including its padding.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IndexType, IntegerAttr, TensorType, f64, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.attributes import integer_array, integers
from tinyml.dialects.tdsl.base import SHAPED, Shape, build, shape_of, shaped, spell
from tinyml.dialects.tdsl.enlargement import PaddedOp
from tinyml.dialects.tdsl.values import Arithmetic, Array

__all__ = ["WindowOp"]


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
class WindowOp(PaddedOp):
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
    image = operand_def(SHAPED)
    top = operand_def(IndexType)
    left = operand_def(IndexType)
    dilations = prop_def(DenseArrayBase.constr(i64))
    margins = prop_def(DenseArrayBase.constr(i64))
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

"""Pooling layers, NHWC: one number for each window and channel of an image."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.dialects.builtin import DenseArrayBase, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.arrays.movements import add_at, numbered
from tinyml.dialects.tdsl.arrays.values import Arithmetic, Array, greatest
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, Visits, build, format_of, shape_of, shaped, spell
from tinyml.dialects.tdsl.windows import integer_array, integers, windows

if TYPE_CHECKING:
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

__all__ = ["MaxPoolOp", "PoolOp"]


class PoolOp(TensorOp, ABC):
    """An op on the windows of N x H x W x C images, channel by channel.

    kernel [height, width], padding [top, bottom, left, right], strides [down, right]. Elements of the padding do not
    take part; every window has at least one other.
    """

    image = operand_def(SHAPED)
    kernel = prop_def(DenseArrayBase.constr(i64))
    padding = prop_def(DenseArrayBase.constr(i64))
    strides = prop_def(DenseArrayBase.constr(i64))
    assembly_format = "$image attr-dict `:` type($image) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(
        self,
        image: SSAValue,
        kernel: Sequence[int],
        padding: Sequence[int],
        strides: Sequence[int],
        element: Attribute | None = None,
    ):
        shape = _pooled(shape_of(image), kernel, padding, strides)
        build(
            self,
            [image],
            TensorType(element or shaped(image).get_element_type(), shape),
            {"kernel": integer_array(kernel), "padding": integer_array(padding), "strides": integer_array(strides)},
        )

    @property
    def window(self) -> tuple[int, int]:
        """The height and the width of a window."""
        height, width = integers(self.kernel, "kernel", 2)
        return height, width

    @property
    def margins(self) -> tuple[int, int, int, int]:
        """The padding above, below, on the left and on the right of the image."""
        top, bottom, left, right = integers(self.padding, "padding", 4)
        return top, bottom, left, right

    @property
    def steps(self) -> tuple[int, int]:
        """The strides along height and width."""
        down, right = integers(self.strides, "strides", 2)
        return down, right

    def infer_shape(self) -> Shape:
        return _pooled(shape_of(self.image), self.window, self.margins, self.steps)

    @property
    def visits(self) -> Sequence[Visits]:
        """Each element after those of its window; the nearest pixel inside replaces one outside of the image."""
        _, rows, columns, channels = shape_of(self.image)
        n, y, x, channel = np.indices(shape_of(self.out)).reshape(4, -1, 1)
        i, j = np.indices(self.window).reshape(2, 1, -1)
        top, _, left, _ = self.margins
        down, right = self.steps
        row = np.clip(y * down + i - top, 0, rows - 1)
        column = np.clip(x * right + j - left, 0, columns - 1)
        loads = ((n * rows + row) * columns + column) * channels + channel
        return [Visits([(self.image, loads)], np.arange(len(loads)))]


@irdl_op_definition
class MaxPoolOp(PoolOp):
    """The greatest element of each window."""

    name = "tdsl.max_pool"
    MOVES_BITS: ClassVar[bool] = True

    def real(self, x: Sequence[Any]) -> Array:
        return reduce(np.maximum, self._elements(x[0]))

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Array:
        return greatest(m, format_of(self.out), self._elements(x[0]))

    def derivative(self, arithmetic: Arithmetic, x: Sequence[Any], y: Array, slope: Array) -> Sequence[Array]:
        """The slopes go to the greatest element of each window, the first of equal ones."""
        best = np.argmax(np.stack(list(self._elements(x[0]))), 0)[None]
        positions = np.stack([np.broadcast_to(one, best[0].shape) for one in self._elements(numbered(x[0]))])
        return [add_at(slope, np.take_along_axis(positions, best, 0)[0], x[0])]

    def _elements(self, image: Array) -> Iterator[Array]:
        """The elements of all windows, in row-major order of their offsets in the window, each in the result's shape.

        The nearest element inside, which belongs to the window, too, replaces one outside of the image.
        """
        _, height, width, _ = shape_of(self.image)
        _, rows, columns, _ = shape_of(self.out)
        top, _, left, _ = self.margins
        for i in range(self.window[0]):
            down = np.clip(np.arange(rows) * self.steps[0] + i - top, 0, height - 1)
            for j in range(self.window[1]):
                across = np.clip(np.arange(columns) * self.steps[1] + j - left, 0, width - 1)
                yield image[:, :, down[:, None], across]


def _pooled(shape: Shape, kernel: Sequence[int], padding: Sequence[int], strides: Sequence[int]) -> Shape:
    if len(shape) != 4:
        raise VerifyException(f"pools images of shape NxHxWxC, got {spell(shape)}")
    n, height, width, channels = shape
    if max(padding[:2]) >= kernel[0] or max(padding[2:]) >= kernel[1]:
        raise VerifyException(f"padding {list(padding)} leaves windows of {spell(kernel)} without elements")
    return (
        n,
        windows(height, kernel[0], padding[0], padding[1], strides[0]),
        windows(width, kernel[1], padding[2], padding[3], strides[1]),
        channels,
    )

"""Convolutions of NHWC images, optionally in place as in Gural and Murmann (2019): herringbone and single transpose.

In place (section 3.4), results are computed row by row and written contiguously, starting before the image. When a row
of results is complete, the first row of the image is dead. Dead columns would be scattered over the image. If the
remaining image is transposed in place, its columns become rows. A *turn* consists of some rows of the result, followed
by such a transposition. After all turns, the parts of the result are transposed back, from the last turn to the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import num
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.attributes import integer_array, integers
from tinyml.dialects.tdsl.base import SHAPED, Shape, Visits, build, format_of, shape_of, shaped, spell
from tinyml.dialects.tdsl.contraction import ContractionOp
from tinyml.dialects.tdsl.index_maps import Term
from tinyml.dialects.tdsl.values import Arithmetic, Array, Derivatives
from tinyml.dialects.tdsl.windows import windows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Conv2dOp", "window_layout"]


Extents = tuple[int, int]
"""Height and width."""


class Turn(NamedTuple):
    """A turn: some rows of the result of a convolution in place, followed by a transposition.

    Rows and columns are those in memory when the turn begins.

    * rows: the number of rows of the result that the turn computes.
    * image, result: the extents of the remaining image and of the remaining result.
    * read, written: the number of dead pixels of the image, and of written pixels of the result.
    * turned: true if rows in memory are columns of the image.
    * before: the number of rows of padding above the remaining image, and of columns of padding on its left.
    """

    rows: int
    image: Extents
    result: Extents
    read: int
    written: int
    turned: bool
    before: Extents = (0, 0)

    def drop(self, steps: Extents) -> tuple[Extents, int]:
        """The extents of the image that remains after the turn, and the number of dead pixels before it."""
        dead = min(max(self.rows * steps[self.turned] - self.before[0], 0), self.image[0])
        return (self.image[0] - dead, self.image[1]), self.read + dead * self.image[1]


def turns(rows: Sequence[int], image: Extents, result: Extents, steps: Extents, before: Extents = (0, 0)) -> list[Turn]:
    """The turns of a convolution in place.

    rows: the number of rows of each turn.
    image, result: the extents of the image and of the result.
    steps: the strides.
    before: the padding above and on the left.

    Raises `VerifyException` unless the turns compute the whole result. Every turn except the first must compute at
    least one row.
    """
    made: list[Turn] = []
    read = written = 0
    for number, count in enumerate(rows):
        if not (0 if number == 0 else 1) <= count <= result[0] or result[1] < 1:
            raise VerifyException(f"turn {number} takes {count} of {result[0]} rows of {result[1]} pixels")
        turn = Turn(count, image, result, read, written, number % 2 == 1, before)
        made.append(turn)
        image, read = turn.drop(steps)
        written += count * result[1]
        before = before[1], max(before[0] - count * steps[turn.turned], 0)
        image, result = (image[1], image[0]), (result[1], result[0] - count)
    if 0 not in result:
        raise VerifyException(f"turns of {list(rows)} rows leave {result[1]}x{result[0]} pixels")
    return made


def herringbone(result: Extents, rows_first: bool = True) -> list[int]:
    """For each turn of the herringbone schedule, the number of rows or columns that the turn computes. The first number
    is that of rows, and may be 0.

    Rows are computed while the remaining result is higher than wide, and columns while it is wider than high. If it is
    square, rows and columns alternate.

    rows_first: true if a row is computed before a column when the remaining result is square.
    """
    (height, width), counts, along_rows = result, [0], True
    while height and width:
        if (height >= width + (not rows_first)) != along_rows:
            counts.append(0)
            along_rows = not along_rows
        counts[-1] += 1
        height, width = (height - 1, width) if along_rows else (height, width - 1)
    return counts


def single_transpose(result: Extents, last: int) -> list[int]:
    """For each turn of the single-transpose schedule, the number of rows or columns that the turn computes. The first
    turn computes all rows except the last `last` rows. The second turn computes these last rows column by column.
    """
    height, width = result
    return [count for count in (height - last, width if last else 0) if count] if last < height else [0, width]


def lead(pixels: NDArray[np.int64], image: int, result: int) -> int:
    """The least distance between the starts of result and image for which no pixel of the image is overwritten before
    it is read.

    pixels: the indices of the pixels of each window, in the order of computation.
    image: the size of a pixel of the image, in the unit of the distance.
    result: the size of a pixel of the result, in the same unit.

    The pixels of a window are read until all elements of its result except the last one have been written.
    """
    first = pixels.min(1) * image
    pending = np.minimum.accumulate(first[::-1])[::-1]
    written = (1 + np.arange(len(first))) * result
    ahead = [written[:-1] - pending[1:], written - 1 - pending]
    return max(0, *(int(part.max(initial=0)) for part in ahead))


def window_pixels(turn: Turn, kernel: Extents, steps: Extents) -> NDArray[np.int64]:
    """For each window of a turn, the indices in memory of its pixels, as an array of shape (rows * width of the
    result, taps).

    kernel: the numbers of rows and columns of a window.
    steps: the strides.

    Taps are in the order of an untransposed window. A tap outside the image is assigned the largest index of its
    window. Every window has a tap inside the image.
    """
    down, right = steps[::-1] if turn.turned else steps
    row, column = (axis.reshape(-1, 1) for axis in np.indices((turn.rows, turn.result[1])))
    i, j = (axis.reshape(1, -1) for axis in np.indices(kernel))
    if turn.turned:
        i, j = j, i
    y, x = row * down - turn.before[0] + i, column * right - turn.before[1] + j
    inside = (y >= 0) & (y < turn.image[0]) & (x >= 0) & (x < turn.image[1])
    pixels = np.where(inside, turn.read + y * turn.image[1] + x, -1)
    return np.where(inside, pixels, pixels.max(1, keepdims=True))


def window_layout(filter: Shape, image: Shape, across: int) -> tuple[int, int, int, int]:
    """The layout of a window in memory: (number of runs, elements of a run, distance between runs, distance between
    windows).

    The distances are in elements.

    filter: the shape of the undilated filter.
    image: the shape of an image, or of a stack of separate windows.
    across: the distance between adjacent windows of an image, in pixels.
    """
    (_, height, width, length), (images, _, columns, channels) = filter, image
    elements = height * width * channels
    runs = 1 if images > 1 and length == channels else height
    return runs, elements // runs, columns * channels, elements if images > 1 else across * channels


@irdl_op_definition
class Conv2dOp(ContractionOp):
    """Convolution of the images `rhs`, N x H x W x C, with the filter `lhs`, O x KH x KW x (C / groups).

    Element (n, y, x, o) of the result is the sum over i, j and c of `lhs[o, i, j, c] * rhs[n, row, column, channel]`.
    Here `row = y * strides[0] + i * dilations[0]`, `column = x * strides[1] + j * dilations[1]` and `channel = g * C /
    groups + c`. g = o div (O / groups) is the group of output channel o. The rows of the filter, along its first axis,
    are the output channels. With groups = C, the convolution is depthwise, and each channel has O / C filters.

    `addend` contains the initial sums, which are broadcast to the result. A bias has shape O. `acc`, `bound` and
    `row_shifts` are as in `tdsl.matmul`. The convolution does not pad its image; `tdsl.pad` pads images.

    `turns` contains the number of rows of each turn. A convolution with `turns` runs in place and overwrites its image,
    which no other op may read. Such a convolution pads the image itself: `padding` is the number of pixels above,
    below, on the left and on the right, and `value` is the real number that these pixels represent (0 by default).

    `tile` is the kernel that computes all results, or the results of one line per call. It is chosen when the image is
    split into parts for a kernel.
    """

    name = "tdsl.conv2d"
    ROW_AXIS: ClassVar[int] = 3
    lhs = operand_def(SHAPED)
    rhs = operand_def(SHAPED)
    addend = opt_operand_def(SHAPED)
    strides = prop_def(DenseArrayBase.constr(i64))
    dilations = prop_def(DenseArrayBase.constr(i64))
    groups = prop_def(IntegerAttr)
    turns = opt_prop_def(DenseArrayBase.constr(i64))
    padding = opt_prop_def(DenseArrayBase.constr(i64))
    value = opt_prop_def(FloatAttr)
    tile = opt_prop_def(num.TILE)
    assembly_format = (
        "$lhs `,` $rhs (`from` $addend^ `:` type($addend))? attr-dict `:` type($lhs) `,` type($rhs)"
        " (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(
        self,
        filter: SSAValue,
        image: SSAValue,
        strides: Sequence[int] = (1, 1),
        dilations: Sequence[int] = (1, 1),
        groups: int = 1,
        initial: SSAValue | None = None,
        element: Attribute | None = None,
    ):
        shape = _convolved(shape_of(filter), shape_of(image), strides, dilations, groups)
        build(
            self,
            [filter, image, [] if initial is None else [initial]],
            TensorType(element or shaped(image).get_element_type(), shape),
            {
                "strides": integer_array(strides),
                "dilations": integer_array(dilations),
                "groups": IntegerAttr(groups, i64),
            },
        )

    @property
    def initial(self) -> SSAValue | None:
        return self.addend

    @property
    def steps(self) -> tuple[int, int]:
        """The strides along height and width, in pixels."""
        down, right = integers(self.strides, "strides", 2)
        return down, right

    @property
    def spread(self) -> tuple[int, int]:
        """The distances between taps along height and width: the dilations, but 1 along an axis with a single tap."""
        _, height, width, _ = shape_of(self.lhs)
        down, right = integers(self.dilations, "dilations", 2)
        return down if height > 1 else 1, right if width > 1 else 1

    @property
    def group_count(self) -> int:
        return self.groups.value.data

    @property
    def turn_list(self) -> list[Turn]:
        """The turns of a convolution in place; empty for other convolutions.

        Raises `VerifyException` for invalid turns.
        """
        if self.turns is None:
            return []
        (_, *image, _), (_, *result, _) = shape_of(self.rhs), shape_of(self.out)
        rows = integers(self.turns, "turns", len(self.turns))
        top, _, left, _ = self.margins
        return turns(rows, (image[0], image[1]), (result[0], result[1]), self.steps, (top, left))

    @property
    def margins(self) -> tuple[int, int, int, int]:
        """The padding that a convolution in place adds, in pixels: (above, below, on the left, on the right). All are 0
        without `padding`.
        """
        if self.padding is None:
            return 0, 0, 0, 0
        top, bottom, left, right = integers(self.padding, "padding", 4)
        return top, bottom, left, right

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        if self.padding is None:
            return super().compute(arithmetic, x)
        filters, image, *others = x
        top, bottom, left, right = self.margins
        filling = np.asarray(arithmetic.number(self.rhs, self.filling)).astype(image.dtype)
        widths = ((0, 0), (0, 0), (top, bottom), (left, right), (0, 0))
        return super().compute(arithmetic, [filters, np.pad(image, widths, constant_values=filling), *others])

    def derivative(self, arithmetic: Arithmetic, x: Sequence[Any], y: Array, slope: Array) -> Derivatives | None:
        # Convolutions in place exist only at L1.
        return None if self.turns is not None else super().derivative(arithmetic, x, y, slope)

    @property
    def filling(self) -> float:
        """The real with which a convolution in place pads its image."""
        return 0.0 if self.value is None else self.value.value.data

    @property
    def can_turn(self) -> bool:
        """True if the convolution can run in place.

        It must be undilated, have a single image, and be either dense or depthwise. Its weights must have no groups
        with shared scales.
        """
        (count, *_, channels), plain = shape_of(self.rhs), format_of(self.lhs).groups is None
        return self.group_count in (1, channels) and self.spread == (1, 1) and count == 1 and plain

    @property
    def destroyed(self) -> Sequence[SSAValue]:
        return [] if self.turns is None else [self.rhs]

    @property
    def visits(self) -> Sequence[Visits]:
        """The steps of the convolution. A convolution in place has a step for each element of the result, which loads
        the whole window of the element's pixel and then stores the element. Other convolutions have the steps of any
        contraction.
        """
        if self.turns is None:
            return super().visits
        (rows, height, width, _), channels = shape_of(self.lhs), shape_of(self.rhs)[3]
        pixels = [window_pixels(turn, (height, width), self.steps) for turn in self.turn_list]
        windows = np.concatenate(pixels)[:, :, None] * channels + np.arange(channels)
        loads = np.repeat(windows.reshape(len(windows), -1), rows, 0)
        return [Visits([(self.rhs, loads)], np.arange(len(loads)))]

    def verify_more(self) -> None:
        super().verify_more()
        if self.tile is not None:
            self._verify_tile(self.tile)
        if self.turns is None:
            if self.padding is not None:
                raise VerifyException("only convolutions in place pad their image")
            return
        _, *kernel, _ = shape_of(self.lhs)
        if any(not 0 <= margin < kernel[side // 2] for side, margin in enumerate(self.margins)):
            raise VerifyException(
                f"padding {list(self.margins)} is negative, or not less than the windows of {spell(tuple(kernel))}"
            )
        _ = self.turn_list  # Raises `VerifyException` for turns that do not compute the whole result.
        if not self.can_turn:
            what = "undilated, and in one group or with one for each channel"
            raise VerifyException(f"only convolutions of a single image, {what}, run in turns")
        if isinstance(self.rhs.type, TensorType) and not self.rhs.has_one_use():
            raise VerifyException("a convolution in turns destroys its image, which has another reader")

    def _verify_tile(self, tile: num.TileKernelAttr) -> None:
        (filters, *taps, _), (images, *_, channels) = shape_of(self.lhs), shape_of(self.rhs)
        (_, *result, _), pixels = shape_of(self.out), prod(shape_of(self.out)[:-1])
        # Windows are separate images, or consecutive rows of lines.
        even = result == [1, 1] if images > 1 else self.spread == (1, 1) and (result[0] == 1 or self.steps[0] == 1)
        if not even or self.group_count not in (1, channels):
            raise VerifyException("only windows at even distances, of all channels or of each by itself, form tiles")
        line = pixels if images > 1 or (taps == [1, 1] and self.steps == (1, 1)) else result[1]
        if (tile.count.data, tile.rows.data) != (line, filters) or pixels // line % tile.lines.data:
            raise VerifyException(f"{pixels} pixels of {filters} channels do not consist of tiles of {tile.extents}")
        each = filters // channels if self.group_count > 1 else 1
        tile.verify_windows(*window_layout(shape_of(self.lhs), shape_of(self.rhs), self.steps[1]), each)

    def infer_shape(self) -> Shape:
        image, (top, bottom, left, right) = shape_of(self.rhs), self.margins
        if self.padding is not None and len(image) == 4:
            image = image[0], image[1] + top + bottom, image[2] + left + right, image[3]
        dilations = integers(self.dilations, "dilations", 2)
        return _convolved(shape_of(self.lhs), image, self.steps, dilations, self.group_count)

    @property
    def terms(self) -> Sequence[Term]:
        n, y, x, o, i, j, c = map(AffineExpr.dimension, range(7))
        rows, _, _, length = shape_of(self.lhs)
        each = rows // self.group_count
        group = AffineExpr.constant(0) if self.group_count == 1 else o if each == 1 else o // each
        channel = group * length + c if length > 1 else group
        position = (
            at * step + tap * gap for at, step, tap, gap in zip((y, x), self.steps, (i, j), self.spread, strict=True)
        )
        lhs_map, rhs_map = AffineMap(7, 0, (o, i, j, c)), AffineMap(7, 0, (n, *position, channel))
        return [Term(self.lhs, self.rhs, shape_of(self.lhs)[1:], lhs_map, rhs_map)]


def _convolved(filter: Shape, image: Shape, strides: Sequence[int], dilations: Sequence[int], groups: int) -> Shape:
    if len(image) != 4 or len(filter) != 4:
        raise VerifyException(
            f"convolves NxHxWxC images with OxKHxKWxC filters, got a filter {spell(filter)}, an image {spell(image)}"
        )
    n, height, width, channels = image
    rows, down, across, length = filter
    if groups < 1 or channels != groups * length:
        raise VerifyException(f"{channels} channels do not match {groups} groups of filters of {length} channels")
    if rows % groups:
        raise VerifyException(f"{rows} filters do not split into {groups} groups")
    return (
        n,
        windows(height, down, 0, 0, strides[0], dilations[0]),
        windows(width, across, 0, 0, strides[1], dilations[1]),
        rows,
    )

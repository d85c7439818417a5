"""Pooling of NHWC images, and means over axes. Pooling computes one number for each window and channel.

If an image is computed part by part, the average over the whole image is computed from the totals of its channels
(`tdsl.tally`, `tdsl.quotient`).
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, Signedness, TensorType, UnitAttr, f32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import AnyAttr, irdl_op_definition, operand_def, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import NumberFormat, number_format
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.attributes import integer_array, integers
from tinyml.dialects.tdsl.base import (
    SHAPED,
    Footprint,
    Shape,
    TensorOp,
    build,
    format_of,
    shape_of,
    shaped,
    spell,
)
from tinyml.dialects.tdsl.index_maps import add_at, numbered
from tinyml.dialects.tdsl.values import Arithmetic, Array, builtin_dtype, greatest
from tinyml.dialects.tdsl.windows import windows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.machine.numpy_machine import NumpyMachine

__all__ = ["AveragePoolOp", "MaxPoolOp", "MeanOp", "NoTotalOp", "PoolOp", "QuotientOp", "TallyOp"]


class PoolOp(TensorOp, ABC):
    """The base class of ops that compute one number for each window and channel of an N x H x W x C image.

    The properties are kernel [height, width], padding [top, bottom, left, right] and strides [down, right]. Padding
    elements are ignored. Every window has at least one element inside the image.
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
        """The height and the width of a window, in pixels."""
        height, width = integers(self.kernel, "kernel", 2)
        return height, width

    @property
    def margins(self) -> tuple[int, int, int, int]:
        """The padding above, below, on the left and on the right of the image, in pixels."""
        top, bottom, left, right = integers(self.padding, "padding", 4)
        return top, bottom, left, right

    @property
    def steps(self) -> tuple[int, int]:
        """The strides along height and width, in pixels."""
        down, right = integers(self.strides, "strides", 2)
        return down, right

    @property
    def outside(self) -> float | None:
        """A real with which padding elements may be filled without changing results; None if there is no such real."""
        return None

    def infer_shape(self) -> Shape:
        return _pooled(shape_of(self.image), self.window, self.margins, self.steps)

    def footprint(self, operand: SSAValue) -> Footprint:
        return Footprint(self.window, self.steps, self.margins, self.outside)

    def on_parts(self, parts: Mapping[SSAValue, SSAValue], margins: tuple[int, int, int, int] | None = None) -> Self:
        element = shaped(self.out).get_element_type()
        return type(self)(parts[self.image], self.window, margins or (0, 0, 0, 0), self.steps, element)


@irdl_op_definition
class MaxPoolOp(PoolOp):
    """The greatest element of each window of an N x H x W x C image.

    `kernel` is the height and width of a window. `padding` is the number of pixels added above, below, on the left and
    on the right; the pixels are ignored. `strides` are the distances between windows along height and width.
    """

    name = "tdsl.max_pool"
    MOVES_BITS: ClassVar[bool] = True

    @property
    def outside(self) -> float:
        """The least real of any format, which never exceeds an element of a window."""
        return -3.4028234663852886e38

    def real(self, x: Sequence[Any]) -> Array:
        return reduce(np.maximum, self._elements(x[0]))

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Array:
        return greatest(m, format_of(self.out), self._elements(x[0]))

    def derivative(self, arithmetic: Arithmetic, x: Sequence[Any], y: Array, slope: Array) -> Sequence[Array]:
        """The gradient with respect to the image.

        The gradient of each window propagates to its greatest element, or to the first of several equal elements.
        """
        best = np.argmax(np.stack(list(self._elements(x[0]))), 0)[None]
        positions = np.stack([np.broadcast_to(one, best[0].shape) for one in self._elements(numbered(x[0]))])
        return [add_at(slope, np.take_along_axis(positions, best, 0)[0], x[0])]

    def _elements(self, image: Array) -> Iterator[Array]:
        """Yield, for each offset in a window, the elements of all windows at this offset, in the shape of the result.

        An element outside the image is replaced by the nearest element inside, which belongs to the same window.
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


Part: TypeAlias = tuple[slice, slice, slice, slice]


@irdl_op_definition
class AveragePoolOp(PoolOp):
    """The average of the elements of each window that are inside the image. The total is divided and rounded.

    `kernel`, `padding` and `strides` are as in `tdsl.max_pool`.
    """

    name = "tdsl.average_pool"
    KEEPS_INTERVAL: ClassVar[bool] = True

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        """The averages of all windows. Elements are added in row-major order of their offsets in the window."""
        [image] = x
        total = arithmetic.no_total(self.image, prod(self.window), (len(image), *shape_of(self.out)))
        for target, source in self._parts():
            total[target] = arithmetic.tally(self.image, total[target], image[source])
        counts = self.counts()
        result: Array | None = None
        for count in np.unique(counts):
            averages = arithmetic.average(self.out, format_of(self.image), total, int(count), over_axes=False)
            result = averages if result is None else np.where(counts == count, averages, result)
        assert result is not None
        return result

    def derivative(self, arithmetic: Arithmetic, x: Sequence[Any], y: Array, slope: Array) -> Sequence[Array]:
        back, shares = np.zeros((len(slope), *x[0].shape[1:])), slope / self.counts()
        for target, source in self._parts():
            back[source] += shares[target]
        return [back]

    def _parts(self) -> Iterator[tuple[Part, Part]]:
        """Yield a pair for each offset in a window: the windows whose element at this offset lies inside the image, and
        these elements.
        """
        _, height, width, _ = shape_of(self.image)
        _, rows, columns, _ = shape_of(self.out)
        top, _, left, _ = self.margins
        for down, from_rows in _taps(self.window[0], rows, self.steps[0], top, height):
            for across, from_columns in _taps(self.window[1], columns, self.steps[1], left, width):
                yield np.s_[:, :, down, across], np.s_[:, :, from_rows, from_columns]

    def counts(self) -> NDArray[np.int64]:
        """The number of elements inside the image for each window, as an array of shape (1, 1, rows, columns, 1)."""
        _, rows, columns, _ = shape_of(self.out)
        counts = np.zeros((1, 1, rows, columns, 1), np.int64)
        for target, _ in self._parts():
            counts[target] += 1
        return counts


@irdl_op_definition
class MeanOp(TensorOp):
    """The mean over some axes, which have the extent 1 in the result. Each total is divided and rounded."""

    name = "tdsl.mean"
    STORES_LAST: ClassVar[bool] = True
    KEEPS_INTERVAL: ClassVar[bool] = True
    input = operand_def(SHAPED)
    axes = prop_def(DenseArrayBase.constr(i64))
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, axes: Sequence[int], element: Attribute | None = None):
        shape = _reduced(shape_of(input), axes)
        result = TensorType(element or shaped(input).get_element_type(), shape)
        build(self, [input], result, {"axes": integer_array(axes)})

    @property
    def reduced(self) -> tuple[int, ...]:
        return tuple(int(axis) for axis in self.axes.get_values())

    @property
    def count(self) -> int:
        return prod(shape_of(self.input)[axis] for axis in self.reduced)

    def infer_shape(self) -> Shape:
        return _reduced(shape_of(self.input), self.reduced)

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        """The means. Elements are added in row-major order."""
        shape = shape_of(self.input)
        total = arithmetic.no_total(self.input, self.count, (len(x[0]), *shape_of(self.out)))
        for indices in np.ndindex(*(shape[axis] for axis in self.reduced)):
            taken = dict(zip(self.reduced, indices, strict=True))
            part = (slice(taken[axis], taken[axis] + 1) if axis in taken else slice(None) for axis in range(len(shape)))
            total = arithmetic.tally(self.input, total, x[0][:, *part])
        return arithmetic.average(self.out, format_of(self.input), total, self.count, over_axes=True)

    def derivative(self, arithmetic: Arithmetic, x: Sequence[Any], y: Array, slope: Array) -> Sequence[Array]:
        return [np.broadcast_to(slope / self.count, (len(slope), *x[0].shape[1:]))]


def _reduced(shape: Shape, axes: Sequence[int]) -> Shape:
    if list(axes) != sorted(set(axes)) or not axes or axes[0] < 0 or axes[-1] >= len(shape):
        raise VerifyException(f"axes {list(axes)} are not some of the {len(shape)} axes of {spell(shape)}, in order")
    return tuple(1 if axis in axes else extent for axis, extent in enumerate(shape))


def _taps(window: int, extent: int, step: int, before: int, inside: int) -> Iterator[tuple[slice, slice]]:
    """Yield a pair of slices for each offset in a window along an axis at which an element of at least one window lies
    inside the image.

    The first slice selects the windows whose element at this offset lies inside the image. The second slice selects
    these elements.

    window: the extent of a window.
    extent: the number of windows.
    step: the stride.
    before: the padding before the image.
    inside: the extent of the image.
    """
    for tap in range(window):
        first = max(-(-(before - tap) // step), 0)
        last = min((inside - 1 + before - tap) // step, extent - 1)
        if first <= last:
            start = first * step + tap - before
            yield slice(first, last + 1), slice(start, start + (last - first) * step + 1, step)


@irdl_op_definition
class NoTotalOp(TensorOp):
    """A tensor of totals whose initial value is zero, of the builtin type that a number format defines for totals."""

    name = "tdsl.no_total"
    assembly_format = "attr-dict (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, result: TensorType[Attribute]):
        build(self, [], result)

    def infer_shape(self) -> Shape:
        return shape_of(self.out)

    def verify_formats(self) -> None:
        """Raise `VerifyException` unless totals are integers or f32. The ops that add to the totals restrict the type
        further.
        """
        element = shaped(self.out).get_element_type()
        integer = cast(IntegerType, element) if isinstance(element, IntegerType) else None
        signless = integer is not None and integer.signedness.data is Signedness.SIGNLESS
        if not signless and element != f32:
            raise VerifyException(f"totals are integers or f32, got {element}")

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        return np.zeros((1, *shape_of(self.out)), builtin_dtype(shaped(self.out).get_element_type()))


@irdl_op_definition
class TallyOp(TensorOp):
    """`result[0, 0, 0, c] = total[0, 0, 0, c] + sum over y, x of input[0, y, x, c]`, added in row-major order."""

    name = "tdsl.tally"
    total = operand_def(SHAPED)
    input = operand_def(SHAPED)
    assembly_format = (
        "$total `,` $input attr-dict `:` type($total) `,` type($input)"
        " (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, total: SSAValue, input: SSAValue):
        build(self, [total, input], cast("TensorType[Attribute]", total.type))

    def infer_shape(self) -> Shape:
        total, image = shape_of(self.total), shape_of(self.input)
        if len(image) != 4 or image[0] != 1 or total != (1, 1, 1, image[3]):
            raise VerifyException(f"adds images 1xHxWxC to totals 1x1x1xC, got {spell(image)} and {spell(total)}")
        return total

    @property
    def updated(self) -> SSAValue:
        return self.total

    def reads_in_place(self, operand: SSAValue) -> bool:
        return operand is not self.input

    def verify_formats(self) -> None:
        total = shaped(self.total).get_element_type()
        if shaped(self.out).get_element_type() != total:
            raise VerifyException("the total changes its type")
        if type(total) is not type(format_of(self.input).total(1)):
            raise VerifyException(f"{total} is not a total of numbers of {format_of(self.input).type}")

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        total, image = x
        _, height, width, _ = shape_of(self.input)
        for row, column in np.ndindex(height, width):
            total = arithmetic.tally(self.input, total, image[:, :, [row]][:, :, :, [column]])
        return total


@irdl_op_definition
class QuotientOp(TensorOp):
    """Totals of `count` elements of the format `of`, divided by `count` and rounded.

    If `over_axes` is true, the quotients are rounded as in `tdsl.mean`, otherwise as in `tdsl.average_pool`.
    """

    name = "tdsl.quotient"
    STORES_LAST: ClassVar[bool] = True
    total = operand_def(SHAPED)
    count = prop_def(IntegerAttr)
    of = prop_def(AnyAttr())
    over_axes = opt_prop_def(UnitAttr)
    assembly_format = "$total attr-dict `:` type($total) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, total: SSAValue, count: int, of: NumberFormat, over_axes: bool, element: Attribute):
        properties: dict[str, Attribute] = {"count": IntegerAttr(count, i64), "of": of.type}
        if over_axes:
            properties["over_axes"] = UnitAttr()
        build(self, [total], TensorType(element, shape_of(total)), properties)

    @property
    def source(self) -> NumberFormat:
        """The format of the elements added to the totals. Raises `VerifyException` for a type without a format."""
        if (format := number_format(self.of)) is None:
            raise VerifyException(f"expected a number format, got {self.of}")
        return format

    @property
    def elements(self) -> int:
        return self.count.value.data

    def infer_shape(self) -> Shape:
        return shape_of(self.total)

    def verify_formats(self) -> None:
        result, total = format_of(self.out), shaped(self.total).get_element_type()
        if self.source.FAMILY != result.FAMILY:
            raise VerifyException(f"{self.name} mixes the families {self.source.FAMILY} and {result.FAMILY}")
        if self.elements < 1 or self.source.total(self.elements) != total:
            raise VerifyException(f"{total} is not a total of {self.elements} numbers of {self.of}")

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        return arithmetic.average(self.out, self.source, x[0], self.elements, self.over_axes is not None)

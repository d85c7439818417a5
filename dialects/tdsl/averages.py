"""Averages: of the windows of an image, and over axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from xdsl.dialects.builtin import DenseArrayBase, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.arrays.values import Arithmetic, Array
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, Visits, build, format_of, shape_of, shaped, spell
from tinyml.dialects.tdsl.pooling import PoolOp
from tinyml.dialects.tdsl.windows import integer_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["AveragePoolOp", "MeanOp"]

Part: TypeAlias = tuple[slice, slice, slice, slice]


@irdl_op_definition
class AveragePoolOp(PoolOp):
    """The average of the elements of each window that lie inside the image; their total is rounded once."""

    name = "tdsl.average_pool"
    KEEPS_INTERVAL: ClassVar[bool] = True

    @property
    def visits(self) -> Sequence[Visits]:
        """The windows row by row, unless windows at the margins, which have fewer elements, have loops of their own."""
        return super(PoolOp, self).visits if any(self.margins) else super().visits

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        """Elements are added in row-major order of their offsets in the window."""
        [image] = x
        total = arithmetic.no_total(self.image, prod(self.window), (len(image), *shape_of(self.out)))
        for target, source in self._parts():
            total[target] = arithmetic.tally(self.image, total[target], image[source])
        counts = self._counts()
        result: Array | None = None
        for count in np.unique(counts):
            averages = arithmetic.average(self.out, format_of(self.image), total, int(count), over_axes=False)
            result = averages if result is None else np.where(counts == count, averages, result)
        assert result is not None
        return result

    def derivative(self, arithmetic: Arithmetic, x: Sequence[Any], y: Array, slope: Array) -> Sequence[Array]:
        back, shares = np.zeros((len(slope), *x[0].shape[1:])), slope / self._counts()
        for target, source in self._parts():
            back[source] += shares[target]
        return [back]

    def _parts(self) -> Iterator[tuple[Part, Part]]:
        """For each offset in a window, the windows whose element there lies inside the image, and these elements."""
        _, height, width, _ = shape_of(self.image)
        _, rows, columns, _ = shape_of(self.out)
        top, _, left, _ = self.margins
        for down, from_rows in _taps(self.window[0], rows, self.steps[0], top, height):
            for across, from_columns in _taps(self.window[1], columns, self.steps[1], left, width):
                yield np.s_[:, :, down, across], np.s_[:, :, from_rows, from_columns]

    def _counts(self) -> NDArray[np.int64]:
        """The number of elements of each window that lie inside the image, (1, 1, rows, columns, 1)."""
        _, rows, columns, _ = shape_of(self.out)
        counts = np.zeros((1, 1, rows, columns, 1), np.int64)
        for target, _ in self._parts():
            counts[target] += 1
        return counts


@irdl_op_definition
class MeanOp(TensorOp):
    """The mean over some axes, which keep the extent 1; totals are rounded once."""

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
        """The axes over which the mean is taken."""
        return tuple(int(axis) for axis in self.axes.get_values())

    @property
    def count(self) -> int:
        """The number of elements of each mean."""
        return prod(shape_of(self.input)[axis] for axis in self.reduced)

    def infer_shape(self) -> Shape:
        return _reduced(shape_of(self.input), self.reduced)

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        """Elements are added in row-major order."""
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
    """For each offset in a window along an axis, the windows whose element there lies inside, and these elements."""
    for tap in range(window):
        first = max(-(-(before - tap) // step), 0)
        last = min((inside - 1 + before - tap) // step, extent - 1)
        if first <= last:
            start = first * step + tap - before
            yield slice(first, last + 1), slice(start, start + (last - first) * step + 1, step)

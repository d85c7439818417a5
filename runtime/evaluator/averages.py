"""Averages over windows and axes, and softmax, on arrays with a leading axis over the samples of a data set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tinyml.dialects import tdsl
from tinyml.runtime.evaluator.arithmetic import Arithmetic

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"


def average_windows(arithmetic: Arithmetic, op: tdsl.AveragePoolOp, image: Array) -> Array:
    """The averages of the windows of an image; elements are added in row-major order of their places in the window."""
    total = arithmetic.no_total(op.image, op.window[0] * op.window[1], (len(image), *tdsl.shape_of(op.out)))
    for target, source in _moves(op):
        total[target] = arithmetic.tally(op.image, total[target], image[source])
    counts = _counts(op)
    result: Array | None = None
    for count in np.unique(counts):
        averages = arithmetic.average(op.out, tdsl.format_of(op.image), total, int(count), over_axes=False)
        result = averages if result is None else np.where(counts == count, averages, result)
    assert result is not None
    return result


Part = tuple[slice, slice, slice, slice]


def _moves(op: tdsl.AveragePoolOp) -> Iterator[tuple[Part, Part]]:
    """For each place in a window: the windows in which it lies inside the image, and its positions there."""
    _, height, width, _ = tdsl.shape_of(op.image)
    _, rows, columns, _ = tdsl.shape_of(op.out)
    top, _, left, _ = op.margins
    for down, from_rows in _taps(op.window[0], rows, op.steps[0], top, height):
        for across, from_columns in _taps(op.window[1], columns, op.steps[1], left, width):
            yield np.s_[:, :, down, across], np.s_[:, :, from_rows, from_columns]


def _counts(op: tdsl.AveragePoolOp) -> NDArray[np.int64]:
    """The number of elements of each window that lie inside the image, (1, 1, rows, columns, 1)."""
    _, rows, columns, _ = tdsl.shape_of(op.out)
    counts = np.zeros((1, 1, rows, columns, 1), np.int64)
    for target, _ in _moves(op):
        counts[target] += 1
    return counts


def slope_of_windows(op: tdsl.AveragePoolOp, image: Array, slope: Array) -> Array:
    """The derivative by an image, from that by the averages of its windows."""
    back, shares = np.zeros((len(slope), *image.shape[1:])), slope / _counts(op)
    for target, source in _moves(op):
        back[source] += shares[target]
    return back


def slope_of_mean(op: tdsl.MeanOp, x: Array, slope: Array) -> Array:
    """The derivative by the input of a mean."""
    return np.broadcast_to(slope / op.count, (len(slope), *x.shape[1:]))


def slope_of_softmax(y: Array, slope: Array) -> Array:
    """The derivative by the input of softmax, given its result."""
    return y * (slope - (slope * y).sum(-1, keepdims=True))


def slope_of_normalised(x: Array, y: Array, slope: Array) -> Array:
    """The derivative by the input of a normalisation, given its result."""
    length = np.sqrt((x * x).sum(-1, keepdims=True))
    return (slope - y * (slope * y).sum(-1, keepdims=True)) / np.where(length == 0, 1.0, length)


def _taps(window: int, extent: int, step: int, before: int, inside: int) -> Iterator[tuple[slice, slice]]:
    """For each place in a window along an axis: the windows in which it lies inside the image, and its positions."""
    for tap in range(window):
        first = max(-(-(before - tap) // step), 0)
        last = min((inside - 1 + before - tap) // step, extent - 1)
        if first <= last:
            start = first * step + tap - before
            yield slice(first, last + 1), slice(start, start + (last - first) * step + 1, step)


def mean(arithmetic: Arithmetic, op: tdsl.MeanOp, x: Array) -> Array:
    """The mean over axes; elements are added in row-major order."""
    shape = tdsl.shape_of(op.input)
    total = arithmetic.no_total(op.input, op.count, (len(x), *tdsl.shape_of(op.out)))
    for place in np.ndindex(*(shape[axis] for axis in op.reduced)):
        taken = dict(zip(op.reduced, place, strict=True))
        part = tuple(
            slice(taken[axis], taken[axis] + 1) if axis in taken else slice(None) for axis in range(len(shape))
        )
        total = arithmetic.tally(op.input, total, x[:, *part])
    return arithmetic.average(op.out, tdsl.format_of(op.input), total, op.count, over_axes=True)


def tally(arithmetic: Arithmetic, op: tdsl.TallyOp, total: Array, image: Array) -> Array:
    """Totals with the elements of an image added in row-major order."""
    _, height, width, _ = tdsl.shape_of(op.input)
    for y, x in np.ndindex(height, width):
        total = arithmetic.tally(op.input, total, image[:, :, [y]][:, :, :, [x]])
    return total


def softmax(arithmetic: Arithmetic, op: tdsl.SoftmaxOp, x: Array) -> Array:
    """Softmax over the last axis; terms are added in order."""
    columns = [x[..., [i]] for i in range(x.shape[-1])]
    terms = arithmetic.softmax_terms(op, x, arithmetic.greatest(op.input, columns))
    total = arithmetic.softmax_total(op, [terms[..., [i]] for i in range(x.shape[-1])])
    return arithmetic.softmax_shares(op, terms, total)

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
    _, height, width, _ = tdsl.shape_of(op.image)
    _, rows, columns, _ = tdsl.shape_of(op.out)
    top, _, left, _ = op.margins
    total = arithmetic.no_total(op.image, op.window[0] * op.window[1], (len(image), *tdsl.shape_of(op.out)))
    counts = np.zeros((rows, columns), int)
    for down, from_rows in _taps(op.window[0], rows, op.steps[0], top, height):
        for across, from_columns in _taps(op.window[1], columns, op.steps[1], left, width):
            part = np.s_[:, :, down, across]
            total[part] = arithmetic.tally(op.image, total[part], image[:, :, from_rows, from_columns])
            counts[down, across] += 1
    result: Array | None = None
    for count in np.unique(counts):
        averages = arithmetic.average(op, op.image, total, int(count))
        result = averages if result is None else np.where((counts == count)[..., None], averages, result)
    assert result is not None
    return result


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
    return arithmetic.average(op, op.input, total, op.count)


def softmax(arithmetic: Arithmetic, op: tdsl.SoftmaxOp, x: Array) -> Array:
    """Softmax over the last axis; terms are added in order."""
    columns = [x[..., [i]] for i in range(x.shape[-1])]
    terms = arithmetic.softmax_terms(op, x, arithmetic.greatest(op.input, columns))
    total = arithmetic.softmax_total(op, [terms[..., [i]] for i in range(x.shape[-1])])
    return arithmetic.softmax_shares(op, terms, total)

"""Windows of images on arrays of shape (samples or 1, N, height, width, channels)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tinyml.dialects import tdsl

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"


def window_elements(op: tdsl.PoolOp, image: Array) -> Iterator[Array]:
    """The elements of all windows, in row-major order of their places in the window, each in the result's shape.

    A place outside of the image has the element of the image that is nearest to it, which the window has, too.
    """
    _, height, width, _ = tdsl.shape_of(op.image)
    _, rows, columns, _ = tdsl.shape_of(op.out)
    top, _, left, _ = op.margins
    for i in range(op.window[0]):
        down = np.clip(np.arange(rows) * op.steps[0] + i - top, 0, height - 1)
        for j in range(op.window[1]):
            across = np.clip(np.arange(columns) * op.steps[1] + j - left, 0, width - 1)
            yield image[:, :, down[:, None], across]


def gathered_windows(op: tdsl.WindowOp, arguments: Sequence[Any], filling: Array) -> Array:
    """The windows of images, or of rings of some of their pixels, at places that depend on the samples or not."""
    image, top, left = arguments
    image = image.transpose(0, *(1 + axis for axis in op.order))
    return np.concatenate([_gathered(op, image, (top, left + step), filling) for step in op.steps], 1)


def _gathered(op: tdsl.WindowOp, image: Array, corner: tuple[Any, Any], filling: Array) -> Array:
    places = [np.reshape(at, (-1, 1)) for at in corner]
    indices: list[Array] = []
    inside = np.ones((1, 1, 1), bool)
    for axis, (place, gap) in enumerate(zip(places, op.spread, strict=True)):
        at = place + gap * np.arange(tdsl.shape_of(op.out)[1 + axis])
        at = at[:, :, None] if axis == 0 else at[:, None, :]
        extent = op.extents[axis]
        inside = inside & (at >= 0) & (at < extent)
        indices.append(np.clip(at, 0, extent - 1))
    samples = np.arange(max(len(image), len(inside)) if len(image) > 1 else 1)[:, None, None]
    down, across = indices
    if op.ring is not None:
        _, height, width, _ = op.held
        number = across if height > 1 else down * op.extents[1] + across
        down, across = down % height, number % width
    taken = image[samples, 0, down, across]
    return np.where(inside[..., None], taken, filling.astype(image.dtype))[:, None]


def padded(op: tdsl.Conv2dOp, image: Array, filling: Array) -> Array:
    """The image of a convolution in place (samples, 1, height, width, channels) with its padding around it."""
    top, bottom, left, right = op.margins
    margins = ((0, 0), (0, 0), (top, bottom), (left, right), (0, 0))
    return np.pad(image, margins, constant_values=np.asarray(filling).astype(image.dtype))

"""A picture of inputs that came out wrong: images as images, series as curves, a few features as bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tinyml.dialects.lazy_numpy import np
from tinyml.tools.reports.facts.answers import WrongAnswer
from tinyml.tools.reports.pictures.svg import COLOURS, Drawing, shortened

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIDE, LABELS, COLUMNS = 140, 46, 6
"""Pixels of an input and of the lines below it, and the inputs in a row."""
MOST_BARS = 24
"""The most features that are drawn as bars, which need no order."""
SMALLEST = 4
"""The least height and width of an image."""
SMOOTH = 0.75
"""The difference of pixels of neighbouring rows, relative to that of others, below which a vector is an image."""


def draw_wrong(wrong: Sequence[WrongAnswer], names: Sequence[str] | None) -> Drawing:
    """Each input with its class and the answers of the float model and as compiled. names: of the classes."""
    columns = min(len(wrong), COLUMNS)
    rows = -(-len(wrong) // COLUMNS)
    title = "Inputs that came out wrong, or otherwise than in the float model"
    picture = Drawing(max(columns, 1) * (SIDE + 16), rows * (SIDE + LABELS + 10) + 4, title)

    def named(label: int) -> str:
        return names[label] if names and label < len(names) else str(label)

    shape = image_shape(np.stack([each.x for each in wrong])) if wrong else None
    for i, each in enumerate(wrong):
        x, y = (i % COLUMNS) * (SIDE + 16) + 4, i // COLUMNS * (SIDE + LABELS + 10) + 4
        if shape is None:
            _curve(picture, each.x, x, y)
        else:
            picture.pixels(x, y, SIDE, SIDE, _pixels(each.x, shape))
        picture.frame(x, y, SIDE, SIDE, tip=f"sample {each.sample}")
        wanted = f"sample {each.sample}" if each.wanted is None else f"is {named(each.wanted)} (sample {each.sample})"
        picture.text(x, y + SIDE + 14, shortened(wanted, 26), "start")
        picture.text(x, y + SIDE + 27, shortened(f"float: {named(each.reals)}", 26), "start")
        picture.text(x, y + SIDE + 40, shortened(f"compiled: {named(each.formats)}", 26), "start")
    return picture


def image_shape(x: NDArray[Any]) -> tuple[int, ...] | None:
    """The height, width and perhaps channels of images, or (channels, height, width); None for other inputs.

    x: (samples, ...). A vector is an image if its length is a square and its values are alike from row to row.
    """
    shape = tuple(extent for extent in x.shape[1:] if extent != 1)
    if len(shape) == 2 and min(shape) >= SMALLEST:
        return shape
    if len(shape) == 3 and (shape[-1] in (3, 4) or shape[0] in (3, 4)):
        return shape
    side = math.isqrt(int(np.prod(shape)))
    if len(shape) == 1 and side >= 2 * SMALLEST and side * side == shape[0]:
        rows = np.asarray(x, np.float64).reshape(len(x), -1)

        def unlike(lag: int) -> float:
            return float(np.abs(rows[:, lag:] - rows[:, :-lag]).mean())

        if unlike(side) < SMOOTH * max(min(unlike(side + side // 2), unlike(side // 2)), 1e-12):
            return (side, side)
    return None


def _pixels(x: NDArray[Any], shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """Height, width and 1 or 3 channels, from the least to the greatest value of the input."""
    image = np.asarray(x, np.float64).reshape(shape)
    if len(shape) == 3 and shape[-1] not in (3, 4):
        image = image.transpose(1, 2, 0)
    image = image[..., None] if image.ndim == 2 else image[..., :3]
    low, high = float(image.min()), float(image.max())
    levels: NDArray[np.float64] = np.round(255 * (image - low) / (high - low or 1))
    return levels.astype(np.uint8)


def _curve(picture: Drawing, x: NDArray[Any], left: float, top: float) -> None:
    values = np.asarray(x, np.float64).ravel()
    low, high = float(values.min()), float(values.max())
    if len(values) <= MOST_BARS:
        low, high = min(low, 0.0), max(high, 0.0)
        width, scale = SIDE / len(values), (SIDE - 8) / (high - low or 1)
        for i, value in enumerate(values):
            bottom, up = min(value, 0.0) - low, abs(value)
            y = top + SIDE - 4 - (bottom + up) * scale
            picture.rectangle(left + (i + 0.1) * width, y, 0.8 * width, max(up * scale, 1), fill=COLOURS[0])
        return
    across, down = SIDE / max(len(values) - 1, 1), (SIDE - 8) / (high - low or 1)
    picture.curve([(left + i * across, top + SIDE - 4 - (v - low) * down) for i, v in enumerate(values)], COLOURS[0])

"""Figures of the answers of a classifier: confusion, and misclassified samples with their inputs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinyml.dialects.lazy_numpy import np
from tinyml.tools.reports.svg import COLOURS, Drawing, shortened

if TYPE_CHECKING:
    from numpy.typing import NDArray

RIGHT, WRONG = "#66b05c", "#ee7f80"

TABLE, LABELS, TOP = 300, 80, 60
"""Side of a table, width of the names of classes, and margin above the tables, in pixels."""

INPUT, LINES, COLUMNS = 140, 46, 6
"""Side of an input and height of the text below it, in pixels, and the number of inputs in a row."""

MAX_BARS = 24
"""Maximum number of values drawn as bars in any case; a longer vector is drawn as bars only if its features have unlike
scales.
"""

RANGE_RATIO = 10.0
"""The ratio of the largest range of an element to the median range above which a vector is not a signal."""

MIN_IMAGE_SIZE = 4
"""Minimum height and width of an image."""

SMOOTH_SHARE = 0.75
"""A vector is an image if elements one row apart differ by less than this share of the difference at other
distances.
"""


@dataclass(frozen=True)
class WrongAnswer:
    """A sample that the program misclassifies, or classifies differently from the model on reals.

    sample: the index of the sample.
    x: the input, in the shape of the file.
    bars: the features (elements,), each scaled from 0 to 1 within its range in the data; None for a signal.
    wanted: the index of the right class; None if it is unknown.
    reals, formats: the indices of the classes that the model on reals and the program compute.
    """

    sample: int
    x: NDArray[Any]
    bars: NDArray[np.float64] | None
    wanted: int | None
    reals: int
    formats: int


def wrong_answers(arrays: Mapping[str, NDArray[Any]]) -> list[WrongAnswer]:
    """The samples in the arrays of an `errors.npz`: `sample`, `x`, `float`, `compiled`, the `least` and `greatest` of
    each element in the data and, with labels, `y`.
    """
    wanted = arrays.get("y")
    # A feature that is missing in every sample has no known range.
    least, greatest = (np.nan_to_num(np.asarray(arrays[name], np.float64)).ravel() for name in ("least", "greatest"))
    ranges = greatest - least
    are_bars = len(ranges) <= MAX_BARS or ranges.max() > RANGE_RATIO * np.median(ranges)
    inputs: list[NDArray[Any]] = list(arrays["x"])
    return [
        WrongAnswer(
            int(sample),
            x if are_bars else np.where(np.isnan(x), least.reshape(x.shape), x),
            (x.ravel() - least) / np.where(ranges > 0, ranges, 1) if are_bars else None,
            None if wanted is None else int(wanted[i]),
            int(arrays["float"][i]),
            int(arrays["compiled"][i]),
        )
        for i, (sample, x) in enumerate(zip(arrays["sample"], inputs, strict=True))
    ]


def draw_confusion(confusion: Mapping[str, Any]) -> Drawing:
    """Draw two tables with a row per class and a column per answer; deeper colours represent larger shares of a row."""
    names: list[str] = confusion["classes"]
    title = "Answers to samples of each class, by the float model and as compiled"
    picture = Drawing(2 * (TABLE + LABELS) + 60, TABLE + TOP + 30, title)
    for i, (kind, heading) in enumerate((("float", "float model"), ("compiled", "compiled"))):
        _table(picture, LABELS + i * (TABLE + LABELS + 30), confusion[kind], names, heading)
    return picture


def _table(picture: Drawing, left: float, counts: Sequence[Sequence[int]], names: Sequence[str], heading: str) -> None:
    cell = TABLE / len(names)
    picture.text(left + TABLE / 2, 16, heading)
    for row, samples in enumerate(counts):
        total = sum(samples)
        if cell >= 9:
            picture.text(left - 5, TOP + (row + 0.5) * cell + 3, shortened(names[row], 14), "end", kind="small")
            if len(names[row]) * 5 < cell or row % (1 + int(len(names[row]) * 5 / cell)) == 0:
                picture.text(left + (row + 0.5) * cell, TOP - 6, shortened(names[row], 10), kind="small")
        for column, count in enumerate(samples):
            x, y = left + column * cell, TOP + row * cell
            tip = f"{names[row]} answered as {names[column]}: {count:,} of {total:,} samples"
            colour = RIGHT if row == column else WRONG
            share = count / total if total else 0.0
            if count:
                picture.shade(x, y, cell, cell, colour, 0.25 + 0.75 * share, tip)
                if cell >= 6 * len(str(count)):
                    picture.text(x + cell / 2, y + cell / 2 + 3, str(count), kind="on")
    picture.frame(left, TOP, TABLE, TABLE)
    picture.text(left + TABLE / 2, TOP + TABLE + 18, "answer (columns) to samples of a class (rows)", kind="small")


def draw_wrong(
    wrong: Sequence[WrongAnswer], names: Sequence[str] | None, features: Sequence[str] | None = None
) -> Drawing:
    """Draw each input with its class, the answer of the model on reals, and the answer of the compiled program.

    names: the names of the classes; None for indices.
    features: the names of the features, for tooltips; None for numbers.
    """
    columns = min(len(wrong), COLUMNS)
    rows = -(-len(wrong) // COLUMNS)
    title = "Inputs classified wrongly, or differently from the float model"
    picture = Drawing(max(columns, 1) * (INPUT + 16), rows * (INPUT + LINES + 10) + 4, title)

    def named(label: int) -> str:
        return names[label] if names and label < len(names) else str(label)

    shape = image_shape(np.stack([each.x for each in wrong])) if wrong else None
    for i, each in enumerate(wrong):
        x, y = (i % COLUMNS) * (INPUT + 16) + 4, i // COLUMNS * (INPUT + LINES + 10) + 4
        if shape is not None:
            picture.pixels(x, y, INPUT, INPUT, _pixels(each.x, shape))
        elif each.bars is None:
            _curve(picture, each.x, x, y)
        picture.frame(x, y, INPUT, INPUT, tip=f"sample {each.sample}")
        if shape is None and each.bars is not None:
            _bars(picture, each, x, y, features)
        wanted = f"sample {each.sample}" if each.wanted is None else f"is {named(each.wanted)} (sample {each.sample})"
        picture.text(x, y + INPUT + 14, shortened(wanted, 26), "start")
        picture.text(x, y + INPUT + 27, shortened(f"float: {named(each.reals)}", 26), "start")
        picture.text(x, y + INPUT + 40, shortened(f"compiled: {named(each.formats)}", 26), "start")
    return picture


def image_shape(x: NDArray[Any]) -> tuple[int, ...] | None:
    """The shape of images: height, width and, if given, channels, or (channels, height, width); None for other inputs.

    A vector is an image if its length is a square and adjacent rows have similar values.

    x: the inputs, (samples, ...).
    """
    shape = tuple(extent for extent in x.shape[1:] if extent != 1)
    if len(shape) == 2 and min(shape) >= MIN_IMAGE_SIZE:
        return shape
    if len(shape) == 3 and (shape[-1] in (3, 4) or shape[0] in (3, 4)):
        return shape
    side = math.isqrt(int(np.prod(shape)))
    if len(shape) == 1 and side >= 2 * MIN_IMAGE_SIZE and side * side == shape[0]:
        rows = np.asarray(x, np.float64).reshape(len(x), -1)

        def unlike(lag: int) -> float:
            return float(np.abs(rows[:, lag:] - rows[:, :-lag]).mean())

        if unlike(side) < SMOOTH_SHARE * max(min(unlike(side + side // 2), unlike(side // 2)), 1e-12):
            return (side, side)
    return None


def _pixels(x: NDArray[Any], shape: tuple[int, ...]) -> NDArray[np.uint8]:
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
    across, down = INPUT / max(len(values) - 1, 1), (INPUT - 8) / (high - low or 1)
    picture.curve([(left + i * across, top + INPUT - 4 - (v - low) * down) for i, v in enumerate(values)], COLOURS[0])


def _bars(picture: Drawing, wrong: WrongAnswer, left: float, top: float, features: Sequence[str] | None) -> None:
    """Draw a bar for each present feature, as high as the position of the value in the feature's range; the tooltip
    is the value.
    """
    assert wrong.bars is not None
    width, values = INPUT / len(wrong.bars), wrong.x.ravel()
    for i, share in enumerate(wrong.bars.clip(0, 1).tolist()):
        if math.isnan(share):
            continue
        tall, name = max(share * (INPUT - 8), 2), features[i] if features else f"feature {i}"
        at = left + (i + 0.1) * width, top + INPUT - 4 - tall
        picture.rectangle(*at, 0.8 * width, tall, fill=COLOURS[0], tip=f"{name}: {values[i]:.4g}")

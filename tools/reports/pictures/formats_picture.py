"""A picture of number formats: what each tensor holds within what its format represents."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.tools.reports.facts.tensor_facts import TensorFacts
from tinyml.tools.reports.pictures.svg import COLOURS, Drawing, shortened

WIDTH, ROW = 960, 34
MOST = 60
"""The most tensors that are drawn."""
AXIS = 430, 850
"""The left and right end of the axes, in pixels."""
KINDS = {"input": COLOURS[2], "constant": COLOURS[0], "value": COLOURS[1]}


def draw_formats(tensors: Sequence[TensorFacts]) -> Drawing:
    """A row for each tensor: name, format, bits, and its values on an axis from the least to the greatest number.

    Values are a histogram, or where only their profile is known, a bar from the least to the greatest, thicker between
    the outer percentiles, with a line at the median.
    """
    shown = tensors[:MOST]
    more = len(tensors) - len(shown)
    title = "Number formats of the tensors, and their values within what the formats represent"
    picture = Drawing(WIDTH, ROW * len(shown) + 30 + (18 if more else 0), title)
    left, right = AXIS
    for x, text in ((4, "tensor"), (190, "format"), (left, "least that is represented")):
        picture.text(x, 14, text, "start")
    picture.text(right, 14, "greatest", "end")
    picture.text(WIDTH - 4, 14, "bits", "end")
    for row, tensor in enumerate(shown):
        _row(picture, tensor, 24 + row * ROW)
    if more:
        picture.text(4, 24 + len(shown) * ROW + 14, f"and {more} tensors more", "start")
    return picture


def _row(picture: Drawing, tensor: TensorFacts, y: float) -> None:
    left, right = AXIS
    base = y + ROW - 6
    shape = "x".join(map(str, tensor.shape)) or "1"
    picture.text(4, y + 14, shortened(tensor.name, 30), "start")
    picture.text(4, y + 26, f"{tensor.kind}, {shape}", "start", kind="small")
    picture.text(190, y + 18, shortened(tensor.format, 40), "start")
    picture.rectangle(WIDTH - 100, y + 8, 2 * min(tensor.bits, 32), 12, fill=KINDS[tensor.kind])
    picture.text(WIDTH - 4, y + 18, str(tensor.bits), "end")
    picture.line(0, y + ROW - 1, WIDTH, y + ROW - 1, kind="faint")
    picture.line(left, base, right, base)
    if tensor.axis is None or tensor.low is None or tensor.high is None:
        return
    low, high = tensor.axis

    def x(value: float) -> float:
        return left + (right - left) * (min(max(value, low), high) - low) / (high - low)

    if low < 0 < high:
        picture.line(x(0), y + 4, x(0), base, "2 2")
    tip = f"{tensor.name}: {tensor.low:.4g} to {tensor.high:.4g}, the format {low:.4g} to {high:.4g}"
    if tensor.counts is not None:
        most, width = max(tensor.counts) or 1, (right - left) / len(tensor.counts)
        for i, count in enumerate(tensor.counts):
            if count:
                # The root keeps rare values visible.
                tall = max((ROW - 12) * (count / most) ** 0.5, 1)
                picture.rectangle(left + i * width, base - tall, width, tall, fill=KINDS[tensor.kind])
        picture.rectangle(left, y + 2, right - left, ROW - 8, fill="#fff", tip=tip, opacity=0.001)
        return
    colour, ends = KINDS[tensor.kind], (x(tensor.low), x(tensor.high))
    picture.rectangle(ends[0], base - 9, max(ends[1] - ends[0], 1), 6, fill=colour, tip=tip, opacity=0.55)
    if tensor.quantiles:
        first, last = x(tensor.quantiles[0]), x(tensor.quantiles[-1])
        picture.rectangle(first, base - 14, max(last - first, 1), 16 - 5, fill=colour, tip=tip)
        median = x(tensor.quantiles[len(tensor.quantiles) // 2])
        picture.line(median, base - 18, median, base)

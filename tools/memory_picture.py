"""A picture of an arena over time: buffers as boxes, time to the right, addresses upwards."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from tinyml.dialects.errors import InputError

FORMATS = (".svg", ".png")


class Box(NamedTuple):
    """A buffer at one place: bytes from `offset` on, points from first to last, both inclusive."""

    name: str
    offset: int
    size: int
    first: int
    last: int


def check_picture(path: Path) -> None:
    """Raises InputError for a file that cannot become a picture: before the work, not after it."""
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"a picture ends in {' or '.join(FORMATS)}", file=str(path))
    if find_spec("matplotlib") is None:
        raise InputError("pictures need matplotlib: pip install 'tinyml[plots]'")


def draw_memory(boxes: Sequence[Box], height: int, bound: int, title: str, path: Path) -> None:
    """Write the picture, as its name ends: SVG or PNG. height, bound: of the arena and what it needs, in bytes.

    Below the boxes stands how many bytes are alive at each point, so that waste and the peak are seen.
    """
    from matplotlib.figure import Figure  # pyright: ignore[reportMissingImports]

    figure: Any = Figure(figsize=(10, 7), layout="constrained")
    arena, alive = figure.subplots(2, 1, sharex=True, height_ratios=(4, 1))
    colours = ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948", "#b07aa1", "#9c755f")
    start, end = min((box.first for box in boxes), default=0), max((box.last for box in boxes), default=0) + 1
    for i, box in enumerate(sorted(boxes, key=lambda box: (box.first, box.offset))):
        width = box.last + 1 - box.first
        arena.bar(
            box.first, box.size, width, box.offset, align="edge", color=colours[i % len(colours)], edgecolor="white",
            linewidth=0.4,
        )  # fmt: skip
        if width * 40 >= end - start and box.size * 40 >= height:
            middle = (box.first + width / 2, box.offset + box.size / 2)
            arena.annotate(box.name, middle, ha="center", va="center", fontsize=7, clip_on=True)
    arena.axhline(height, color="black", linewidth=1)
    if bound < height:
        arena.axhline(bound, color="black", linewidth=1, linestyle="dotted")
    arena.set(xlim=(start, end), ylim=(0, max(height, 1) * 1.02), ylabel="address [bytes]", title=title)
    points = sorted({start, end, *(box.first for box in boxes), *(box.last + 1 for box in boxes)})
    needs = [sum(box.size for box in boxes if box.first <= point <= box.last) for point in points]
    alive.fill_between(points, needs, step="post", color="#bab0ac")
    if needs:
        peak = max(range(len(needs)), key=needs.__getitem__)
        alive.plot(points[peak], needs[peak], "v", color="black")
        alive.annotate(f" {needs[peak]} alive at {points[peak]}", (points[peak], needs[peak]), va="top", fontsize=8)
    alive.set(xlabel="program point", ylabel="alive [bytes]", ylim=(0, max(height, 1) * 1.02))
    figure.savefig(path, format=path.suffix[1:].lower(), metadata={"Date": None} if path.suffix == ".svg" else {})

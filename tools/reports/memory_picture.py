"""A picture of an arena over time, with buffers as boxes, time to the right and addresses upwards."""

from __future__ import annotations

import io
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tinyml.dialects.distribution import install_command
from tinyml.dialects.errors import InputError
from tinyml.tools.cli.atomic_file import write_file

if TYPE_CHECKING:
    from tinyml.transforms.buffers.liveness.live_ranges import Placed

FORMATS = (".svg", ".png")

EXACT = 1 << 53
"""Integers up to this one have exact floats; program points beyond it are drawn relative to the first."""


def can_draw() -> bool:
    """True if matplotlib (the extra `plots`) is installed."""
    return find_spec("matplotlib") is not None


def check_picture(path: Path) -> None:
    """Raise `InputError` for a file that cannot become a picture; call it before any long work."""
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"a picture ends in {' or '.join(FORMATS)}", file=str(path))
    if not can_draw():
        raise InputError(f"pictures need matplotlib: {install_command('plots')}")


def save_picture(figure: Any, path: Path) -> None:
    """Write a figure of matplotlib as the format that the file's suffix names, without the date."""
    picture = io.BytesIO()
    kind = path.suffix[1:].lower()
    figure.savefig(picture, format=kind, metadata={"Date": None} if kind == "svg" else {})
    write_file(path, picture.getvalue())


def occupied(boxes: Sequence[Placed], point: int) -> int:
    """Bytes in use at a program point; bytes that two buffers share count once."""
    total = top = 0
    for start, end in sorted((box.offset, box.offset + box.size) for box in boxes if box.first <= point <= box.last):
        total += max(end - max(start, top), 0)
        top = max(top, end)
    return total


class SharedBytes(NamedTuple):
    """The bytes from `offset`, `size` of them, that two boxes share from point `first` to `last`.

    over: the box that begins later, such as a result whose elements replace those of an operand, `under`.
    """

    over: Placed
    under: Placed
    offset: int
    size: int
    first: int
    last: int


def overlaps(boxes: Sequence[Placed]) -> list[SharedBytes]:
    """The bytes that boxes have in common while both are alive; of those that begin together the first one is under."""
    shared: list[SharedBytes] = []
    ordered = sorted(boxes, key=lambda box: box.first)
    for i, over in enumerate(ordered):
        for under in ordered[:i]:
            first, last = max(over.first, under.first), min(over.last, under.last)
            low, high = max(over.offset, under.offset), min(over.offset + over.size, under.offset + under.size)
            if first <= last and low < high:
                shared.append(SharedBytes(over, under, low, high - low, first, last))
    return shared


def fullest(boxes: Sequence[Placed]) -> int:
    """The earliest program point at which the most bytes are in use; 0 without boxes."""
    return max(sorted({box.first for box in boxes}), key=lambda point: occupied(boxes, point), default=0)


def draw_memory(boxes: Sequence[Placed], height: int, bound: int, title: str, path: Path) -> None:
    """Write the picture as SVG or PNG, by the suffix of its name.

    height, bound: bytes of the arena, and the lower bound of any packing. Bytes that boxes have in common are dotted. A
    second panel shows the bytes alive at each point and, hatched, the free ones; a line through both marks the peak,
    labelled with the bytes wasted there.
    """
    from matplotlib.figure import Figure  # pyright: ignore[reportMissingImports]

    figure: Any = Figure(figsize=(10, 7), layout="constrained")
    arena, alive = figure.subplots(2, 1, sharex=True, height_ratios=(4, 1))
    colours = ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948", "#b07aa1", "#9c755f")
    start, end = min((box.first for box in boxes), default=0), max((box.last for box in boxes), default=0) + 1
    origin = 0 if max(-start, end) < EXACT else start

    def at(point: float) -> float:
        return float(point - origin)

    for i, box in enumerate(sorted(boxes, key=lambda box: (box.first, box.offset))):
        width = float(box.last + 1 - box.first)
        arena.bar(
            at(box.first), float(box.size), width, float(box.offset), align="edge", color=colours[i % len(colours)],
            edgecolor="white", linewidth=0.4,
        )  # fmt: skip
        if width * 40 >= end - start and box.size * 40 >= height:
            middle = (at(box.first) + width / 2, box.offset + box.size / 2)
            arena.annotate(box.name, middle, ha="center", va="center", fontsize=7, clip_on=True)
    shared = overlaps(boxes)
    for each in shared:
        arena.bar(
            at(each.first), float(each.size), float(each.last + 1 - each.first), float(each.offset), align="edge",
            facecolor="none", edgecolor="white", linewidth=0, hatch="..",
            label="overlap" if each is shared[0] else None,
        )  # fmt: skip
    if shared:
        arena.legend(loc="upper right", fontsize=7, facecolor="#bab0ac")
    arena.axhline(float(height), color="black", linewidth=1)
    if bound < height:
        arena.axhline(float(bound), color="black", linewidth=1, linestyle="dotted")
    arena.set(xlim=(at(start), at(end)), ylim=(0, max(height, 1) * 1.02), ylabel="address [bytes]", title=title)
    points = sorted({start, end, *(box.first for box in boxes), *(box.last + 1 for box in boxes)})
    times, needs = [at(point) for point in points], [float(occupied(boxes, point)) for point in points]
    alive.fill_between(times, needs, step="post", color="#bab0ac")
    alive.fill_between(
        times, needs, float(height), step="post", facecolor="none", edgecolor="#bab0ac", hatch="//", linewidth=0
    )
    peak = fullest(boxes)
    most, time = occupied(boxes, peak), at(peak) + 0.5
    for axes in (arena, alive):
        axes.axvline(time, color="black", linewidth=0.8, linestyle="dashed")
    alive.plot(time, float(most), "v", color="black")
    label = f" {most} alive at {peak}, {height - most} wasted"
    right = 2 * peak > start + end
    paper = {"facecolor": "white", "edgecolor": "none", "pad": 1}
    alive.annotate(label, (time, float(most)), ha="right" if right else "left", va="top", fontsize=8, bbox=paper)
    alive.set(
        xlabel=f"program point{f' - {origin}' if origin else ''}",
        ylabel="alive [bytes]",
        ylim=(0, max(height, 1) * 1.02),
    )
    save_picture(figure, path)

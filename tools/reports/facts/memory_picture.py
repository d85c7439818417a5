"""The figure of the arena over time: buffers are boxes, with time to the right and addresses upwards."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tinyml.dialects.errors import InputError
from tinyml.tools.reports.memory_report import fullest, needs_at, occupied, overlaps
from tinyml.tools.reports.svg import COLOURS, Drawing, ticks
from tinyml.transforms.buffers.liveness.live_ranges import Placed

LEFT, RIGHT, TOP = 70, 990, 30
"""The edges of the panels, in pixels."""

TALLEST, FOR_A_BOX = 480, 45
"""Maximum height of the panel of buffers, and the height that each buffer adds, in pixels."""


def draw_report(name: str, memory: Mapping[str, Any]) -> Drawing:
    """Draw the memory report of a model."""
    boxes = [Placed(_label(row), row["offset"], row["bytes"], row["first"], row["last"]) for row in memory["map"]]
    height, bound = memory["height"], memory["lower_bound"]
    proven = "optimal" if height == bound else f"at least {bound} are needed"
    return draw_memory(boxes, height, bound, f"{name}: arena of {height} bytes, {proven}")


def _label(row: Mapping[str, Any]) -> str:
    ring = row["ring"]
    return row["buffer"] if ring is None else f"{row['buffer']}\n{ring['held']} of {ring['of']} {ring['by']}"


def check_svg_path(path: Path) -> None:
    """Raise `InputError` for a file without the suffix .svg. Callers check the path before any long work."""
    if path.suffix.lower() != ".svg":
        raise InputError("a picture of memory ends in .svg", file=str(path))


def draw_memory(boxes: Sequence[Placed], height: int, bound: int, title: str) -> Drawing:
    """Draw the buffers of an arena over time.

    Bytes that boxes share are dotted. A second panel shows the bytes that are live at each point and, hatched, the free
    bytes. A line through both panels marks the peak; its label states the bytes wasted there. The tooltip of a box
    shows the buffer's name, bytes, byte offset and points.

    height: the bytes of the arena.
    bound: the lower bound of any packing in bytes.
    """
    buffers = TOP, TOP + min(140 + FOR_A_BOX * len(boxes), TALLEST)
    alive = buffers[1] + 20, buffers[1] + 20 + min(130, (buffers[1] - TOP) // 2)
    bottom = alive[1]
    picture = Drawing(1000, bottom + 40, title)
    picture.hatch("shared", "M2 2h0M6 6h0", "#fff")
    picture.hatch("free", "M0 8L8 0", "#bab0ac")
    start, end = min((box.first for box in boxes), default=0), max((box.last for box in boxes), default=0) + 1
    top = max(height, 1) * 1.02

    def x(point: float) -> float:
        return LEFT + (point - start) * (RIGHT - LEFT) / (end - start)

    def y(panel: tuple[int, int], address: float) -> float:
        return panel[1] - address * (panel[1] - panel[0]) / top

    def area(panel: tuple[int, int], first: int, last: int, low: int, size: int, fill: str, tip: str = "") -> None:
        upper = y(panel, low + size)
        picture.rectangle(x(first), upper, x(last) - x(first), y(panel, low) - upper, fill=fill, tip=tip)

    picture.text((LEFT + RIGHT) / 2, 20, title)
    for i, box in enumerate(sorted(boxes, key=lambda box: (box.first, box.offset))):
        tip = f"{box.name}: {box.size} bytes at {box.offset}, points {box.first} to {box.last}"
        area(buffers, box.first, box.last + 1, box.offset, box.size, COLOURS[i % len(COLOURS)], tip)
    for each in overlaps(boxes):
        area(buffers, each.first, each.last + 1, each.offset, each.size, "url(#shared)", f"{each.size} bytes overlap")
    for box in boxes:
        if (box.last + 1 - box.first) * 40 >= end - start and box.size * 40 >= height:
            middle = y(buffers, box.offset + box.size / 2)
            lines, at = box.name.split("\n"), x((box.first + box.last + 1) / 2)
            for row, text in enumerate(lines):
                picture.text(at, middle + 3 + 10 * (row - (len(lines) - 1) / 2), text, kind="on")
    points = sorted({start, end, *(box.first for box in boxes), *(box.last + 1 for box in boxes)})
    needs = needs_at(boxes, points)
    for first, last in itertools.pairwise(points):
        need = needs[first]
        area(alive, first, last, 0, need, "#bab0ac")
        area(alive, first, last, need, height - need, "url(#free)")
    picture.line(LEFT, y(buffers, height), RIGHT, y(buffers, height))
    if bound < height:
        picture.line(LEFT, y(buffers, bound), RIGHT, y(buffers, bound), "1 3")
    for panel, label, most in ((buffers, "address [bytes]", 10), (alive, "alive [bytes]", 4)):
        picture.line(LEFT, panel[0], LEFT, panel[1])
        picture.line(LEFT, panel[1], RIGHT, panel[1])
        picture.text(16, sum(panel) / 2, label, turned=True)
        for tick in ticks(0, height, most):
            picture.line(LEFT - 4, y(panel, tick), LEFT, y(panel, tick))
            picture.text(LEFT - 8, y(panel, tick) + 4, f"{tick}", "end")
    picture.marks_below(bottom, ((x(tick), f"{tick}") for tick in ticks(start, end, 12)))
    picture.text((LEFT + RIGHT) / 2, bottom + 34, "program point")
    peak = fullest(boxes)
    most, time = occupied(boxes, peak), x(peak + 0.5)
    picture.line(time, buffers[0], time, alive[1], "5 4")
    label, right = f"{most} alive at {peak}, {height - most} wasted", 2 * peak > start + end
    left = time - 5 - 6 * len(label) if right else time + 5
    picture.rectangle(left, y(alive, most) + 1, 6 * len(label), 15, kind="paper")
    picture.text(left + 3 * len(label), y(alive, most) + 12, label)
    return picture

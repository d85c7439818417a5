"""The picture of RAM against work for msf-CNN's chains, on the page of schedules."""

from __future__ import annotations

from math import log

from programs.fused_chains import CHAINS
from programs.paths import ROOT

from measured.picture import OURS, THEIRS
from measured.tables import tables
from tinyml.tools.reports.svg import Drawing

FILE = ROOT / "docs/schedules/recomputed.svg"

PANEL, HEIGHT, LEFT, TOP, BOTTOM = 300, 260, 46, 44, 40
"""The width of a network's panel, the height of the picture, and the margins of the axes, in pixels."""

WORK, BYTES = (1.0, 2.75), (6_000, 240_000)
"""The ends of the axes; the axis of bytes is logarithmic."""


def picture() -> str:
    """The picture as SVG text: a panel for each network, with a dot for each plan of msf-CNN and of tinyml."""
    page = (ROOT / "docs/schedules.md").read_text(encoding="utf-8")
    [table] = [table for table in tables(page) if table.name == "schedules-recomputed"]
    drawing = Drawing(PANEL * len(CHAINS), HEIGHT, "RAM by work of msf-CNN's chains")
    for x, fill, text in ((LEFT, OURS, "tinyml, arena"), (LEFT + 110, THEIRS, "msf-CNN, formula")):
        drawing.rectangle(x, 6, 10, 10, fill=fill)
        drawing.text(x + 15, 15, text, "start")
    for number, name in enumerate(CHAINS):
        left = PANEL * number + LEFT
        _axes(drawing, left, name)
        for heading, fill in ((("msf-CNN, work", "msf-CNN, bytes"), THEIRS), (("work", "arena"), OURS)):
            rows = [row for label, row in table.rows.items() if label.startswith(f"{name} | ")]
            pairs = [[row[table.headings.index(each)] for each in heading] for row in rows]
            for work, size in dict.fromkeys(map(tuple, pairs)):
                if work != "-":
                    at = _x(left, float(work)), _y(float(size.replace(",", "")))
                    drawing.dot(*at, 4, fill, f"{size} bytes at {work}")
    return drawing.finished()


def _x(left: float, work: float) -> float:
    return left + (PANEL - LEFT - 14) * (work - WORK[0]) / (WORK[1] - WORK[0])


def _y(size: float) -> float:
    share = log(size / BYTES[0]) / log(BYTES[1] / BYTES[0])
    return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * share


def _axes(drawing: Drawing, left: float, name: str) -> None:
    low, right = HEIGHT - BOTTOM, _x(left, WORK[1])
    drawing.text((left + right) / 2, TOP - 8, name)
    drawing.line(left, low, right, low)
    drawing.line(left, TOP, left, low)
    drawing.marks_below(low, [(_x(left, work), f"{work:g}") for work in (1, 1.5, 2, 2.5)])
    drawing.text((left + right) / 2, HEIGHT - 6, "multiply-accumulates, relative to the network's")
    for size in (8, 16, 32, 64, 128):
        y = _y(1000 * size)
        drawing.line(left, y, right, y, kind="faint")
        drawing.text(left - 4, y + 4, f"{size} KB", "end")

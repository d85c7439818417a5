"""The picture of estimated over measured times, on the page of costs."""

from __future__ import annotations

from programs.paths import ROOT

from measured.measures.estimates import WITHIN
from measured.picture import OURS
from measured.store import MEASURED, read
from measured.tables import column_of, tables
from tinyml.tools.reports.svg import Drawing

FILE = ROOT / "docs/site/estimates.svg"

WIDTH, LEFT, TOP, ROW, BOTTOM = 640, 130, 12, 30, 44
"""The width of the picture, its margins, and the height of the row of a board, in pixels."""

RATIOS = 0.7, 1.3
"""The ends of the axis; ratios beyond them are drawn at its ends."""


def picture() -> str:
    """The picture as SVG text: a row for each board, with a dot for each program at its ratio of times."""
    page = (ROOT / "docs/costs.md").read_text(encoding="utf-8")
    [table] = [table for table in tables(page) if table.name == "estimates"]
    measured = read(MEASURED)
    low = TOP + ROW * len(table.rows)
    drawing = Drawing(WIDTH, low + BOTTOM, "Estimated over measured time of networks, by board")
    drawing.shade(_x(1 - WITHIN), TOP, _x(1 + WITHIN) - _x(1 - WITHIN), low - TOP, OURS, 0.1, "within 10 %")
    for number, board in enumerate(table.rows):
        y = TOP + ROW * (number + 0.5)
        drawing.text(LEFT - 10, y + 4, board, "end")
        drawing.line(LEFT, y, WIDTH - 14, y, kind="faint")
        command, _ = column_of("estimates", table.headings[0], board)
        for program, ratio in measured[command]["ratios"].items():
            drawing.dot(_x(ratio), y, 3.2, OURS, f"{program} on {board}: {ratio:.2f}")
    drawing.line(LEFT, low, WIDTH - 14, low)
    drawing.marks_below(low, [(_x(ratio), f"{ratio:g}") for ratio in (0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3)])
    drawing.text((LEFT + WIDTH) / 2, low + BOTTOM - 8, "estimated time, relative to the measured time")
    return drawing.finished()


def _x(ratio: float) -> float:
    low, high = RATIOS
    return LEFT + (WIDTH - 14 - LEFT) * (min(max(ratio, low), high) - low) / (high - low)

"""A picture of where time goes: a bar for each part, below the one that it is a part of (a flame chart)."""

from __future__ import annotations

from tinyml.tools.reports.facts.spent_time import Spent
from tinyml.tools.reports.pictures.svg import COLOURS, Drawing, shortened

WIDTH, ROW = 960, 26
NARROWEST = 0.7
"""Pixels below which a bar is left out."""
LETTER = 5.1
"""The mean width of a letter on a bar, in pixels."""


def draw_flame(spent: Spent, unit: str, title: str, widest: float | None = None) -> Drawing:
    """A bar for the whole, below it operations, steps, lines of C and functions; its width is its time.

    widest: the time that takes the whole width; by default that of the whole.
    """
    picture = Drawing(WIDTH, ROW * _depth(spent) + 4, title)
    total = spent.time or 1
    scale = WIDTH / (widest or total)

    def draw(part: Spent, x: float, row: int, colour: str) -> None:
        width = scale * part.time
        if width < NARROWEST:
            return
        share = f"{part.time:,.0f} {unit}, {100 * part.time / total:.1f} %"
        line = "" if part.line is None else f"line {part.line}: "
        code = f", {part.code:,.0f} bytes of code" if part.code else ""
        fade = 1.0 if row < 2 else max(0.85 - 0.15 * (row - 2), 0.45)
        # Opaque paper below keeps black text readable where a colour is faint.
        picture.rectangle(x, row * ROW + 2, width, ROW - 2, fill="#fff")
        picture.rectangle(
            x, row * ROW + 2, width, ROW - 2, fill=colour, tip=f"{line}{part.name}: {share}{code}", opacity=fade
        )
        if (letters := int((width - 6) / LETTER)) >= 3:
            picture.text(x + 4, row * ROW + 18, shortened(f"{part.name}", letters), "start", kind="on")
        for i, each in enumerate(part.parts):
            draw(each, x, row + 1, COLOURS[i % len(COLOURS)] if row == 0 else colour)
            x += scale * each.time

    draw(spent, 0, 0, "#bab0ac")
    return picture


def _depth(spent: Spent) -> int:
    return 1 + max((_depth(part) for part in spent.parts), default=0)

"""The report page of a design: the best program, the front as a picture, and every candidate."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tinyml.tools.reports.pages.html import figure, page, paragraph, section, table
from tinyml.tools.reports.svg import COLOURS, Drawing

if TYPE_CHECKING:
    from tinyml.tools.design.design import Design

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 400, 80, 730, 40, 340

CANDIDATE, FRONT, BEST = "#a9a9a9", COLOURS[0], "#d5442f"

MARKS = 5
"""The number of marks of the vertical axis."""


def design_page(made: Design, lines: Sequence[str]) -> str:
    """The text of the HTML page.

    lines: sentences about the best program.
    """
    told = "".join(paragraph(line) for line in lines)
    caption = (
        "Each dot is a candidate on all training samples of the first fold (grey), or a compiled program (blue; the "
        "best is red) with its expected metric. Programs to the left are faster."
    )
    sections = {
        "best": ("Best program", told),
        "front": ("Front", figure(draw_front(made), caption) + _programs(made)),
        "candidates": ("Candidates", _candidates(made)),
    }
    body = "\n".join(section(name, heading, content) for name, (heading, content) in sections.items())
    links = [(name, heading) for name, (heading, _) in sections.items()]
    return page(f"Design for {made.board}: tinyml", body, heading=f"Design for {made.board}", links=links)


def draw_front(made: Design) -> Drawing:
    """The metric against the time of a call, on a logarithmic axis."""
    dots = [*_dots(made)]
    times, figures = [dot[0] for dot in dots], [dot[1] for dot in dots]
    low, high = math.log(min(times)) - 0.1, math.log(max(times)) + 0.1
    least, most = _shown(figures, [each.expected for each in made.front], falls=made.metric in ("rmse", "mae"))
    picture = Drawing(WIDTH, HEIGHT, f"{made.metric} and time of {len(made.front)} programs for {made.board}")

    def across(time: float) -> float:
        return LEFT + (RIGHT - LEFT) * (math.log(time) - low) / (high - low)

    def up(value: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * (value - least) / (most - least)

    picture.line(LEFT, TOP, LEFT, BOTTOM)
    picture.line(LEFT, BOTTOM, RIGHT, BOTTOM)
    powers = [float(f"{digit}e{power}") for power in range(1, 10) for digit in (1, 2, 5)]
    picture.marks_below(BOTTOM, ((across(each), f"{each:,.0f}") for each in powers if low <= math.log(each) <= high))
    for part in range(MARKS):
        value = least + (most - least) * part / (MARKS - 1)
        picture.line(LEFT - 4, up(value), LEFT, up(value))
        picture.text(LEFT - 8, up(value) + 4, f"{value:.3g}", "end")
    picture.text((LEFT + RIGHT) / 2, BOTTOM + 36, f"{made.best.unit} of a call with floats")
    picture.text(20, (TOP + BOTTOM) / 2, made.metric, turned=True)
    for time, value, colour, tip in dots:
        if least <= value <= most:
            picture.dot(
                across(time), up(value), 3 if colour == CANDIDATE else 5, colour, tip, reached=colour != CANDIDATE
            )
    return picture


def _dots(made: Design) -> Iterator[tuple[float, float, str, str]]:
    """Yield the time, the metric, the colour and the tip of each dot, the best program last."""
    for row in made.results:
        if row.share == 1 and row.fold == 0 and row.program is not None and row.time:
            yield row.time, row.program, CANDIDATE, f"{row.candidate}: {row.program:.4g}"
    for each in sorted(made.front, key=lambda each: each is made.best):
        tip = f"{each.name}: {each.expected:.4g}, {each.time:,.0f} {each.unit}, {each.flash:,} bytes of flash"
        yield each.time, each.expected, BEST if each is made.best else FRONT, tip


def _shown(figures: Sequence[float], edge: Sequence[float], *, falls: bool) -> tuple[float, float]:
    """The ends of the vertical axis: all programs of the front, and the better half of the candidates."""
    ordered = sorted(figures, reverse=not falls)
    shown = [*ordered[: max(len(ordered) // 2, 1)], *edge]
    low, high = min(shown), max(shown)
    margin = 0.05 * (high - low) or 0.01
    return low - margin, high + margin


def _programs(made: Design) -> str:
    rows = [
        (each.name, *map(_spelled, (each.cross_validated_model, each.cross_validated, each.validation, each.expected)),
         each.time, each.milliseconds and f"{each.milliseconds:.3g}", each.flash, each.ram)
        for each in made.front
    ]  # fmt: skip
    unit = made.best.unit
    headings = (
        "program",
        "model, folds",
        "program, folds",
        "program, validation",
        "expected",
        unit,
        "ms",
        "flash",
        "RAM",
    )
    return table(headings, rows, caption="Programs of the front, the fastest first")


def _candidates(made: Design) -> str:
    rows = [
        (str(row.candidate), f"{100 * row.share:.0f} %", row.fold + 1, _spelled(row.model), _spelled(row.program),
         row.time, row.flash, row.ram, row.error or "")
        for row in made.results
    ]  # fmt: skip
    headings = "candidate", "samples", "fold", "model", "program", made.best.unit, "flash", "RAM", "not kept because"
    return table(headings, rows, caption="Trials in their order; time and memory are estimates")


def _spelled(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"

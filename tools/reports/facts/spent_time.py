"""The time of an inference by operation, step, line of C and called function, as data and as a flame chart."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinyml.tools.reports.svg import COLOURS, Drawing, shortened

if TYPE_CHECKING:
    from tinyml.runtime.devices.attribution import Attribution
    from tinyml.tools.reports.report_views import Report

CALL_AND_RETURN = "call and return"
"""The entry for code that belongs to no operation: saving and restoring registers, returning the label."""

WIDTH, ROW = 960, 26

MIN_BAR_WIDTH = 0.7
"""Minimum width of a bar that is drawn, in pixels."""

LETTER = 5.1
"""The mean width of a character on a bar, in pixels."""


@dataclass(frozen=True)
class Spent:
    """A part of the time of an inference, with nested parts.

    The time of a part includes the time that no nested part covers.

    time: in the board's unit.
    code: bytes of flash; None if unknown.
    line: the number of a line of the C file; 0 for time that belongs to no line; None for a part that is not a line: an
        operation, a step, or a called function.
    name: the operation, step or function, or the text of a line.
    parts: the nested parts.
    """

    name: str
    time: float
    code: float | None
    parts: tuple[Spent, ...] = ()
    line: int | None = None

    @property
    def lines(self) -> list[Spent]:
        """The lines of C among the nested parts, in the order of the file. The time that belongs to no line comes
        last.
        """
        inner = [line for part in self.parts for line in (part.lines if part.line is None else [part])]
        return sorted(inner, key=lambda part: part.line or math.inf)


def estimated_time(report: Report) -> Spent | None:
    """The operations with the times that the cost model estimates; None without an estimate."""
    if (estimate := report.estimate) is None:
        return None
    unit = report.unit
    parts = tuple(Spent(one["operation"], one[unit], one["code_bytes"]) for one in estimate["operations"])
    total = estimate[f"{unit}_per_inference"]
    if (rest := total - sum(part.time for part in parts)) > 0:
        parts = (*parts, Spent(CALL_AND_RETURN, rest, None))
    return Spent(f"estimated {unit}", total, None, parts)


def measured_time(
    measured: Attribution, sources: Mapping[int, tuple[str, ...]], lines: Sequence[str], unit: str
) -> Spent:
    """The measured time of each operation, broken down by line of C and called function.

    sources: the operation and step to which each line belongs.
    lines: the lines of the C file.
    """
    grouped: dict[tuple[str, ...], list[Spent]] = {}
    for number in [*sorted({*measured.code, *measured.time} - {0}), 0]:
        calls = tuple(Spent(name, time, None) for name, time in measured.calls.get(number, {}).items())
        text = lines[number - 1].strip() if number else "without a line"
        spent = Spent(text, measured.time.get(number, 0.0), measured.code.get(number, 0), calls, number)
        grouped.setdefault(sources.get(number, (CALL_AND_RETURN,)), []).append(spent)
    parts: dict[str, list[Spent]] = {}
    for names, spent in grouped.items():
        whole = parts.setdefault(names[0], [])
        whole += spent if len(names) == 1 else [_joined(names[1], spent)]
    operations = [_joined(name, spent) for name, spent in parts.items()]
    operations.sort(key=lambda one: one.name == CALL_AND_RETURN)
    return _joined(f"measured {unit}", operations)


def _joined(name: str, parts: Sequence[Spent]) -> Spent:
    return Spent(name, sum(part.time for part in parts), sum(part.code or 0 for part in parts), tuple(parts))


def operations(spent: Spent, unit: str) -> list[dict[str, Any]]:
    """Entries with the time, the code and the calls of each operation, in the order of the C file.

    An operation with several steps also has an entry for each step.

    spent: the measured time of the whole inference.
    """

    def entry(part: Spent) -> dict[str, Any]:
        return {"operation": part.name, unit: round(part.time, 2), "code_bytes": part.code}

    return [
        {
            **entry(whole),
            "calls": _longest_first((call.name, call.time) for line in whole.lines for call in line.parts),
            "steps": [entry(part) for part in whole.parts if part.line is None],
        }
        for whole in spent.parts
    ]


def functions(measured: Attribution) -> dict[str, float]:
    """The total time in each kernel and library function that the model calls, by name, longest first."""
    return _longest_first(call for calls in measured.calls.values() for call in calls.items())


def _longest_first(calls: Iterable[tuple[str, float]]) -> dict[str, float]:
    time: defaultdict[str, float] = defaultdict(float)
    for function, spent in calls:
        time[function] += spent
    return {name: round(spent, 2) for name, spent in sorted(time.items(), key=lambda item: -item[1])}


def draw_flame(spent: Spent, unit: str, title: str, widest: float | None = None) -> Drawing:
    """Draw a flame chart: a bar for the whole time, and below it bars for operations, steps, lines of C and functions.

    The width of a bar represents its time.

    widest: the time that the full width represents; by default the whole time.
    """
    picture = Drawing(WIDTH, ROW * _depth(spent) + 4, title)
    total = spent.time or 1
    scale = WIDTH / (widest or total)

    def draw(part: Spent, x: float, row: int, colour: str) -> None:
        width = scale * part.time
        if width < MIN_BAR_WIDTH:
            return
        share = f"{part.time:,.0f} {unit}, {100 * part.time / total:.1f} %"
        line = f"line {part.line}: " if part.line else ""
        code = f", {part.code:,.0f} bytes of code" if part.code else ""
        fade = 1.0 if row < 2 else max(0.85 - 0.15 * (row - 2), 0.45)
        picture.shade(x, row * ROW + 2, width, ROW - 2, colour, fade, f"{line}{part.name}: {share}{code}")
        if (letters := int((width - 6) / LETTER)) >= 3:
            picture.text(x + 4, row * ROW + 18, shortened(f"{part.name}", letters), "start", kind="on")
        for i, each in enumerate(part.parts):
            draw(each, x, row + 1, COLOURS[i % len(COLOURS)] if row == 0 else colour)
            x += scale * each.time

    draw(spent, 0, 0, "#bab0ac")
    return picture


def _depth(spent: Spent) -> int:
    return 1 + max((_depth(part) for part in spent.parts), default=0)

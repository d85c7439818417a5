"""Advice on what to try next, as far as the report of a program says what it would bring."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tinyml.tools.reports.facts.page_facts import PageFacts
from tinyml.tools.reports.pages.html import escape

LARGE_SHARE = 0.5
"""The share of an operation in the time from which on it is named."""


def advice(facts: PageFacts) -> str:
    """A list of advice; empty if there is none."""
    items = "".join(f"<li>{escape(text)}</li>" for text in _advice(facts))
    return f'<ul class="next">{items}</ul>' if items else ""


def _advice(facts: PageFacts) -> Iterator[str]:
    report = facts.report
    for warning in report["warnings"]:
        yield f"{_capital(warning['text'])}; {warning['cure']}."
    yield from (f"{line.removeprefix('Next: ')}." for line in report["lines"] if line.startswith("Next: "))
    if (chosen := report["chosen"]) is not None:
        yield from _alternatives(chosen, report["unit"])
    time = facts.time
    if time is not None and time.parts:
        part = max(time.parts, key=lambda part: part.time)
        if part.time > LARGE_SHARE * time.time:
            share = 100 * part.time / time.time
            yield f"{part.name} takes {share:.0f} % of the time: a model with less of it gains most."
    ram, limit = report["ram_bytes"], report["ram_limit"]
    if report["plan"] == "ordinary" and limit is not None and ram["total"] is not None and 2 * ram["total"] > limit:
        yield "tinyml plan MODEL lists orders of execution that take less RAM; --plan auto chooses one."
    for board in facts.limits[1:]:
        own = facts.limits[0]
        if board.fits and (2 * board.flash <= own.flash or 2 * board.ram <= own.ram):
            yield f"It would also fit {board.name}, with {board.flash:,} bytes of flash and {board.ram:,} of RAM."
            break


def _alternatives(chosen: Mapping[str, Any], unit: str) -> Iterator[str]:
    """The gain in time from a higher permitted loss, and the price of a more exact program."""
    taken = next((row for row in chosen["alternatives"] if row["verdict"] == "taken"), None)
    if taken is None or taken["time"] is None:
        return
    lost = _points(taken)
    for row in chosen["alternatives"]:
        points = _points(row)
        if points is None or lost is None or row["time"] is None or row is taken:
            continue
        if points > lost and row["time"] < 0.9 * taken["time"] and points - lost <= 2:
            saved = 100 * (1 - row["time"] / taken["time"])
            yield f"{points - lost:.2f} points more of loss would buy {saved:.0f} % of the {unit}: {row['name']}."


def _points(row: Mapping[str, Any]) -> float | None:
    looks = [row[name] for name in ("loss", "look") if row[name] is not None]
    return looks[0]["points"] if looks else None


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

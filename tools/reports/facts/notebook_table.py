"""The HTML table of figures that notebooks show for a program and for its report."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tinyml.tools.reports.facts.figures import ALARMS, figures_of

if TYPE_CHECKING:
    from tinyml.tools.reports.report_fields import Report

SHOWN_FIGURES = (
    "board", "format", "accuracy", "metric", "R2", "threshold", *ALARMS, "other answers", "time from floats",
    "time of an inference", "estimated time",
    "flash", "RAM", "arena and input",
)  # fmt: skip
"""The figures that a notebook shows, if they are known."""


def notebook_table(report: Report) -> str:
    """An HTML table with the figures `SHOWN_FIGURES`, such as the accuracy; figures without a value are omitted."""
    figures = figures_of(report)
    shown = [figure for name in SHOWN_FIGURES if (figure := figures[name]).value is not None]
    rows = [(each.name, f"{each.text} ({each.note})" if each.note else each.text) for each in shown]
    cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows)
    return f"<table><caption>{escape(report.name)}</caption>{cells}</table>"

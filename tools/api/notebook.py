"""Tables of programs for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from tinyml.tools.reports.report_fields import Report


def program_html(report: Report, pictures: Mapping[str, str]) -> str:
    """A table with board, format, accuracy, time and memory of a program; rows without a value are left out.

    pictures: SVG files by name, which open below it.
    """
    rows = {
        "board": f"{report.target} ({report.part})",
        "format": f"{report.format} {report.width}",
        "accuracy": _percent(report.accuracy),
        "of the float model": _percent(report.accuracy_float),
        "other answers": f"{report.disagreements} of {report.samples} samples" if report.samples else None,
        "time": None if report.time_per_inference is None else f"{report.time_per_inference:,.0f} {report.unit}",
        "flash": _bytes(report.flash_bytes, report.flash_limit),
        "RAM": _bytes(report.ram_bytes.total, report.ram_limit),
    }
    cells = "".join(f"<tr><th>{name}</th><td>{escape(value)}</td></tr>" for name, value in rows.items() if value)
    table = f"<table><caption>{escape(report.name)}</caption>{cells}</table>"
    return table + "".join(
        f"<details><summary>{escape(name)}</summary>{svg[svg.index('<svg') :]}</details>"
        for name, svg in pictures.items()
    )


def _percent(value: float | None) -> str | None:
    return None if value is None else f"{value:.2f} %"


def _bytes(taken: int | None, limit: int | None) -> str | None:
    if taken is None:
        return None
    return f"{taken:,} bytes" if limit is None else f"{taken:,} of {limit:,} bytes ({100 * taken / limit:.0f} %)"

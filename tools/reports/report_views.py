"""The report of a compiled model, as JSON, as text for a terminal and as an HTML table for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from html import escape
from typing import Any, TypeVar, cast

from tinyml.dialects.options import options_of
from tinyml.lowering.options import CompileOptions
from tinyml.tools.reports.facts.figures import ALARMS, figures_of
from tinyml.tools.reports.report_fields import FunctionReport, RamBytes, ReportFields, spelled
from tinyml.tools.reports.tables import print_program, text_for_terminal

Part = TypeVar("Part")

SHOWN_FIGURES = (
    "board", "format", "accuracy", "metric", "R2", "threshold", *ALARMS, "other answers", "time from floats",
    "time of an inference", "estimated time",
    "flash", "RAM", "arena and input",
)  # fmt: skip
"""The figures that a notebook shows, if they are known."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Report(ReportFields):
    """The report of a compiled model; docs/commands.md describes the fields. `str` returns the text that `tinyml
    compile` prints.

    Fields that are None are unknown: accuracies without labels, measurements without the board's tools. Accuracies are
    percentages and sizes are in bytes. Times are in the unit that `unit` names: cycles or instructions of the board.
    `time_source` states how the times in milliseconds were obtained (`TimeSource`). `options` has the options of the
    compilation by name, except options that are themselves fields, such as `format`. `search`, `requested`, `chosen`,
    `lines`, `warnings`, `layers`, `memory`, `segments`, `hardware`, `stream`, `confusion`, `regression`, `by_output`,
    `detection`, `metric`, `rounded_sums`, `sensor`, `float_inputs`, `thresholds` and `estimate` are as in
    `report.json`.
    """

    def __repr__(self) -> str:
        return text_for_terminal(lambda: print_program(self)).rstrip()

    def _repr_html_(self) -> str:
        return notebook_table(self)

    def as_json(self) -> dict[str, Any]:
        """The content of `report.json`: a dictionary in which the options are separate entries, and the names of times
        contain the unit.
        """
        entries: dict[str, Any] = {}
        for field in fields(self):
            match field.name:
                case "options":
                    entries |= self.options
                case "ram_bytes":
                    entries[field.name] = asdict(self.ram_bytes)
                case "functions":
                    entries[field.name] = list(map(asdict, self.functions))
                case name:
                    entries[spelled(name, self.unit)] = getattr(self, name)
        return entries

    @staticmethod
    def of(entries: Mapping[str, Any]) -> Report:
        """Restore the report from the entries that `as_json` returned (`check_report`); unknown entries are dropped."""
        unit: str = entries["unit"]
        values = {field.name: entries[spelled(field.name, unit)] for field in fields(Report) if field.name != "options"}
        options = {option.name for option in options_of(CompileOptions)} - values.keys()
        values["ram_bytes"] = _made(RamBytes, values["ram_bytes"])
        values["functions"] = tuple(_made(FunctionReport, function) for function in values["functions"])
        return Report(**values, options={name: entries[name] for name in options & entries.keys()})


def _made(type: type[Part], values: Mapping[str, Any]) -> Part:
    return type(**{field.name: values[field.name] for field in fields(cast(Any, type))})


def notebook_table(report: ReportFields) -> str:
    """An HTML table with the figures `SHOWN_FIGURES`; figures without a value are omitted."""
    figures = figures_of(report)
    shown = [figure for name in SHOWN_FIGURES if (figure := figures[name]).value is not None]
    rows = [(figure.name, f"{figure.text} ({figure.note})" if figure.note else figure.text) for figure in shown]
    cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows)
    return f"<table><caption>{escape(report.name)}</caption>{cells}</table>"

"""Printed tables of reports."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from contextvars import ContextVar
from copy import copy
from dataclasses import replace
from io import StringIO
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from tinyml.dialects.errors import visible
from tinyml.tools.reports.facts.figures import ALARMS, ERRORS, Figure, figures_of, spell_milliseconds

if TYPE_CHECKING:
    from tinyml.tools.reports.report_fields import FunctionReport, ReportFields


DEFAULT_COLUMNS = 145
"""The assumed number of columns if the output is not a terminal; wider tables are printed whole."""

_WITHIN: ContextVar[int | None] = ContextVar("WITHIN", default=None)
"""The width of the terminal for which tables are rendered to a text; None to print them."""

SHOWN_BRANCHES = 3
"""Maximum constant branches that the printed report names; `report.json` names all."""

CONVERSION_SUFFIX = " incl. conversion"
"""The heading suffix of times that include the conversion of float inputs."""

MIN_COLUMN_WIDTH = 24
"""The minimum width in characters to which a text column is wrapped before it moves to a separate table."""


def print_table(table: Table, least: int = DEFAULT_COLUMNS) -> None:
    """Print a table without truncation.

    least: the assumed number of columns if the output is not a terminal.

    On a narrow terminal, and in a text for one (`text_for_terminal`), the table is split into several tables. Each has
    the first column and as many other columns as fit.
    """
    console = Console(width=_WITHIN.get())
    if not console.is_terminal and _WITHIN.get() is None:
        Console(width=max(console.width, least)).print(table)
        return
    for columns in _parts_within(console.width, [_width(column) for column in table.columns]):
        part = copy(table)
        part.columns = [
            replace(table.columns[at], _index=i, no_wrap=False, overflow="fold") for i, at in enumerate(columns)
        ]
        console.print(part)


def text_for_terminal(show: Callable[[], None]) -> str:
    """The text that a function prints, with tables that fit the terminal, if there is one."""
    token = _WITHIN.set(get_terminal_size().columns if sys.stdout.isatty() else None)
    stream = StringIO()
    try:
        with redirect_stdout(stream):
            show()
    finally:
        _WITHIN.reset(token)
    return stream.getvalue()


def _width(column: Column) -> int:
    texts = [Text.from_markup(cell) if isinstance(cell, str) else cell for cell in (column.header, *column.cells)]
    widest = max(text.cell_len for text in texts if isinstance(text, Text))
    return 3 + (widest if column.no_wrap else min(widest, MIN_COLUMN_WIDTH))


def _parts_within(width: int, widths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the column indices of each part of a table: the first column, and as many of the next columns as fit, but
    at least one.

    width: the number of characters of a line.
    widths: the characters that each column needs.
    """
    part, taken = [0], widths[0] + 1
    for at, needed in enumerate(widths[1:], 1):
        if taken + needed > width and len(part) > 1:
            yield part
            part, taken = [0], widths[0] + 1
        part.append(at)
        taken += needed
    yield part


def spell_bytes(count: float) -> str:
    """The text of a number of bytes, with a fraction if elements are smaller than a byte."""
    return f"{count:,.1f}".removesuffix(".0")


def time_unit(report: dict[str, Any]) -> str:
    """The unit of time in a report: cycles or instructions."""
    return "cycles" if "cycles_per_inference" in report else "instructions"


CAVEATS = {
    "published": "estimated, by the published timing of the core, without wait states of the board's memories",
    "modelled": "estimated, by a model of the core, for which no timing is published, without wait states",
    "least": "at least, with a cycle for each instruction, or for two where the core starts two in a cycle",
}
"""Remarks on times in milliseconds that do not come from a simulator, by the board's `time_source`."""


def print_reports(reports: Sequence[ReportFields]) -> None:
    """Print a row per model: accuracy, disagreement, time, and the shares of the board's flash and RAM.

    The time with float inputs includes their conversion and precedes the time with raws. If any report has cycles of
    the core, they follow the number of instructions. Milliseconds are printed if the clock of a board is known, with a
    remark for each board whose core is not simulated. The times of a stream are those of its longest hop. A further
    line shows the errors of each regressor, since a regressor has no answers that could differ. Other lines show the
    figures of each output after the first, and the rates of each detector.
    """
    rows = [_row(report) for report in reports]
    headings = dict.fromkeys(heading for row in rows for heading in row)
    optional = [
        heading for heading in headings if heading in ("core cycles", "ms") or heading.endswith(CONVERSION_SUFFIX)
    ]
    unknown = {heading for heading in optional if all(row.get(heading, "-") == "-" for row in rows)}
    shown = [heading for heading in headings if heading.removesuffix("/MAC") not in unknown]
    table = Table()
    table.add_column("model", no_wrap=True)
    for heading in shown:
        table.add_column(heading, justify="right", no_wrap=True)
    for report, row in zip(reports, rows, strict=True):
        table.add_row(report.name, *(row.get(heading, "-") for heading in shown))
    print_table(table, 500)
    for board, source in dict.fromkeys((report.target, report.time_source) for report in reports):
        if "ms" in shown and source in CAVEATS:
            print(f"ms on {board}: {CAVEATS[source]}")
    for report in reports:
        _print_regression(report)
        _print_outputs(report)
        _print_detection(report)


def _row(report: ReportFields) -> dict[str, str]:
    figures, unit = figures_of(report), report.unit
    from_floats, of_hop = figures["time from floats"].value, (report.stream or {}).get("milliseconds") is not None
    return {
        "format": figures["format"].text,
        "float accuracy %": _number(report.accuracy_float),
        "accuracy %": _number(report.accuracy),
        "changed answers": "-" if report.regression else f"{report.disagreements}/{report.samples}",
        "flash B": _share(figures["flash"]),
        "RAM B": _share(figures["RAM"]),
        f"{unit}{CONVERSION_SUFFIX}": _number(None if isinstance(from_floats, str) else from_floats),
        unit: _number(_of_call(figures["time of an inference"].value)),
        f"{unit}/MAC": _number(report.time_per_mac),
        # Those of a single hop are unknown.
        "core cycles": "-" if of_hop else _number(report.core_cycles_per_inference),
        "core cycles/MAC": _number(report.core_cycles_per_mac),
        "ms": spell_milliseconds(_of_call(figures["milliseconds"].value), report.time_source),
        "fits": {True: "yes", False: "NO", None: "-"}[report.fits],
    }


def _of_call(time: float | str | None) -> float | None:
    return None if isinstance(time, str) else time


def _print_regression(report: ReportFields) -> None:
    if report.regression is None:
        return
    figures = figures_of(report)
    errors = [error for name in ERRORS if (error := figures[name]).value is not None]
    parts = [f"{error.name} {error.text} (float {error.reference})" for error in errors]
    parts.append(f"differs from float by {report.regression['difference']:.3g} on average")
    print(f"{report.name}: {', '.join(parts)}")


def _print_outputs(report: ReportFields) -> None:
    for entry in report.by_output:
        parts: list[str] = []
        if entry["accuracy"] is not None:
            parts.append(f"accuracy {entry['accuracy']:.2f} % (float {entry['accuracy_float']:.2f} %)")
        if entry["formats"] is not None:
            parts += [
                f"{name} {entry['formats'][key]:.4g} (float {entry['reals'][key]:.4g})" for name, key in ERRORS.items()
            ]
        parts.append(f"differs from float by {entry['difference']:.3g} on average")
        print(f"{report.name}, output {entry['number']}: {', '.join(parts)}")


def _print_detection(report: ReportFields) -> None:
    if report.detection is None:
        return
    figures, found = figures_of(report), report.detection["formats"]
    rates = [figure for name in ALARMS if (figure := figures[name]).value is not None]
    parts = [f"{rate.name} {rate.text} (float {rate.reference})" for rate in rates]
    if found["auc"] is not None:
        parts.append(f"area under the curve {found['auc']:.4f} (float {report.detection['reals']['auc']:.4f})")
    parts.append(f"ranks correlate by {report.detection['rank_correlation']:.4f}")
    parts.append(f"{report.detection['far']:.1%} of far samples are decided otherwise")
    print(f"{report.name}: a score below {figures['threshold'].text} is an anomaly; {', '.join(parts)}")


def print_program(report: ReportFields) -> None:
    """Print the complete terminal report of a newly compiled program."""
    print_reports([report])
    if (metric := figures_of(report)["metric"]).value is not None:
        print(f"{report.name}: {metric.text} ({metric.note})")
    if report.search is not None:
        _print_search(report.search)
    for line in report.lines:
        print(visible(line))
    for warning in report.warnings:
        print(visible(f"warning: {warning['text']}; {warning['cure']}"))
    for function in report.functions:
        _print_function_error(function)
    if report.thresholds is not None:
        _print_thresholds(report.thresholds)
    if report.parts and "val" not in report.requested:
        print(f"Parts of the model are in floats, computed in {report.parts}: --val VAL.npz gives them --format")
    if report.stream is not None:
        _print_stream(report.stream, report.unit)
    if report.hardware is not None:
        _print_hardware(report.hardware)
    if report.flash_bytes is None:
        print(
            f"The tools to measure on {report.target} are not installed, so sizes and cycles are unknown: "
            "tinyml doctor names them."
        )


def _print_function_error(function: FunctionReport) -> None:
    if function.error is not None:
        print(f"{function.function}, {function.argument} -> {function.result}: error at most {function.error:.2g}")


def _print_thresholds(thresholds: Mapping[str, Any]) -> None:
    if crossed := thresholds["crossed"]:
        print(
            f"Thresholds: {crossed:,} of {thresholds['readings']:,} readings in --val share a number of the input's "
            "format with readings on the other side of a threshold"
        )
    if constant := thresholds["constant"]:
        shown = [
            f"{'all' if each['at_most'] else 'none'} <= {each['threshold']:g} (feature {each['feature']})"
            for each in constant[:SHOWN_BRANCHES]
        ]
        more = f" and {len(constant) - SHOWN_BRANCHES} more" if len(constant) > SHOWN_BRANCHES else ""
        print(f"Thresholds beyond the input's format, constant branches: {', '.join(shown)}{more}")


def _print_hardware(hardware: Mapping[str, Any]) -> None:
    if hardware["luts"] is None:
        print("Cells are not counted: yosys is not installed; on Debian or Ubuntu: apt install yosys")
        return
    names = {"luts": "LUTs", "dsps": "DSPs", "brams": "block RAMs"}
    cells = [f"{hardware[key]:,} of {hardware['available'][key]:,} {name}" for key, name in names.items()]
    print(f"{', '.join(cells)}, {hardware['registers']:,} registers (yosys, before placement)")
    if hardware["fmax_mhz"] is not None:
        print(f"{hardware['fmax_mhz']:g} MHz, placed and routed; scheduled for {hardware['clock_mhz']:g}")


def _print_stream(stream: Mapping[str, Any], unit: str) -> None:
    longest, milliseconds, period = (stream.get(name) for name in ("longest_hop", "milliseconds", "period"))
    time = "" if longest is None else f"; a hop takes at most {longest:,} {unit}"
    if milliseconds is not None:
        time += f", {milliseconds:.3g} ms"
        time += "" if period is None else f", which is {milliseconds / period:.0%} of its {period:g} ms"
    print(
        f"streams: frames of {stream['frame']}, {stream['hop']} apart, an answer after {stream['steps']}, "
        f"then every {stream['stride']}; "
        f"{stream['state_bytes']} bytes of state{time}"
    )


def _print_search(search: Mapping[str, Any]) -> None:
    table = Table()
    table.add_column("tensor", no_wrap=True)
    for heading in ("format", "range", "error"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("why")
    for tensor in search["tensors"]:
        low, high = tensor["range"]
        figures = f"{low:.3g} to {high:.3g}", f"{tensor['error']:.2g}"
        table.add_row(tensor["name"], tensor["format"], *figures, tensor["why"])
    print_table(table)
    seconds = ", ".join(f"{phase} {taken:.1f} s" for phase, taken in search["seconds"].items())
    print(f"{search['name']}: {search['candidates']} candidates ({seconds})")


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.2f}"


def _share(memory: Figure) -> str:
    if memory.value is None:
        return "-"
    return str(memory.value) if memory.share is None else f"{memory.value} ({memory.share}%)"

"""Tables of reports for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console


def wide_console(least: int = 145) -> Console:
    """A console wide enough for every row, whatever the terminal, so that no number is cut off."""
    from rich.console import Console

    return Console(width=max(Console().width, least))


def spell_bytes(count: float) -> str:
    """A number of bytes, with a fraction where elements are smaller than a byte."""
    return f"{count:,.1f}".removesuffix(".0")


def spell_share(taken: int, limit: int) -> str:
    """The percentage of a memory that a program takes."""
    return f"{100 * taken / limit:.0f}"


def time_unit(report: dict[str, Any]) -> str:
    """The unit of time in a report: cycles or instructions."""
    return "cycles" if "cycles_per_inference" in report else "instructions"


CAVEATS = {
    "published": "estimated, by the published timing of the core, without wait states of the board's memories",
    "least": "at least, with one cycle for each instruction",
}
"""Remarks on times in milliseconds that do not come from a simulator, by the board's `time_source`."""

_BEFORE = {"simulated": "", "board": "", "published": "~", "least": ">"}


def spell_figure(value: object) -> str:
    """A figure of a report as text; `-` for a missing one."""
    if value is None:
        return "-"
    return f"{value:,.2f}".removesuffix(".00") if isinstance(value, int | float) else str(value)


def spell_milliseconds(report: dict[str, Any]) -> str:
    """The milliseconds of an inference in a report or a result of a run, with `~` for estimates and `>` for bounds."""
    time, source = report.get("milliseconds_per_inference"), report.get("time_source")
    if time is None or source is None:
        return "-"
    return f"{_BEFORE[source]}{time:,.{0 if time >= 1000 else 2 if time >= 1 else 3}f}"


def print_reports(reports: Sequence[dict[str, Any]]) -> None:
    """Print a row per model: accuracy, disagreement, time, and the share of the board's flash and RAM in use.

    Cycles of the core stand beside its instructions if any report has them, and milliseconds if the clock of a board is
    known, with a remark for each board whose core is not simulated. A line with its errors follows for each regressor,
    since it has no answers that could differ.
    """
    from rich.table import Table

    unit = "cycles" if any("cycles_per_inference" in report for report in reports) else "instructions"
    table = Table()
    table.add_column("model", no_wrap=True)
    has_core_cycles = any(report.get("core_cycles_per_inference") is not None for report in reports)
    times = [unit, "core cycles"] if has_core_cycles else [unit]
    timed = [heading for time in times for heading in (time, f"{time}/MAC")]
    has_milliseconds = any(report.get("milliseconds_per_inference") is not None for report in reports)
    timed += ["ms"] if has_milliseconds else []
    for heading in ("format", "float %", "compiled %", "differ", "flash B", "RAM B", *timed, "fits"):
        table.add_column(heading, justify="right", no_wrap=True)
    for report in reports:
        table.add_row(
            report["name"],
            _format(report),
            _number(report["accuracy_float"]),
            _number(report["accuracy"]),
            "-" if report.get("regression") else f"{report['disagreements']}/{report['samples']}",
            _share(report["flash_bytes"], report["flash_limit"]),
            _share(report["ram_bytes"]["total"], report["ram_limit"]),
            *(
                _number(report.get(f"{time.replace(' ', '_')}_per_{part}"))
                for time in times
                for part in ("inference", "mac")
            ),
            *([spell_milliseconds(report)] if has_milliseconds else []),
            {True: "yes", False: "NO", None: "-"}[report["fits"]],
        )
    wide_console(175).print(table)
    for board, source in dict.fromkeys((report["target"], report.get("time_source")) for report in reports):
        if has_milliseconds and source in CAVEATS:
            print(f"ms on {board}: {CAVEATS[source]}")
    for report in reports:
        _print_regression(report)


def _print_regression(report: dict[str, Any]) -> None:
    """Print the errors of a regressor, with those on reals in brackets."""
    if (regression := report.get("regression")) is None:
        return
    parts: list[str] = []
    if (reals := regression["reals"]) is not None and (formats := regression["formats"]) is not None:
        names = {"r2": "R2", "rmse": "RMSE", "mae": "MAE"}
        parts = [f"{spelled} {formats[name]:.4g} (float {reals[name]:.4g})" for name, spelled in names.items()]
    parts.append(f"differs from float by {regression['difference']:.3g} on average")
    print(f"{report['name']}: {', '.join(parts)}")


def print_function_errors(report: dict[str, Any]) -> None:
    """Print a line per function with its greatest error."""
    for row in report["functions"]:
        if row["error"] is not None:
            print(f"{row['function']}, {row['argument']} -> {row['result']}: error at most {row['error']:.2g}")


def print_lines(report: dict[str, Any]) -> None:
    """Print what was chosen, and the warnings, each in a line."""
    for line in report["lines"]:
        print(line)
    for warning in report["warnings"]:
        print(f"warning: {warning['text']}; {warning['cure']}")


def print_hardware(report: dict[str, Any]) -> None:
    """Print the cells of an FPGA that a module takes; nothing for other targets."""
    if (hardware := report["hardware"]) is None:
        return
    if hardware["luts"] is None:
        print("Cells are not counted: yosys is not installed; on Debian or Ubuntu: apt install yosys")
        return
    names = {"luts": "LUTs", "dsps": "DSPs", "brams": "block RAMs"}
    cells = [f"{hardware[key]:,} of {hardware['available'][key]:,} {name}" for key, name in names.items()]
    print(f"{', '.join(cells)}, {hardware['registers']:,} registers (yosys, before placement)")
    if hardware["fmax_mhz"] is not None:
        print(f"{hardware['fmax_mhz']:g} MHz, placed and routed; scheduled for {hardware['clock_mhz']:g}")


def print_stream(report: dict[str, Any]) -> None:
    """Print how a program that streams takes its input; nothing for other programs."""
    if (stream := report["stream"]) is None:
        return
    longest = stream["longest_hop"]
    time = "" if longest is None else f"; a hop takes at most {longest:,} {time_unit(report)}"
    print(
        f"streams: frames of {stream['frame']}, {stream['hop']} apart, an answer after {stream['steps']}, "
        f"then every {stream['stride']}; "
        f"{stream['state_bytes']} bytes of state{time}"
    )


def print_parts(report: dict[str, Any], chosen: bool) -> None:
    """Print what a quantised model computes in single precision. chosen: true if data were given to choose formats."""
    if report["parts"] and not chosen:
        print(f"Parts of the model are in floats, computed in {report['parts']}: --val VAL.npz gives them --format")


def print_search(search: dict[str, Any]) -> None:
    """Print the format that a search chose for each tensor, then its effort."""
    from rich.table import Table

    table = Table()
    table.add_column("tensor", no_wrap=True)
    for heading in ("format", "range", "error"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("why")
    for tensor in search["tensors"]:
        low, high = tensor["range"]
        figures = f"{low:.3g} to {high:.3g}", f"{tensor['error']:.2g}"
        table.add_row(tensor["name"], tensor["format"], *figures, tensor["why"])
    wide_console().print(table)
    seconds = ", ".join(f"{phase} {taken:.1f} s" for phase, taken in search["seconds"].items())
    print(f"{search['name']}: {search['candidates']} candidates ({seconds})")


def _format(report: dict[str, Any]) -> str:
    """The format in a table: `fixed 16`, `f32` (whose name implies its width), or with weights `fixed 16, posit:8`.

    The format of parts in floats follows, if a quantised model has some: `zeroskew 8 and fixed 16`.
    """
    name, width = report["format"], str(report["width"] if report["search"] is None else report["search"]["name"])
    whole = name if name.endswith(width) else f"{name} {width}"
    if report["parts"]:
        whole = f"{whole} and {report['parts']}"
    return f"{whole}, {report['weights']}" if report["weights"] else whole


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.2f}"


def _share(value: int | None, limit: int | None) -> str:
    if value is None:
        return "-"
    return str(value) if limit is None else f"{value} ({spell_share(value, limit)}%)"

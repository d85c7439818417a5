"""Comparison of number formats (`tinyml bench --formats`): accuracy, RAM, flash and time, as in MinUn's section 7."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, geometric_mean
from typing import TYPE_CHECKING, Any

from rich.table import Table

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.lookup import SYNTHESISED, USUAL_FORMAT, is_type
from tinyml.targets.registry import board
from tinyml.tools.cli.atomic_output import json_results
from tinyml.tools.cli.progress import Progress
from tinyml.tools.driver.measure_model import measure_model
from tinyml.tools.driver.request import Request, SearchRequest
from tinyml.tools.driver.stages import find_model
from tinyml.tools.reports.plots import check_plot_path, new_figure, save_picture
from tinyml.tools.reports.tables import print_table

if TYPE_CHECKING:
    from tinyml.targets.board import Board
    from tinyml.tools.reports.report_views import Report

BASELINE = "f32"
"""The format to which RAM, flash and time are relative."""

DEFAULT_FORMATS = (
    BASELINE,
    "bf16",
    "fixed:16",
    "posit:16",
    "fixed:8",
    "posit:8",
    "affine:8",
    "minifloat:8",
    "codebook:4",
    f"{SYNTHESISED}:4",
    "fixed+promote",
    "fixed+pareto",
)
"""The default formats: MinUn's, and ours."""

LIMITING_WIDTH = 8
"""Searches are limited to the memory that a uniform program of this width takes."""

MARKERS = "os^v"
LINEAR = 0.1
"""The accuracy axis of drawings is linear up to this many points, and logarithmic beyond."""

RAM_LIMITED, FLASH_LIMITED = ("promote", "demote", "pareto"), ("pareto",)


@dataclass(frozen=True)
class FormatSetting:
    """A way to compile a model: a uniform format, number formats synthesised for weights, or widths that a search
    chooses.

    width: the bits of all tensors, or of the synthesised weights; None for the default, and with a search.
    search: the name of the search; None for none.
    """

    format: str
    width: int | None
    search: str | None

    @classmethod
    def parse(cls, text: str) -> FormatSetting:
        """Parse `FORMAT[:BITS]`, `synthesised:BITS`, a type, or `FORMAT+SEARCH`.

        Raises `InputError` for other texts.
        """
        named, _, search = text.partition("+")
        format, colon, bits = (named, "", "") if is_type(named) else named.partition(":")
        if not format or (colon and not bits.isdecimal()) or (search and (colon or format == SYNTHESISED)):
            raise InputError(f"expected FORMAT:BITS or FORMAT+SEARCH, got '{text}'")
        return cls(format, int(bits) if colon else None, search or None)

    def __str__(self) -> str:
        return f"{self.format}{f' {self.width}' if self.width else ''}{f', {self.search}' if self.search else ''}"

    @property
    def numbers(self) -> dict[str, Any]:
        """The options that determine the number formats. With synthesised weights, all tensors that are not
        weights have `USUAL_FORMAT`.
        """
        if self.format == SYNTHESISED:
            return {"format": USUAL_FORMAT, "weights": f"{SYNTHESISED}:{self.width or ''}"}
        return {"format": self.format, "width": self.width}

    @property
    def limiting(self) -> FormatSetting:
        """The uniform format for which a program's memory is measured, as the limit of a search."""
        return FormatSetting(self.format, LIMITING_WIDTH, None)


def compare_formats(
    folders: Sequence[Path], ways: Sequence[str], target: str, json_file: Path | None, picture: Path | None
) -> list[dict[str, Any]]:
    """Compute and print a row per model and format setting, with means over the models; return the rows.

    folders: model folders.
    ways: format settings in the syntax of `FormatSetting.parse`; `DEFAULT_FORMATS` if empty.
    target: the name of the board.
    json_file: a file for the rows as JSON; None for no file.
    picture: a file for a drawing of the means; None for no drawing.

    Raises `InputError` for a malformed setting and for data without labels.
    """
    if picture is not None:
        check_plot_path(picture)
    asked, chosen = [FormatSetting.parse(way) for way in ways or DEFAULT_FORMATS], board(target)
    with json_results(json_file) as rows:
        for folder in folders:
            rows += _rows(folder, asked, chosen)
        means = means_of(rows)
        _print(rows, means)
    if picture is not None:
        _draw(means, picture)
    return rows


def _rows(folder: Path, ways: Sequence[FormatSetting], chosen: Board) -> list[dict[str, Any]]:
    program, val, test = find_model(folder)
    reports: dict[FormatSetting, Report | None] = {}

    def report(way: FormatSetting) -> Report | None:
        if way not in reports:
            search = None if way.search is None else _request(way.search, report(way.limiting))
            request = Request(
                model=program,
                val=val,
                test=test,
                target=chosen.name,
                out=Path(),
                search=search,
                **way.numbers,
            )
            try:
                reports[way] = measure_model(request, chosen)
            except InputError as error:
                progress.step(f"{way}: {error}")
                reports[way] = None
        return reports[way]

    with Progress(folder.name, len(ways)) as progress:
        rows: list[dict[str, Any]] = []
        for way in ways:
            progress.step(str(way))
            rows.append({"model": folder.name, "way": str(way), **_figures(report(way))})
    return rows


def _request(search: str, limit: Report | None) -> SearchRequest:
    if limit is None:
        raise InputError("searches need the memory of the uniform 8-bit program, which does not run for this model")
    options = {"ram": limit.ram_bytes.total}
    if search in FLASH_LIMITED:
        options["flash"] = limit.flash_bytes
    return SearchRequest(search, options if search in RAM_LIMITED else {})


def _figures(report: Report | None) -> dict[str, Any]:
    """The figures of a report: `accuracy`, `float` (the accuracy on reals), `flash`, `ram`, `time` and `fits`. If there
    is no report, because the format cannot compile the model, `fits` is false and all other figures are None.

    Raises `InputError` for data without labels.
    """
    if report is None:
        return {"accuracy": None, "float": None, "flash": None, "ram": None, "time": None, "fits": False}
    if (scores := _scores(report)) is None:
        raise InputError("formats are compared by their accuracy: the data need labels `y`", file=report.model)
    return {
        "accuracy": scores[1],
        "float": scores[0],
        "flash": report.flash_bytes,
        "ram": report.ram_bytes.total,
        "time": report.time_per_inference,
        "fits": report.fits,
    }


def _scores(report: Report) -> tuple[float, float] | None:
    """Two scores, percentages of right answers or R2 in percent: of the model on reals and of the compiled program.

    None without `y`.
    """
    if report.accuracy_float is not None and report.accuracy is not None:
        return report.accuracy_float, report.accuracy
    if (errors := report.regression) is None or errors["formats"] is None:
        return None
    return 100 * errors["reals"]["r2"], 100 * errors["formats"]["r2"]


def means_of(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row of means per format setting, over the models that compile with it.

    A row contains the mean and the worst change of accuracy in points, and the geometric means of RAM, flash and
    time relative to the baseline, over the models that also compile with the baseline.
    """
    bases = {row["model"]: row for row in rows if row["way"] == BASELINE and row["ram"]}
    means: list[dict[str, Any]] = []
    for way in dict.fromkeys(row["way"] for row in rows):
        own = [row for row in rows if row["way"] == way and row["ram"] is not None]
        changes = [row["accuracy"] - row["float"] for row in own]
        both = [(row, bases[row["model"]]) for row in own if row["model"] in bases]
        relative = {
            cost: geometric_mean(row[cost] / base[cost] for row, base in both) if both else None
            for cost in ("ram", "flash", "time")
        }
        change = fmean(changes) if changes else None
        means.append(
            {"way": way, "models": len(own), "change": change, "worst": min(changes, default=None), **relative}
        )
    return means


def _print(rows: Sequence[dict[str, Any]], means: Sequence[dict[str, Any]]) -> None:
    table = Table()
    for heading in ("model", "format"):
        table.add_column(heading, no_wrap=True)
    for heading in ("float accuracy %", "change", "flash B", "RAM B", "time", "fits"):
        table.add_column(heading, justify="right", no_wrap=True)
    for before, row in zip([None, *rows], rows, strict=False):
        if before is not None and before["model"] != row["model"]:
            table.add_section()
        if row["ram"] is None:
            table.add_row(row["model"], row["way"], *["-"] * 5, "NO")
            continue
        change, fits = f"{row['accuracy'] - row['float']:+.2f}", "yes" if row["fits"] else "NO"
        costs = [f"{row[cost]:,.0f}" for cost in ("flash", "ram", "time")]
        table.add_row(row["model"], row["way"], f"{row['float']:.2f}", change, *costs, fits)
    table.add_section()
    for mean in means:
        name = f"mean of {mean['models']}, to {BASELINE}"
        change = "-" if mean["change"] is None else f"{mean['change']:+.2f}"
        costs = ["-" if mean[cost] is None else f"{mean[cost]:.2f}" for cost in ("flash", "ram", "time")]
        table.add_row(name, mean["way"], "", change, *costs, "")
    print_table(table)


def _draw(means: Sequence[dict[str, Any]], file: Path) -> None:
    from matplotlib import colormaps, ticker  # pyright: ignore[reportMissingImports]

    figure = new_figure(15, 4.5)
    panels = figure.subplots(1, 3, sharey=True)
    shown = [mean for mean in means if mean["ram"] is not None]
    for axes, cost in zip(panels, ("ram", "flash", "time"), strict=True):
        for i, mean in enumerate(shown):
            style = {"color": colormaps["tab20"](2 * i % 20), "marker": MARKERS[i % len(MARKERS)], "label": mean["way"]}
            axes.plot([mean[cost]], [mean["change"]], linestyle="none", alpha=0.8, **style)
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 3, 5)))
        axes.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:g}"))
        axes.xaxis.set_minor_formatter(ticker.NullFormatter())
        axes.set_yscale("symlog", linthresh=LINEAR)
        axes.yaxis.set_major_formatter(ticker.StrMethodFormatter("{x:g}"))
        axes.grid(alpha=0.3)
        axes.set_xlabel(f"{cost}, {BASELINE} = 1")
    panels[0].set_ylabel("mean change of accuracy, points")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right upper")
    save_picture(figure, file)

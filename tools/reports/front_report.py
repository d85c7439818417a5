"""RAM against time of the programs of a model's plans, as a table and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.tools.reports.pictures.plots import save_picture
from tinyml.tools.reports.pictures.search_plot import COLOURS

if TYPE_CHECKING:
    from tinyml.tools.driver.plan_front import PlannedProgram


def print_front(programs: Sequence[PlannedProgram], unit: str) -> None:
    """Print a row for each program, those of the front marked. unit: cycles or instructions."""
    from rich.table import Table

    from tinyml.tools.reports.tables import wide_console

    table = Table()
    table.add_column("options", no_wrap=True)
    for heading in ("not ordinary", "arena and input", "RAM", unit, "front"):
        table.add_column(heading, justify="right", no_wrap=True)
    for program in programs:
        figures = (program.segments, program.arena, program.ram, round(program.time))
        table.add_row(program.options, *(f"{figure:,}" for figure in figures), "yes" if program.best else "")
    wide_console().print(table)


def draw_front(programs: Sequence[PlannedProgram], title: str, unit: str, file: Path) -> None:
    """Draw time against RAM, with a step through the programs of the front."""
    from matplotlib.figure import Figure  # pyright: ignore[reportMissingImports]

    figure: Any = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    front = [program for program in programs if program.best]
    axes.step(
        [program.ram for program in front], [program.time for program in front], where="post", color=COLOURS["front"]
    )
    for kind, members in (("others", [each for each in programs if not each.best]), ("front", front)):
        axes.scatter([each.ram for each in members], [each.time for each in members], color=COLOURS[kind], label=kind)
    for program in programs:
        name = program.options.removeprefix("--plan ").replace(" --ram", ",")
        axes.annotate(f" {name}", (program.ram, program.time), fontsize=7, annotation_clip=False)
    axes.set(xlabel="RAM, bytes", ylabel=f"{unit} of an inference", title=title)
    axes.legend()
    save_picture(figure, file)

"""The plans of a model: RAM against time of their programs, as a table and as a picture, and memory by layers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.tools.reports.pictures.plots import save_picture
from tinyml.tools.reports.pictures.search_picture import KINDS

if TYPE_CHECKING:
    from tinyml.tools.driver.plan_front import PlannedProgram
    from tinyml.transforms.schedules.plans.graph import Graph
    from tinyml.transforms.schedules.plans.segmentation import Plan


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
        [program.ram for program in front], [program.time for program in front], where="post", color=KINDS["front"]
    )
    for kind, members in (("others", [each for each in programs if not each.best]), ("front", front)):
        axes.scatter([each.ram for each in members], [each.time for each in members], color=KINDS[kind], label=kind)
    for program in programs:
        name = program.options.removeprefix("--plan ").replace(" --ram", ",")
        axes.annotate(f" {name}", (program.ram, program.time), fontsize=7, annotation_clip=False)
    axes.set(xlabel="RAM, bytes", ylabel=f"{unit} of an inference", title=title)
    axes.legend()
    save_picture(figure, file)


def bytes_of_layers(plan: Plan) -> list[float]:
    """The bytes alive at most in the segment of each layer, in the order of the program."""
    bits = dict[int, int]()
    for segment in plan.segments:
        bits |= {plan.order[i]: segment.bits for i in range(segment.first, segment.last + 1)}
    return [bits[i] / 8 for i in range(len(bits))]


def draw_plans(graph: Graph, plans: dict[str, Plan], title: str, file: Path) -> None:
    """Draw a panel for each of two plans, with a bar for each layer and a line at the peak (PEX, figure 2)."""
    from matplotlib.figure import Figure  # pyright: ignore[reportMissingImports]

    figure: Any = Figure(figsize=(9, 3.5), layout="constrained")
    panels = figure.subplots(1, len(plans), sharey=True, squeeze=False)[0]
    figure.suptitle(title)
    layers = range(len(graph.nodes))
    for axes, (mode, plan), kind in zip(panels, plans.items(), ("others", "front"), strict=False):
        axes.bar(layers, [size / 1000 for size in bytes_of_layers(plan)], width=1.0, color=KINDS[kind])
        axes.axhline(peak := plan.bits / 8000, color="black", linewidth=0.8, linestyle="--")
        axes.annotate(f"{peak:,.1f} KB", (layers[-1], peak), ha="right", va="bottom", fontsize=8)
        axes.set(xlabel="layer", title=mode)
    panels[0].set_ylabel("memory, KB")
    save_picture(figure, file)

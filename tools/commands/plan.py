"""The command `tinyml plan`, which says how much memory a network needs in each execution schedule.

Plans follow from the shapes of a network. Only for `--front` their programs are lowered, for the cost model.
docs/schedules.md describes all of it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.options import option, options_of
from tinyml.targets.registry import USUAL
from tinyml.tools.cli.arguments import PrintOptions, add_options, parsed
from tinyml.tools.driver.request import ModelArgument, listed_targets
from tinyml.tools.reports.plots import FORMATS

if TYPE_CHECKING:
    from tinyml.transforms.schedules.plans.graph import Graph
    from tinyml.transforms.schedules.plans.segmentation import Plan
    from tinyml.transforms.schedules.protocol import Width


@dataclass(frozen=True, kw_only=True)
class PlanRequest(PrintOptions, ModelArgument):
    """A request for plans; the fields are the options of `tinyml plan`."""

    mode: str | None = option("show the segments of this plan", default=None, metavar="MODE", exclusive="shown")
    front: bool = option(
        "compile the model with every plan, and show RAM and time of each program", default=False, exclusive="shown"
    )
    picture: Path | None = option(
        "draw the result of --front, or of --mode beside ordinary execution, to an .svg or .png file",
        default=None,
        metavar="FILE",
        writes=FORMATS,
    )
    val: Path | None = option(
        "inputs x from which --front chooses the number formats of a model on reals", default=None, metavar="FILE.npz"
    )
    target: str = option(f"board for --front: {listed_targets()}", default=USUAL, metavar="BOARD")
    bits: int | None = option("bits of each element (default: those of the model's formats)", default=None, metavar="N")
    extra: int = option(
        "multiply-accumulates that a plan may add, in percent of the network's", default=30, metavar="PERCENT"
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(PlanRequest))


def run(arguments: argparse.Namespace) -> int:
    """Print a row for each mode, or for each segment of one mode."""
    from tinyml.tools.driver.plan_front import draw_plans
    from tinyml.tools.reports.plots import check_plot_path
    from tinyml.transforms.schedules.plans.segmentation import lower_bound
    from tinyml.transforms.schedules.table import ORDINARY, schedule_named, schedules

    request = parsed(arguments, PlanRequest)
    if request.front:
        return _show_front(request)
    if request.picture is not None:
        if request.mode is None:
            raise InputError("--picture draws what --front or --mode shows: give one of them, too")
        check_plot_path(request.picture)
    shown = list(schedules()) if request.mode is None else [schedule_named(request.mode)]
    graph = _graph(request)
    most_extra = graph.macs * request.extra // 100
    plans = {schedule.name: schedule.plan(graph, most_extra) for schedule in shown}
    if request.json:
        report = {
            mode: _report(graph, chosen, schedule_named(mode).widths(graph, chosen)) for mode, chosen in plans.items()
        }
        print(json.dumps({"lower_bound": lower_bound(graph) / 8, **report}, indent=2))
    elif request.mode is None:
        _print_plans(graph, plans)
    else:
        _print_segments(graph, plans[request.mode])
        _print_widths(schedule_named(request.mode).widths(graph, plans[request.mode]))
    if request.picture is not None and request.mode is not None:
        beside = {ORDINARY: schedule_named(ORDINARY).plan(graph), **plans}
        draw_plans(graph, beside, request.model.stem, request.picture)
    return 0


def _show_front(request: PlanRequest) -> int:
    """Print a row for each program."""
    from dataclasses import asdict

    from tinyml.runtime.readers.arrays import check_npz
    from tinyml.targets.registry import board
    from tinyml.tools.cli.progress import Progress
    from tinyml.tools.driver.plan_front import draw_front, planned_programs, print_front
    from tinyml.tools.reports.plots import check_plot_path

    if request.picture is not None:
        check_plot_path(request.picture)
    if request.val is not None:
        check_npz(request.val, "data")
    chosen = board(request.target)
    with Progress(str(request.model), 1) as progress:
        programs = planned_programs(
            request.model, request.val, request.bits, chosen, lambda name: progress.detail(name, "lowering")
        )
    if request.json:
        print(json.dumps({"unit": chosen.unit, "programs": [asdict(program) for program in programs]}, indent=2))
    else:
        print_front(programs, chosen.unit)
    if request.picture is not None:
        draw_front(programs, f"{request.model.stem} on {chosen.name}", chosen.unit, request.picture)
    return 0


def _graph(request: PlanRequest) -> Graph:
    from tinyml.dialects.context import context
    from tinyml.runtime.evaluator.evaluator import predict_function
    from tinyml.tools.driver.stages import load_program
    from tinyml.transforms.schedules.plans.network import graph_of

    graph = graph_of(predict_function(load_program(request.model, context())), request.bits)
    if not graph.nodes:
        raise InputError("the program computes nothing")
    return graph


def _report(graph: Graph, chosen: Plan, widths: Sequence[Width]) -> dict[str, Any]:
    graph = graph.in_order(chosen.order)
    several = [
        {"channels": one.channels, "bytes": one.bits / 8, "turns": one.turns, "sum_accesses": one.sums}
        for one in widths
    ]
    return {
        "bytes": chosen.bits / 8,
        "extra_macs": chosen.extra,
        "segments": [
            {
                "first": graph.nodes[segment.first].result,
                "last": graph.nodes[segment.last].result,
                "schedule": segment.schedule,
                "bytes": segment.bits / 8,
            }
            for segment in chosen.segments
        ],
    } | ({"channels_at_once": several} if several else {})


def _print_plans(graph: Graph, plans: dict[str, Plan]) -> None:
    from rich.table import Table

    from tinyml.tools.reports.tables import spell_bytes, wide_console
    from tinyml.transforms.schedules.plans.segmentation import lower_bound

    table = Table()
    table.add_column("mode", no_wrap=True)
    for heading in ("bytes", "of ordinary", "segments", "more MACs"):
        table.add_column(heading, justify="right", no_wrap=True)
    for mode, chosen in plans.items():
        share = chosen.bits / plans["ordinary"].bits
        work = chosen.extra / graph.macs if graph.macs else 0
        table.add_row(mode, spell_bytes(chosen.bits / 8), f"{share:.1%}", str(len(chosen.segments)), f"{work:.1%}")
    wide_console().print(table)
    print(f"No exact plan that computes every value once takes less than {spell_bytes(lower_bound(graph) / 8)} bytes.")


def _print_segments(graph: Graph, chosen: Plan) -> None:
    from rich.table import Table

    from tinyml.tools.reports.tables import spell_bytes, wide_console

    graph = graph.in_order(chosen.order)
    table = Table()
    for heading in ("from", "to", "schedule"):
        table.add_column(heading, no_wrap=True)
    table.add_column("bytes", justify="right", no_wrap=True)
    for segment in chosen.segments:
        first, last = (graph.nodes[i].result for i in (segment.first, segment.last))
        table.add_row(first, last, segment.schedule, spell_bytes(segment.bits / 8))
    wide_console().print(table)


def _print_widths(widths: Sequence[Width]) -> None:
    from rich.table import Table

    from tinyml.tools.reports.tables import spell_bytes, wide_console

    if not widths:
        return
    table = Table()
    for heading in ("channels at once", "bytes", "ops run", "sums read and written"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in widths:
        table.add_row(str(one.channels), spell_bytes(one.bits / 8), f"{one.turns:,}", f"{one.sums:,}")
    wide_console().print(table)

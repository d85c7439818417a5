"""Tables and pictures of the memory of a network in each execution schedule.

Plans depend only on the shapes of a network. Programs are lowered only for `--front`, which requires the cost model.
docs/schedules.md describes the output.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported
from tinyml.lowering import pipelines
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.runtime.readers.arrays import check_npz
from tinyml.targets.costs import OPTIMIZE, cost_table
from tinyml.targets.registry import board
from tinyml.tools.cli.progress import Progress
from tinyml.tools.driver.plan_request import PlanRequest
from tinyml.tools.driver.stages import load_program, refine_kept
from tinyml.tools.reports.facts.search_picture import KINDS
from tinyml.tools.reports.plots import check_plot_path, new_figure, save_picture
from tinyml.tools.reports.tables import print_table, spell_bytes
from tinyml.transforms.formats.plan_execution import streamed_segments
from tinyml.transforms.ir.cost.demand import arena_and_input
from tinyml.transforms.ir.cost.estimate import estimate_on
from tinyml.transforms.ir.pipeline_names import BUFFERS_TO_LOOPS, FORMATS_TO_BUFFERS
from tinyml.transforms.schedules.plans.network import Network, graph_of, network_of
from tinyml.transforms.schedules.plans.segmentation import lower_bound
from tinyml.transforms.schedules.table import AUTO, ORDINARY, schedule_named, schedules

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.targets.board import Board
    from tinyml.transforms.schedules.plans.graph import Graph
    from tinyml.transforms.schedules.protocol import Width
    from tinyml.transforms.schedules.segments import Plan


def show_plans(request: PlanRequest) -> int:
    """Print a table, or its content as JSON, and return the exit code.

    The table has a row for each mode, for each segment of one mode, for each tensor at the peak with `--bottleneck`, or
    for each planned program with `--front`.

    Raises `InputError` for options that do not belong together, and for an unknown mode.
    """
    if request.bottleneck:
        return _show_bottleneck(request)
    if request.importance is not None:
        raise InputError("--importance ranks the channels of --bottleneck: add it")
    if request.front:
        return _show_front(request)
    if request.picture is not None:
        if request.mode is None:
            raise InputError("--picture draws the result of --front or --mode: add one of them")
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
        _draw_plans(graph, beside, request.model.stem, request.picture)
    return 0


def _show_bottleneck(request: PlanRequest) -> int:
    if request.front or request.picture is not None:
        raise InputError("--bottleneck shows one plan: omit --front and --picture")
    show_bottleneck = imported("tinyml.tools.driver.bottleneck:show_bottleneck")
    show_bottleneck(request.model, request.mode, request.bits, request.importance, as_json=request.json)
    return 0


def _show_front(request: PlanRequest) -> int:
    if request.picture is not None:
        check_plot_path(request.picture)
    if request.val is not None:
        check_npz(request.val, "data")
    chosen = board(request.target)
    with Progress(str(request.model), 1) as progress:
        programs = _planned_programs(
            request.model, request.val, request.bits, chosen, lambda name: progress.detail(name, "lowering")
        )
    if request.json:
        print(json.dumps({"unit": chosen.unit, "programs": [asdict(program) for program in programs]}, indent=2))
    else:
        print_front(programs, chosen.unit)
    if request.picture is not None:
        _draw_front(programs, f"{request.model.stem} on {chosen.name}", chosen.unit, request.picture)
    return 0


def _graph(request: PlanRequest) -> Graph:
    graph = graph_of(predict_function(load_program(request.model, context())), request.bits)
    if not graph.nodes:
        raise InputError("the program has no operations")
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
    table = Table()
    table.add_column("mode", no_wrap=True)
    for heading in ("bytes", "of ordinary", "segments", "more MACs"):
        table.add_column(heading, justify="right", no_wrap=True)
    for mode, chosen in plans.items():
        share = chosen.bits / plans["ordinary"].bits
        work = chosen.extra / graph.macs if graph.macs else 0
        table.add_row(mode, spell_bytes(chosen.bits / 8), f"{share:.1%}", str(len(chosen.segments)), f"{work:.1%}")
    print_table(table)
    print(f"No exact plan that computes every value once takes less than {spell_bytes(lower_bound(graph) / 8)} bytes.")


def _print_segments(graph: Graph, chosen: Plan) -> None:
    graph = graph.in_order(chosen.order)
    table = Table()
    for heading in ("from", "to", "schedule"):
        table.add_column(heading, no_wrap=True)
    table.add_column("bytes", justify="right", no_wrap=True)
    for segment in chosen.segments:
        first, last = (graph.nodes[i].result for i in (segment.first, segment.last))
        table.add_row(first, last, segment.schedule, spell_bytes(segment.bits / 8))
    print_table(table)


def _print_widths(widths: Sequence[Width]) -> None:
    if not widths:
        return
    table = Table()
    for heading in ("channels at once", "bytes", "ops run", "sums read and written"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in widths:
        table.add_row(str(one.channels), spell_bytes(one.bits / 8), f"{one.turns:,}", f"{one.sums:,}")
    print_table(table)


@dataclass(frozen=True)
class PlannedProgram:
    """A program in some order of execution.

    options: the options of `tinyml compile` that produce it.
    segments: the number of segments that are not executed in ordinary order.
    arena: bytes of arena and input.
    ram: the arena, the input and the stack, in bytes.
    time: the time of a call with floats, in the unit of the board. Time and stack are estimates.
    best: true if every other program that is at least as fast needs more RAM.
    """

    options: str
    segments: int
    arena: int
    ram: int
    time: float
    best: bool = False


def _planned_programs(
    model: Path, val: Path | None, width: int | None, board: Board, step: Callable[[str], None]
) -> list[PlannedProgram]:
    """The planned programs of a model that run with the input in the arena, sorted by RAM.

    The programs use the modes without rounded partial sums, and the plans that mode `auto` selects for decreasing
    memory limits.

    val, width: data and bits for the number formats of a model on reals.
    step: called with the name of each step at its start.

    Raises `InputError` for a board without a cost table, and for a model that has no plan or requires data.
    """
    if cost_table(board.name) is None:
        raise InputError(f"the target '{board.name}' has no cost table: choose another --target")
    ctx = context()
    options = PipelineOptions(data=str(val or ""), target=board.name, width=width, reuse_input=True)
    formats = _formats(model, ctx, options, step)
    modes = [replace(options, plan=one.name) for one in schedules() if not one.rounds and one.name != AUTO]
    limits = _limits(network_of(predict_function(formats)))
    programs: dict[str, PlannedProgram] = {}
    for asked in (*modes, *(replace(options, plan=AUTO, ram=limit) for limit in limits)):
        step(_spell(asked))
        segments, program = _lowered(formats, ctx, asked, OPTIMIZE)
        # Plans that differ only in name are listed once.
        programs.setdefault(segments, program)
    return _with_front(list(programs.values()))


def _formats(model: Path, ctx: Context, options: PipelineOptions, step: Callable[[str], None]) -> ModuleOp:
    module = load_program(model, ctx)
    kept = tdsl.has_formats(module)
    if not kept and not options.data:
        raise InputError("choosing number formats needs data: add --val", file=str(model))
    step("choosing formats")
    if kept:
        refine_kept(module, ctx, options)
    else:
        pipelines.run(module, ctx, pipelines.flatten("reals-to-formats", vars(options)))
    return module


def _limits(network: Network) -> Iterator[int]:
    """Yield the limits in bytes for which mode `auto` selects each of its plans, from the fastest to the one with the
    lowest peak. The limits decrease to this peak.
    """
    limit, least = -(-schedule_named(ORDINARY).program_plan(network).bits // 8) - 1, None
    while True:
        peak = -(-schedule_named(AUTO).program_plan(network, limit).bits // 8)
        if peak != least:
            yield peak
        if peak > limit:
            return
        limit, least = peak - 1, peak


def _lowered(formats: ModuleOp, ctx: Context, options: PipelineOptions, optimize: str) -> tuple[str, PlannedProgram]:
    """Lower a program to L3; return the segments of its plan as text, and its costs."""
    module = formats.clone()
    pipelines.run(module, ctx, pipelines.flatten(FORMATS_TO_BUFFERS, vars(options)))
    segments, arena = streamed_segments(module), arena_and_input(module)
    pipelines.run(module, ctx, pipelines.flatten(BUFFERS_TO_LOOPS, vars(options)))
    cost = estimate_on(module, options.target, optimize)
    assert cost is not None
    return str(segments), PlannedProgram(_spell(options, arena), len(segments), arena, round(cost.ram), cost.call)


def _spell(options: PipelineOptions, arena: int = 0) -> str:
    # Packed buffers may need more than the peak of live bytes.
    return f"--plan {options.plan}" + ("" if options.ram is None else f" --ram {max(options.ram, arena)}")


def _with_front(programs: list[PlannedProgram]) -> list[PlannedProgram]:
    ordered = sorted(programs, key=lambda program: (program.ram, program.time))
    fastest, marked = float("inf"), list[PlannedProgram]()
    for program in ordered:
        marked.append(replace(program, best=program.time < fastest))
        fastest = min(fastest, program.time)
    return marked


def print_front(programs: Sequence[PlannedProgram], unit: str) -> None:
    """Print a row for each program and mark the best programs.

    unit: cycles or instructions.
    """
    table = Table()
    table.add_column("options", no_wrap=True)
    for heading in ("not ordinary", "arena and input", "RAM", unit, "front"):
        table.add_column(heading, justify="right", no_wrap=True)
    for program in programs:
        figures = (program.segments, program.arena, program.ram, round(program.time))
        table.add_row(program.options, *(f"{figure:,}" for figure in figures), "yes" if program.best else "")
    print_table(table)


def _draw_front(programs: Sequence[PlannedProgram], title: str, unit: str, file: Path) -> None:
    figure = new_figure(7, 4.5)
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


def _bytes_of_layers(plan: Plan) -> list[float]:
    """The peak bytes of the segment that contains each layer, in the order of the program."""
    bits = dict[int, int]()
    for segment in plan.segments:
        bits |= {plan.order[i]: segment.bits for i in range(segment.first, segment.last + 1)}
    return [bits[i] / 8 for i in range(len(bits))]


def _draw_plans(graph: Graph, plans: dict[str, Plan], title: str, file: Path) -> None:
    """Draw a panel for each of at most two plans, with a bar for each layer and a line at the peak (PEX, figure 2)."""
    figure = new_figure(9, 3.5)
    panels = figure.subplots(1, len(plans), sharey=True, squeeze=False)[0]
    figure.suptitle(title)
    layers = range(len(graph.nodes))
    for axes, (mode, plan), kind in zip(panels, plans.items(), ("others", "front"), strict=False):
        axes.bar(layers, [size / 1000 for size in _bytes_of_layers(plan)], width=1.0, color=KINDS[kind])
        axes.axhline(peak := plan.bits / 8000, color="black", linewidth=0.8, linestyle="--")
        axes.annotate(f"{peak:,.1f} KB", (layers[-1], peak), ha="right", va="bottom", fontsize=8)
        axes.set(xlabel="layer", title=mode)
    panels[0].set_ylabel("memory, KB")
    save_picture(figure, file)

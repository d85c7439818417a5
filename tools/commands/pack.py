"""The command `tinyml pack`, which packs the buffers of a CSV file, checks the result and reports the effort."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from tinyml.dialects.errors import InputError
from tinyml.dialects.options import Seconds, option, options_of
from tinyml.tools.cli.arguments import add_options, parsed
from tinyml.tools.driver.packing_problem import read_problem, spell_solution
from tinyml.transforms.buffers.packing import Effort, Placement, Rectangle, lower_bound, pack, stays
from tinyml.transforms.buffers.packing.packing_options import PackingOptions
from tinyml.transforms.buffers.packing.validator import complaints

STEPS, SECONDS = 30_000_000_000, 120
"""Default limits, more generous than in a compilation because the user asked for this packing alone."""

REST = 2e-5
"""Seconds per buffer that are reserved for checking and writing."""


@dataclass(frozen=True, kw_only=True)
class PackRequest(PackingOptions):
    """A packing problem and its options; the fields are the options of `tinyml pack`.

    Without `nodes` and `seconds` the limits are enough nodes for about half a minute in C, and two minutes.
    """

    problem: Path = option("CSV file with the columns id, lower, upper, size and, optionally, alignment", flags=())
    seconds: Seconds | None = option("longest duration of the search", default=None, metavar="S")
    capacity: int | None = option("stop at a packing of at most N bytes", default=None, metavar="N", exclusive="goal")
    minimize: bool = option("look for the lowest packing (the default)", default=False, exclusive="goal")
    python: bool = option("search in Python even if there is a C compiler", default=False)
    out: Path | None = option(
        "CSV file to write (default: standard output)",
        default=None,
        flags=("-o", "--out"),
        metavar="FILE",
        writes=(".csv",),
    )
    picture: Path | None = option(
        "draw the arena over time to an .svg file", default=None, metavar="FILE", writes=(".svg",)
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(PackRequest))


def run(arguments: argparse.Namespace) -> int:
    """Pack a file and return the exit code, which is 1 after Ctrl-C."""
    return _pack_file(parsed(arguments, PackRequest))


def _pack_file(request: PackRequest) -> int:
    """Pack and write the result; returns 1 after Ctrl-C, which yields the best packing so far, else 0.

    Raises `InputError` for a bad request, and if no packing within the capacity was found.
    """
    from tinyml.tools.reports.memory_picture import check_svg_path

    request.check()
    if request.picture is not None:
        check_svg_path(request.picture)
    rectangles = read_problem(request.problem)
    effort = _effort(request, len(rectangles))
    before, interrupted = time.monotonic(), False
    try:
        placement = pack(rectangles, request.mode, effort, request.coarsen)
    except KeyboardInterrupt:
        if effort.best is None:
            raise
        placement, interrupted = effort.best, True
    searched = time.monotonic() - before
    for complaint in complaints(rectangles, placement):
        raise AssertionError(f"a defect of mode {request.mode}: {complaint}")
    checked = time.monotonic() - before - searched
    need = effort.need if request.coarsen == 1 and effort.need else lower_bound(rectangles)
    _write(request, rectangles, placement, need)
    for line in _report(effort, searched, checked):
        print(line, file=sys.stderr)
    print(f"{'interrupted; ' if interrupted else ''}{verdict(rectangles, placement, need)}", file=sys.stderr)
    if request.capacity is not None and placement.height > request.capacity:
        proven = placement.lower_bound > request.capacity
        raise InputError(f"{'no' if proven else 'found no'} packing of at most {request.capacity} bytes")
    return 1 if interrupted else 0


def _effort(request: PackRequest, buffers: int) -> Effort:
    nodes, steps, limit = request.nodes, None, math.inf if request.seconds is None else request.seconds
    if request.nodes is None and request.seconds is None:
        steps, limit = STEPS, SECONDS
    return Effort(nodes, steps, max(limit - REST * buffers, 0), request.capacity, not request.python)


def verdict(rectangles: Sequence[Rectangle], placement: Placement, need: int) -> str:
    """A one-line summary: the height of a packing and its quality. need: bytes at the peak."""
    moved = sum(rectangles[move.index].size for move in placement.moves)
    text = f"{len(rectangles)} buffers in {placement.height} bytes"
    if moved:
        text += f", {moved} bytes moved"
    if placement.optimal:
        return f"{text}: optimal" + ("" if need == placement.height else f" ({need} alive at the peak)")
    ratio = f"{placement.height / need:.4f} x the {need} alive at the peak" if need else ""
    return f"{text}: {ratio}; lower bound {placement.lower_bound}, gap {placement.gap}"


def _report(effort: Effort, searched: float, checked: float) -> Iterator[str]:
    """One line per phase, with consecutive phases that ran out of nodes combined, and one for the total."""
    for barren, phases in groupby(effort.phases, key=lambda phase: phase.outcome == "out of nodes"):
        for first, *more in [[*phases]] if barren else [[phase] for phase in phases]:
            name = f"{first.name} (and {len(more)} more)" if more else first.name
            nodes = sum((phase.nodes for phase in more), first.nodes)
            spent = sum((phase.seconds for phase in more), first.seconds)
            yield f"{name}: {first.outcome} ({f'{nodes:,} nodes, ' if nodes else ''}{spent:.3f} s)"
    yield f"{effort.spent:,} nodes in {searched:.2f} s; checked in {checked:.2f} s"


def _write(request: PackRequest, rectangles: Sequence[Rectangle], placement: Placement, need: int) -> None:
    from tinyml.tools.cli.atomic_output import write_file
    from tinyml.tools.reports.memory_picture import draw_memory

    text = spell_solution(rectangles, placement)
    if request.out is None:
        print(text, end="")
    else:
        write_file(request.out, text)
    if request.picture is not None:
        from tinyml.transforms.buffers.liveness.live_ranges import Placed

        boxes = [
            Placed(rectangles[i].name, offset, rectangles[i].size, first, last)
            for i, offset, first, last in stays(rectangles, placement)
        ]
        title = f"{request.problem.stem}: {verdict(rectangles, placement, need)}"
        picture = draw_memory(boxes, placement.height, placement.lower_bound, title)
        write_file(request.picture, picture.finished())

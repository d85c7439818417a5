"""The content of a program's report page, and its figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tinyml.targets.registry import chip_of
from tinyml.tools.reports.facts.answer_pictures import WrongAnswer, draw_confusion, draw_wrong
from tinyml.tools.reports.facts.loop_nests import LoopFacts, draw_loops
from tinyml.tools.reports.facts.memory_picture import draw_report
from tinyml.tools.reports.facts.plain_terms import plain_memory, plain_time
from tinyml.tools.reports.facts.search_picture import draw_search
from tinyml.tools.reports.facts.spent_time import Spent, draw_flame, estimated_time
from tinyml.tools.reports.facts.tensor_facts import TensorFacts, draw_formats
from tinyml.tools.reports.svg import COLOURS, Drawing, shortened

if TYPE_CHECKING:
    from tinyml.targets.board import Board
    from tinyml.tools.reports.report_views import Report

WIDTH, ROW = 960, 22
PANELS = (230, 570), (610, 950)
"""The left and right ends of the bars of flash and of RAM, in pixels."""
TOO_MUCH = "#ee7f80"


@dataclass(frozen=True)
class PageFacts:
    """A compiled program: its report, tensors at L1, loop nests at L3, and misclassified samples.

    features: the names of the elements of the input; None without names.
    measured: the time per line of C; None without a profile. If there is no profile, the estimates by operation replace
        it.
    proofs: the findings of `tinyml prove`; None without findings.
    """

    report: Report
    board: Board
    tensors: Sequence[TensorFacts]
    nests: Sequence[LoopFacts]
    wrong: Sequence[WrongAnswer]
    features: Sequence[str] | None = None
    measured: Spent | None = None
    proofs: Mapping[str, Any] | None = None

    @cached_property
    def time(self) -> Spent | None:
        """The time by operation, measured or else estimated; None on boards without a profiler and without cost
        tables.
        """
        return self.measured or estimated_time(self.report)

    @cached_property
    def kernels(self) -> dict[str, str]:
        """The kernels that each operation calls, as text, by the name of the operation."""
        found: dict[str, dict[str, None]] = {}
        for nest in self.nests:
            for kernel, operation in nest.kernels:
                found.setdefault(operation, {})[kernel] = None
        return {name: ", ".join(kernels) for name, kernels in found.items()}

    @cached_property
    def limits(self) -> Sequence[BoardLimits]:
        """The board of the program, then other boards with the same chip in ascending order of memory, with sizes."""
        return [*_limits(self.report, self.board)]

    @cached_property
    def pictures(self) -> dict[str, Drawing]:
        """The figures by name, in the order of the page."""
        report, drawn = self.report, dict[str, "Drawing"]()
        confusion = report.confusion
        if confusion is not None:
            drawn["confusion"] = draw_confusion(confusion)
        if self.wrong:
            drawn["errors"] = draw_wrong(self.wrong, None if confusion is None else confusion["classes"], self.features)
        drawn["memory"] = draw_report(report.name, plain_memory(report.memory))
        if self.time is not None:
            title = f"{report.name}: {self.time.name} of an inference on {report.target}"
            drawn["time"] = draw_flame(plain_time(self.time), report.unit, title)
        if self.tensors:
            drawn["formats"] = draw_formats(self.tensors)
        if self.nests:
            drawn["loops"] = draw_loops(self.nests)
        if report.search is not None:
            drawn["search"] = draw_search(report.search, report.name, report.unit)
        if self.limits:
            drawn["limits"] = _draw_limits(self.limits, f"{report.name}: flash and RAM compared with those of boards")
        return drawn


def _limits(report: Report, board: Board) -> Iterator[BoardLimits]:
    """Yield the program's board, then the other boards with its chip, in ascending order of RAM. For a board with
    another core than the program's, the sizes are lower bounds.

    Yields nothing if the memories of the program's board are unknown, and skips other boards with unknown memories.
    """
    ram = report.ram_bytes
    if board.flash is None or board.ram is None:
        return
    others = [each for each in chip_of(board.name).boards if each.name != board.name and each.title]
    for each in [board, *sorted(others, key=lambda one: (one.ram or 0, one.flash or 0))]:
        if each.flash is None or each.ram is None:
            continue
        same = each.costs == board.costs and each.features == board.features
        flash, taken = report.flash_bytes, ram.total
        if not same:
            flash, taken = report.constants_bytes or None, ram.arena + ram.input
        yield BoardLimits(each.title or each.name, each.flash, each.ram, flash, taken, not same)


@dataclass(frozen=True)
class BoardLimits:
    """The flash and RAM of a board, and the bytes of both that a program needs on it.

    flash, ram: the bytes that the board has.
    taken_flash, taken_ram: the bytes that the program needs; None if unknown.
    least: true if the program's sizes are lower bounds, because it was not compiled for this core.
    """

    name: str
    flash: int
    ram: int
    taken_flash: int | None
    taken_ram: int | None
    least: bool

    @property
    def fits(self) -> bool | None:
        """Whether the program fits the board. False if a known size, or a lower bound of one, exceeds a memory.
        Otherwise None if a size is unknown or only a lower bound.
        """
        if (self.taken_flash or 0) > self.flash or (self.taken_ram or 0) > self.ram:
            return False
        return None if self.least or self.taken_flash is None or self.taken_ram is None else True


def _draw_limits(boards: Sequence[BoardLimits], title: str) -> Drawing:
    picture = Drawing(WIDTH, ROW * len(boards) + 26, title)
    for (left, _), text in zip(PANELS, ("flash", "RAM"), strict=True):
        picture.text(left, 14, f"{text}, share of the board's", "start")
    for row, board in enumerate(boards):
        y = 22 + row * ROW
        picture.text(4, y + 15, shortened(board.name, 36), "start")
        for (left, right), limit, taken in zip(
            PANELS, (board.flash, board.ram), (board.taken_flash, board.taken_ram), strict=True
        ):
            if taken is not None:
                share = taken / limit
                least = "at least " if board.least else ""
                text = f"{least}{taken:,} of {limit:,}, {100 * share:.0f} %"
                colour = COLOURS[0] if share <= 1 else TOO_MUCH
                picture.rectangle(
                    left, y + 3, (right - left) * min(share, 1), ROW - 6, fill=colour, tip=f"{board.name}: {text}"
                )
                picture.text(right - 6, y + 15, text, "end", kind="small")
            picture.frame(left, y + 3, right - left, ROW - 6)
    return picture

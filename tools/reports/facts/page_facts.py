"""All that the page of a program shows, and its pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tinyml.tools.reports.facts.answers import WrongAnswer
from tinyml.tools.reports.facts.spent_time import Spent, estimated_time
from tinyml.tools.reports.pictures.limits_picture import BoardLimits

if TYPE_CHECKING:
    from tinyml.targets.board import Board
    from tinyml.tools.reports.facts.loop_nests import NestFacts
    from tinyml.tools.reports.facts.tensor_facts import TensorFacts
    from tinyml.tools.reports.pictures.svg import Drawing


@dataclass(frozen=True)
class PageFacts:
    """A compiled program: its report in JSON, tensors at L1, loop nests at L3, and samples that came out wrong.

    measured: the time down to lines of C; None where it was not profiled, so that the estimates of operations stand in
    its place.
    """

    report: Mapping[str, Any]
    board: Board
    tensors: Sequence[TensorFacts]
    nests: Sequence[NestFacts]
    wrong: Sequence[WrongAnswer]
    measured: Spent | None = None

    @cached_property
    def time(self) -> Spent | None:
        """The time by operation, measured or else estimated; None on boards without either."""
        return self.measured or estimated_time(self.report)

    @cached_property
    def kernels(self) -> dict[str, str]:
        """The kernels of each operation."""
        found: dict[str, dict[str, None]] = {}
        for nest in self.nests:
            for kernel, operation in nest.kernels:
                found.setdefault(operation, {})[kernel] = None
        return {name: ", ".join(kernels) for name, kernels in found.items()}

    @cached_property
    def limits(self) -> Sequence[BoardLimits]:
        """The board of the program, and the others with a chip of its kind, from the smallest on."""
        return [*_limits(self.report, self.board)]

    @cached_property
    def pictures(self) -> dict[str, Drawing]:
        """The pictures by name, in the order of the page."""
        from tinyml.tools.reports.memory_report import draw_report
        from tinyml.tools.reports.pictures.confusion_picture import draw_confusion
        from tinyml.tools.reports.pictures.flame_picture import draw_flame
        from tinyml.tools.reports.pictures.formats_picture import draw_formats
        from tinyml.tools.reports.pictures.inputs_picture import draw_wrong
        from tinyml.tools.reports.pictures.limits_picture import draw_limits
        from tinyml.tools.reports.pictures.loops_picture import draw_loops
        from tinyml.tools.reports.pictures.search_picture import draw_search

        report, drawn = self.report, dict[str, "Drawing"]()
        confusion = report["confusion"]
        if confusion is not None:
            drawn["confusion"] = draw_confusion(confusion)
        if self.wrong:
            drawn["errors"] = draw_wrong(self.wrong, None if confusion is None else confusion["classes"])
        drawn["memory"] = draw_report(report["name"], report["memory"])
        if self.time is not None:
            title = f"{report['name']}: {self.time.name} of an inference on {report['target']}"
            drawn["time"] = draw_flame(self.time, report["unit"], title)
        if self.tensors:
            drawn["formats"] = draw_formats(self.tensors)
        if self.nests:
            drawn["loops"] = draw_loops(self.nests)
        if report["search"] is not None:
            drawn["search"] = draw_search(report["search"], report["name"], report["unit"])
        if self.limits:
            drawn["limits"] = draw_limits(self.limits, f"{report['name']}: flash and RAM beside what boards have")
        return drawn


def _limits(report: Mapping[str, Any], board: Board) -> Iterator[BoardLimits]:
    """Boards with the chip that the program was compiled for, for whose cores its size holds or is the least."""
    from tinyml.targets.registry import chip_of

    ram = report["ram_bytes"]
    if board.flash is None or board.ram is None:
        return
    others = [each for each in chip_of(board.name).boards if each.name != board.name and each.title]
    for each in [board, *sorted(others, key=lambda one: (one.ram or 0, one.flash or 0))]:
        if each.flash is None or each.ram is None:
            continue
        same = each.costs == board.costs and each.features == board.features
        flash, taken = report["flash_bytes"], ram["total"]
        if not same:
            flash, taken = report["constants_bytes"] or None, ram["arena"] + ram["input"]
        yield BoardLimits(each.title or each.name, each.flash, each.ram, flash, taken, not same)

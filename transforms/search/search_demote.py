"""`search-demote`: Shiftry's search for bit widths and scales (section 6.2, algorithms 10 to 14).

All tensors start wide. Each tensor is first narrowed alone, to measure its cost; then tensors are narrowed
cumulatively, the cheapest first, as long as the loss is permitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from tinyml.dialects.errors import InputError
from tinyml.targets.registry import USUAL
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice
from tinyml.transforms.search.engine.feasibility import Feasibility, Limits, limit
from tinyml.transforms.search.engine.result import SearchResult
from tinyml.transforms.search.engine.search import Search
from tinyml.transforms.search.engine.search_pass import SearchPass, loss_option, ram_option, widths_option
from tinyml.transforms.search.moves.demotion import (
    cumulative_demotions,
    demote_each,
    demote_within_loss,
    explore_input_scale,
    first_that_fits,
    narrow_and_wide,
)


@dataclass(frozen=True)
class SearchDemotePass(SearchPass):
    """Search by algorithm 11 of Shiftry.

    ram: bytes that arena, input and stack may take. With this limit the search is the first of Shiftry's two strategies
    (section 3): as few tensors as possible are demoted until the program keeps the limit, and `loss` is ignored.
    target: determines the stack, as for `select-kernels`. widths: of demoted tensors and of others; by default
    half of the format's usual width, or the next that the format offers, and that width. loss: permitted relative to
    the program on reals, in points of accuracy; in the unit of the metric if that is `error`, or if the data have no
    labels.
    """

    name = "search-demote"
    PAPER: ClassVar[str] = "Shiftry"
    ram: int | None = ram_option()
    target: str = USUAL
    widths: tuple[int, ...] = widths_option()
    loss: float | int = loss_option(2.0)

    @property
    def limits(self) -> Limits:
        return Limits(ram=limit(self.ram), loss=self.loss, target=self.target)

    def search(self, search: Search) -> SearchResult:
        narrow, wide = narrow_and_wide(search, self.widths)
        if self.loss < 0:
            raise InputError(f"loss must not be negative, got {self.loss}")
        start = search.uniform(wide)
        search.evaluation.begin("scale of the input")
        start[0] = explore_input_scale(search, start)
        search.evaluation.begin("one by one")
        demotions = demote_each(search, start, narrow)
        search.evaluation.begin("cumulative")

        def result(choices: Sequence[FormatChoice]) -> SearchResult:
            pairs = zip(search.classes, demotions, start, choices, strict=True)
            return SearchResult(
                choices, {tensors.name: demotion.reason(new != old) for tensors, demotion, old, new in pairs}
            )

        limits = self.limits
        if self.ram is None:
            metric = search.evaluation.metric_of_programs
            return result(demote_within_loss(search, start, demotions, limits.loss, metric))
        feasibility = Feasibility(search, limits)
        steps = [start, *cumulative_demotions(start, demotions), search.uniform(narrow)]
        fitting = feasibility.first_feasible(lambda: result(first_that_fits(feasibility, steps)), steps[-1])
        return replace(fitting, loss=search.losses([fitting.choices])[0])

"""`search-uniform`: assigns one format to all tensors, the variant and width with the least loss (MinUn's algorithm 4),
and chooses scales by the loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tinyml.transforms.search.engine.moves import choose_scalings
from tinyml.transforms.search.engine.result import SearchResult
from tinyml.transforms.search.engine.search import Feasibility, Search
from tinyml.transforms.search.engine.search_options import widths_option
from tinyml.transforms.search.engine.search_pass import LimitedPass, at_widths
from tinyml.transforms.search.search_promote import best_variant, uniform_losses


@dataclass(frozen=True)
class SearchUniformPass(LimitedPass):
    """Assign to all tensors the width within the limits that has the least loss. Ties go to the first width.

    If scales follow the errors of the scores, the scales of single tensors, and es of posits, are then changed where
    this lowers the loss of the whole program.

    ram, flash: limits as in `LimitedPass`; none by default.
    target: determines the stack, as for `select-kernels`.
    widths: the candidate widths; by default the format's usual width.

    Raises `InputError` if no width is within the limits.
    """

    name = "search-uniform"
    PAPER: ClassVar[str] = "MinUn"
    widths: tuple[int, ...] = widths_option()

    def search(self, search: Search) -> SearchResult:
        feasibility = Feasibility(search, self.limits)
        search.evaluation.begin("variants")
        offered = search.offered(self.widths)
        narrowest = min(offered, key=lambda format: format.bits)
        reasons = {tensors.name: "all tensors have this format" for tensors in search.classes}

        def best() -> SearchResult:
            variants = [best_variant(search, format, feasibility.fits) for format in offered]
            limited = self.limits.on_cost
            fitting = [format for format in variants if not limited or feasibility.fits(search.uniform(format))]
            if not fitting:
                raise feasibility.refusal(map(search.uniform, [*variants, narrowest]), at_widths(offered))
            losses = uniform_losses(search, fitting)
            return SearchResult(search.uniform(fitting[losses.index(min(losses))]), reasons)

        result = feasibility.first_feasible(best, search.uniform(narrowest))
        return choose_scalings(search, result, feasibility.admits)

"""`search-by-size`: MinUn's size-based baseline (section 7.5), which narrows tensors in the order of their sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from tinyml.transforms.search.engine.result import SearchResult
from tinyml.transforms.search.engine.search import Feasibility, Search
from tinyml.transforms.search.engine.search_pass import BaselinePass
from tinyml.transforms.search.search_demote import better, first_that_fits, narrow_and_wide, one_after_the_other


@dataclass(frozen=True)
class SearchBySizePass(BaselinePass):
    """Demote tensors until the program fits the limits: once starting with the smallest tensors, once with the largest.
    Use the result with less loss.

    ram, flash: limits as in `LimitedPass`; without any limit all tensors stay wide.
    target: determines the stack, as for `select-kernels`.
    widths: the width of demoted tensors and the width of all other tensors, as for `search-demote`.
    """

    name = "search-by-size"

    def search(self, search: Search) -> SearchResult:
        narrow, wide = map(search.uniform, narrow_and_wide(search, self.widths))
        feasibility = Feasibility(search, self.limits)
        search.evaluation.begin("by size")
        growing = sorted(range(len(wide)), key=lambda i: search.classes[i].elements)

        def result(order: Sequence[int]) -> SearchResult:
            choices = first_that_fits(feasibility, [wide, *one_after_the_other(wide, narrow, order)])
            reasons = {
                tensors.name: f"{'kept' if choice == kept else 'demoted'}: size {tensors.elements}"
                for tensors, choice, kept in zip(search.classes, choices, wide, strict=True)
            }
            return SearchResult(choices, reasons)

        orders = growing, growing[::-1]
        return better(search, [feasibility.first_feasible(partial(result, order), narrow) for order in orders])

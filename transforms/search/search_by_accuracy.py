"""`search-by-accuracy`: MinUn's accuracy-based baseline (section 7.5), with demotion and promotion within limits on
memory.

As in Shiftry, each tensor is first demoted alone. Tensors are then demoted and promoted in the order of the losses of
the resulting programs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice
from tinyml.transforms.search.engine.result import SearchResult
from tinyml.transforms.search.engine.search import Feasibility, Search
from tinyml.transforms.search.engine.search_pass import BaselinePass
from tinyml.transforms.search.search_demote import (
    better,
    cumulative_demotions,
    demote_each,
    explore_input_scale,
    first_that_fits,
    narrow_and_wide,
    one_after_the_other,
)


@dataclass(frozen=True)
class SearchByAccuracyPass(BaselinePass):
    """Demote tensors until the program fits the limits, starting with the tensor whose demotion alone causes the least
    loss.

    Separately, demote all tensors, and promote tensors while the program fits, starting with the tensor whose demotion
    alone causes the greatest loss. Use the result with less loss.

    ram, flash: limits as in `LimitedPass`; without any limit all tensors stay wide.
    target: determines the stack, as for `select-kernels`.
    widths: the width of demoted tensors and the width of all other tensors, as for `search-demote`.
    """

    name = "search-by-accuracy"

    def search(self, search: Search) -> SearchResult:
        narrow, wide = narrow_and_wide(search, self.widths)
        start = search.uniform(wide)
        search.evaluation.begin("scale of the input")
        start[0] = explore_input_scale(search, start)
        search.evaluation.begin("one by one")
        demotions = demote_each(search, start, narrow)
        demoted = [demotion.choice for demotion in demotions]
        by_loss = sorted(range(len(demotions)), key=lambda i: -demotions[i].loss)
        feasibility = Feasibility(search, self.limits)

        def demotion() -> SearchResult:
            return result(first_that_fits(feasibility, [start, *cumulative_demotions(start, demotions)]))

        def promotion() -> SearchResult:
            steps = takewhile(feasibility.fits, one_after_the_other(demoted, start, by_loss))
            return result([first_that_fits(feasibility, [demoted]), *steps][-1])

        def result(choices: Sequence[FormatChoice]) -> SearchResult:
            pairs = zip(search.classes, demotions, start, choices, strict=True)
            return SearchResult(choices, {tensors.name: of.reason(new != old) for tensors, of, old, new in pairs})

        search.evaluation.begin("within the limit")
        return better(search, [feasibility.first_feasible(find, demoted) for find in (demotion, promotion)])

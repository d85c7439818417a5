"""What `search-pareto` begins with: uniform widths and what the searches of SeeDot, Shiftry and MinUn find."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tinyml.transforms.candidate_costs import Cost
from tinyml.transforms.search import Search
from tinyml.transforms.search_demote import cumulative, explore_scale_for_x, partial_demote
from tinyml.transforms.search_maxscale import explore_maxscale
from tinyml.transforms.search_promote import choose_pair, heat_map, promote, promote_in_order

if TYPE_CHECKING:
    from tinyml.dialects.number_format import NumberFormat
    from tinyml.transforms.format_assignment import Choice


class LimitedSearch(Search):
    """A search in which a program fits where it is within limits on all that it costs.

    unlimited: the same candidates without limits.
    """

    def __init__(self, search: Search, limits: Cost, target: str, device: str):
        super().__init__(search.evaluation, search.prototype, search.others)
        self.unlimited = search
        self.memory = search.memory
        self.limits = limits
        self.known_costs = search.costs(target, device)

    def fits(self, choices: Sequence[Choice], ram: float = math.inf) -> bool:
        if not super().fits(choices, min(ram, self.limits.ram)):
            return False
        return self.known_costs.of(self.formats(choices)).within(self.limits)


def starts(search: LimitedSearch, offered: Sequence[NumberFormat]) -> Iterator[tuple[str, list[Sequence[Choice]]]]:
    """Candidates and where they come from. offered: formats of the widths that tensors may have."""
    search.evaluation.begin("uniform")
    yield "uniform", [search.uniform(one) for one in offered]
    search.evaluation.begin("maxscale")
    yield "maxscale", [explore_maxscale(search, one)[0] for one in offered]
    wide = search.prototype
    narrow = search.prototype_of(wide.bits // 2)
    search.evaluation.begin("demotion")
    demotions = _demotions(search, narrow, wide)
    yield "demotion", demotions
    search.evaluation.begin("promotion")
    yield "promotion", list(_promotions(search, offered, (narrow, wide), demotions))


def _demotions(search: Search, narrow: NumberFormat, wide: NumberFormat) -> list[Sequence[Choice]]:
    """All programs of Shiftry's algorithm 14, whatever they lose."""
    choices = search.uniform(wide)
    choices[0] = explore_scale_for_x(search, choices)
    return list(cumulative(choices, partial_demote(search, choices, narrow)))


def _promotions(
    search: LimitedSearch,
    offered: Sequence[NumberFormat],
    halves: tuple[NumberFormat, NumberFormat],
    demotions: Sequence[Sequence[Choice]],
) -> Iterator[Sequence[Choice]]:
    """What MinUn's algorithm 7 promotes within the limits, and algorithm 8 in the RAM of each demotion (MinUn 7.5)."""
    pairs = [halves]
    if any(search.fits(search.uniform(one)) for one in offered):
        pairs.append(choose_pair(search, offered, math.inf))
    programs = [one for one in demotions if search.unlimited.fits(one, math.inf)]
    memory = {search.memory.of(formats) for formats in map(search.formats, programs)}
    for low, high in dict.fromkeys(pairs):
        heat = heat_map(search, low, high)
        if search.fits(search.uniform(low)):
            yield promote_in_order(search, low, high, heat, math.inf)
        for ram in sorted(memory):
            if ram <= search.limits.ram and search.unlimited.fits(search.uniform(low), ram):
                yield promote(search.unlimited, low, high, heat, ram, 1.0).choices

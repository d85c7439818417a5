"""Searches in so much RAM that the stack is part of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.targets.costs import cost_table
from tinyml.transforms.search import Found, Search

if TYPE_CHECKING:
    from tinyml.transforms.candidate_costs import Costs
    from tinyml.transforms.candidates import Formats
    from tinyml.transforms.format_assignment import Choice


SPREAD = 4
"""Bytes by which what a device needs and what is estimated differ more for one program than for another."""


def find_with_stack(
    search: Search, ram: float, target: str, device: str, find: Callable[[Search, float], Found]
) -> Found:
    """What `find` finds in so many bytes, in which the stack has its place, too.

    find: takes a search and the bytes for arena and input. target, device: as `search-pareto` takes them; on a device
    of unknown costs the stack counts for nothing. The stack is known of whole programs only, and differs little between
    them: what the one that was found takes too much, built and run, is left for it, and it is looked for again. Only
    where that leaves nothing each candidate is asked for its own by the cost model, as far off as it was for the one
    that was found or a little less, which takes ten times longer. Raises what `find` raises where nothing fits.
    """
    if math.isinf(ram) or cost_table(device) is None:
        return find(search, ram)
    costs, left, error = search.costs(target, device), ram, 0.0
    while True:
        try:
            found = find(search, left)
        except InputError:
            if left == ram:
                raise
            return _find_asking_each(_WithStack(search, costs, error - SPREAD), ram, find)
        formats = search.formats(found.choices)
        needed = _ram(costs, formats)
        if needed <= ram:
            return found
        left -= math.ceil(needed - ram)
        error = needed - costs.of(formats).ram


def _find_asking_each(search: _WithStack, ram: float, find: Callable[[Search, float], Found]) -> Found:
    """What `find` finds as soon as estimates are high enough for it to take no more than so many bytes."""
    while True:
        found = find(search, ram)
        excess = math.ceil(_ram(search.known_costs, search.formats(found.choices)) - ram)
        if excess <= 0:
            return found
        search.error += max(1, excess // 2)


def keeps_ram(search: Search, choices: Sequence[Choice], ram: float, target: str, device: str) -> bool:
    """Does a candidate take at most so many bytes, its stack among them as in `find_with_stack`?"""
    if math.isinf(ram) or cost_table(device) is None:
        return search.fits(choices, ram)
    return _ram(search.costs(target, device), search.formats(choices)) <= ram


def _ram(costs: Costs, formats: Formats) -> float:
    """As measured; estimated where the tools of the device are not installed, or what it has is not enough."""
    try:
        cost = costs.measured(formats)
    except InputError:
        cost = None
    return (cost or costs.of(formats)).ram


class _WithStack(Search):
    """A search in which a program fits with its stack. error: what estimates of its RAM are too small by."""

    def __init__(self, search: Search, costs: Costs, error: float):
        super().__init__(search.evaluation, search.prototype, search.others, search.pack_buffers)
        self.memory = search.memory
        self.known_costs = costs
        self.error = error

    def fits(self, choices: Sequence[Choice], ram: float) -> bool:
        return super().fits(choices, ram) and self.known_costs.of(self.formats(choices)).ram + self.error <= ram

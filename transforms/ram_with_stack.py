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


def find_with_stack(
    search: Search, ram: float, target: str, device: str, find: Callable[[Search, float], Found]
) -> Found:
    """What `find` finds in so many bytes, in which the stack has its place, too.

    find: takes a search and the bytes for arena and input. target, device: as `search-pareto` takes them; on a device
    of unknown costs the stack counts for nothing. The stack is known of whole programs only, and differs little between
    them: what the one that was found takes too much, built and run, is left for it, and it is looked for again. Only
    where that leaves nothing each candidate is asked for its own by the cost model, which takes ten times longer.
    Raises what `find` raises where nothing fits.
    """
    if math.isinf(ram) or cost_table(device) is None:
        return find(search, ram)
    stack = 0
    while True:
        try:
            found = find(search, ram - stack)
        except InputError:
            if stack == 0:
                raise
            return find(_WithStack(search, target, device), ram)
        excess = _ram(search.costs(target, device), search.formats(found.choices)) - ram
        if excess <= 0:
            return found
        stack += math.ceil(excess)


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
    """A search in which a program fits with its stack."""

    def __init__(self, search: Search, target: str, device: str):
        super().__init__(search.evaluation, search.prototype, search.others, search.pack_buffers)
        self.memory = search.memory
        self.known_costs = search.costs(target, device)

    def fits(self, choices: Sequence[Choice], ram: float) -> bool:
        return super().fits(choices, ram) and self.known_costs.of(self.formats(choices)).ram <= ram

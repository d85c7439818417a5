"""The lowest height, by branch and bound searches with decreasing capacities."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, count, islice
from typing import NamedTuple

from tinyml.transforms.buffers.packing import branch_and_bound, native
from tinyml.transforms.buffers.packing.branch_and_bound import Outcome, SearchOutcome
from tinyml.transforms.buffers.packing.effort import Effort
from tinyml.transforms.buffers.packing.grid import to_grid
from tinyml.transforms.buffers.packing.orders import ORDERS, Order, arranged, drawn, features, shaken
from tinyml.transforms.buffers.packing.rectangles import Placement, Rectangle, placement_at

PATIENCE = 4_000
"""Nodes of a trial in the first round; each further round doubles them."""

SHAKEN = 150
"""Trials per round with random orders, some of which succeed quickly."""

SHARE = 0.2
"""Share of the gap to the lower bound that a trial tries to close: much lower packings are often found as soon."""


class Trial(NamedTuple):
    """A search for a packing of a height, in a tree of at most `nodes` nodes.

    base: the name and the order by which the buffers are sorted, before any shaking. order: the numbers of the buffers.
    share: the share of the gap to the lower bound that a packing is to close.
    """

    name: str
    base: tuple[str, Order]
    order: Sequence[int]
    nodes: int
    share: float = SHARE


class Minimiser:
    """Lowers a placement as far as the effort allows. Heights are in units of the grid."""

    def __init__(self, rectangles: Sequence[Rectangle], start: Placement, effort: Effort) -> None:
        self.rectangles = rectangles
        self.grid = to_grid(rectangles)
        self.features = features(rectangles, self.grid)
        self.core = native.library() if effort.core else None
        self.effort = effort
        self.best = start
        self.least = -(-start.lower_bound // self.grid.unit)
        """No packing is lower."""
        self.lucky = next(self._named(PATIENCE))
        """The trial that found the best placement."""

    def minimise(self) -> Placement:
        """The lowest placement, or one within the effort's capacity."""
        if self.effort.capacity is None:
            self._lower()
        else:
            self._fit(self.effort.capacity)
        return self.best

    def _lower(self) -> None:
        """Tries the lower bound first, then closes the gap step by step: from above by packings, from below by
        proofs."""
        at_the_bound = (trial._replace(share=1) for trial in self._named(PATIENCE))
        for trial in chain(at_the_bound, self._trials()):
            if self.best.optimal or self.effort.is_over():
                return
            height = -(-self.best.height // self.grid.unit)
            self._try(height - max(int((height - self.least) * trial.share), 1), trial)

    def _fit(self, capacity: int) -> None:
        """Tries a height until a packing is found or proven impossible.

        The lower bound is tried as well: less room leaves fewer wrong turns.
        """
        enough = capacity // self.grid.unit
        for trial in self._trials():
            for height in dict.fromkeys((enough, self.least)):
                if self.effort.is_enough(self.best) or self.effort.is_over() or enough < self.least:
                    return
                self._try(height, trial)

    def _named(self, nodes: int) -> Iterator[Trial]:
        for base in ORDERS.items():
            yield Trial(base[0], base, arranged(base[1], self.features), nodes)

    def _trials(self) -> Iterator[Trial]:
        """Endless rounds: named orders, one long search that may prove something, shaken orders."""
        seeds = count()
        for round in count():
            nodes = PATIENCE << round
            yield from self._named(nodes)
            yield self.lucky._replace(nodes=10 * nodes, share=0)
            for seed in islice(seeds, SHAKEN):
                bases = [*ORDERS.items(), (f"drawn {seed}", drawn(seed)), self.lucky.base]
                base = bases[seed % len(bases)]
                order = arranged(shaken(base[1], seed), self.features)
                yield Trial(f"{base[0]}, shaken {seed}", base, order, nodes)

    def _try(self, height: int, trial: Trial) -> None:
        """Searches a height with an order, and keeps what it finds or proves."""
        before = time.monotonic()
        result = self._search(trial.order, height, self.effort.ration(trial.nodes))
        outcome = result.outcome.name.lower().replace("_", " ")
        self.effort.note(f"{height * self.grid.unit} bytes, {trial.name}", result.nodes, before, outcome)
        if result.outcome is Outcome.FOUND:
            self.lucky = trial
            offsets = dict(zip(trial.order, result.offsets, strict=True))
            in_bytes = [offsets[b] * self.grid.unit for b in range(len(offsets))]
            self._keep(placement_at(self.rectangles, in_bytes, self.best.lower_bound))
        elif result.outcome is Outcome.FAILED:
            self.least = max(self.least, height + 1)
            bound = min(self.least * self.grid.unit, self.best.height)
            self._keep(replace(self.best, lower_bound=max(bound, self.best.lower_bound)))

    def _keep(self, placement: Placement) -> None:
        self.best = self.effort.best = placement

    def _search(self, order: Sequence[int], height: int, nodes: int) -> SearchOutcome:
        grid = self.grid.in_order(order)
        if self.core is not None:
            return native.search(self.core, grid, height, nodes, self.effort.seconds_left())
        return branch_and_bound.search(grid, height, nodes, self.effort.is_late)

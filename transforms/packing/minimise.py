"""From the question whether a capacity is enough to the lowest height, by branch and bound."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tinyml.transforms.packing import branch_and_bound, native
from tinyml.transforms.packing.branch_and_bound import Outcome, Result
from tinyml.transforms.packing.effort import Effort
from tinyml.transforms.packing.grid import to_grid
from tinyml.transforms.packing.orders import features, orders, patience, ranks
from tinyml.transforms.packing.rectangles import Placement, Rectangle, placement_at


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
        """Nothing is lower."""
        self.lucky: tuple[str, Sequence[int]] | None = None
        """The order that found the best placement: its name and the ranks."""

    def minimise(self) -> Placement:
        """As low as possible, or as the effort's capacity asks."""
        if self.effort.capacity is None:
            self._lower()
        else:
            self._fit(self.effort.capacity)
        return self.best

    def _lower(self) -> None:
        """Try the lower bound, then go down from the best height by steps, smaller ones where they fail.

        Then the same again with more patience, the lower bound last.
        """
        self._try(self.least, 0)
        round = 0
        while not self._done():
            step = max((self._height() - self.least) // (8 if round else 2), 1)
            while step and not self._done():
                height = self._height() - step
                if height <= self.least or self._try(height, round) is not Outcome.FOUND:
                    step //= 2
            round += 1
            self._try(self.least, round)

    def _fit(self, capacity: int) -> None:
        """Try one height, with growing patience, until it is found or proven to be too low.

        The lower bound is tried as well: less room leaves fewer ways to go wrong.
        """
        round = 0
        while not self.effort.is_enough(self.best) and not self.effort.is_over():
            for height in (capacity // self.grid.unit, self.least):
                if self.best.height > capacity >= self.least * self.grid.unit:
                    self._try(height, round)
            if capacity < self.least * self.grid.unit:
                break
            round += 1

    def _height(self) -> int:
        return -(-self.best.height // self.grid.unit)

    def _done(self) -> bool:
        return self.best.optimal or self.effort.is_over()

    def _try(self, height: int, round: int) -> Outcome:
        """One height with the orders of a round, first the one that was lucky last; keeps what it finds or proves."""
        for name, ranked, nodes in self._attempts(round):
            if self.effort.is_over():
                return Outcome.STOPPED
            before = time.monotonic()
            result = self._search(ranked, height, self.effort.ration(nodes))
            outcome = result.outcome.name.lower().replace("_", " ")
            self.effort.note(f"{height * self.grid.unit} bytes, {name}", result.nodes, before, outcome)
            if result.outcome is Outcome.FOUND:
                self.lucky = name, ranked
                offsets = [offset * self.grid.unit for offset in result.offsets]
                self._keep(placement_at(self.rectangles, offsets, self.best.lower_bound))
                return Outcome.FOUND
            if result.outcome is Outcome.FAILED:
                self.least = max(self.least, height + 1)
                bound = min(self.least * self.grid.unit, self.best.height)
                self._keep(replace(self.best, lower_bound=max(bound, self.best.lower_bound)))
                return Outcome.FAILED
        return Outcome.OUT_OF_NODES

    def _attempts(self, round: int) -> Iterator[tuple[str, Sequence[int], int]]:
        nodes = patience(round)
        if self.lucky is not None:
            yield *self.lucky, nodes
        for name, order in orders(round):
            if self.lucky is None or name != self.lucky[0]:
                yield name, ranks(order, self.features), nodes

    def _keep(self, placement: Placement) -> None:
        self.best = self.effort.best = placement

    def _search(self, ranks: Sequence[int], height: int, nodes: int) -> Result:
        if self.core is not None:
            return native.search(self.core, self.grid, ranks, height, nodes, self.effort.seconds_left())
        return branch_and_bound.search(self.grid, ranks, height, nodes, self.effort.is_late)

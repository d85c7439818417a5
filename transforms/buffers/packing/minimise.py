"""The lowest height, by branch and bound searches with decreasing capacities."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count, cycle, islice
from typing import NamedTuple

from tinyml.transforms.buffers.packing import branch_and_bound, native
from tinyml.transforms.buffers.packing.branch_and_bound import Outcome, SearchOutcome
from tinyml.transforms.buffers.packing.effort import Effort
from tinyml.transforms.buffers.packing.grid import to_grid
from tinyml.transforms.buffers.packing.merged_buffers import DOUBTS, MergedBlock, merge_buffers
from tinyml.transforms.buffers.packing.orders import ORDERS, Order, arranged, drawn, features, shaken
from tinyml.transforms.buffers.packing.rectangles import Overlap, Placement, Rectangle, placement_at

PATIENCE = 4_000
"""The nodes of a trial in the first round, doubled in each further round."""

SHAKEN = 150
"""The number of random orders tried in a round; a few of them succeed quickly."""

MERGED = 10
"""The trials with merged buffers for each random order; they get a quarter of the nodes, as they are smaller."""

MOST_BUFFERS = 3_000
"""Limit on the buffers of a search, which keeps lists of them for each buffer placed."""

SHARE = 0.2
"""The share of the gap to the lower bound that a trial tries to close; low packings are often found as fast."""


class PackingProblem:
    """Rectangles to pack, with their grid. Heights are in units of the grid."""

    def __init__(self, rectangles: Sequence[Rectangle]) -> None:
        self.rectangles = rectangles
        self.grid = to_grid(rectangles)
        self.features = features(rectangles, self.grid)

    def search(self, order: Sequence[int], height: int, nodes: int, effort: Effort) -> SearchOutcome:
        """Search for offsets, in the order of the rectangles, in a tree of at most `nodes` nodes."""
        order = self.grid.results_first(order)
        grid = self.grid.in_order(order)
        core = native.library() if effort.core and grid.fits_the_core else None
        if core is not None:
            result = native.search(core, grid, height, nodes, effort.seconds_left())
        else:
            result = branch_and_bound.search(grid, height, nodes, effort.is_late)
        offsets = dict(zip(order, result.offsets, strict=False))
        return replace(result, offsets=tuple(offsets[b] for b in sorted(offsets)))


class Trial(NamedTuple):
    """A search for a packing of a given height, in a tree of at most `nodes` nodes.

    base: the name and the function of the sort order, before any random changes. order: the indices of the buffers.
    share: the share of the gap to the lower bound that a packing is to close. merged: the blocks that replace the
    buffers, and their problem.
    """

    name: str
    base: tuple[str, Order]
    order: Sequence[int]
    nodes: int
    share: float = SHARE
    merged: tuple[list[MergedBlock], PackingProblem] | None = None


class Minimiser:
    """Search that lowers a placement as far as the effort allows. Heights are in units of the grid."""

    def __init__(self, rectangles: Sequence[Rectangle], start: Placement, effort: Effort) -> None:
        self.problem = PackingProblem(rectangles)
        self.unit = self.problem.grid.unit
        self.effort = effort
        self.best = start
        self.least = -(-start.lower_bound // self.unit)
        """A lower bound on the height of all packings."""
        self.lucky = next(self._named(PATIENCE))
        """The trial that found the best placement."""
        self.mergeable = len(merge_buffers(self.problem.grid, 0)) < len(rectangles)

    def bisect(self) -> Placement:
        """The lowest placement after short trials in the named orders, which suffice for most small problems.

        The lower bound is tried first. Then the gap is halved for as long as an order leads to a packing or to a proof
        that there is none. With a capacity there is no gap to close.
        """
        for share in (1.0, 0.5) if self.effort.capacity is None else ():
            in_vain = 0
            for trial in cycle(self._named(PATIENCE)):
                if self.effort.is_enough(self.best) or self.effort.is_over():
                    return self.best
                if in_vain == len(ORDERS):
                    break
                outcome = self._try(self._within_gap(share), trial)
                in_vain = in_vain + 1 if outcome is Outcome.OUT_OF_NODES else 0
                if not in_vain and share == 1:
                    break
        return self.best

    def minimise(self, start: Placement) -> Placement:
        """The lowest placement, or one within the effort's capacity. start: the best placement so far."""
        self.best = start
        self.least = max(self.least, -(-start.lower_bound // self.unit))
        if self.effort.capacity is None:
            self._lower()
        else:
            self._fit(self.effort.capacity)
        return self.best

    def _lower(self) -> None:
        """Close the gap step by step: from above by packings, from below by proofs."""
        for trial in self._trials():
            if self.best.optimal or self.effort.is_over():
                return
            self._try(self._within_gap(trial.share), trial)

    def _within_gap(self, share: float) -> int:
        """The height that closes a share of the gap to the lower bound."""
        height = -(-self.best.height // self.unit)
        return height - max(int((height - self.least) * share), 1)

    def _fit(self, capacity: int) -> None:
        """Try a height until a packing is found or proven impossible.

        The lower bound is tried as well: with less space a search has fewer dead ends.
        """
        enough = capacity // self.unit
        for trial in self._trials():
            for height in dict.fromkeys((enough, self.least)):
                if self.effort.is_enough(self.best) or self.effort.is_over() or enough < self.least:
                    return
                self._try(height, trial)

    def _named(self, nodes: int) -> Iterator[Trial]:
        for base in ORDERS.items():
            yield Trial(base[0], base, arranged(base[1], self.problem.features), nodes)

    def _trials(self) -> Iterator[Trial]:
        """Yield endless rounds of trials: named orders, a long search for a proof, random orders, merged buffers."""
        seeds, merge_seeds = count(), count()
        for round in count():
            nodes = PATIENCE << round
            yield from self._named(nodes)
            yield self.lucky._replace(nodes=10 * nodes, share=0)
            for seed in islice(seeds, SHAKEN):
                if self.mergeable:
                    yield from (self._merged(merge_seed, nodes // 4) for merge_seed in islice(merge_seeds, MERGED))
                bases = [*ORDERS.items(), (f"drawn {seed}", drawn(seed)), self.lucky.base]
                base = bases[seed % len(bases)]
                order = arranged(shaken(base[1], seed), self.problem.features)
                yield Trial(f"{base[0]}, shaken {seed}", base, order, nodes)

    def _merged(self, seed: int, nodes: int) -> Trial:
        """Merged buffers in a named order. Four of five trials aim at the lower bound, the fifth closes a share."""
        rectangles = self.problem.rectangles
        blocks = merge_buffers(self.problem.grid, seed)
        parts = [[rectangles[b] for b, _ in block.parts] for block in blocks]
        block_of = {b: i for i, block in enumerate(blocks) for b, _ in block.parts}
        smaller = PackingProblem(
            [
                Rectangle(
                    shapes[0].name,
                    block.size * self.unit,
                    block.alignment * self.unit if block.alignment > 1 else 1,
                    min(shape.first for shape in shapes),
                    max(shape.last for shape in shapes),
                    tuple(
                        Overlap(block_of[operand], distance) for shape in shapes for operand, distance in shape.overlaps
                    ),
                )
                for block, shapes in zip(blocks, parts, strict=True)
            ]
        )
        base = list(ORDERS.items())[seed // len(DOUBTS) % len(ORDERS)]
        order = arranged(base[1], smaller.features)
        return Trial(f"{base[0]}, merged {seed}", base, order, nodes, SHARE if seed % 5 == 4 else 1, (blocks, smaller))

    def _try(self, height: int, trial: Trial) -> Outcome:
        """Search for a packing of the given height, and keep its placement or its proof."""
        before = time.monotonic()
        problem = self.problem if trial.merged is None else trial.merged[1]
        bytes_ = height * self.unit
        result = problem.search(trial.order, bytes_ // problem.grid.unit, self.effort.ration(trial.nodes), self.effort)
        self.effort.note(
            f"{bytes_} bytes, {trial.name}", result.nodes, before, result.outcome.name.lower().replace("_", " ")
        )
        if result.outcome is Outcome.FOUND:
            in_bytes = [offset * problem.grid.unit for offset in result.offsets]
            if trial.merged is None:
                self.lucky = trial
            else:
                in_bytes = self._taken_apart(trial.merged[0], in_bytes)
            self._keep(placement_at(self.problem.rectangles, in_bytes, self.best.lower_bound))
        elif result.outcome is Outcome.FAILED and trial.merged is None:
            self.least = max(self.least, height + 1)
            bound = min(self.least * self.unit, self.best.height)
            self._keep(replace(self.best, lower_bound=max(bound, self.best.lower_bound)))
        return result.outcome

    def _taken_apart(self, blocks: Sequence[MergedBlock], offsets: Sequence[int]) -> list[int]:
        """The offsets of the buffers in bytes, given those of the blocks that contain them."""
        apart = [0] * len(self.problem.rectangles)
        for block, start in zip(blocks, offsets, strict=True):
            for b, offset in block.parts:
                apart[b] = start + offset * self.unit
        return apart

    def _keep(self, placement: Placement) -> None:
        self.best = self.effort.best = placement

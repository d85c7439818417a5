"""The choice with the least wait cycles, by branch and bound.

Items are assigned in descending order of the difference between their greatest and least cost. Each item is first
assigned to its cheapest memory. A partial choice is discarded if the relaxation proves that no choice containing it is
cheaper than the best, or if its buffers in some memory need more bytes at some point than the memory has. A complete
choice is valid if the packers place the buffers of each memory within its capacity. If a packer fails without a proof
that no packing exists, the final bound is at most the cost of this choice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tinyml.transforms.buffers.memories.choice import Choice, Problem
from tinyml.transforms.buffers.memories.relaxation import Relaxation, rounded_up
from tinyml.transforms.buffers.packing import Placement, Rectangle, lower_bound
from tinyml.transforms.buffers.packing.effort import OutOfTime
from tinyml.transforms.buffers.packing.rectangles import keep_numbers

NODES = 200_000
"""The default limit on the nodes of the search."""

RELAXATION, SEARCH = "relaxation", "search"

Packer = Callable[[Sequence[Rectangle], int], Placement]
"""Places rectangles; the second argument is a height in bytes that suffices."""


def choose(problem: Problem, packer: Packer, nodes: int = NODES) -> Choice | None:
    """The cheapest choice found within `nodes` nodes. None if no choice exists.

    Until a first choice is found, the limit is ten times as high. Raises `OutOfTime` if no choice is found within this
    limit, or if none is found and a packer failed without a proof that no packing exists.
    """
    return _Search(problem, packer, nodes).run()


class _Search:
    def __init__(self, problem: Problem, packer: Packer, nodes: int) -> None:
        items = problem.items
        self.order = sorted(range(len(items)), key=lambda i: (-_stake(problem, i), -items[i].size, i))
        self.problem = replace(problem, items=[items[i] for i in self.order])
        self.packer, self.left, self.nodes = packer, nodes, nodes
        self.best: Choice | None = None
        self.open: int | None = None
        """The least cost of a choice that was neither packed nor excluded."""
        self.packed: dict[tuple[tuple[int, ...], int], Placement] = {}

    def run(self) -> Choice | None:
        items = self.problem.items
        worst = sum(max((cost for cost in item.costs if cost is not None), default=0) for item in items)
        if any(not item.allowed for item in items):
            return None
        relaxed = Relaxation(self.problem, worst)
        rest = [0.0] * (len(items) + 1)
        for i in range(len(items) - 1, -1, -1):
            rest[i] = rest[i + 1] + float(relaxed.priced[i].min())
        self.relaxed, self.rest = relaxed, rest
        self.visit([], 0, -relaxed.constant)
        if self.best is None:
            if self.open is not None:
                raise OutOfTime
            return None
        root = rounded_up(relaxed.bound)
        bound = self.best.cost if self.open is None else min(self.open, self.best.cost)
        bound = max(bound, min(root, self.best.cost))
        proof = "" if bound < self.best.cost else RELAXATION if root >= self.best.cost else SEARCH
        memories = [0] * len(items)
        for i, memory in zip(self.order, self.best.memories, strict=True):
            memories[i] = memory
        return replace(self.best, memories=tuple(memories), bound=bound, proof=proof, nodes=self.nodes - self.left)

    def visit(self, memories: list[int], cost: int, priced: float) -> None:
        i = len(memories)
        bound = rounded_up(priced + self.rest[i])
        if self.best is not None and max(bound, cost) >= self.best.cost:
            return
        if self.left <= 0 and self.best is not None:
            self.leave_open(max(bound, cost))
            return
        if self.left <= -9 * self.nodes:
            raise OutOfTime
        self.left -= 1
        if i == len(self.problem.items):
            self.finish(memories, cost)
            return
        item = self.problem.items[i]
        for memory in item.allowed:
            memories.append(memory)
            if self.may_fit(memory, memories):
                self.visit(memories, cost + item.cost(memory), priced + float(self.relaxed.priced[i][memory]))
            memories.pop()

    def leave_open(self, cost: int) -> None:
        self.open = cost if self.open is None else min(self.open, cost)

    def may_fit(self, memory: int, memories: Sequence[int]) -> bool:
        room = self.problem.room(memory, memories)
        if room is None:
            return True
        held = self.problem.buffers_in(memory, memories)
        return room >= 0 and lower_bound(keep_numbers(self.problem.rectangles, held)) <= room

    def finish(self, memories: Sequence[int], cost: int) -> None:
        placements: list[Placement] = []
        for memory in range(len(self.problem.capacities)):
            held = self.problem.buffers_in(memory, memories)
            room = self.problem.room(memory, memories)
            placement = self.pack(tuple(held), room)
            if room is not None and placement.height > room:
                if placement.lower_bound <= room:
                    self.leave_open(cost)
                return
            placements.append(placement)
        self.best = Choice(tuple(memories), tuple(placements), cost, cost, "")

    def pack(self, held: tuple[int, ...], room: int | None) -> Placement:
        # A packer ends as soon as its placement fits the room, so that less room may need another placement.
        key = held, 0 if room is None else room
        if key not in self.packed:
            self.packed[key] = self.packer(keep_numbers(self.problem.rectangles, held), key[1])
        return self.packed[key]


def _stake(problem: Problem, i: int) -> int:
    costs = [cost for cost in problem.items[i].costs if cost is not None]
    return max(costs, default=0) - min(costs, default=0)

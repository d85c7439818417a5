"""In which order to run tasks so that the memory that they need at once is least. No IR here.

Each task touches buffers. A buffer takes its bytes from the first task that touches it to the last one, both inclusive.
The tasks that have run at some time form a downset of the order in which they must run, and which buffers are alive
depends on that set alone, not on the order within it: so the least peak is a shortest path through the downsets, where
the length of a path is its greatest need (dynamic programming over downsets, best first).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heappop, heappush


@dataclass(frozen=True)
class Task:
    """touches: indices of buffers. after: indices of tasks that must run before. own: bytes that it needs besides while
    it runs. makes, over: a buffer, and those of the same size whose place it may take if this task is the
    first that touches the one and the last that touches the other.
    """

    touches: frozenset[int]
    after: frozenset[int] = frozenset()
    own: int = 0
    makes: int | None = None
    over: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Order:
    """The tasks in order, the bytes that they need at most, and what any order needs; both are equal if `proven`."""

    tasks: tuple[int, ...]
    peak: int
    bound: int

    @property
    def proven(self) -> bool:
        return self.peak == self.bound


@dataclass(frozen=True)
class Problem:
    """sizes: bytes of each buffer. kept: buffers that stay alive when all tasks have run."""

    sizes: Sequence[int]
    tasks: Sequence[Task]
    kept: frozenset[int] = frozenset()

    @cached_property
    def _touching(self) -> list[int]:
        """The tasks that touch each buffer, as a set of bits; one more than all for a buffer that is kept."""
        end = 1 << len(self.tasks)
        masks = [end if buffer in self.kept else 0 for buffer in range(len(self.sizes))]
        for i, task in enumerate(self.tasks):
            for buffer in task.touches:
                masks[buffer] |= 1 << i
        return masks

    @cached_property
    def _before(self) -> list[int]:
        return [sum(1 << other for other in task.after) for task in self.tasks]

    @cached_property
    def _behind(self) -> list[int]:
        return _transposed(self._before)

    def ready(self, done: int) -> list[int]:
        """The tasks that may run first when a set of tasks has run."""
        return [i for i, mask in enumerate(self._before) if not done >> i & 1 and not mask & ~done]

    def undoable(self, done: int) -> list[int]:
        """The tasks of a set that may have run last."""
        return [i for i, mask in enumerate(self._behind) if done >> i & 1 and not mask & done]

    def delays_reuse(self, chain: Sequence[int], done: int) -> bool:
        """Do tasks touch a buffer whose place one of those could take that run before?"""
        touched = frozenset[int]().union(*(self.tasks[i].touches for i in chain))
        return any(done >> i & 1 and not touched.isdisjoint(task.over) for i, task in enumerate(self.tasks))

    def alive(self, done: int) -> int:
        """Bytes alive between two tasks."""
        return sum(size for size, mask in zip(self.sizes, self._touching, strict=True) if mask & done and mask & ~done)

    def need(self, done: int, task: int) -> int:
        """Bytes alive while a task runs after these."""
        one, later = self.tasks[task], ~(done | 1 << task)
        new = sum(self.sizes[buffer] for buffer in one.touches if not self._touching[buffer] & done)
        need = self.alive(done) + new + one.own
        if one.makes is None or self._touching[one.makes] & done:
            return need
        in_place = any(not self._touching[buffer] & later for buffer in one.over)
        return need - self.sizes[one.makes] if in_place else need

    def peak(self, order: Sequence[int]) -> int:
        """What an order needs at most."""
        done = peak = 0
        for task in order:
            peak = max(peak, self.need(done, task))
            done |= 1 << task
        return peak

    @cached_property
    def bound(self) -> int:
        """What any order needs: all that a task touches, and what is made before it for what comes after it."""
        everything = (1 << len(self.tasks)) - 1
        earlier = list(self._before)
        for _ in self.tasks:
            wider = [mask | _union(earlier, mask) for mask in earlier]
            if wider == earlier:
                break
            earlier = wider
        later = _transposed(earlier)
        bound = 0
        for i, task in enumerate(self.tasks):
            # As if all that need not run before this task ran after it, and the other way round.
            alive = sum(
                size
                for buffer, size in enumerate(self.sizes)
                if buffer in task.touches
                or (self._touching[buffer] & earlier[i] and self._touching[buffer] & (later[i] | everything + 1))
            )
            spared = self.sizes[task.makes] if task.makes is not None and task.over else 0
            bound = max(bound, alive + task.own - spared)
        return bound


def _transposed(relation: Sequence[int]) -> list[int]:
    return [sum(1 << j for j, mask in enumerate(relation) if mask >> i & 1) for i in range(len(relation))]


def _union(sets: Sequence[int], members: int) -> int:
    found = 0
    for i, one in enumerate(sets):
        if members >> i & 1:
            found |= one
    return found


def least_peak(problem: Problem, budget: int) -> Order:
    """The best order, proven as long as `budget` sets of tasks are enough; else the best found.

    Half of the budget is for a search from the start, the rest for one from the end.
    """
    forwards = _search(problem, budget - budget // 2, backwards=False)
    if forwards.proven or budget == 1:
        return forwards
    backwards = _search(problem, budget // 2, backwards=True)
    best = min(forwards, backwards, key=lambda order: order.peak)
    return replace(best, bound=max(forwards.bound, backwards.bound))


def _search(problem: Problem, budget: int, backwards: bool) -> Order:
    """Best first from the empty set of tasks to all of them, or back."""
    count = len(problem.tasks)
    everything = (1 << count) - 1
    start, goal = (everything, 0) if backwards else (0, everything)
    came_from: dict[int, tuple[int, Sequence[int]]] = {}
    costs = {start: problem.bound}
    heap = [(problem.bound, count, start)]
    finished: set[int] = set()
    while heap:
        cost, left, done = heappop(heap)
        if done in finished:
            continue
        if done == goal or len(finished) >= budget:
            order = [*_path(came_from, done, start), *_greedily(problem, done, backwards)]
            order = order[::-1] if backwards else order
            return Order(tuple(order), problem.peak(order), cost)
        finished.add(done)
        for steps in _ways_on(problem, done, cost, backwards):
            after, worst = done, cost
            for task in steps:
                worst = max(worst, problem.need(after & ~(1 << task), task))
                after ^= 1 << task
            if worst < costs.get(after, worst + 1):
                costs[after], came_from[after] = worst, (done, steps)
                heappush(heap, (worst, left - len(steps), after))
    raise AssertionError("tasks wait for each other")


def _ways_on(problem: Problem, done: int, peak: int, backwards: bool) -> list[list[int]]:
    """What may be worth running next: one chain that leaves no more alive without raising the peak, or any task.

    No order is better than one that runs such a chain at once. What is alive is submodular in what has run (each
    buffer is a hyperedge, alive while it is cut), and the chain's end leaves least alive of all that lies in the
    chain: so what runs later needs no more with the whole chain before it than with any part of it. Backwards that is
    so unless the chain keeps a task before it from taking the place of a buffer.
    """
    choices = problem.undoable if backwards else problem.ready
    ready, alive = choices(done), problem.alive(done)
    for first in ready:
        chain, after, known = [first], done, set(ready)
        while problem.need(after & ~(1 << chain[-1]), chain[-1]) <= peak:
            after ^= 1 << chain[-1]
            if problem.alive(after) <= alive and not (backwards and problem.delays_reuse(chain, after)):
                return [chain]
            enabled = [task for task in choices(after) if task not in known]
            if not enabled:
                break
            known.update(enabled)
            chain.append(enabled[0])
    return [[task] for task in ready]


def _path(came_from: dict[int, tuple[int, Sequence[int]]], done: int, start: int) -> list[int]:
    order: list[int] = []
    while done != start:
        done, steps = came_from[done]
        order += reversed(steps)
    return order[::-1]


def _greedily(problem: Problem, done: int, backwards: bool) -> Iterator[int]:
    """The tasks that are left: always one that needs least, and of these one after which least is alive."""
    choices = problem.undoable if backwards else problem.ready
    while ready := choices(done):
        task = min(ready, key=lambda i: (problem.need(done & ~(1 << i), i), problem.alive(done ^ 1 << i)))
        done ^= 1 << task
        yield task

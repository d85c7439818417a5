"""The order of tasks with the least peak memory. No IR here.

Tasks touch buffers. A buffer is alive from the first task that touches it to the last one, both inclusive. The tasks
that have run at any time form a downset of the precedence order, and the buffers that are alive depend on that set
alone, not on the order within it. The least peak is therefore a shortest path through the downsets, where the length of
a path is its greatest need (dynamic programming over downsets, best first).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heappop, heappush


@dataclass(frozen=True)
class Task:
    """A task with the buffers and tasks that it depends on.

    touches: indices of buffers. after: indices of tasks that must run earlier. own: additional bytes that are needed
    while the task runs. makes, over: a buffer, and buffers of the same size whose bytes it may reuse if this task is
    the first to touch it and the last to touch them.
    """

    touches: frozenset[int]
    after: frozenset[int] = frozenset()
    own: int = 0
    makes: int | None = None
    over: frozenset[int] = frozenset()


@dataclass(frozen=True)
class OpOrder:
    """An order of tasks, its peak in bytes, and a lower bound on the peak of any order; equal if `proven`."""

    tasks: tuple[int, ...]
    peak: int
    bound: int

    @property
    def proven(self) -> bool:
        return self.peak == self.bound


@dataclass(frozen=True)
class OrderingProblem:
    """Tasks to be ordered.

    sizes: the size of each buffer in bytes. kept: buffers that stay alive after all tasks. given: buffers that are
    alive before all tasks.
    """

    sizes: Sequence[int]
    tasks: Sequence[Task]
    kept: frozenset[int] = frozenset()
    given: frozenset[int] = frozenset()

    @cached_property
    def _end(self) -> int:
        """The bit of a virtual task after all tasks."""
        return 1 << len(self.tasks)

    @cached_property
    def _begin(self) -> int:
        """The bit of a virtual task before all tasks."""
        return 2 << len(self.tasks)

    @cached_property
    def _touching(self) -> list[int]:
        """The tasks that touch each buffer, as a bit set; kept and given buffers have virtual tasks."""
        masks = [
            self._end * (buffer in self.kept) | self._begin * (buffer in self.given)
            for buffer in range(len(self.sizes))
        ]
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

    @cached_property
    def _masks(self) -> list[tuple[int, int]]:
        """The size of each buffer and the tasks that touch it."""
        return list(zip(self.sizes, self._touching, strict=True))

    @cached_property
    def _touched(self) -> list[list[tuple[int, int]]]:
        """The buffers that each task touches, as in `_masks`."""
        return [[self._masks[buffer] for buffer in task.touches] for task in self.tasks]

    def ready(self, done: int) -> list[int]:
        """The tasks that may run next after a set of tasks."""
        return [i for i, mask in enumerate(self._before) if not done >> i & 1 and not mask & ~done]

    def undoable(self, done: int) -> list[int]:
        """The tasks of a set that may have run last."""
        return [i for i, mask in enumerate(self._behind) if done >> i & 1 and not mask & done]

    def delays_reuse(self, chain: Sequence[int], done: int) -> bool:
        """True if a chain touches a buffer whose bytes an earlier task could reuse."""
        touched = frozenset[int]().union(*(self.tasks[i].touches for i in chain))
        return any(done >> i & 1 and not touched.isdisjoint(task.over) for i, task in enumerate(self.tasks))

    @cached_property
    def _alive(self) -> dict[int, int]:
        """The bytes alive after sets of tasks: a search asks for those of one set before each task that may follow."""
        return {}

    def alive(self, done: int) -> int:
        """The bytes alive after a set of tasks."""
        done |= self._begin
        if (known := self._alive.get(done)) is not None:
            return known
        left, alive = ~done, 0
        # A loop, not a sum over a generator: searches spend much of their time here.
        for size, mask in self._masks:
            if mask & done and mask & left:
                alive += size
        self._alive[done] = alive
        return alive

    def need(self, done: int, task: int) -> int:
        """The bytes alive while a task runs after a set of tasks."""
        done |= self._begin
        current = self.tasks[task]
        need = self.alive(done) + current.own
        for size, mask in self._touched[task]:
            if not mask & done:
                need += size
        if not current.over or current.makes is None or self._touching[current.makes] & done:
            return need
        later = ~(done | 1 << task)
        in_place = any(not self._touching[buffer] & later for buffer in current.over)
        return need - self.sizes[current.makes] if in_place else need

    def peak(self, order: Sequence[int]) -> int:
        """The greatest need of an order, in bytes."""
        done = peak = 0
        for task in order:
            peak = max(peak, self.need(done, task))
            done |= 1 << task
        return peak

    @cached_property
    def bound(self) -> int:
        """A lower bound on any peak: per task, the buffers that it touches or that any order keeps alive across it."""
        earlier = list(self._before)
        for _ in self.tasks:
            wider = [mask | _union(earlier, mask) for mask in earlier]
            if wider == earlier:
                break
            earlier = wider
        later = _transposed(earlier)
        bound = 0
        for i, task in enumerate(self.tasks):
            # Tasks that may run on either side of this one are assumed to keep nothing alive across it.
            alive = sum(
                size
                for buffer, size in enumerate(self.sizes)
                if buffer in task.touches
                or (
                    self._touching[buffer] & (earlier[i] | self._begin)
                    and self._touching[buffer] & (later[i] | self._end)
                )
            )
            spared = self.sizes[task.makes] if task.makes is not None and task.over else 0
            bound = max(bound, alive + task.own - spared)
        return bound


def _transposed(relation: Sequence[int]) -> list[int]:
    return [sum(1 << j for j, mask in enumerate(relation) if mask >> i & 1) for i in range(len(relation))]


def _union(sets: Sequence[int], members: int) -> int:
    union = 0
    for i, elements in enumerate(sets):
        if members >> i & 1:
            union |= elements
    return union


def least_peak(problem: OrderingProblem, budget: int) -> OpOrder:
    """The best order if `budget` sets of tasks suffice to find and prove it; otherwise the best one found.

    Half of the budget is spent on a search from the start, the rest on one from the end.
    """
    forwards = _search(problem, budget - budget // 2, backwards=False)
    if forwards.proven or budget == 1:
        return forwards
    backwards = _search(problem, budget // 2, backwards=True)
    best = min(forwards, backwards, key=lambda order: order.peak)
    return replace(best, bound=max(forwards.bound, backwards.bound))


def _search(problem: OrderingProblem, budget: int, backwards: bool) -> OpOrder:
    """Search best-first from the empty set of tasks to the full one, or back."""
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
            return OpOrder(tuple(order), problem.peak(order), cost)
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


def _ways_on(problem: OrderingProblem, done: int, peak: int, backwards: bool) -> list[list[int]]:
    """The continuations to try: a single chain that leaves no more alive without raising the peak, or else each task.

    No order is better than one that runs such a chain at once. The bytes alive are submodular in the set of completed
    tasks (a buffer is a hyperedge, alive while it is cut), and the end of the chain leaves the least alive of all its
    prefixes: later tasks need no more after the whole chain than after any part of it. In a backward search this holds
    unless the chain keeps an earlier task from reusing the bytes of a buffer.
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


def _greedily(problem: OrderingProblem, done: int, backwards: bool) -> Iterator[int]:
    """Yield the remaining tasks: always one with the least need, and among these one that leaves the least alive."""
    choices = problem.undoable if backwards else problem.ready
    while ready := choices(done):
        task = min(ready, key=lambda i: (problem.need(done & ~(1 << i), i), problem.alive(done ^ 1 << i)))
        done ^= 1 << task
        yield task

"""The order of tasks with the least peak memory. No IR here.

The bytes that are alive depend on the set of tasks that have run, a downset of the precedence order, and not on the
order within it. The least peak is therefore a shortest path through the downsets, where the length of a path is its
greatest need (dynamic programming over downsets, best first).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import heappop, heappush
from math import gcd

from tinyml.transforms.buffers.scheduling.ordering_problem import OrderingProblem


@dataclass(frozen=True)
class OpOrder:
    """An order of tasks, its peak in bytes, and a lower bound on the peak of any order; equal if `proven`."""

    tasks: tuple[int, ...]
    peak: int
    bound: int

    @property
    def proven(self) -> bool:
        return self.peak == self.bound


def least_peak(problem: OrderingProblem, budget: int) -> OpOrder:
    """The best order if `budget` sets of tasks suffice to find and prove it; otherwise the best one found.

    Half of the budget is spent on a search from the start, the rest on one from the end. Problems whose sizes have the
    same ratios, such as a program in 8 and in 16 bits, have the same order, which is found once.
    """
    unit = gcd(*problem.sizes, *(task.own for task in problem.tasks)) or 1
    sizes = tuple(size // unit for size in problem.sizes)
    tasks = tuple(replace(task, own=task.own // unit) for task in problem.tasks)
    found = _least_peak(OrderingProblem(sizes, tasks, problem.kept, problem.given), budget)
    return replace(found, peak=unit * found.peak, bound=unit * found.bound)


@lru_cache(maxsize=64)
def _least_peak(problem: OrderingProblem, budget: int) -> OpOrder:
    forwards = _search(problem, budget - budget // 2, backwards=False)
    if forwards.proven or budget == 1:
        return forwards
    backwards = _search(problem, budget // 2, backwards=True)
    best = min(forwards, backwards, key=lambda order: order.peak)
    return replace(best, bound=max(forwards.bound, backwards.bound))


@dataclass(frozen=True)
class _State:
    """A set of tasks in a search.

    alive: the bytes alive after it. choices: the tasks that may come next, ascending.
    """

    done: int
    alive: int
    choices: Sequence[int]


def _search(problem: OrderingProblem, budget: int, backwards: bool) -> OpOrder:
    """Search best-first from the empty set of tasks to the full one, or back."""
    count = len(problem.tasks)
    everything = (1 << count) - 1
    start, goal = (everything, 0) if backwards else (0, everything)
    came_from: dict[int, tuple[int, Sequence[int]]] = {}
    costs = {start: problem.bound}
    heap = [(problem.bound, count, start)]
    finished: dict[int, _State] = {}
    while heap:
        cost, left, done = heappop(heap)
        if done in finished:
            continue
        if done == start:
            state = _State(start, problem.alive(start), problem.choices(start, backwards))
        else:
            earlier, steps = came_from[done]
            state = _follow(problem, finished[earlier], steps, backwards)
        if done == goal or len(finished) >= budget:
            order = [*_path(came_from, done, start), *_greedily(problem, state, backwards)]
            order = order[::-1] if backwards else order
            return OpOrder(tuple(order), problem.peak(order), cost)
        finished[done] = state
        for steps in _ways_on(problem, state, cost, backwards):
            after, worst, alive = done, cost, state.alive
            for task in steps:
                after, need, alive = problem.step(after, task, alive)
                worst = max(worst, need)
            if worst < costs.get(after, worst + 1):
                costs[after], came_from[after] = worst, (done, steps)
                heappush(heap, (worst, left - len(steps), after))
    raise AssertionError("tasks wait for each other")


def _follow(problem: OrderingProblem, state: _State, steps: Sequence[int], backwards: bool) -> _State:
    """The state after some tasks."""
    done, alive, choices = state.done, state.alive, set(state.choices)
    for task in steps:
        done, _, alive = problem.step(done, task, alive)
        choices.remove(task)
        choices.update(_freed(problem, done, task, backwards))
    return _State(done, alive, sorted(choices))


def _freed(problem: OrderingProblem, done: int, task: int, backwards: bool) -> list[int]:
    """The tasks that waited for a task, the last one of a set to run, and for nothing else that is not in the set."""
    return [i for i in problem.neighbours[backwards][task] if not problem.waits(done, i, backwards)]


def _ways_on(problem: OrderingProblem, state: _State, peak: int, backwards: bool) -> list[list[int]]:
    """The continuations to try: a single chain that leaves no more alive without raising the peak, or else each task.

    No order is better than one that runs such a chain at once. The bytes alive are submodular in the set of completed
    tasks (a buffer is a hyperedge, alive while it is cut), and the end of the chain leaves the least alive of all its
    prefixes: later tasks need no more after the whole chain than after any part of it. In a backward search this holds
    unless the chain keeps an earlier task from reusing the bytes of a buffer.
    """
    for first in state.choices:
        chain, after, need, alive = [first], *problem.step(state.done, first, state.alive)
        while need <= peak:
            if alive <= state.alive and not (backwards and problem.delays_reuse(chain, after)):
                return [chain]
            freed = _freed(problem, after, chain[-1], backwards)
            if not freed:
                break
            chain.append(freed[0])
            after, need, alive = problem.step(after, freed[0], alive)
    return [[task] for task in state.choices]


def _path(came_from: dict[int, tuple[int, Sequence[int]]], done: int, start: int) -> list[int]:
    order: list[int] = []
    while done != start:
        done, steps = came_from[done]
        order += reversed(steps)
    return order[::-1]


def _greedily(problem: OrderingProblem, state: _State, backwards: bool) -> Iterator[int]:
    """Yield the remaining tasks: always one with the least need, and among these one that leaves the least alive."""
    while state.choices:
        task = min(state.choices, key=lambda i: problem.step(state.done, i, state.alive)[1:])
        state = _follow(problem, state, [task], backwards)
        yield task

"""The order of tasks with the lowest peak memory, independent of any IR.

The live bytes depend on the set of tasks that have run, but not on the order within the set. Such a set is a downset of
the precedence order. An order is therefore a path through the downsets, and its peak is the maximum of live bytes on
the path. The search for the path with the lowest peak is best-first dynamic programming over downsets. A buffer is live
from the first task to the last task that touches it, both inclusive. A set of tasks is stored as a bit set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from heapq import heapify, heappop, heappush
from itertools import accumulate, pairwise
from math import gcd

MAX_BITS = 1 << 29
"""Limit on the bits of the sets that a search has met: 64 MB, which only searches over hundreds of tasks reach."""


@dataclass(frozen=True)
class Task:
    """A task, the buffers that it touches and the tasks on which it depends.

    touches: indices of buffers.
    after: indices of tasks that must run earlier.
    own: the bytes that are allocated only while the task runs, in addition to the buffers.
    makes: a buffer that the task may compute in the bytes of a buffer in `over`; None if there is none.
    over: buffers of the same size as `makes`.

    The task may reuse the bytes of a buffer in `over` if it is the last task that touches this buffer and the first
    task that touches `makes`.
    """

    touches: frozenset[int]
    after: frozenset[int] = frozenset()
    own: int = 0
    makes: int | None = None
    over: frozenset[int] = frozenset()

    @property
    def buffers(self) -> frozenset[int]:
        """The buffers that the task touches, may reuse (`over`) or computes in reused bytes (`makes`)."""
        made = frozenset[int]() if self.makes is None else {self.makes}
        return self.touches | self.over | made


@dataclass(frozen=True)
class OrderingProblem:
    """An ordering problem: tasks, and the sizes of the buffers that they touch.

    sizes: the size of each buffer in bytes.
    kept: buffers that stay live after all tasks.
    given: buffers that are live before all tasks.
    """

    sizes: Sequence[int]
    tasks: Sequence[Task]
    kept: frozenset[int] = frozenset()
    given: frozenset[int] = frozenset()

    @cached_property
    def _end(self) -> int:
        """The bit that represents, in bit sets of tasks, a virtual task that runs after all tasks."""
        return 1 << len(self.tasks)

    @cached_property
    def _begin(self) -> int:
        """The bit that represents, in bit sets of tasks, a virtual task that runs before all tasks."""
        return 2 << len(self.tasks)

    @cached_property
    def touching(self) -> list[int]:
        """For each buffer, the bit set of the tasks that touch it. The virtual first task touches all given
        buffers; the virtual last task touches all kept buffers.
        """
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
        return list(zip(self.sizes, self.touching, strict=True))

    @cached_property
    def users(self) -> list[list[int]]:
        """For each buffer, the tasks whose `buffers` include it."""
        users: list[list[int]] = [[] for _ in self.sizes]
        for i, task in enumerate(self.tasks):
            for buffer in task.buffers:
                users[buffer].append(i)
        return users

    @cached_property
    def _near(self) -> list[int]:
        """For each task, the bit set of the tasks that share a buffer with it. Only these tasks affect how many
        live bytes the task adds.
        """
        return [_union(self.touching, task.buffers) for task in self.tasks]

    @cached_property
    def _reusers(self) -> list[int]:
        """For each task, the bit set of the tasks that could reuse the bytes of one of its buffers."""
        reusing = [0] * len(self.sizes)
        for i, task in enumerate(self.tasks):
            for buffer in task.over:
                reusing[buffer] |= 1 << i
        return [_union(reusing, task.touches) for task in self.tasks]

    @cached_property
    def neighbours(self) -> tuple[list[list[int]], list[list[int]]]:
        return [_members(mask) for mask in self._behind], [_members(mask) for mask in self._before]

    def waits(self, done: int, task: int, backwards: bool) -> bool:
        """Whether a task depends on a task outside the set `done`, so that it cannot run directly after the set.

        backwards: true to return instead whether a task of the set depends on `task`, so that `task` cannot be the last
        task of the set.
        """
        return bool(self._behind[task] & done if backwards else self._before[task] & ~done)

    def choices(self, done: int, backwards: bool) -> list[int]:
        """The tasks that may run directly after the set `done`.

        backwards: true to return instead the tasks that may be the last task of the set.
        """
        return [
            i for i in range(len(self.tasks)) if bool(done >> i & 1) == backwards and not self.waits(done, i, backwards)
        ]

    def delays_reuse(self, chain: Sequence[int], done: int) -> bool:
        return any(self._reusers[task] & done for task in chain)

    def alive(self, done: int) -> int:
        """The number of bytes of the buffers that are live directly after a set of tasks has run."""
        done |= self._begin
        return sum(size for size, mask in self._masks if mask & done and mask & ~done)

    @cached_property
    def _effects(self) -> list[dict[int, tuple[int, int]]]:
        return [{} for _ in self.tasks]

    def effect(self, done: int, task: int) -> tuple[int, int]:
        """Return the additional bytes that are live while a task runs after the set `done`, and the additional
        bytes that are live after the task.
        """
        done = (done | self._begin) & self._near[task]
        known = self._effects[task].get(done)
        if known is not None:
            return known
        current, need, left = self.tasks[task], self.tasks[task].own, 0
        later = ~(done | 1 << task)
        for size, mask in (self._masks[buffer] for buffer in current.touches):
            if not mask & done:
                need += size
                left += size
            if not mask & later:
                left -= size
        if current.over and current.makes is not None and not self.touching[current.makes] & done:
            in_place = any(not self.touching[buffer] & later for buffer in current.over)
            need -= self.sizes[current.makes] if in_place else 0
        self._effects[task][done] = need, left
        return need, left

    def step(self, done: int, task: int, alive: int) -> tuple[int, int, int]:
        """Run a task after the set of tasks `done` or, if `done` contains the task, undo it as the last task of the
        set. Return the new set, the bytes that are live while the task runs, and the bytes that are live after the
        new set.

        alive: the bytes that are live after the set `done`.
        """
        bit = 1 << task
        if done & bit:
            need, left = self.effect(done ^ bit, task)
            return done ^ bit, alive - left + need, alive - left
        need, left = self.effect(done, task)
        return done | bit, alive + need, alive + left

    def peak(self, order: Sequence[int]) -> int:
        """The greatest number of bytes that are live at once when tasks run in a given order."""
        done, alive, peak = 0, self.alive(0), 0
        for task in order:
            done, need, alive = self.step(done, task, alive)
            peak = max(peak, need)
        return peak

    @cached_property
    def sections(self) -> list[range]:
        """The tasks in the order of the problem, divided into sections wherever all later tasks depend on all
        earlier tasks.

        Every order runs one section after the other.
        """
        earlier, ends, common = _closed(self._before, False), [len(self.tasks)], -1
        for first in range(len(self.tasks) - 1, 0, -1):
            common &= earlier[first]
            if not ((1 << first) - 1) & ~common:
                ends.append(first)
        return [range(first, end) for first, end in pairwise([0, *ends[::-1]])]

    def section(self, tasks: range) -> OrderingProblem:
        """The ordering problem of one section and of the buffers that it touches. Buffers that other sections also
        touch are given or kept.
        """
        before, behind = (1 << tasks.start) - 1 | self._begin, self._end - (1 << tasks.stop) | self._end
        section = self.tasks[tasks.start : tasks.stop]
        buffers = sorted(frozenset[int]().union(*(task.buffers for task in section)))
        index = {buffer: i for i, buffer in enumerate(buffers)}
        masks = [self.touching[buffer] for buffer in buffers]
        inner = [
            replace(
                task,
                touches=frozenset(index[buffer] for buffer in task.touches),
                after=frozenset(i - tasks.start for i in task.after if i in tasks),
                makes=None if task.makes is None else index[task.makes],
                over=frozenset(index[buffer] for buffer in task.over),
            )
            for task in section
        ]
        return OrderingProblem(
            [self.sizes[buffer] for buffer in buffers],
            inner,
            kept=frozenset(i for i, mask in enumerate(masks) if mask & behind and mask & ~behind),
            given=frozenset(i for i, mask in enumerate(masks) if mask & before and mask & ~before),
        )

    @cached_property
    def bytes_across_sections(self) -> list[int]:
        """For each of `sections`, the bytes of the buffers that are live while it runs, although it does not touch
        them.
        """
        section_of = [number for number, section in enumerate(self.sections) for _ in section]
        change = [0] * (len(self.sections) + 1)
        for buffer, (size, mask) in enumerate(self._masks):
            tasks = _members(mask & (self._end - 1))
            if not tasks and not (mask & self._begin and mask & self._end):
                continue
            first = 0 if mask & self._begin else section_of[tasks[0]]
            last = len(self.sections) - 1 if mask & self._end else section_of[tasks[-1]]
            change[first] += size
            change[last + 1] -= size
            for number in {section_of[task] for task in self.users[buffer]}:
                if first <= number <= last:
                    change[number] -= size
                    change[number + 1] += size
        return list(accumulate(change[:-1]))

    @cached_property
    def bound(self) -> int:
        """A lower bound on the peak of every order, in bytes.

        Each task needs the buffers that it touches, and the buffers that every order keeps live while the task runs. A
        buffer that the task may compute in reused bytes is not counted. The bound is the maximum of these bytes over
        all tasks.
        """
        earlier, later = _closed(self._before, False), _closed(self._behind, True)
        everything = self._end - 1
        alive = [task.own for task in self.tasks]
        for size, touching in self._masks:
            tasks = _members(touching & everything)
            # Tasks that may run on either side of a task are assumed to keep nothing alive across it.
            begun = everything if touching & self._begin else _union(later, tasks)
            needed = everything if touching & self._end else _union(earlier, tasks)
            for i in _members((touching | begun & needed) & everything):
                alive[i] += size
        for i, task in enumerate(self.tasks):
            if task.makes is not None and task.over:
                alive[i] -= self.sizes[task.makes]
        return max(alive, default=0)


def _closed(relation: Sequence[int], backwards: bool) -> list[int]:
    """The transitive closure of a relation on numbers: for each number, the bit set of the related numbers.

    Two passes over the numbers suffice if each number is directly related only to lower numbers or, with `backwards`,
    only to higher numbers.
    """
    closed = list(relation)
    order = range(len(relation))[:: -1 if backwards else 1]
    widened = True
    while widened:
        widened = False
        for i in order:
            wider = relation[i] | _union(closed, _members(relation[i]))
            widened |= wider != closed[i]
            closed[i] = wider
    return closed


def _transposed(relation: Sequence[int]) -> list[int]:
    transposed = [0] * len(relation)
    for i, mask in enumerate(relation):
        for j in _members(mask):
            transposed[j] |= 1 << i
    return transposed


def _union(sets: Sequence[int], members: Iterable[int]) -> int:
    union = 0
    for i in members:
        union |= sets[i]
    return union


def _members(mask: int) -> list[int]:
    members: list[int] = []
    while mask:
        lowest = mask & -mask
        members.append(lowest.bit_length() - 1)
        mask ^= lowest
    return members


@dataclass(frozen=True)
class OpOrder:
    """An order of tasks, its peak in bytes, and a lower bound on the peak of every order.

    proven: whether peak and bound are equal.
    """

    tasks: tuple[int, ...]
    peak: int
    bound: int

    @property
    def proven(self) -> bool:
        return self.peak == self.bound


def improved_order(problem: OrderingProblem, budget: int) -> OpOrder:
    """An order that runs the sections of a problem one after the other. The tasks of a section have their original
    order unless an order with a lower peak was found.

    Every section is improved, even if its peak is not the greatest. The reason is that later passes may lower the
    greatest peak by overlaps of buffers.

    budget: the maximum number of sets of tasks to visit per section.
    """
    tasks, peak, bound = list[int](), 0, 0
    for section, across in zip(problem.sections, problem.bytes_across_sections, strict=True):
        part = problem.section(section)
        order, before = least_peak(part, budget), part.peak(range(len(section)))
        better = order.peak < before
        tasks += [section.start + i for i in order.tasks] if better else section
        peak, bound = max(peak, across + min(order.peak, before)), max(bound, across + order.bound)
    return OpOrder(tuple(tasks), peak, bound)


def least_peak(problem: OrderingProblem, budget: int) -> OpOrder:
    """The order with the lowest peak if `budget` visited sets of tasks suffice to find it and to prove it optimal.
    Otherwise the best order found.

    One half of the budget is for a search from the start, the other half for a search from the end. Problems whose
    sizes are proportional, such as those of a program in 8 and in 16 bits, have the same order. It is computed once.
    """
    unit = gcd(*problem.sizes, *(task.own for task in problem.tasks)) or 1
    sizes = tuple(size // unit for size in problem.sizes)
    tasks = tuple(replace(task, own=task.own // unit) for task in problem.tasks)
    found = _least_peak(OrderingProblem(sizes, tasks, problem.kept, problem.given), budget)
    return replace(found, peak=unit * found.peak, bound=unit * found.bound)


@lru_cache(maxsize=64)
def _least_peak(problem: OrderingProblem, budget: int) -> OpOrder:
    forwards = search_order(problem, budget - budget // 2, backwards=False)
    if forwards.proven or budget == 1:
        return forwards
    backwards = search_order(problem, budget // 2, backwards=True)
    best = min(forwards, backwards, key=lambda order: order.peak)
    return replace(best, bound=max(forwards.bound, backwards.bound))


@dataclass(frozen=True)
class _State:
    """A set of tasks in a search.

    done: the set, as a bit set.
    alive: the number of live bytes after the set.
    choices: the tasks that may run next, in ascending order.
    """

    done: int
    alive: int
    choices: Sequence[int]


def search_order(problem: OrderingProblem, budget: int, backwards: bool) -> OpOrder:
    """Search best-first for an order of tasks with the lowest peak, and return the order found.

    The search begins with the empty set of tasks or, if `backwards`, with the full set. When `budget` sets were
    visited or all sets occupy more than `MAX_BITS`, a greedy order completes the best set.
    """
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
        if done == goal or len(finished) >= budget or len(costs) * count > MAX_BITS:
            order = [*_path(came_from, done, start), *greedy_order(problem, done, backwards)]
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
    done, alive, choices = state.done, state.alive, set(state.choices)
    for task in steps:
        done, _, alive = problem.step(done, task, alive)
        choices.remove(task)
        choices.update(_freed(problem, done, task, backwards))
    return _State(done, alive, sorted(choices))


def _freed(problem: OrderingProblem, done: int, task: int, backwards: bool) -> list[int]:
    return [i for i in problem.neighbours[backwards][task] if not problem.waits(done, i, backwards)]


def _ways_on(problem: OrderingProblem, state: _State, peak: int, backwards: bool) -> list[list[int]]:
    """The continuations that the search must try: a single chain of tasks that increases neither live bytes nor peak,
    or else each ready task separately.

    If such a chain exists, some best order runs it at once. The reason is that the live bytes are a submodular function
    of the set of completed tasks: a buffer is a hyperedge, which is live while the set cuts it. The live bytes at the
    end of the chain are at most those at any earlier point of the chain. Later tasks therefore need no more bytes after
    the whole chain than after a part of it. In a backward search this holds unless the chain prevents an earlier task
    from reusing the bytes of a buffer.

    peak: the peak of the tasks so far, in bytes.
    backwards: as for `search_order`.
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


def greedy_order(problem: OrderingProblem, done: int, backwards: bool) -> Iterator[int]:
    """Yield the tasks that remain after the set `done` in greedy order: the next task is always the one that needs the
    fewest bytes while it runs. If `backwards`, yield the tasks of `done` in greedy order from the last to the first.

    Ties go to the task with the fewest live bytes afterwards.
    """
    users, everything = problem.users, (1 << len(problem.tasks)) - 1
    touching = [mask & everything for mask in problem.touching]
    left = [(mask & (done if backwards else ~done)).bit_count() for mask in touching]
    waiting = {i: problem.step(done, i, 0)[1:] for i in problem.choices(done, backwards)}
    heap = [(needs, i) for i, needs in waiting.items()]
    heapify(heap)
    while heap:
        needs, task = heappop(heap)
        if waiting.get(task) != needs:
            continue
        yield task
        del waiting[task]
        done ^= 1 << task
        changed = {*_freed(problem, done, task, backwards)}
        for buffer in problem.tasks[task].touches:
            # Only the first and the last tasks that touch a buffer change what others need.
            if left[buffer] <= 2 or left[buffer] == touching[buffer].bit_count():
                changed.update(i for i in users[buffer] if i in waiting)
            left[buffer] -= 1
        for i in changed:
            waiting[i] = problem.step(done, i, 0)[1:]
            heappush(heap, (waiting[i], i))

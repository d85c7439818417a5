"""Tasks that touch buffers, and the bytes that are alive after sets of them. No IR here.

A buffer is alive from the first task that touches it to the last one, both inclusive. The tasks that have run at any
time form a downset of the precedence order, and the buffers that are alive depend on that set alone, not on the order
within it. Sets of tasks are bit sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property


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

    @property
    def buffers(self) -> frozenset[int]:
        """All buffers that matter for the task."""
        made = frozenset[int]() if self.makes is None else {self.makes}
        return self.touches | self.over | made


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
    def _near(self) -> list[int]:
        """The tasks, as bit sets, that touch a buffer of each task: what it adds to the bytes alive depends on them."""
        return [_union(self._touching, sum(1 << buffer for buffer in task.buffers)) for task in self.tasks]

    @cached_property
    def _reusers(self) -> list[int]:
        """The tasks, as bit sets, that could reuse the bytes of a buffer of each task."""
        return [
            sum(1 << i for i, other in enumerate(self.tasks) if not task.touches.isdisjoint(other.over))
            for task in self.tasks
        ]

    @cached_property
    def neighbours(self) -> tuple[list[list[int]], list[list[int]]]:
        """The tasks that wait for each task, and those that it waits for, ascending."""
        return [_members(mask) for mask in self._behind], [_members(mask) for mask in self._before]

    def waits(self, done: int, task: int, backwards: bool) -> bool:
        """True if a task may not run next after a set of tasks; backwards, if it cannot have run last of the set."""
        return bool(self._behind[task] & done if backwards else self._before[task] & ~done)

    def choices(self, done: int, backwards: bool) -> list[int]:
        """The tasks that may run next after a set of tasks; backwards, those of the set that may have run last."""
        return [
            i for i in range(len(self.tasks)) if bool(done >> i & 1) == backwards and not self.waits(done, i, backwards)
        ]

    def delays_reuse(self, chain: Sequence[int], done: int) -> bool:
        """True if a chain touches a buffer whose bytes an earlier task could reuse."""
        return any(self._reusers[task] & done for task in chain)

    def alive(self, done: int) -> int:
        """The bytes alive after a set of tasks."""
        done |= self._begin
        return sum(size for size, mask in self._masks if mask & done and mask & ~done)

    @cached_property
    def _effects(self) -> list[dict[int, tuple[int, int]]]:
        """The known effects of each task, by those tasks that ran before it and matter (`effect`)."""
        return [{} for _ in self.tasks]

    def effect(self, done: int, task: int) -> tuple[int, int]:
        """The bytes that a task after a set of tasks needs beside those alive before it, and those it leaves alive."""
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
        if current.over and current.makes is not None and not self._touching[current.makes] & done:
            in_place = any(not self._touching[buffer] & later for buffer in current.over)
            need -= self.sizes[current.makes] if in_place else 0
        self._effects[task][done] = need, left
        return need, left

    def step(self, done: int, task: int, alive: int) -> tuple[int, int, int]:
        """Run a task after a set of tasks, or undo one of the set.

        alive: the bytes alive after the set. Returns the set then, the bytes alive while the task runs, and those alive
        after the new set.
        """
        bit = 1 << task
        if done & bit:
            need, left = self.effect(done ^ bit, task)
            return done ^ bit, alive - left + need, alive - left
        need, left = self.effect(done, task)
        return done | bit, alive + need, alive + left

    def peak(self, order: Sequence[int]) -> int:
        """The greatest need of an order, in bytes."""
        done, alive, peak = 0, self.alive(0), 0
        for task in order:
            done, need, alive = self.step(done, task, alive)
            peak = max(peak, need)
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


def _members(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]

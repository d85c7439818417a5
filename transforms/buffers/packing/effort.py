"""The budget of a packing algorithm, and the log of its phases."""

from __future__ import annotations

import math
import time
from collections.abc import Container, Sequence
from dataclasses import dataclass, field

from tinyml.transforms.buffers.packing.grid import to_grid
from tinyml.transforms.buffers.packing.peak import lower_bound
from tinyml.transforms.buffers.packing.rectangles import Placement, Rectangle

STEPS = 300_000_000
"""Default limit on the steps of a search; a node visits each buffer and each of its sections at most once.

The limit takes less than a second in C, some 20 in Python, and mostly much less.
"""


COVER_STEPS = 150_000
"""Default limit on the steps of Algorithm X before branch and bound, for its matrix and its sets of offsets.

It takes some 50 milliseconds, and suffices for most programs of ten buffers.
"""


class OutOfTime(Exception):
    """Raised if a packing algorithm has used all seconds or all work of its effort."""


@dataclass(frozen=True)
class Phase:
    """A phase of a packing algorithm: its name, the nodes of its search tree, its duration in seconds and its
    outcome.
    """

    name: str
    nodes: int
    seconds: float
    outcome: str


@dataclass
class Effort:
    """The budget of a packing algorithm, and the log of its phases. Each packing needs a new object. The result is the
    same on every computer unless `seconds` run out first.

    nodes: the limit on the nodes of all search trees together. If it is None, `steps` limits the steps of the search.
    steps: the limit on steps if `nodes` is None; None for no limit.
    seconds: the limit on the time of all phases together.
    capacity: a sufficient height in bytes; None to continue the search until its placement is optimal.
    core: whether to search in C if the C code can be compiled, with the same results.
    barred: program points before which no buffer may move.
    work: a limit on the steps of exact cover, for its matrix and its sets of offsets; a step takes some 0.3
        microseconds.
    cover: the number of steps that mode auto spends on exact cover before it continues with branch and bound.
    spent: the number of nodes visited so far.
    deadline: the time at which `seconds` run out, on the clock of time.monotonic.
    """

    nodes: int | None = None
    steps: int | None = STEPS
    seconds: float = math.inf
    capacity: int | None = None
    core: bool = True
    barred: Container[int] = ()
    work: float = math.inf
    cover: int = COVER_STEPS
    phases: list[Phase] = field(default_factory=list[Phase])
    best: Placement | None = None
    """The lowest placement so far, which is the result if the user interrupts the search or the time is up."""
    need: int = 0
    """The peak of live bytes."""
    spent: int = 0
    deadline: float = math.inf

    def start(self, rectangles: Sequence[Rectangle]) -> None:
        """Start the clock, and derive the limits of the search from the problem."""
        self.deadline = time.monotonic() + self.seconds
        self.need = lower_bound(rectangles)
        if self.nodes is None and self.steps is not None:
            self.nodes = self.steps // max(to_grid(rectangles).steps, 1)

    def for_cover(self, best: Placement) -> Effort:
        """The effort for exact cover if another search follows. Nodes that exact cover visits do not count for
        the other search.

        best: the placement from which exact cover starts.
        """
        nodes = None if self.nodes is None else self.nodes - self.spent
        part = Effort(nodes, None, max(self.seconds_left(), 0.0), self.capacity, self.core, work=self.cover)
        part.phases, part.best, part.need, part.deadline = self.phases, best, self.need, self.deadline
        return part

    def keep(self, placement: Placement) -> None:
        """Record a placement if it is lower than the best placement so far."""
        if self.best is None or placement.height < self.best.height:
            self.best = placement

    def check(self, work: int = 0) -> None:
        """Subtract work from the budget. Raises `OutOfTime` if the work exceeds the budget or if no time is left."""
        self.work -= work
        if self.work < 0 or self.is_late():
            raise OutOfTime

    def is_over(self) -> bool:
        return self.ration(1) == 0 or self.is_late()

    def is_enough(self, placement: Placement) -> bool:
        """Whether a placement is optimal, or no higher than the capacity."""
        return placement.optimal or (self.capacity is not None and placement.height <= self.capacity)

    def is_late(self) -> bool:
        return self.seconds_left() <= 0

    def ration(self, nodes: int) -> int:
        """The lesser of `nodes` and the number of nodes that remain in the budget."""
        return nodes if self.nodes is None else min(nodes, self.nodes - self.spent)

    def seconds_left(self) -> float:
        return self.deadline - time.monotonic()

    def note(self, name: str, nodes: int, before: float, outcome: str) -> None:
        """Record a phase of a packing algorithm: its name, its nodes, its seconds and its outcome. The nodes are added
        to those spent. The phase began at `before`, in seconds on the clock of time.monotonic.
        """
        self.spent += nodes
        self.phases.append(Phase(name, nodes, time.monotonic() - before, outcome))

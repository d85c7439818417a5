"""The evaluator as a service: the outcomes of many candidates, each worked out once, in this process or in others.

A candidate's outcome depends on nothing but the candidate and the problem, so that any number of workers gives the same
results, and a search that was cut short finds in its journal what it knew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType

from tinyml.transforms.formats.evaluation.candidates import Formats
from tinyml.transforms.formats.evaluation.outcomes import Judge, Metric, Outcome, Problem, Task, judge_of, outcomes_of
from tinyml.transforms.search.evaluation.journal import Journal
from tinyml.transforms.search.evaluation.workers import Workers


@dataclass(frozen=True)
class Status:
    """How far a search is: the name of its phase, empty at the end, candidates evaluated in all, the least loss of one
    that was evaluated whole, and how many of how many candidates are done that are evaluated together."""

    phase: str
    candidates: int
    best: float
    done: int
    of: int


WATCH: ContextVar[Callable[[Status], None] | None] = ContextVar("WATCH", default=None)
"""What is told about the progress of searches in this context."""


class Evaluation:
    """Evaluates candidates of one problem; use as a context manager, which ends its journal.

    metric: that candidates are compared by, of the `METRICS`. Raises `InputError` for an unknown metric, and for a
    journal of another problem.
    """

    def __init__(
        self, problem: Problem, metric: str, workers: Workers, journal: str | None = None, resume: bool = False
    ):
        self.problem = problem
        self.judge: Judge = judge_of(problem)
        self.metric: Metric = self.judge.yardstick.check(metric)
        self.workers = workers
        self.journal = Journal(journal, problem.digest, resume)
        self.known = self.journal.known
        self.evaluated = 0
        self.best = float("inf")
        self.phase = ""

    @property
    def metric_of_programs(self) -> Metric:
        """That programs are accepted and widths compared by, in Shiftry's algorithm 14 and MinUn's 4 and 7.7.2: the
        accuracy, where there are labels and the search does not ask for errors."""
        labels = self.judge.yardstick.labels is not None
        return "accuracy" if labels and self.metric == "disagreement" else self.metric

    def __enter__(self) -> Evaluation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.end()
        self.journal.close()

    def begin(self, phase: str) -> None:
        """What follows belongs to a phase of this name."""
        self.phase = phase
        self._tell(0, 0)

    def end(self) -> None:
        """What was begun has ended; of what may follow candidates are counted anew."""
        if self.phase:
            self.begin("")
        self.evaluated = 0

    def loss(self, outcome: Outcome, metric: Metric | None = None) -> float:
        """As `Yardstick.loss`, by the search's metric unless told otherwise."""
        return self.judge.yardstick.loss(outcome, metric or self.metric)

    def outcomes(
        self,
        candidates: Sequence[Formats],
        at_most: float | Sequence[float] = float("inf"),
        metric: Metric | None = None,
    ) -> list[Outcome]:
        """One outcome for each candidate; one that loses more than `at_most` may have been given up halfway."""
        metric = metric or self.metric
        limits = [at_most] * len(candidates) if isinstance(at_most, float | int) else at_most
        waiting: dict[Formats, Task] = {}
        for formats, limit in zip(candidates, limits, strict=True):
            if not self._settled(formats, metric, limit):
                before = waiting.get(formats)
                waiting[formats] = Task(formats, metric, max(limit, before.at_most) if before else limit)
        self._tell(0, len(waiting))
        for done, (task, outcome) in enumerate(self.workers.run(self.problem, list(waiting.values()), outcomes_of), 1):
            self.known[task.formats] = outcome
            self.journal.write(task.formats, outcome)
            self.evaluated += 1
            if outcome.seen == self.judge.yardstick.samples:
                self.best = min(self.best, self.loss(outcome))
            self._tell(done, len(waiting))
        return [self.known[formats] if formats in self.known else Outcome() for formats in candidates]

    def losses(self, candidates: Sequence[Formats], at_most: float | Sequence[float] = float("inf")) -> list[float]:
        """As `outcomes`, but what is lost at least."""
        return [self.loss(outcome) for outcome in self.outcomes(candidates, at_most)]

    def _settled(self, formats: Formats, metric: Metric, at_most: float) -> bool:
        """Is enough known of a candidate?"""
        outcome = self.known.get(formats, Outcome())
        whole = outcome.seen == self.judge.yardstick.samples
        return whole or self.loss(outcome, metric) > at_most

    def _tell(self, done: int, of: int) -> None:
        if (watch := WATCH.get()) is not None:
            watch(Status(self.phase, self.evaluated, self.best, done, of))

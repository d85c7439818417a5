"""The evaluation of candidates: any number of workers computes each outcome once, and a journal records it.

A candidate's outcome depends only on the candidate and the problem. The results therefore do not depend on the number
of workers, and an interrupted search reads earlier outcomes from its journal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from types import TracebackType

from tinyml.transforms.formats.evaluation.candidates import (
    EvaluationTask,
    Formats,
    SearchProblem,
    evaluator_of,
    spelled,
)
from tinyml.transforms.formats.evaluation.reference import CandidateOutcome
from tinyml.transforms.programs.kept_facts import kept
from tinyml.transforms.search.engine.journal import Journal
from tinyml.transforms.search.engine.status import STATUS_LISTENER, Status
from tinyml.transforms.search.engine.workers import Workers


class Evaluation:
    """The evaluation of one problem's candidates. It is a context manager, which closes the journal.

    metric: one of the `METRICS`, by which candidates are ranked.
    workers: the processes that evaluate candidates.
    journal, resume: as for `Journal`.
    known: all outcomes so far.

    Raises `InputError` for an unknown metric, and for a journal of another problem.
    """

    def __init__(
        self, problem: SearchProblem, metric: str, workers: Workers, journal: str | None = None, resume: bool = False
    ):
        self.problem = problem
        self.evaluator = evaluator_of(problem)
        self.metric = self.evaluator.reference.check(metric)
        self.workers = workers
        self.journal = Journal(journal, problem.digest, resume)
        self.known = self.journal.known
        self.evaluated = 0
        self.best = float("inf")
        self.phase = ""

    @property
    def metric_of_programs(self) -> str:
        """The metric by which the published algorithms compare whole programs: Shiftry's algorithm 14, and MinUn's
        algorithm 4 and section 7.7.2.

        The metric is accuracy instead of disagreement if the data contain labels or targets. Any other metric of the
        search is returned unchanged.
        """
        reference = self.evaluator.reference
        known = reference.labels is not None or reference.targets is not None
        return "accuracy" if known and self.metric == "disagreement" else self.metric

    def __enter__(self) -> Evaluation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.end()
        self.journal.close()

    def begin(self, phase: str) -> None:
        """Begin a phase of the search with the given name."""
        self.phase = phase
        self._tell(0, 0)

    def end(self) -> None:
        """End the current phase, and reset the count of candidates."""
        if self.phase:
            self.begin("")
        self.evaluated = 0

    def loss(self, outcome: CandidateOutcome, metric: str | None = None) -> float:
        return self.evaluator.reference.loss(outcome, metric or self.metric)

    def outcomes(
        self,
        candidates: Sequence[Formats],
        at_most: float | Sequence[float] = float("inf"),
        metric: str | None = None,
    ) -> list[CandidateOutcome]:
        """The outcomes of candidates, in their order. The evaluation of a candidate may stop early once its loss
        exceeds `at_most`.

        at_most: one limit for all candidates, or a limit for each.
        metric: the metric of `at_most`, by default the metric of the search.
        """
        metric = metric or self.metric
        limits = [at_most] * len(candidates) if isinstance(at_most, float | int) else at_most
        waiting: dict[Formats, EvaluationTask] = {}
        for formats, limit in zip(candidates, limits, strict=True):
            if not self._settled(formats, metric, limit):
                before = waiting.get(formats)
                waiting[formats] = EvaluationTask(formats, metric, max(limit, before.at_most) if before else limit)
        self._tell(0, len(waiting))
        for done, (task, outcome) in enumerate(self.workers.run(self.problem, list(waiting.values()), outcomes_of), 1):
            self.known[task.formats] = outcome
            self.journal.write(task.formats, outcome)
            self.evaluated += 1
            if outcome.seen == self.evaluator.reference.samples:
                self.best = min(self.best, self.loss(outcome))
            self._tell(done, len(waiting))
        return [self.known[formats] if formats in self.known else CandidateOutcome() for formats in candidates]

    def losses(self, candidates: Sequence[Formats], at_most: float | Sequence[float] = float("inf")) -> list[float]:
        """The losses of candidates, in their order. If the evaluation of a candidate stopped early (`outcomes`), the
        value is a lower bound on its loss.
        """
        return [self.loss(outcome) for outcome in self.outcomes(candidates, at_most)]

    def _settled(self, formats: Formats, metric: str, at_most: float) -> bool:
        """Whether the known outcome of a candidate suffices: its loss certainly exceeds `at_most`, or it was
        evaluated on all samples.
        """
        outcome = self.known.get(formats, CandidateOutcome())
        return self.evaluator.reference.is_known(outcome, metric) or self.loss(outcome, metric) > at_most

    def _tell(self, done: int, of: int) -> None:
        if (listener := STATUS_LISTENER.get()) is not None:
            listener(Status(self.phase, self.evaluated, self.best, done, of))


def outcomes_of(problem: SearchProblem, tasks: Sequence[EvaluationTask]) -> list[CandidateOutcome]:
    """The outcomes of tasks, in their order. They are computed in this process or were cached by an earlier process."""
    evaluator = evaluator_of(problem)

    def outcome(task: EvaluationTask) -> CandidateOutcome:
        if task.refined:
            return evaluator.outcome(task)
        return kept(
            lambda: ("outcome", evaluator.digest, spelled(task.formats), task.metric, repr(task.at_most)),
            lambda: evaluator.outcome(task),
            lambda answer: CandidateOutcome(**answer),
            asdict,
        )

    return [outcome(task) for task in tasks]

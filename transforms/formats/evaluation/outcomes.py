"""How good a candidate is: what it loses against the program on reals, on a validation set."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from tinyml.dialects.errors import InputError
from tinyml.transforms.formats.evaluation.margins import Border

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.dialects.formats.number_format import Raws
    from tinyml.runtime.evaluator.evaluator import Outputs
    from tinyml.runtime.evaluator.gradients import Gradients
    from tinyml.runtime.evaluator.shared_evaluator import SharedEvaluator
    from tinyml.runtime.model.data import Data
    from tinyml.transforms.formats.evaluation.candidates import Formats

Metric: TypeAlias = Literal["disagreement", "accuracy", "error", "margin"]
METRICS: tuple[Metric, ...] = get_args(Metric)

NEAREST = 4096
"""Samples, those nearest to the border between two classes, whose derivatives are worked out: more would take memory
and say little more."""


@dataclass(frozen=True)
class Outcome:
    """What was found on `seen` of the samples; all of them unless the candidate was given up as hopeless.

    differ: samples with another class than on reals. wrong: with another class than the label, 0 without labels. error:
    sum over the samples of the mean absolute error of the scores, margin: percent of all samples that these should make
    differ (`Border`), each 0 without scores. fault: why there is no program.
    """

    seen: int = 0
    differ: int = 0
    wrong: int = 0
    error: float = 0.0
    margin: float = 0.0
    fault: str | None = None


class Yardstick:
    """The program on reals, on a data set: what losses are measured against.

    order: the samples with the least margin between the two greatest scores first, so that bad candidates show early.
    """

    def __init__(self, module: ModuleOp, data: Data):
        import numpy as np

        from tinyml.runtime.evaluator.evaluator import evaluate_reals

        outputs = evaluate_reals(module, data.x)
        self.order = _order(outputs)
        self.samples = len(data)
        self.inputs = data.x[self.order]
        self.classes = outputs.classes[self.order]
        self.labels = None if data.y is None else data.y[self.order]
        self.scores = None if outputs.scores is None else outputs.scores[self.order]
        self.border = None if self.scores is None else Border(self.scores)
        self.wrong = 0 if self.labels is None else int(np.sum(self.classes != self.labels))

    def check(self, metric: str) -> Metric:
        """Raises `InputError` for a metric that does not exist, or that the data or the program have nothing for."""
        for known in METRICS:
            if metric == known:
                if metric == "accuracy" and self.labels is None:
                    raise InputError("the metric 'accuracy' needs data with labels `y`")
                if metric in ("error", "margin") and self.scores is None:
                    raise InputError(f"the metric '{metric}' needs a program that returns scores")
                return known
        raise InputError(f"unknown metric '{metric}'; the metrics are {', '.join(METRICS)}")

    def added(self, outcome: Outcome, outputs: Outputs, reals: Any, compared: Any) -> Outcome:
        """An outcome and what the next samples gave. reals: their scores, decoded; compared: as the label is found."""
        import numpy as np

        classes = outputs.classes
        part = slice(outcome.seen, outcome.seen + len(classes))
        wrong = 0 if self.labels is None else int(np.sum(classes != self.labels[part]))
        error = 0.0 if self.scores is None else float(np.abs(reals - self.scores[part]).mean(1).sum())
        differ = int(np.sum(classes != self.classes[part]))
        margin = 0.0 if self.border is None else float(np.abs(self.border.errors(compared, part)).sum())
        return Outcome(
            part.stop, outcome.differ + differ, outcome.wrong + wrong, outcome.error + error, outcome.margin + margin
        )

    def loss(self, outcome: Outcome, metric: Metric) -> float:
        """What is lost at least: percent of the samples that differ, points of accuracy, the mean error of a score, or
        percent that margins say will differ.

        Exact where all samples were seen; infinite where there is no program.
        """
        if outcome.fault is not None:
            return float("inf")
        if metric == "error":
            return outcome.error / self.samples
        if metric == "margin":
            return outcome.margin
        return 100.0 * (outcome.differ if metric == "disagreement" else outcome.wrong - self.wrong) / self.samples


def _order(outputs: Outputs) -> NDArray[np.int64]:
    import numpy as np

    if outputs.scores is None or outputs.scores.shape[1] < 2:
        return np.arange(len(outputs.classes))
    ordered = np.sort(outputs.scores, axis=1)
    return np.argsort(ordered[:, -1] - ordered[:, -2], kind="stable")


@dataclass(frozen=True)
class Problem:
    """All that a worker has to know: the profiled program on reals as text, the data, the scheme of functions."""

    program: str
    x: NDArray[Any]
    y: NDArray[Any] | None
    scheme: str | None

    @cached_property
    def digest(self) -> str:
        """Tells problems apart."""
        found = hashlib.sha256(f"{self.scheme} {self.program}".encode())
        for array in (self.x, self.y):
            found.update(b"" if array is None else array.tobytes())
        return found.hexdigest()


@dataclass(frozen=True)
class Task:
    """A candidate to be evaluated until it is certain to lose more than `at_most`.

    refined: raws of constants, as `RoundedConstants.raws` takes them.
    """

    formats: Formats
    metric: Metric
    at_most: float
    refined: Mapping[int, Raws] | None = None


class Judge:
    """Evaluates candidates of one problem, each with the bits that its program has on a device."""

    def __init__(self, module: ModuleOp, data: Data, scheme: str | None):
        from tinyml.runtime.evaluator.shared_evaluator import SharedEvaluator
        from tinyml.transforms.formats.evaluation.candidates import Candidates

        self.candidates = Candidates(module, data.x.astype("f8"), scheme)
        self.yardstick = Yardstick(module, data)
        self.evaluator = SharedEvaluator(self.yardstick.inputs)

    @cached_property
    def gradients(self) -> Gradients:
        """Of the margins of the `NEAREST` samples on reals by the constants, for a program with scores: the same for
        all candidates."""
        from tinyml.runtime.evaluator.gradients import Gradients

        assert self.yardstick.border is not None
        inputs, direction = (one[:NEAREST] for one in (self.yardstick.inputs, self.yardstick.border.direction()))
        return Gradients(self.candidates.module, inputs, direction)

    def outcome(self, task: Task) -> Outcome:
        """The outcome of a candidate, given up as soon as it is certain to lose more than it may."""
        try:
            module = self.candidates.program(task.formats, task.refined)
        except InputError as error:
            return Outcome(fault=error.message)
        return outcome_of(module, self.yardstick, self.evaluator, task.metric, task.at_most)


def outcome_of(
    module: ModuleOp, yardstick: Yardstick, evaluator: SharedEvaluator, metric: Metric, at_most: float
) -> Outcome:
    """The outcome of a program at L1, given up as soon as it is certain to lose more than it may.

    evaluator: of the inputs of the yardstick, in its order.
    """
    program = evaluator.prepare(module)
    outcome = Outcome()
    for chunk in range(len(evaluator.chunks)):
        if yardstick.loss(outcome, metric) > at_most:
            break
        outputs = program.outputs(chunk)
        reals = None if outputs.scores is None else program.score_format.decode(outputs.scores)
        outcome = yardstick.added(outcome, outputs, reals, program.compared(chunk))
    return outcome


def outcomes_of(problem: Problem, tasks: Sequence[Task]) -> list[Outcome]:
    """The outcomes of tasks, worked out in this process."""
    return [judge_of(problem).outcome(task) for task in tasks]


def judge_of(problem: Problem) -> Judge:
    """The judge of a problem, made once in each process."""
    if (known := _judges.get(problem.digest)) is None:
        from xdsl.parser import Parser

        from tinyml.dialects.context import context
        from tinyml.runtime.model.data import Data

        module = Parser(context(), problem.program).parse_module()
        _judges.clear()
        known = _judges[problem.digest] = Judge(module, Data(problem.x, problem.y), problem.scheme)
    return known


_judges: dict[str, Judge] = {}

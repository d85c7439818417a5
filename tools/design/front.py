"""The front of designed programs, the choice among them, and what the figures of the chosen one are worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from tinyml.dialects.lazy_numpy import np
from tinyml.tools.design.trials import Candidate, Cost, Trained
from tinyml.transforms.formats.evaluation.metrics import ACCURACY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.tools.design.task import Task

T = TypeVar("T")

RESAMPLES = 1000
"""The number of bootstrap samples of an interval."""


@dataclass(frozen=True, eq=False)
class Judged:
    """A candidate that was trained on all samples of some folds.

    rows: its results by fold.
    """

    candidate: Candidate
    rows: Mapping[int, Trained]

    @property
    def program(self) -> float:
        """The mean metric of its programs over the folds."""
        return float(np.mean([row.program or 0.0 for row in self.rows.values()]))

    @property
    def model(self) -> float:
        """The mean metric of its models on reals over the folds."""
        return float(np.mean([row.model or 0.0 for row in self.rows.values()]))

    @property
    def shortfall(self) -> float:
        return float(np.mean([row.shortfall or 0.0 for row in self.rows.values()]))

    @property
    def cost(self) -> Cost:
        """The greatest of the costs of its programs."""
        costs = [row.cost for row in self.rows.values() if row.cost is not None]
        return Cost(*(max(getattr(cost, name) for cost in costs) for name in ("time", "flash", "ram")))

    def merit(self, falls: bool) -> tuple[float, float]:
        """The key by which candidates are ordered, the best greatest: reached demands, then the metric."""
        return -self.shortfall, -self.program if falls else self.program


def judged(rows: Sequence[Trained], whole: float = 1.0) -> list[Judged]:
    """The candidates that have a program for every fold on which they were trained with a share of the samples."""
    found: dict[Candidate, dict[int, Trained]] = {}
    for row in rows:
        if row.share == whole:
            found.setdefault(row.candidate, {})[row.fold] = row
    complete = {name: by for name, by in found.items() if all(row.program is not None for row in by.values())}
    return [Judged(candidate, by) for candidate, by in complete.items()]


def front(members: Sequence[T], figures: Callable[[T], tuple[tuple[float, ...], Cost]]) -> list[T]:
    """The members that no other member dominates: one is dominated if another is nowhere worse and somewhere better.
    The fastest is first. Of equal members, the first remains.

    figures: the merit of a member, whose greater values are better, and its cost.
    """
    known = [figures(member) for member in members]

    def dominated(i: int) -> bool:
        merit, cost = known[i]
        for j, (other, costs) in enumerate(known):
            if j != i and other >= merit and costs.is_within(cost) and ((other, costs) != (merit, cost) or j < i):
                return True
        return False

    kept = [i for i in range(len(members)) if not dominated(i)]
    return [members[i] for i in sorted(kept, key=lambda i: known[i][1].time)]


def luck_of_winner(candidates: Sequence[Judged], winner: Judged, *, falls: bool) -> float | None:
    """The amount by which the cross-validated metric of a winner is expected to be better than that of new data,
    because the winner was chosen by it (Tibshirani and Tibshirani 2009, A bias correction for the minimum error rate in
    cross-validation).

    On each fold, the best candidate of the fold is compared with the winner; the result is the mean difference. None
    unless two candidates and two folds can be compared.
    """
    folds = winner.rows.keys()
    compared = [each for each in candidates if each.rows.keys() == folds]
    if len(folds) < 2 or len(compared) < 2:
        return None
    figures = np.array([[each.rows[fold].program or 0.0 for fold in folds] for each in compared], np.float64)
    own = np.array([winner.rows[fold].program or 0.0 for fold in folds], np.float64)
    best = figures.min(0) if falls else figures.max(0)
    return float(np.abs(best - own).mean())


def interval(task: Task, predicted: NDArray[Any]) -> tuple[float, float]:
    """The 95 % interval of the metric of some answers to all samples of a task: Wilson's for an accuracy without
    groups, otherwise that of a bootstrap over samples or groups.
    """
    if task.metric == ACCURACY and task.groups is None:
        share, count, z = task.figure(task.y, predicted), len(task), 1.96
        middle, width = share + z * z / (2 * count), z * np.sqrt(share * (1 - share) / count + z * z / (4 * count**2))
        return float((middle - width) / (1 + z * z / count)), float((middle + width) / (1 + z * z / count))
    random = np.random.default_rng(task.seed)
    groups: NDArray[Any] = np.arange(len(task)) if task.groups is None else task.groups
    members: list[NDArray[Any]] = [np.flatnonzero(groups == each) for each in np.unique(groups)]
    figures: list[float] = []
    for _ in range(RESAMPLES):
        chosen: list[int] = random.integers(0, len(members), len(members)).tolist()
        drawn = np.concatenate([members[each] for each in chosen])
        figures.append(task.figure(task.y[drawn], predicted[drawn]))
    low, high = np.quantile(figures, [0.025, 0.975])
    return float(low), float(high)

"""The search for candidates: which models are trained, on how many samples, and which are dropped.

The usual defaults of all families are trained first, on all samples of the first fold. Then rounds follow. A round
proposes candidates, by chance at first and later by a model of the results. Candidates whose program cannot be within
the limits, or cannot be better than a faster and smaller one, are dropped before their training. The others are trained
on few samples, the better third of them on three times as many, and so on (successive halving). At the end, the best
candidates are trained on the other folds. The order of trials depends only on the seed and on results, never on time.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.package_metadata import DISTRIBUTION
from tinyml.tools.design.families import FAMILIES, Family
from tinyml.tools.design.front import Judged, front, judged
from tinyml.tools.design.trials import (
    Candidate,
    Cost,
    Problem,
    Trained,
    Trial,
    known_cost,
    refusal,
    run_trials,
    size_key,
)
from tinyml.transforms.formats.evaluation.metrics import METRICS

if TYPE_CHECKING:
    from tinyml.tools.api.row_table import RowTable
    from tinyml.transforms.search.engine.workers import Workers

PROPOSED = 9
"""The number of candidates of a round."""

RATE = 3
"""The factor between the shares of samples of two steps of a round; a step keeps the best of this many candidates."""

FEWEST_SAMPLES = 400
"""The least number of training samples of the first step of a round, and so of all steps for small tables."""

MAX_STEPS = 3

CONVINCING = 600
"""The number of samples without an error from which a program counts as perfect: its true error is then below half a
percent with a confidence of 95 %.
"""

IDLE_ROUNDS = 5
"""The number of rounds without a new candidate, or with none that can fit, after which rounds end."""

POOL = 200
"""The number of points among which the model of the results chooses."""

ENOUGH = 12
"""The number of results from which their model proposes candidates."""

FINALISTS = 12
"""The greatest number of candidates that are trained on all folds, beside the best of the usual defaults."""

FEWEST_PAIRS = 3
"""The least number of folds after which a candidate may be dropped; the spread of fewer differences is unknown."""

SEARCH_SHARE, FOLDS_SHARE = 0.5, 0.8
"""The shares of the seconds after which rounds and cross-validation end; the rest is for the final programs."""


@dataclass
class Budget:
    """What a design may cost: processor seconds, or for a replay the numbers of trials of an earlier design.

    seconds: of training and judging, in all processes together; None for no limit.
    candidates: the number of candidates that are trained; None for no limit.
    counts: the trials of each phase of the design that is repeated; None otherwise.
    spent: the seconds until now.
    done: the trials of each phase until now.
    """

    seconds: float | None
    candidates: int | None
    counts: Mapping[str, int] | None = None
    spent: float = 0.0
    done: dict[str, int] = field(default_factory=dict[str, int])
    stopped: bool = False

    def allows(self, phase: str, share: float, wanted: int) -> int:
        """How many of some trials may begin now.

        share: the share of the seconds until the end of the phase.
        """
        if self.counts is not None:
            return min(wanted, self.counts.get(phase, 0) - self.done.get(phase, 0))
        # One candidate is always trained.
        over = self.seconds is not None and self.spent >= share * self.seconds and bool(self.done)
        return 0 if over or self.stopped else wanted

    def note(self, phase: str, seconds: float) -> None:
        """Count a trial."""
        self.done[phase] = self.done.get(phase, 0) + 1
        self.spent += seconds


@dataclass
class Savings:
    """The numbers of candidates that were not trained, or not on all samples.

    proposed: all candidates.
    cannot_fit: dropped before training, because no program of their size is within the limits.
    dominated: dropped before training, because a faster and smaller program has the best possible metric.
    stopped: dropped after training on a part of the samples.
    """

    proposed: int = 0
    cannot_fit: int = 0
    dominated: int = 0
    stopped: int = 0


@dataclass
class Search:
    """A search and its results.

    problem: the table, the board and the limits.
    families: the names of the families.
    journal: the results that are already known, to which others are added.
    show: called with each result.
    rows: the results in their order.
    admitted: the number of candidates that are trained.
    """

    problem: Problem
    families: Sequence[str]
    budget: Budget
    workers: Workers
    journal: RowTable[Trained]
    show: Callable[[Trained], None]
    rows: list[Trained] = field(default_factory=list[Trained])
    savings: Savings = field(default_factory=Savings)
    admitted: int = 0
    _costs: dict[object, Cost | None] = field(default_factory=dict[object, "Cost | None"])
    _seen: set[Candidate] = field(default_factory=set[Candidate])

    def run(self) -> None:
        """Search until the budget is spent. An interrupt ends the search; the results until then remain."""
        random = np.random.default_rng(self.problem.task.seed)
        try:
            # Until the first results, none can be dominated.
            usual = [each for each in self._usual() if self._is_admitted(each)]
            self._train("usual", usual, 1.0)
            idle = 0
            while self._has_room() and idle < IDLE_ROUNDS and self.budget.allows("rounds", SEARCH_SHARE, 1) > 0:
                admitted = [each for each in self._proposed(random) if self._is_admitted(each)]
                idle = 0 if admitted else idle + 1
                self._round(admitted)
            self._cross_validate()
        except KeyboardInterrupt:
            self.budget.stopped = True

    def finalists(self) -> list[Judged]:
        """The candidates with the most folds, the best first."""
        found = judged(self.rows)
        most = max((len(each.rows) for each in found), default=0)
        falls = self.problem.task.falls
        return sorted(
            (each for each in found if len(each.rows) == most), key=lambda each: each.merit(falls), reverse=True
        )

    # The steps of `run`.

    def _usual(self) -> Iterator[Candidate]:
        """The usual defaults of the families, and with demands or a metric of classes with other frequencies, too."""
        for repeats in self._repeats():
            for name in self.families:
                for parameters in FAMILIES.get(name).usual:
                    yield Candidate.of(name, parameters, repeats)

    def _is_admitted(self, candidate: Candidate) -> bool:
        """Whether a candidate is trained: not if it is known, cannot fit, or is dominated whatever its metric."""
        if candidate in self._seen or not self._has_room():
            return False
        self._seen.add(candidate)
        self.savings.proposed += 1
        if (key := size_key(candidate)) is None:
            return self._admitted()
        if key not in self._costs:
            start = time.process_time()
            self._costs[key] = known_cost(self.problem, candidate)
            self.budget.spent += time.process_time() - start
        if (cost := self._costs[key]) is None:
            return self._admitted()
        if refusal(self.problem, cost) is not None:
            self.savings.cannot_fit += 1
            return False
        if any(_is_perfect(self.problem, each) and each.cost.is_within(cost) for each in judged(self.rows)):
            self.savings.dominated += 1
            return False
        return self._admitted()

    def _has_room(self) -> bool:
        return self.budget.candidates is None or self.admitted < self.budget.candidates

    def _admitted(self) -> bool:
        self.admitted += 1
        return True

    def _round(self, candidates: Sequence[Candidate]) -> None:
        shares = self._shares()
        for step, share in enumerate(shares):
            rows = self._train("rounds", candidates, share)
            if step < len(shares) - 1:
                better = self._best(rows, max(len(candidates) // RATE, 1))
                self.savings.stopped += len(rows) - len(better)
                candidates = better

    def _cross_validate(self) -> None:
        """Train the best candidates on the other folds, fold by fold. After each fold, candidates that are certainly
        worse than a cheaper one are dropped.
        """
        chosen = self._contenders()
        for fold in range(1, self.problem.task.folds):
            self._train("folds", chosen, 1.0, fold)
            found = {each.candidate: each for each in judged(self.rows) if len(each.rows) > fold}
            chosen = [each for each in chosen if each in found and not self._is_beaten(found[each], [*found.values()])]

    def _contenders(self) -> list[Candidate]:
        found, falls = judged(self.rows), self.problem.task.falls
        if not found:
            return []
        ordered = sorted(found, key=lambda each: each.merit(falls), reverse=True)
        edge = sorted(front(found, lambda each: (each.merit(falls), each.cost)), key=ordered.index)
        usual = set(self._usual())
        best_usual = [each for each in ordered if each.candidate in usual][:1]
        # The best by the metric, of which some differ only by chance, the front from the best to the fastest, and the
        # best of each family, because one fold says little about a small table.
        of_families = {each.candidate.family: each for each in reversed(ordered)}.values()
        mixed = [*best_usual, *ordered[: FINALISTS // 3], *edge[: FINALISTS // 3], *reversed(of_families), *edge]
        return list(dict.fromkeys(each.candidate for each in mixed))[: FINALISTS + 1]

    def _is_beaten(self, one: Judged, others: Sequence[Judged]) -> bool:
        """Whether another candidate costs no more and is better by two standard errors of the paired difference."""
        sign = -1 if self.problem.task.falls else 1
        for other in others:
            same = other.rows.keys() == one.rows.keys() and len(one.rows) >= FEWEST_PAIRS
            if other is one or not same or not other.cost.is_within(one.cost) or other.shortfall > one.shortfall:
                continue
            pairs = [(other.rows[fold].program or 0.0) - (one.rows[fold].program or 0.0) for fold in one.rows]
            more = sign * np.array(pairs)
            if more.mean() > 2 * max(float(more.std(ddof=1)), 1e-3) / np.sqrt(len(more)):
                return True
        return False

    # What the steps have in common.

    def _train(self, phase: str, candidates: Sequence[Candidate], share: float, fold: int = 0) -> list[Trained]:
        """The results of candidates, until the budget ends the phase."""
        found: list[Trained] = []
        ends = FOLDS_SHARE if phase == "folds" else SEARCH_SHARE
        waiting = [Trial(candidate, share, fold) for candidate in candidates]
        while waiting:
            count = self.budget.allows(phase, ends, min(self.workers.size, len(waiting)))
            if phase != "folds" and self.budget.candidates is not None:
                count = min(
                    count,
                    self.budget.candidates - len({row.candidate for row in self.rows} - {*candidates[len(found) :]}),
                )
            if count <= 0:
                break
            part, waiting = waiting[:count], waiting[count:]
            for row in self._results(part):
                self.budget.note(phase, row.seconds or 0.0)
                self.rows.append(row)
                found.append(row)
                self.show(row)
        return found

    def _results(self, trials: Sequence[Trial]) -> list[Trained]:
        keyed = [(trial, self._key(trial)) for trial in trials]
        known = {key: row for _, key in keyed if (row := self.journal.rows.get(key)) is not None}
        for (_, key), row in self.workers.run(
            self.problem, [each for each in keyed if each[1] not in known], run_trials
        ):
            self.journal.add(row)
            known[key] = row
        return [known[key] for _, key in keyed]

    def _key(self, trial: Trial) -> str:
        asked = version(DISTRIBUTION), self.problem.task.digest, self.problem.target, self.problem.limit, trial
        return hashlib.sha256(repr(asked).encode()).hexdigest()[:16]

    def _shares(self) -> list[float]:
        """The shares of the training samples of the steps of a round, up to 1."""
        samples, shares = len(self.problem.folds[0][0]), [1.0]
        while len(shares) < MAX_STEPS and samples * shares[0] / RATE >= FEWEST_SAMPLES:
            shares.insert(0, shares[0] / RATE)
        return shares

    def _best(self, rows: Sequence[Trained], count: int) -> list[Candidate]:
        """The candidates of the best results, by the merit; those of the front are preferred to equally good ones."""
        falls = self.problem.task.falls
        found = [Judged(row.candidate, {row.fold: row}) for row in rows if row.program is not None]
        ordered = sorted(found, key=lambda each: (*each.merit(falls), -each.cost.time), reverse=True)
        edge = front(ordered, lambda each: (each.merit(falls), each.cost))
        return [each.candidate for each in sorted(edge, key=ordered.index)[:count]]

    def _repeats(self) -> Sequence[int]:
        """The values of `Candidate.repeats` that suit the task."""
        task = self.problem.task
        if task.missed_classes:
            return 1, 3, 10, 30
        balanced = task.classes is not None and task.metric in METRICS.names() and task.metric not in ("accuracy",)
        return (1, 0) if balanced or ":" in task.metric else (1,)

    def _proposed(self, random: np.random.Generator) -> list[Candidate]:
        """The candidates of the next round: points by chance, or those of a pool for which the model of the results
        expects the greatest gain over the programs that cost no more.
        """
        start = time.process_time()
        results = [row for row in self.rows if row.program is not None]
        drawn = [self._drawn(random) for _ in range(POOL if len(results) >= ENOUGH else PROPOSED)]
        fresh = list(dict.fromkeys(each for each in drawn if each not in self._seen))
        if len(results) >= ENOUGH:
            edge = self._contenders()
            fresh += [self._changed(each, random) for each in edge for _ in range(POOL // (4 * len(edge)))]
            fresh = list(dict.fromkeys(each for each in fresh if each not in self._seen))
            # Some by chance, so that no family is forgotten for one bad result.
            fresh = [*fresh[:2], *self._promising(fresh[2:], results)]
        self.budget.spent += time.process_time() - start
        return fresh[:PROPOSED]

    def _drawn(self, random: np.random.Generator) -> Candidate:
        name = self.families[int(random.integers(len(self.families)))]
        family, repeats = FAMILIES.get(name), self._repeats()
        parameters = family.point(random.random(len(family.space)).tolist())
        return Candidate.of(name, parameters, repeats[int(random.integers(len(repeats)))])

    def _changed(self, candidate: Candidate, random: np.random.Generator) -> Candidate:
        """A candidate near another one: some parameters are moved."""
        family = FAMILIES.get(candidate.family)
        places = np.array(family.places(candidate.values))
        moved = np.clip(places + random.normal(0, 0.2, len(places)) * (random.random(len(places)) < 0.5), 0, 1 - 1e-9)
        return Candidate.of(candidate.family, family.point(moved.tolist()), candidate.repeats)

    def _promising(self, pool: Sequence[Candidate], results: Sequence[Trained]) -> list[Candidate]:
        """A pool in the order of the expected gain, by forests that predict metric and time."""
        forest: Any = import_module("sklearn.ensemble").RandomForestRegressor
        task, whole = self.problem.task, [row for row in results if row.share == 1 and row.fold == 0]
        inputs = np.array([self._coded(row.candidate, row.share) for row in results])
        sign = -1 if task.falls else 1
        merits = sign * np.array([row.program for row in results]) - np.array([row.shortfall for row in results])
        times = np.log([row.time or 1.0 for row in results])
        forests: list[Any] = [forest(40, random_state=task.seed).fit(inputs, values) for values in (merits, times)]
        points = np.array([self._coded(each, 1.0) for each in pool])
        by_tree = np.stack([tree.predict(points) for tree in forests[0].estimators_])
        hoped, expected_time = by_tree.mean(0) + by_tree.std(0), forests[1].predict(points)
        reached = [(np.log(row.time or 1.0), sign * (row.program or 0.0) - (row.shortfall or 0.0)) for row in whole]
        least = min((merit for _, merit in reached), default=0.0)
        there = [max((merit for at, merit in reached if at <= time), default=least) for time in expected_time]
        return [pool[i] for i in np.argsort(there - hoped, kind="stable")]

    def _coded(self, candidate: Candidate, share: float) -> list[float]:
        """A candidate as numbers: its family, its parameters, its repeats and its share of the samples."""
        coded = [float(candidate.family == name) for name in self.families]
        for name in self.families:
            family: Family = FAMILIES.get(name)
            own = candidate.family == name
            coded += family.places(candidate.values) if own else [-1.0] * len(family.space)
        return [*coded, float(candidate.repeats), float(np.log(share))]


def _is_perfect(problem: Problem, found: Judged) -> bool:
    """Whether no metric can be better on enough samples."""
    samples = sum(len(problem.folds[fold][1]) for fold in found.rows)
    best = found.program == (0.0 if problem.task.falls else 1.0)
    return best and found.shortfall == 0 and samples >= CONVINCING

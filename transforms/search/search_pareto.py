"""`search-pareto`: widths and scales of all tensors at once, under limits on RAM, flash and time.

It begins with uniform widths and with what the searches of SeeDot, Shiftry and MinUn find (`pareto_starts`), goes back
from what is just beyond the limits (`retreats`), and on from the best of them all: tensors are made wide and others
narrow (`exchanges`), then every change of one tensor's width or scale is tried alone, and those that help are made
together, as long as each still does. A finer scale, at which the greatest numbers of a tensor saturate, is such a
change. What it begins with stays among the candidates, so that the result is never worse.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.transforms.formats.assignment.format_assignment import Choice, with_choice
from tinyml.transforms.search.costs.candidate_costs import Cost
from tinyml.transforms.search.engine.limited_pass import LimitedPass, nearly_least
from tinyml.transforms.search.engine.limits import LimitedSearch
from tinyml.transforms.search.engine.result import Found, FrontPoint
from tinyml.transforms.search.engine.search import Search
from tinyml.transforms.search.moves.backtracking import retreat, with_better_scales
from tinyml.transforms.search.moves.error_model import LinearErrors
from tinyml.transforms.search.moves.format_moves import choose_formats
from tinyml.transforms.search.moves.initial_candidates import starts, widest_within
from tinyml.transforms.search.moves.pairwise_moves import GAIN, ZOOMS, Exchanges, changes
from tinyml.transforms.search.moves.pareto_front import Point, worth_knowing

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat
    from tinyml.transforms.formats.evaluation.candidates import Formats

WIDTHS = (4, 6, 8, 10, 12, 16)
NEARLY = 1.01
"""By what factor corrected estimates may be beyond limits that the program is within."""

MEASURED = 8
"""How many candidates in turn may turn out to be beyond the limits before one is taken that is known not to be; of
those that it begins with, any number."""

LOOKED_AT = 4
"""How many candidates are estimated together, of which the first within the limits is taken."""

SHORT = 0.02
"""Of a limit on RAM, the part that a program leaves free where memory is not what it is short of."""

RIVALRY = 2.0
"""How many times as much a candidate may lose that could be the best once its constants are refined."""

RIVALS = 6
"""Of each origin, so many at most."""


@dataclass(frozen=True)
class SearchParetoPass(LimitedPass):
    """widths: that tensors may have, those of them that the format offers. ram, flash, cycles: limits, RAM with the
    stack, cycles in the unit of the target. loss: what may be lost, in the unit of the metric. effort: about how many
    candidates are evaluated, but for retreats. target: as `select-kernels` takes it. formats: that single tensors may
    have instead (`other_formats`).

    Of the candidates within the limits that lose no more than `loss` the fastest is taken; without `loss`, or where all
    lose more, the one that loses least. Raises `InputError` where none is within the limits.
    """

    name = "search-pareto"
    metric: str = "margin"
    widths: tuple[int, ...] = WIDTHS
    flash: int | None = None
    cycles: int | None = None
    loss: float | int | None = None
    effort: int = 400
    formats: tuple[str, ...] = ()

    @property
    def other_formats(self) -> Sequence[str]:
        return self.formats

    def suffices(self, found: Sequence[Found]) -> bool:
        """Products are rounded one by one only where memory is still short: it takes time, and little else is won."""
        if len(found) > 1 and self.ram is not None:
            return found[self.preferred(found)].chosen.cost.ram < (1 - SHORT) * self.ram or super().suffices(found)
        return super().suffices(found)

    def preferred(self, found: Sequence[Found]) -> int:
        """As the candidates of one program are compared; of two that lose nearly the same what takes less RAM."""
        points = [one.chosen for one in found]
        fast = [one for one in points if self.loss is not None and one.loss <= self.loss]
        if fast:
            return points.index(min(fast, key=lambda one: (one.cost.time, one.cost.ram, one.loss)))
        good = [one for one, nearly in zip(points, nearly_least([one.loss for one in points]), strict=True) if nearly]
        return points.index(min(good, key=lambda one: (one.cost.ram, one.loss)))

    @property
    def limits(self) -> Cost:
        return Cost(*(math.inf if one is None else float(one) for one in (self.cycles, self.flash, self.ram)))

    def search(self, search: Search) -> Found:
        if self.effort < 1:
            raise InputError(f"effort must be positive, got {self.effort}")
        if self.loss is not None and self.loss < 0:
            raise InputError(f"loss must not be negative, got {self.loss}")
        offered = search.offered(self.widths, WIDTHS)
        limited = self.limited(search)
        pareto = _Pareto(limited, offered, self.effort)
        pareto.start()
        pareto.retreat()
        pareto.exchange()
        pareto.settle(1.0, MEASURED)
        pareto.improve()
        pareto.settle(1.0, MEASURED)
        chosen = choose_formats(limited, pareto.chosen(self.loss), math.inf, limited.keeps)
        found = pareto.with_front(chosen)
        if self.loss is not None:
            return found
        return replace(found, rivals=[pareto.with_front(one) for one in pareto.rivals(found)])


class _Pareto:
    """points: all candidates that were evaluated whole, by formats. best: of those within the limits."""

    def __init__(self, search: LimitedSearch, offered: Sequence[NumberFormat], effort: int):
        self.search = search
        self.offered = offered
        self.effort = effort
        self.points: dict[Formats, Point] = {}
        self.best: Point | None = None

    def evaluate(self, candidates: Iterable[Sequence[Choice]], origin: str, at_most: float = math.inf) -> list[Point]:
        """The candidates that lose at most so much."""
        listed = [tuple(choices) for choices in candidates]
        formats = [self.search.formats(choices) for choices in listed]
        points: list[Point] = []
        for choices, one, outcome in zip(
            listed, formats, self.search.evaluation.outcomes(formats, at_most), strict=True
        ):
            loss = self.search.evaluation.loss(outcome)
            if loss <= at_most and math.isfinite(loss):
                points.append(self.points.setdefault(one, Point(choices, one, loss, outcome.margin, origin)))
        return points

    def consider(self, point: Point) -> bool:
        """Take a candidate for the best where it is better and within the limits."""
        if (self.best is None or point.key < self.best.key) and self.search.fits(point.choices):
            self.best = point
            return True
        return False

    def start(self) -> None:
        """The candidates to begin with; the best of them within the limits is where the search goes on from."""
        for origin, candidates in starts(self.search, self.offered):
            self.evaluate(candidates, origin)
        self.settle(NEARLY, math.inf)

    def retreat(self) -> None:
        """Go back from programs with wide registers that are just beyond the limits, at better scales."""
        search, best, narrow = self.search, self.best, widest_within(self.search, self.offered)
        assert best is not None
        if not search.is_limited or narrow is None:
            return
        search.evaluation.begin("retreat")
        before = search.evaluation.evaluated
        wide = [one for one in self.points.values() if one.origin == "registers" and one.key < best.key]
        for point in [one for one in wide if search.just_misses(one.choices)]:
            start = with_better_scales(search, point.choices)
            if (found := retreat(search, start, search.uniform(narrow), best.loss)) is not None:
                self.evaluate([found], "retreat")
        self.effort += search.evaluation.evaluated - before
        self.settle(NEARLY, 0)

    def settle(self, factor: float, attempts: float) -> None:
        """Go on from the best candidate that is measured to be within the limits.

        factor: by which estimates may be beyond them. attempts: how many are measured in vain before one is taken that
        is known to be within them. Raises `InputError` where there is none.
        """
        points = sorted(self.points.values(), key=lambda one: one.key)
        known = self.search.known_costs.measurements
        self.best, failed = None, 0
        for point in points:
            if (failed < attempts or point.formats in known) and self.search.may_fit(point.choices, factor):
                if self.search.keeps(point.choices):
                    self.best = point
                    self.search.settle(point.choices)
                    return
                failed += 1
        raise InputError(f"no program within the limits was found: the least needs {self._least(points)}")

    def _least(self, points: Sequence[Point]) -> str:
        known = self.search.known_costs.known
        costs = [self.search.cost(one.formats) for one in points if one.formats in known or one.origin == "uniform"]
        time, flash, ram = (min(numbers) for numbers in zip(*(one.numbers for one in costs), strict=True))
        cycles = f", {time:.0f} cycles" if math.isfinite(self.search.limits.time) else ""
        return f"{ram:.0f} bytes of RAM and {flash:.0f} of flash{cycles}"

    def exchange(self) -> None:
        """Make some tensors wide and others narrow, as long as the error falls."""
        search = self.search
        if search.judge.yardstick.scores is None or search.evaluation.evaluated >= self.effort:
            return
        search.evaluation.begin("exchange")
        assert self.best is not None
        start = self.best.choices
        model = LinearErrors(search, search.uniform(max(self.offered, key=lambda one: one.bits)))
        exchanges = Exchanges(search, model, start, changes(search, start, self.offered))
        moved = True
        while moved and search.evaluation.evaluated < self.effort:
            most = (1 - GAIN) * self.best.loss
            better = self.evaluate(exchanges.proposals(self.best.choices), "exchange", most)
            moved = any(map(self.consider, sorted(better, key=lambda one: one.key)))

    def improve(self) -> None:
        """Change single tensors of the best candidate until nothing helps or enough was evaluated."""
        self.search.evaluation.begin("improvement")
        while self.search.evaluation.evaluated < self.effort:
            before = self.best
            assert before is not None
            moved = self.evaluate(self._neighbours(before.choices), "change of one", before.loss)
            better = sorted((one for one in moved if one.key < before.key), key=lambda one: one.key)
            for i, point in enumerate(better):
                if self.search.evaluation.evaluated < self.effort:
                    if self.best is before and i % LOOKED_AT == 0:
                        self.search.learn_to_fit(one.choices for one in better[i : i + LOOKED_AT])
                    self._join(before, point)
            if self.best is before:
                break

    def _join(self, before: Point, point: Point) -> None:
        """Make the change that leads from `before` to a point also in the best candidate."""
        best = self.best
        assert best is not None
        if best is before:
            self.consider(point)
            return
        changed = [
            new if new != old else now
            for new, old, now in zip(point.choices, before.choices, best.choices, strict=True)
        ]
        if tuple(changed) != best.choices:
            for joined in self.evaluate([changed], "changes of several", best.loss):
                self.consider(joined)

    def _neighbours(self, choices: Sequence[Choice]) -> list[list[Choice]]:
        """All candidates that differ in the width or scale of one class of tensors."""
        found: list[list[Choice]] = []
        for i, choice in enumerate(choices):
            others = [replace(choice, prototype=one) for one in self.offered if one.bits != choice.prototype.bits]
            others += [replace(choice, zoom=choice.zoom + zoom) for zoom in ZOOMS]
            found += [with_choice(choices, i, other) for other in others]
        return found

    def _worth(self) -> list[Point]:
        assert self.best is not None
        return worth_knowing(self.points.values(), self.best, self.search.known_costs.known)

    def _costs(self, points: Sequence[Point]) -> dict[Point, Cost]:
        self.search.learn(one.choices for one in points)
        return {one: self.search.cost(one.formats) for one in points}

    def chosen(self, permitted: float | None) -> Found:
        """The candidate to take, without the front."""
        self.search.evaluation.begin("front")
        assert self.best is not None
        costs = self._costs(self._worth())
        within = [one for one in costs if costs[one].within(self.search.limits)]
        fast = [one for one in within if permitted is not None and one.loss <= permitted]
        fast.sort(key=lambda one: (costs[one].time, costs[one].ram, one.key))
        chosen = next((one for one in fast if self.search.keeps(one.choices)), self.best)
        return chosen.found(self.search)

    def rivals(self, found: Found) -> list[Found]:
        """The best of one width, and of what each of the papers' searches found, within the limits, if they lose little
        more."""
        most = RIVALRY * found.chosen.loss
        rivals: list[Found] = []
        for origin in ("uniform", "maxscale", "demotion", "promotion"):
            points = sorted((one for one in self.points.values() if one.origin == origin), key=lambda one: one.key)
            fitting = (one for one in points if one.loss <= most and self.search.may_fit(one.choices, NEARLY))
            rivals += [one.found(self.search) for one in islice(fitting, RIVALS)]
        return rivals

    def with_front(self, found: Found) -> Found:
        """What was found, with all candidates whose costs are worth knowing."""
        assert self.best is not None
        self.evaluate([found.choices], "other formats")
        chosen = self.points[self.search.formats(found.choices)]
        worth = list(dict.fromkeys([*self._worth(), chosen]))
        costs = self._costs(worth)
        points = [FrontPoint(costs[one], one.loss, one.origin, one is chosen) for one in worth]
        return replace(found, points=points)

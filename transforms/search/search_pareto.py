"""`search-pareto`: searches the widths and scales of all tensors together, under limits on RAM, flash and time.

The search starts from uniform widths, wide registers and the results of SeeDot's, Shiftry's and MinUn's searches. If
the program is equivalent to an earlier program, the earlier result replaces the results of SeeDot's and Shiftry's
searches. The search backtracks from candidates just beyond the limits, and continues from the best candidate. Some
tensors become wide and others narrow (`PairwiseMoves`). Then every change of one tensor's width or scale is evaluated
separately. Changes that lower the loss are combined while each still lowers it. Such a change may be a finer scale, at
which the greatest numbers of a tensor saturate. The result is never worse than an initial candidate.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.errors import InputError
from tinyml.dialects.options import OptionGroup, option
from tinyml.targets.costs import cost_table
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice, with_choice
from tinyml.transforms.ir.pipeline_names import ProgramCost
from tinyml.transforms.search.engine.moves import (
    ZOOMS,
    LinearErrors,
    PairwiseMoves,
    backtrack,
    choose_formats,
    possible_changes,
    with_better_scales,
)
from tinyml.transforms.search.engine.result import FrontPoint, SearchResult
from tinyml.transforms.search.engine.search import (
    CORRECTED_SLACK,
    MIN_GAIN,
    Feasibility,
    Limits,
    Search,
    limit,
    nearly_least,
    worse_by,
)
from tinyml.transforms.search.engine.search_options import formats_option, loss_option, metric_option, widths_option
from tinyml.transforms.search.engine.search_pass import LimitedPass, in_modes
from tinyml.transforms.search.search_demote import cumulative_demotions, demote_each, explore_input_scale
from tinyml.transforms.search.search_maxscale import explore_maxscale
from tinyml.transforms.search.search_promote import Promotion, choose_pair, heat_map

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import NumberFormat
    from tinyml.transforms.formats.evaluation.candidates import Formats


WIDTHS = (4, 6, 8, 10, 12, 16)

FRONT_LOSS = 5.0
"""Limit on how far the loss of a candidate on the front exceeds the least, whatever its cost."""


@dataclass(frozen=True)
class SearchParetoPass(LimitedPass):
    """Use the fastest candidate within the limits whose loss is at most `loss`.

    If `loss` is not given, or if the loss of every candidate exceeds it, use the candidate with the least loss. Raises
    `InputError` if no candidate is within the limits, for a target of unknown costs, for a negative `loss`, and for an
    `effort` that is not positive.

    ram, flash, cycles: limits; RAM includes the stack, cycles are in the target's unit. The costs of candidates are
        their costs after `spend-flash` has used the remaining flash.
    target: as for `select-kernels`.
    widths: the widths of tensors, if the format offers them.
    loss: in the unit of the metric.
    effort: the approximate number of candidates that are evaluated, not counting backtracking.
    formats: alternative formats of single tensors (`choose_formats`).
    plans: modes of `plan-execution`, in each of which the search runs on the program, in this order. With the metric
        `margin`, it ends early when at least two modes have results and the best result leaves RAM free; with any other
        metric, it ends at the first mode with a result. The attribute `tdsl.mode` of the function records the chosen
        mode.
    """

    name = "search-pareto"
    metric: str = metric_option("margin")
    widths: tuple[int, ...] = widths_option(WIDTHS)
    cycles: int | None = option(
        "limit on the cycles or instructions of an inference, with the conversion of float inputs (pareto)",
        default=None,
        metavar="N",
        group=OptionGroup.SEARCH,
    )
    loss: float | int | None = loss_option(None)
    effort: int = option(
        "approximate number of candidates that pareto evaluates", default=400, metavar="N", group=OptionGroup.SEARCH
    )
    formats: tuple[str, ...] = formats_option()
    plans: tuple[str, ...] = option(
        "plans to choose from, the fastest first, with the names of --plan (pareto)",
        default=(),
        metavar="MODE,...",
        group=OptionGroup.SEARCH,
    )

    @property
    def other_formats(self) -> Sequence[str]:
        return self.formats

    @property
    def limits(self) -> Limits:
        return replace(super().limits, time=limit(self.cycles), loss=limit(self.loss))

    def check(self, ctx: Context) -> None:
        super().check(ctx)
        if cost_table(self.target) is None:
            raise InputError(f"search-pareto compares costs, and none are known of the target '{self.target}'")

    def otherwise(self, op: ModuleOp) -> Iterator[ModuleOp]:
        return iter(()) if self.plans else super().otherwise(op)

    def programs(self, ctx: Context, op: ModuleOp, inputs: NDArray[Any]) -> Iterator[ModuleOp]:
        for program in super().programs(ctx, op, inputs):
            yield from in_modes(program, self.plans) if self.plans else [program]

    def suffices(self, results: Sequence[SearchResult]) -> bool:
        """Whether the results so far make a search on further programs unnecessary. With a metric other than `margin`,
        one result suffices. With `margin` and a limit on RAM, two results suffice if the preferred result needs less
        than the fraction 1 - `SPARE_RAM_SHARE` of this RAM.

        Further programs round loop-carried sums, which takes time and is of little use if RAM is left.
        """
        if len(results) > 1 and self.ram is not None:
            enough = results[self.preferred(results)].chosen.cost.ram < (1 - SPARE_RAM_SHARE) * self.ram
            return enough or super().suffices(results)
        return super().suffices(results)

    def preferred(self, results: Sequence[SearchResult]) -> int:
        """The index of the fastest result whose loss is at most `loss`.

        If there is none, the index of the result with the least RAM among the results with nearly the least loss.
        """
        points = [result.chosen for result in results]
        fast = [point for point in points if self.loss is not None and point.loss <= self.loss]
        if fast:
            return points.index(min(fast, key=lambda point: (point.cost.time, point.cost.ram, point.loss)))
        nearly = nearly_least([point.loss for point in points])
        good = [point for point, is_nearly_least in zip(points, nearly, strict=True) if is_nearly_least]
        return points.index(min(good, key=lambda point: (point.cost.ram, point.loss)))

    def search(self, search: Search) -> SearchResult:
        if self.effort < 1:
            raise InputError(f"effort must be positive, got {self.effort}")
        if self.loss is not None and self.loss < 0:
            raise InputError(f"loss must not be negative, got {self.loss}")
        feasibility = Feasibility(search, self.limits)
        pareto = _Pareto(feasibility, search.offered(self.widths, WIDTHS), self.effort)
        pareto.start()
        pareto.retreat()
        pareto.exchange()
        pareto.settle(1.0, FAILED_MEASUREMENTS)
        pareto.improve()
        pareto.settle(1.0, FAILED_MEASUREMENTS)
        result = pareto.with_front(choose_formats(search, pareto.chosen(), feasibility.admits))
        if self.loss is not None:
            return result
        return replace(result, rivals=[pareto.with_front(rival) for rival in pareto.rivals(result)])


FAILED_MEASUREMENTS = 8
"""Consecutive failed measurements after which the best candidate known to meet the limits is taken.

Initial candidates do not count.
"""

ESTIMATED_TOGETHER = 4
"""The number of candidates that are estimated together; the first one within the limits is taken."""

SPARE_RAM_SHARE = 0.02
"""The share of a limit on RAM that stays free in a program that is not short of memory."""

RIVAL_LOSS_RATIO = 2.0
"""The greatest loss, as a multiple of the least, of a candidate that may be the best after refinement."""

MAX_RIVALS = 6
"""Maximum number of rivals of each origin."""


class _Pareto:
    """The state of a run of `search-pareto`.

    offered: formats of the widths that tensors may have.
    effort: the number of evaluated candidates after which no further steps begin.
    points: by formats, all candidates that were evaluated on all samples.
    best: the best candidate within the limits.
    """

    def __init__(self, feasibility: Feasibility, offered: Sequence[NumberFormat], effort: int):
        self.feasibility = feasibility
        self.search = feasibility.search
        self.evaluation = feasibility.search.evaluation
        self.offered = offered
        self.effort = effort
        self.points: dict[Formats, _Point] = {}
        self.best: _Point | None = None

    def evaluate(
        self, candidates: Iterable[Sequence[FormatChoice]], origin: str, at_most: float = math.inf
    ) -> list[_Point]:
        """Evaluate candidates, and return the candidates whose loss is finite and at most `at_most`.

        origin: the step that produced the candidates.
        """
        listed = [tuple(choices) for choices in candidates]
        programs = [self.search.formats(choices) for choices in listed]
        points: list[_Point] = []
        outcomes = self.evaluation.outcomes(programs, at_most)
        for choices, formats, outcome in zip(listed, programs, outcomes, strict=True):
            loss = self.evaluation.loss(outcome)
            if loss <= at_most and math.isfinite(loss):
                point = _Point(choices, formats, loss, outcome.margin, origin)
                points.append(self.points.setdefault(formats, point))
        return points

    def consider(self, point: _Point) -> bool:
        if (self.best is None or point.key < self.best.key) and self.feasibility.fits(point.choices):
            self.best = point
            return True
        return False

    def start(self) -> None:
        for origin, candidates in _initial_candidates(self.feasibility, self.offered):
            self.evaluate(candidates, origin)
        self.settle(CORRECTED_SLACK, math.inf)

    def retreat(self) -> None:
        """Improve the scales of programs with wide registers that are better than the best candidate but slightly
        exceed the limits. Backtrack from these programs.

        Nothing is done without limits on the cost, and if no uniform program is within the limits.
        """
        search, best, narrow = self.search, self.best, _widest_within(self.feasibility, self.offered)
        assert best is not None
        if not self.feasibility.is_limited or narrow is None:
            return
        self.evaluation.begin("retreat")
        before = self.evaluation.evaluated
        wide = [point for point in self.points.values() if point.origin == "registers" and point.key < best.key]
        for point in [point for point in wide if self.feasibility.just_misses(point.choices)]:
            start = with_better_scales(search, point.choices)
            choices = backtrack(self.feasibility, start, search.uniform(narrow), best.loss)
            if choices is not None:
                self.evaluate([choices], "retreat")
        self.effort += self.evaluation.evaluated - before
        self.settle(CORRECTED_SLACK, 0)

    def settle(self, factor: float, attempts: float) -> None:
        """Continue from the best candidate whose measured cost is within the limits. Raises `InputError` if there is
        none.

        factor: the ratio by which estimates may exceed the limits.
        attempts: the number of failed measurements after which only candidates with known measurements are considered.
        """
        points = sorted(self.points.values(), key=lambda point: point.key)
        known = self.feasibility.costs.measurements
        self.best, failed = None, 0
        for point in points:
            if (failed < attempts or point.formats in known) and self.feasibility.may_fit(point.choices, factor):
                if self.feasibility.is_feasible(point.choices):
                    self.best = point
                    self.feasibility.calibrate(point.choices)
                    return
                failed += 1
        raise InputError(f"no program within the limits was found: the least needs {self._least_needs(points)}")

    def _least_needs(self, points: Sequence[_Point]) -> str:
        known = self.feasibility.costs.estimates
        cheap = [point for point in points if point.formats in known or point.origin == "uniform"]
        costs = [self.feasibility.cost(point.formats) for point in cheap]
        time, flash, ram = (min(numbers) for numbers in zip(*(cost.numbers for cost in costs), strict=True))
        cycles = f", {time:.0f} cycles" if math.isfinite(self.feasibility.limits.time) else ""
        return f"{ram:.0f} bytes of RAM and {flash:.0f} of flash{cycles}"

    def exchange(self) -> None:
        """Widen some tensors and narrow others at the same time, while this reduces the loss by at least the fraction
        `MIN_GAIN` and the effort is not exhausted. Programs without scores are left as they are.
        """
        search = self.search
        if search.evaluator.reference.scores is None or self.evaluation.evaluated >= self.effort:
            return
        self.evaluation.begin("exchange")
        assert self.best is not None
        start = self.best.choices
        model = LinearErrors(search, search.uniform(max(self.offered, key=lambda format: format.bits)))
        moves = PairwiseMoves(self.feasibility, model, start, possible_changes(search, start, self.offered))
        moved = True
        while moved and self.evaluation.evaluated < self.effort:
            most = worse_by(-MIN_GAIN, self.best.loss)
            better = self.evaluate(moves.proposals(self.best.choices), "exchange", most)
            moved = any(map(self.consider, sorted(better, key=lambda point: point.key)))

    def improve(self) -> None:
        self.evaluation.begin("improvement")
        while self.evaluation.evaluated < self.effort:
            before = self.best
            assert before is not None
            moved = self.evaluate(self._neighbours(before.choices), "change of one", before.loss)
            better = sorted((point for point in moved if point.key < before.key), key=lambda point: point.key)
            for i, point in enumerate(better):
                if self.evaluation.evaluated < self.effort:
                    if self.best is before and i % ESTIMATED_TOGETHER == 0:
                        self.feasibility.estimate_fitting(point.choices for point in better[i : i + ESTIMATED_TOGETHER])
                    self._join(before, point)
            if self.best is before:
                break

    def _join(self, before: _Point, point: _Point) -> None:
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

    def _neighbours(self, choices: Sequence[FormatChoice]) -> list[list[FormatChoice]]:
        neighbours: list[list[FormatChoice]] = []
        for i, choice in enumerate(choices):
            wanted = [format for format in self.offered if format.bits != choice.prototype.bits]
            others = [replace(choice, prototype=format, is_given=self.search.is_given) for format in wanted]
            others += [replace(choice, zoom=choice.zoom + zoom) for zoom in ZOOMS]
            neighbours += [with_choice(choices, i, other) for other in others]
        return neighbours

    def _worth_knowing(self) -> list[_Point]:
        assert self.best is not None
        return worth_knowing(self.points.values(), self.best, self.feasibility.costs.estimates)

    def _costs(self, points: Sequence[_Point]) -> dict[_Point, ProgramCost]:
        """The cost of each candidate's program after `spend-flash`, as it is compiled."""
        self.feasibility.estimate(point.choices for point in points)
        self.feasibility.estimate_spent(point.formats for point in points)
        return {point: self.feasibility.spent(point.formats) for point in points}

    def chosen(self) -> SearchResult:
        """The result, without a front, for the fastest built candidate within all limits, else for the best
        candidate.
        """
        self.evaluation.begin("front")
        assert self.best is not None
        limits, costs = self.feasibility.limits, self._costs(self._worth_knowing())
        permitted = limits.loss if math.isfinite(limits.loss) else -math.inf
        fast = [point for point in costs if costs[point].within(limits.cost) and point.loss <= permitted]
        fast.sort(key=lambda point: (costs[point].time, costs[point].ram, point.key))
        feasible = (point for point in fast if self.feasibility.is_feasible(point.choices))
        return next(feasible, self.best).result(self.search)

    def rivals(self, result: SearchResult) -> list[SearchResult]:
        """The results for the best candidates of each origin: uniform widths, and each published search. There are at
        most `MAX_RIVALS` results for each origin. They may be within the limits, and their loss is at most
        `RIVAL_LOSS_RATIO` times the loss of `result`, or as much greater if that loss is negative.
        """
        most = worse_by(RIVAL_LOSS_RATIO - 1, result.chosen.loss)
        rivals: list[SearchResult] = []
        for origin in ("uniform", "maxscale", "demotion", "promotion"):
            points = [point for point in self.points.values() if point.origin == origin and point.loss <= most]
            points.sort(key=lambda point: point.key)
            fitting = (point for point in points if self.feasibility.may_fit(point.choices, CORRECTED_SLACK))
            rivals += [point.result(self.search) for point in islice(fitting, MAX_RIVALS)]
        return rivals

    def with_front(self, result: SearchResult) -> SearchResult:
        assert self.best is not None
        self.evaluate([result.choices], "other formats")
        chosen = self.points[self.search.formats(result.choices)]
        if self.feasibility.spending is not None:
            self.feasibility.spending.measured(chosen.formats)
        worth = list(dict.fromkeys([*self._worth_knowing(), chosen]))
        costs = self._costs(worth)
        points = [FrontPoint(costs[point], point.loss, point.origin, point is chosen) for point in worth]
        return replace(result, points=points)


_UNIFORM_SLACK = 1.05
"""The factor on the limits for estimates of uniform programs, which may meet a limit that the estimate exceeds."""


def _initial_candidates(
    feasibility: Feasibility, offered: Sequence[NumberFormat]
) -> Iterator[tuple[str, list[Sequence[FormatChoice]]]]:
    """Yield the initial candidates in groups, each with the step that produced the group.

    If there is a result for an earlier program, it replaces the candidates of `search-maxscale` and `search-demote`.

    offered: formats of the widths that tensors may have.
    """
    search = feasibility.search
    search.evaluation.begin("uniform")
    _calibrate(feasibility, [search.uniform(format) for format in sorted(offered, key=lambda format: format.bits)])
    yield "uniform", [search.uniform(format) for format in offered]
    search.evaluation.begin("registers")
    yield "registers", list(_with_wide_registers(feasibility, offered))
    wide = max(offered, key=lambda format: format.bits)
    halves = [format for format in offered if 2 * format.bits <= wide.bits]
    narrow = max(halves, key=lambda format: format.bits) if halves else min(offered, key=lambda format: format.bits)
    demotions: list[Sequence[FormatChoice]] = []
    if search.earlier:
        yield "the other program", _as_earlier(search, offered)
    else:
        search.evaluation.begin("maxscale")
        yield "maxscale", [explore_maxscale(search, format)[0] for format in offered]
        search.evaluation.begin("demotion")
        demotions = _demotions(search, narrow, wide)
        yield "demotion", demotions
    search.evaluation.begin("promotion")
    yield "promotion", list(_promotions(feasibility, offered, (narrow, wide), demotions))


def _widest_within(feasibility: Feasibility, offered: Sequence[NumberFormat]) -> NumberFormat | None:
    within = [format for format in offered if feasibility.fits(feasibility.search.uniform(format))]
    return max(within, key=lambda format: format.bits, default=None)


def _calibrate(feasibility: Feasibility, programs: Sequence[Sequence[FormatChoice]]) -> None:
    """Correct estimates by the measured errors for uniform programs that may be within the limits, one after the
    other.
    """
    if feasibility.is_limited:
        feasibility.estimate_fitting(programs)
        feasibility.measure(choices for choices in programs if feasibility.may_fit(choices, _UNIFORM_SLACK))
    for choices in programs:
        if feasibility.may_fit(choices, _UNIFORM_SLACK):
            feasibility.is_feasible(choices)
            feasibility.calibrate(choices)


def _with_wide_registers(feasibility: Feasibility, offered: Sequence[NumberFormat]) -> Iterator[Sequence[FormatChoice]]:
    narrow = _widest_within(feasibility, offered)
    if narrow is None:
        return
    search = feasibility.search
    start = search.uniform(narrow)
    room = search.memory(search.formats(start))
    for wide in [format for format in offered if format.bits > narrow.bits]:
        choices = start
        for i, tensors in enumerate(search.classes):
            changed = with_choice(choices, i, FormatChoice(wide))
            if not (tensors.is_constant and tensors.elements > 1) and search.fits(changed, room):
                choices = changed
        yield choices


def _as_earlier(search: Search, offered: Sequence[NumberFormat]) -> list[Sequence[FormatChoice]]:
    """The choices for an earlier program, once for each width in `offered`. Tensors that the earlier program lacks
    have this width.
    """
    return [
        [search.earlier.get(tensors.name, search.choice(format)) for tensors in search.classes] for format in offered
    ]


def _demotions(search: Search, narrow: NumberFormat, wide: NumberFormat) -> list[Sequence[FormatChoice]]:
    """All candidates of Shiftry's algorithm 14, regardless of their loss.

    narrow, wide: the formats of demoted tensors and of all other tensors.
    """
    start = search.uniform(wide)
    start[0] = explore_input_scale(search, start)
    return list(cumulative_demotions(start, demote_each(search, start, narrow)))


def _promotions(
    feasibility: Feasibility,
    offered: Sequence[NumberFormat],
    halves: tuple[NumberFormat, NumberFormat],
    demotions: Sequence[Sequence[FormatChoice]],
) -> Iterator[Sequence[FormatChoice]]:
    """Yield MinUn's promotions within the limits, followed by the result of algorithm 8 for the RAM of each demotion.

    offered: formats of the widths that tensors may have.
    halves: the narrow and the wide format of `demotions`.
    """
    search = feasibility.search
    pairs = [halves]
    if any(feasibility.fits(search.uniform(format)) for format in offered):
        pair = choose_pair(search, offered, feasibility.fits)
        pairs += [] if pair is None else [pair]
    programs = [choices for choices in demotions if search.fits(choices)]
    memory = {search.memory(formats) for formats in map(search.formats, programs)}
    for low, high in dict.fromkeys(pairs):
        promotion = Promotion(search, low, high, heat_map(search, low, high))
        if feasibility.fits(search.uniform(low)):
            yield _promoted(feasibility, promotion, low)
        for ram in sorted(memory):
            if ram <= feasibility.limits.ram and search.fits(search.uniform(low), ram):
                yield promotion.best(partial(search.fits, ram=ram)).choices


def _promoted(feasibility: Feasibility, promotion: Promotion, low: NumberFormat) -> Sequence[FormatChoice]:
    """The choices that `search-promote` finds if only RAM is limited, and otherwise those of algorithm 7, which takes
    less time.

    low: the format of tensors that are not promoted.
    """
    if not feasibility.limits.on_ram_only:
        return promotion.in_order(feasibility.fits)
    least = feasibility.search.uniform(low)
    return feasibility.first_feasible(lambda: promotion.best(feasibility.fits), least).choices


@dataclass(frozen=True, eq=False)
class _Point:
    """A candidate that was evaluated on all samples.

    loss: by the metric of the search.
    error: the error of margins.
    origin: the step that produced the candidate.
    """

    choices: tuple[FormatChoice, ...]
    formats: Formats
    loss: float
    error: float
    origin: str

    @property
    def key(self) -> tuple[float, float]:
        """The key by which candidates are compared: the candidate with the smallest key is preferred."""
        return self.loss, self.error

    def result(self, search: Search) -> SearchResult:
        pairs = zip(search.classes, self.choices, strict=True)
        return SearchResult(self.choices, {tensors.name: _reason(choice, self.origin) for tensors, choice in pairs})


def worth_knowing(points: Collection[_Point], best: _Point, known: Collection[Formats]) -> list[_Point]:
    """The candidates whose costs have to be estimated, because they may be on the front or their costs are already
    `known`.
    """
    good = [point for point in points if point.loss <= best.loss + FRONT_LOSS]
    cheap = [point for point in good if point.formats in known]
    worth = (point for point in good if not any(_is_wasteful(point, other) for other in good))
    return list(dict.fromkeys([*cheap, *worth]))


def _is_wasteful(point: _Point, other: _Point) -> bool:
    """Whether `other` has a lower loss than `point`, and no tensor has more bits in `other` than in `point`."""
    pairs = zip(point.choices, other.choices, strict=True)
    return other.loss < point.loss and all(a.prototype.bits >= b.prototype.bits for a, b in pairs)


def _reason(choice: FormatChoice, origin: str) -> str:
    scale = "" if not choice.zoom else f", scale 2^{choice.zoom} times finer than its range"
    return f"{choice.prototype.bits} bits by {origin}{scale}"

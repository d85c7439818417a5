"""The choice of `--format auto`: the fastest program that fits the board and whose loss is within the limit.

The cost model estimates the alternatives without tools of the target. Some alternatives are needed only if another
alternative is refused; they are deferred until then.

Alternatives are evaluated on the validation set, the fastest first. An alternative is accepted if its counted and its
expected loss are within the limit and, in addition, its bound is within the limit or its margins are reliable. The
first accepted alternative is chosen. If no alternative is accepted, the safest program with an allowed loss is chosen.
If no loss is allowed, the program with the least known loss is chosen among those that fit.

Schedules other than ordinary execution are estimated for programs that do not fit, and for programs that may be faster
than the first accepted one.

Each alternative is first evaluated with constants rounded to nearest. Alternatives whose loss is then far too great are
skipped. Constants are refined for only a few alternatives, unless the loss of every alternative exceeds the limit. The
work is bounded by the number of evaluations instead of by time, and is therefore the same on every computer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.runtime.evaluator.evaluator import feature_map
from tinyml.tools.driver.choice.alternatives import (
    NARROW_WIDTH,
    ORDINARY_EXECUTION,
    SMALLEST_SCHEDULES,
    STREAMED_SCHEDULES,
    USUAL_WIDTH,
    WIDE_COST,
    Alternative,
    considered,
)
from tinyml.tools.driver.choice.candidates import Candidate, FailedAlternative, Outcome
from tinyml.tools.driver.choice.stopwatch import Stopwatch
from tinyml.tools.driver.choice.trials import EstimatedCost, ProgramTrial, Trials
from tinyml.tools.driver.request import USUAL_GROWTH

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.lowering.options import PipelineOptions
    from tinyml.runtime.model.data import Data

SPARE_STACK = 16
"""The possible error of a RAM estimate, in bytes."""

FASTER_RATIO = 0.95
"""The ratio of times below which a program counts as faster; estimates do not resolve smaller differences. Measured
times are compared exactly.
"""

NEAR_RATIO = 1.3
"""The ratio of an estimate to the least one up to which an alternative is measured, if measurements are requested."""

SCHEDULE_GAIN = 0.8
"""A ratio of times that no schedule reaches: a slower alternative is not scheduled for a comparison with the fastest.

Of ten networks on an AVR, a Cortex-M0, a Cortex-M4 and RISC-V, one becomes faster by schedules, by at most 18 %.
"""

FAR_OFF, ERROR_FAR_OFF = 10.0, 100.0
"""The margin over the allowed loss beyond which an alternative with constants rounded to nearest is skipped.

The margin is in points of accuracy, or in percent by which an error grows.
"""

MAX_REFINED = 3
"""The number of alternatives with refined constants, after which only two others are tried (`_keep_two`)."""


@dataclass(frozen=True)
class Bounds:
    """The limits of a choice: bytes of flash and of RAM (arena, input and stack), and the permitted loss.

    loss: the permitted loss in points.
    growth: the permitted growth of an error in percent; it replaces `loss` for a program that computes numbers.
    far_off: an alternative is skipped if its loss with constants rounded to nearest exceeds the permitted loss by more
        than this number.
    """

    flash: float
    ram: float
    loss: float
    growth: float = USUAL_GROWTH
    far_off: float = FAR_OFF

    def by_error(self) -> Bounds:
        """The limits for a program that computes numbers."""
        return replace(self, loss=self.growth, far_off=ERROR_FAR_OFF)

    def admit(self, cost: EstimatedCost) -> bool:
        """Whether a program of the estimated cost `cost` is within the limits of flash and RAM. A part of the RAM is
        reserved for the stack if the time is estimated.
        """
        spare = 0 if cost.time is None else SPARE_STACK
        return cost.within(self.flash, self.ram - spare)

    def excess(self, cost: EstimatedCost) -> float:
        """The greater of two ratios of required to available bytes: the ratio for RAM and the ratio for flash."""
        return max(cost.ram / self.ram, cost.flash / self.flash)


@dataclass
class CandidateQueue:
    """The queue of alternatives of a choice; unnecessary alternatives are not estimated.

    An alternative with a base (`beside`) is deferred until the base is refused, unless the program of the alternative
    may be faster than the base.

    waiting: alternatives that can be tried, the fastest first.
    tried: all estimated alternatives.
    deferred: alternatives whose base has not been refused.
    failed: alternatives that do not compile.
    trials: creates the trial of each alternative.
    bounds: the limits that an alternative must meet.
    stopwatch: measures alternatives; None if estimates decide.
    """

    trials: Trials
    bounds: Bounds
    waiting: list[Candidate] = field(default_factory=list["Candidate"])
    tried: list[Candidate] = field(default_factory=list["Candidate"])
    deferred: list[Alternative] = field(default_factory=list[Alternative])
    failed: list[FailedAlternative] = field(default_factory=list[FailedAlternative])
    stopwatch: Stopwatch | None = None

    def enter(self, alternatives: Sequence[Alternative]) -> None:
        """Add alternatives, each after its base. Alternatives of unknown times keep their order."""
        for alternative in sorted(alternatives, key=lambda row: row.beside is not None):
            if self._waits(alternative):
                self.deferred.append(alternative)
            else:
                self._estimate(alternative)
        self._forget_copies()
        order = {alternative.name: place for place, alternative in enumerate(alternatives)}
        for rows in (self.waiting, self.tried):
            rows.sort(key=lambda row: order.get(row.alternative.name, -1))
        self._sort()

    def admit_deferred(self, refused: Candidate) -> None:
        """Admit the alternatives whose base was refused although it fits.

        Alternatives that are weighed against the base are admitted first. The other alternatives are admitted once the
        weighed ones are refused.
        """
        name = refused.alternative.beside if refused.alternative.weighed else refused.alternative.name
        ready = [alternative for alternative in self.deferred if alternative.beside == name]
        ready = [alternative for alternative in ready if alternative.weighed] or ready
        self.deferred = [alternative for alternative in self.deferred if alternative not in ready]
        for alternative in ready:
            self._estimate(alternative)
        if ready:
            self._forget_copies()
            self._sort()

    def admit_all(self) -> None:
        """Admit all deferred alternatives."""
        ready, self.deferred = self.deferred, []
        for alternative in ready:
            self._estimate(alternative)
        self._sort()

    def _forget_copies(self) -> None:
        """Drop deferred alternatives whose base was dropped as a duplicate, because their programs are
        duplicates, too.
        """
        rows = (*(row.alternative for row in self.tried), *self.deferred, *(row.alternative for row in self.failed))
        known = {row.name for row in rows}
        self.deferred = [alternative for alternative in self.deferred if alternative.beside in known]

    def _waits(self, alternative: Alternative) -> bool:
        """Whether an alternative must be deferred: it is weighed, its base is deferred, or its program is expected to
        be no faster than its base.

        The expectation follows from the program's images, from the times of 8-bit and 16-bit programs, or from the
        number of operations.
        """
        if alternative.beside is None or alternative.weighed:
            return alternative.weighed
        known = {row.alternative.name: row for row in self.tried}
        if (beside := known.get(alternative.beside)) is None:
            return any(other.name == alternative.beside for other in self.deferred)
        if alternative.by_windows:
            return not _has_images(beside.trial)
        if alternative.mixed:
            wide, narrow = (known[name].cost.time if name in known else None for name in (USUAL_WIDTH, NARROW_WIDTH))
            return wide is not None and narrow is not None and wide >= WIDE_COST * narrow
        try:
            return self.trials.of(alternative).prepared.operations >= beside.trial.prepared.operations
        except Exception:
            # The estimate reports the error.
            return False

    def _estimate(self, alternative: Alternative) -> None:
        try:
            trial = self.trials.of(alternative)
            scaled = feature_map(trial.prepared.before) is not None and self.trials.options.input_unit is None
            if alternative.options.get("feature_scales") and not scaled:
                # Nothing absorbs scales of features: the program equals that of another alternative.
                return
            if alternative.options.get("float_features") and not compares_floats(trial.prepared.before):
                # The program equals that of another alternative, too, which the report lists.
                return
            tried = Candidate(trial, trial.cost(ORDINARY_EXECUTION), ORDINARY_EXECUTION)
        except Exception as error:
            # The other alternatives may compile; the report states the reason for this one.
            self.failed.append(FailedAlternative(alternative, error))
            return
        self.tried.append(tried)
        self.waiting.append(tried)

    def is_fastest(self, accepted: Candidate) -> bool:
        """Whether no waiting alternative is faster than an accepted one, each with its best schedule.

        Otherwise the accepted alternative is added to the waiting ones.
        """
        place(accepted, self.bounds)
        for row in self.waiting:
            if SCHEDULE_GAIN * _time(row) <= _time(accepted):
                place(row, self.bounds)
        if self.stopwatch is not None:
            self._admit_expected()
            self.measure([accepted, *self.waiting])
            if not self.bounds.admit(accepted.cost):
                return False
        ordered = fastest_first([accepted, *(row for row in self.waiting if self.bounds.admit(row.cost))])
        if ordered[0] is accepted:
            return True
        accepted.conclude(Outcome.OVERTAKEN)
        self.waiting.append(accepted)
        self._sort()
        return False

    def _admit_expected(self) -> None:
        """Admit the deferred alternatives that are no faster than their bases only by a rule of thumb."""
        ready = [alternative for alternative in self.deferred if alternative.mixed or alternative.by_windows]
        self.deferred = [alternative for alternative in self.deferred if alternative not in ready]
        for alternative in ready:
            self._estimate(alternative)

    def measure(self, rows: Sequence[Candidate]) -> None:
        """Measure those of some alternatives whose estimates are within `NEAR_RATIO` of the least estimate or below the
        least measured time, and those without an estimate, each with its best schedule. No effect if estimates decide.

        An alternative whose program exceeds the memories has the measured sizes as its cost from then on.
        """
        if self.stopwatch is None:
            return
        while True:
            fitting = [row for row in rows if self.bounds.admit(row.cost)]
            least = min(map(_estimate, fitting), default=math.inf)
            limit = max(NEAR_RATIO * least, min(map(_time, fitting), default=math.inf))
            unknown = [row for row in fitting if row.figures is None]
            near = [row for row in unknown if row.cost.time is None or row.cost.time <= limit]
            if not near:
                return
            row = min(near, key=_estimate)
            if not row.placed:
                # The schedule may make other alternatives the nearest.
                place(row, self.bounds)
                continue
            row.figures = self.stopwatch.figures(row.trial.compiled(row.schedule), row.alternative.name)
            if not row.is_measured:
                flash, ram = max(row.cost.flash, row.figures.flash), max(row.cost.ram, row.figures.ram)
                row.cost = replace(row.cost, flash=flash, ram=ram)
                row.conclude(Outcome.TOO_LARGE)

    def _sort(self) -> None:
        """Sort the alternatives by time. First replace ordinary execution by the best schedule where this may
        change the fastest alternative that fits.
        """
        fastest = math.inf
        for row in sorted(self.waiting, key=_time):
            if SCHEDULE_GAIN * _time(row) <= fastest and fits(row, self.bounds):
                fastest = min(fastest, _time(row))
        self.waiting[:] = fastest_first(self.waiting)
        self.tried[:] = fastest_first(self.tried)


def _time(row: Candidate) -> float:
    return math.inf if row.time is None else row.time


def _estimate(row: Candidate) -> float:
    return math.inf if row.cost.time is None else row.cost.time


def fastest_first(rows: Sequence[Candidate]) -> list[Candidate]:
    """Sort alternatives by time. Among those whose times differ by less than estimates resolve (`FASTER_RATIO`),
    uniform fixed 8 comes first, then the smallest.

    Measured times differ if they are not equal. Alternatives of unknown times keep their order.
    """
    left, ordered = sorted(rows, key=_time), list[Candidate]()
    while left:
        if (fastest := _time(left[0])) == math.inf:
            return ordered + left
        exact = left[0].is_measured
        near = [row for row in left if (1.0 if exact and row.is_measured else FASTER_RATIO) * _time(row) <= fastest]
        first = min(near, key=lambda row: (row.alternative.name != NARROW_WIDTH, row.cost.flash + row.cost.ram))
        ordered.append(first)
        left.remove(first)
    return ordered


def compares_floats(program: ModuleOp) -> bool:
    """Whether the input of a program has the format f32, so that its forests compare floats directly. Only then does
    the option `float_features` apply.
    """
    return tdsl.read_input(program).format == F32_FORMAT.type


def fits(tried: Candidate, bounds: Bounds) -> bool:
    """Whether an alternative fits the limits, by ordinary execution or by its best schedule."""
    return bounds.admit(tried.cost) or place(tried, bounds)


def place(tried: Candidate, bounds: Bounds) -> bool:
    """Select the fastest schedule of an alternative that fits, and return True. If none fits, select the smallest
    schedule and return False.
    """
    if tried.placed:
        return bounds.admit(tried.cost)
    tried.placed = True
    ordinary, fits = tried.cost, bounds.admit(tried.cost)
    streams = _has_images(tried.trial) and not (fits and ordinary.time is None)
    slower: list[Mapping[str, Any]] = []
    for way in [*(STREAMED_SCHEDULES if streams else ()), *(() if fits else SMALLEST_SCHEDULES)]:
        if fits and any(way == {**known, "reuse_input": True} for known in slower):
            # The place of the input changes memory, but hardly any time.
            continue
        with suppress(InputError):
            cost = tried.trial.cost(way)
            if _is_better(cost, tried.cost, bounds):
                tried.cost, tried.schedule = cost, way
            if cost.time is not None and ordinary.time is not None and cost.time >= ordinary.time:
                slower.append(way)
    if bounds.admit(tried.cost):
        return True
    tried.conclude(Outcome.TOO_LARGE)
    return False


def _is_better(cost: EstimatedCost, known: EstimatedCost, bounds: Bounds) -> bool:
    """Whether the first program is better than the second.

    This is the case if only the first fits, if both fit and the first is faster by more than estimates resolve
    (`FASTER_RATIO`) and needs no more RAM, or if neither fits and the first needs less RAM.
    """
    fits, fitted = bounds.admit(cost), bounds.admit(known)
    if fits != fitted:
        return fits
    if fits and cost.time is not None and known.time is not None:
        return cost.time < FASTER_RATIO * known.time and cost.ram <= known.ram
    return not fits and cost.ram < known.ram


def _has_images(trial: ProgramTrial) -> bool:
    return any(isinstance(op, tdsl.Conv2dOp) for op in trial.prepared.before.walk())


class NothingFitsError(InputError):
    """The error that no alternative fits the board.

    least: the alternative that needs the least memory.
    """

    def __init__(self, least: Candidate):
        super().__init__(f"needs about {least.cost.ram:,.0f} bytes of RAM and {least.cost.flash:,.0f} of flash")
        self.least = least


@dataclass(frozen=True)
class AutoChoice:
    """The result of `choose`.

    taken: the chosen alternative.
    qualifies: whether its loss is within the limit.
    options: the pipeline options of the chosen program.
    usual: the alternative with 16 bits everywhere; None if it does not compile.
    tried: the estimated alternatives, fastest first.
    deferred: alternatives that were never estimated, since their base (`beside`) was not refused.
    late: last resorts and compact programs that were not needed.
    failed: alternatives that do not compile.
    division: the way in which the validation set was divided into groups.
    bounds: the limits on flash, RAM and loss that an alternative must meet.
    """

    taken: Candidate
    qualifies: bool
    options: PipelineOptions
    usual: Candidate | None
    tried: Sequence[Candidate]
    deferred: Sequence[Alternative]
    late: Sequence[Alternative]
    failed: Sequence[FailedAlternative]
    division: str
    bounds: Bounds

    @property
    def complete(self) -> bool:
        """Whether every alternative that fits was evaluated."""
        return not self.deferred and all(row.known_loss < math.inf for row in self.tried if self.bounds.admit(row.cost))


def choose(
    program: ModuleOp,
    ctx: Context,
    options: PipelineOptions,
    data: Data,
    bounds: Bounds,
    alternatives: Sequence[Alternative] | None = None,
    metric: str | None = None,
    stopwatch: Stopwatch | None = None,
) -> AutoChoice:
    """Choose among alternatives for a program on reals, by default among all that are `considered`.

    options: the pipeline options, without the options that alternatives set.
    data: the validation set, the only data that the choice uses.
    metric: the metric of losses, if it is not accuracy.
    stopwatch: measures the alternatives whose estimated times are near the fastest; None if estimates decide.

    Raises the first error if no alternative compiles, and `NothingFitsError` if none of the alternatives that compile
    fits.
    """
    alternatives = considered() if alternatives is None else alternatives
    contenders = CandidateQueue(Trials(program, ctx, options, data, metric), bounds, stopwatch=stopwatch)
    late = [row for row in alternatives if row.last_resort or row.compact]
    contenders.enter([row for row in alternatives if row not in late])
    if not contenders.tried:
        contenders.enter(late)
        late = []
    if not contenders.tried:
        raise contenders.failed[0].error
    if contenders.trials.loss_model.by_error:
        contenders.bounds = bounds = bounds.by_error()
    taken = _first_accepted(contenders) or _safest(contenders)
    if taken is None and late:
        # If nothing fits, wider programs do not either, and compact ones only if flash is short.
        fits = any(bounds.admit(row.cost) for row in contenders.tried)
        large = all(row.cost.flash > bounds.flash for row in contenders.tried)
        ready = [row for row in late if (large if row.compact else fits)]
        contenders.enter(ready)
        late = [row for row in late if row not in ready]
        taken = _first_accepted(contenders) or _safest(contenders)
    taken = taken or _first_of_all(contenders)
    qualifies = taken is not None
    if taken is None:
        fitting = [row for row in contenders.tried if bounds.admit(row.cost)]
        if not fitting:
            raise NothingFitsError(min(contenders.tried, key=lambda row: bounds.excess(row.cost)))
        taken = min(fitting, key=lambda row: (row.known_loss, row.known_scores))
        _is_certain(taken, bounds)
        taken.conclude(Outcome.LEAST_LOSS)
    usual = next((row for row in contenders.tried if row.alternative.name == USUAL_WIDTH), None)
    if usual is not None and usual.look is None:
        usual.look = usual.trial.look()
    place(taken, bounds)
    chosen = replace(taken.trial.options, **taken.schedule)
    tried, deferred, failed = contenders.tried, contenders.deferred, contenders.failed
    division = contenders.trials.division
    return AutoChoice(taken, qualifies, chosen, usual, tried, deferred, late, failed, division, bounds)


def _first_accepted(contenders: CandidateQueue) -> Candidate | None:
    """The first alternative that fits and whose loss is certainly within the limit; None if all are refused."""
    bounds, waiting = contenders.bounds, contenders.waiting
    refined: dict[str, Candidate] = {}
    while waiting:
        row = waiting.pop(0)
        if not fits(row, bounds):
            continue
        beside = refined.get(row.alternative.beside or "")
        if row.alternative.weighed and beside is None:
            row.conclude(Outcome.BASE_NOT_REFINED, row.alternative.beside or "")
            contenders.admit_deferred(row)
        elif _looks_far_off(row, bounds):
            contenders.admit_deferred(row)
        elif row.alternative.weighed and beside and row.trial.changed_answers() >= beside.trial.changed_answers():
            row.conclude(Outcome.AS_MANY_CHANGES, beside.alternative.name)
            contenders.admit_deferred(row)
        elif _is_certain(row, bounds):
            if contenders.is_fastest(row):
                return row
        else:
            refined[row.alternative.name] = row
            contenders.admit_deferred(row)
            if len(refined) == MAX_REFINED:
                _keep_two(contenders)
    return None


def _keep_two(contenders: CandidateQueue) -> None:
    """Remove all waiting alternatives but two: the fastest one with an allowed loss before refinement, and the safest
    one.

    The safest alternative loses the fewest samples and changes the fewest answers. If an alternative is already
    accepted, it also remains and follows these two.
    """
    waiting, bounds = contenders.waiting, contenders.bounds
    left: list[Candidate] = []
    while waiting:
        row = waiting.pop(0)
        if row.alternative.weighed:
            row.conclude(Outcome.WEIGHED_TOO_LATE, str(MAX_REFINED))
            contenders.admit_deferred(row)
            continue
        if not fits(row, bounds):
            continue
        if not _looks_far_off(row, bounds):
            left.append(row)
        if row.look is None or not row.look.allowed(bounds.loss):
            contenders.admit_deferred(row)
    if left:
        safest = min(left, key=lambda row: (math.inf,) if row.look is None else row.look.risk)
        allowed = (row for row in fastest_first(left) if row.look is not None and row.look.allowed(bounds.loss))
        accepted = (row for row in left if row.loss is not None)
        waiting += dict.fromkeys((next(allowed, safest), safest, *accepted))
        for row in left:
            if row not in waiting and row.look is not None:
                row.conclude(Outcome.LESS_SAFE, safest.alternative.name)


def _safest(contenders: CandidateQueue) -> Candidate | None:
    """The alternative with the least risk among those with an allowed loss; None if there is none.

    It is chosen if the data set is too small to prove that any loss is within the limit.
    """
    loss = contenders.bounds.loss
    fitting = [row for row in contenders.tried if contenders.bounds.admit(row.cost)]
    allowed = [(row.loss.risk, row) for row in fitting if row.loss and row.loss.allowed(loss)]
    if not allowed:
        return None
    least, _ = min(allowed, key=lambda each: each[0])
    equals = [row for risk, row in allowed if risk == least]
    contenders.measure(equals)
    left = [row for row in equals if contenders.bounds.admit(row.cost)]
    if not left:
        return _safest(contenders)
    safest = left[0] if contenders.stopwatch is None else fastest_first(left)[0]
    safest.conclude(Outcome.TAKEN)
    return safest


def _first_of_all(contenders: CandidateQueue) -> Candidate | None:
    """The first skipped alternative that fits and whose loss is certainly within the limit. Skipped alternatives are
    evaluated for this purpose.

    If no alternative qualifies, return the safest alternative with an allowed loss; None if there is none.
    """
    contenders.admit_all()
    contenders.waiting.clear()
    bounds = contenders.bounds
    for row in contenders.tried:
        skipped = row.loss is None and fits(row, bounds) and not _looks_far_off(row, bounds)
        if skipped and _is_certain(row, bounds):
            return row
    return _safest(contenders)


def _looks_far_off(row: Candidate, bounds: Bounds) -> bool:
    """Evaluate an alternative without refined constants; return whether its loss is far too great, or whether the
    evaluation raises `InputError`.
    """
    if row.look is None:
        try:
            row.look = row.trial.look(bounds.loss + bounds.far_off)
        except InputError as error:
            row.conclude(Outcome.INVALID, error.message)
            return True
    if row.look.points > bounds.loss + bounds.far_off:
        row.conclude(Outcome.FAR_OFF)
        return True
    return False


def _is_certain(row: Candidate, bounds: Bounds) -> bool:
    if row.loss is None:
        row.loss = row.trial.loss()
    if row.loss.certain(bounds.loss):
        row.conclude(Outcome.TAKEN)
        return True
    row.conclude(Outcome.UNCERTAIN if row.loss.allowed(bounds.loss) else Outcome.TOO_LOSSY)
    return False

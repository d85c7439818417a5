"""The choice of `--format auto`: the fastest program that fits the board and whose loss is within the limit.

The cost model estimates the alternatives, without tools of the target. An alternative that another one makes
unnecessary waits until that one is refused. From the fastest on, each alternative is evaluated on the validation set.
The first is taken whose counted and expected loss is within the limit, if its bound is, too, or if margins are
reliable. If there is none, the safest program is taken among those with an allowed loss. Other schedules than ordinary
execution are estimated for programs that do not fit, and for those that may be faster than the first accepted one.
Alternatives that are far off with constants rounded to nearest are skipped, and only a few get refined constants,
unless all lose too much. A count therefore bounds the work, which is the same on every computer.
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
from tinyml.tools.driver.choice.trials import EstimatedCost, Trials
from tinyml.tools.driver.request import USUAL_GROWTH

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.lowering.options import PipelineOptions
    from tinyml.runtime.model.data import Data
    from tinyml.tools.driver.choice.statistics import Loss
    from tinyml.tools.driver.choice.trials import ProgramTrial

SPARE_STACK = 16
"""The possible error of a RAM estimate, in bytes."""

FASTER_RATIO = 0.95
"""The ratio of times below which a program counts as faster; estimates do not resolve smaller differences."""

SCHEDULE_GAIN = 0.8
"""A ratio of times that no schedule reaches: a slower alternative is not scheduled for a comparison with the fastest.

Of ten networks on an AVR, a Cortex-M0, a Cortex-M4 and RISC-V, one becomes faster by schedules, by at most 18 %.
"""

FAR_OFF, ERROR_FAR_OFF = 10.0, 100.0
"""The margin over the allowed loss beyond which an alternative with constants rounded to nearest is skipped.

The margin is in points of accuracy, or in percent by which an error grows.
"""

MOST_REFINED = 3
"""The number of alternatives with refined constants, after which only two others are tried (`_keep_two`)."""

TAKEN, NOT_NEEDED = "taken", "not needed"
"""The verdicts on the chosen alternative, and on alternatives after it."""


@dataclass(frozen=True)
class Bounds:
    """The limits of a choice: bytes of flash and of RAM (arena, input and stack), and the permitted loss.

    loss: in points. growth: the permitted growth of an error in percent, for a program that computes numbers; it
    replaces `loss` when such a program is judged. far_off: the margin beyond which an alternative is skipped.
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
        """True for a program whose estimate fits with a reserve."""
        spare = 0 if cost.time is None else SPARE_STACK
        return cost.within(self.flash, self.ram - spare)

    def excess(self, cost: EstimatedCost) -> float:
        """The greater ratio of required to available bytes, of RAM or of flash."""
        return max(cost.ram / self.ram, cost.flash / self.flash)


@dataclass(eq=False)
class Candidate:
    """An alternative in the course of a choice.

    cost: the cost with `schedule`. placed: true if `schedule` is the best one, false for ordinary execution. look: the
    loss of the program with constants rounded to nearest. loss: the loss of the program with refined constants. Both
    are None before their evaluation. verdict: why the alternative was taken or not.
    """

    trial: ProgramTrial
    cost: EstimatedCost
    schedule: Mapping[str, Any]
    look: Loss | None = None
    loss: Loss | None = None
    placed: bool = False
    verdict: str = NOT_NEEDED

    @property
    def alternative(self) -> Alternative:
        return self.trial.alternative

    @property
    def known_loss(self) -> float:
        """The loss in points by the evaluation or, before it, by the first look; infinite without either."""
        known = self.loss or self.look
        return math.inf if known is None else known.points

    @property
    def known_scores(self) -> float:
        """The greatest error of the scores by the evaluation or the first look; 0 if scores are not judged."""
        known = self.loss or self.look
        return 0.0 if known is None or known.scores is None else known.scores


@dataclass(frozen=True)
class FailedAlternative:
    """An alternative that does not compile, and its error."""

    alternative: Alternative
    error: Exception

    @property
    def reason(self) -> str:
        """The error message, with its type unless it is an `InputError`."""
        error = self.error
        return error.message if isinstance(error, InputError) else f"{type(error).__name__}: {error}"


@dataclass
class CandidateQueue:
    """The alternatives of a choice; unnecessary ones are not estimated.

    An alternative `beside` another waits until that one is refused, unless its program may be faster. waiting:
    alternatives that can be tried, the fastest first. tried: all estimated ones. deferred: those that wait for another.
    failed: those that do not compile.
    """

    trials: Trials
    bounds: Bounds
    waiting: list[Candidate] = field(default_factory=list["Candidate"])
    tried: list[Candidate] = field(default_factory=list["Candidate"])
    deferred: list[Alternative] = field(default_factory=list[Alternative])
    failed: list[FailedAlternative] = field(default_factory=list[FailedAlternative])

    def enter(self, alternatives: Sequence[Alternative]) -> None:
        """Add alternatives, each after its base; alternatives of unknown times keep their order."""
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

        Alternatives that are weighed against it come first; the others follow once these are refused, too.
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
        """Drop deferred alternatives whose base was dropped as a duplicate: their programs are duplicates as well."""
        rows = (*(row.alternative for row in self.tried), *self.deferred, *(row.alternative for row in self.failed))
        known = {row.name for row in rows}
        self.deferred = [alternative for alternative in self.deferred if alternative.beside in known]

    def _waits(self, alternative: Alternative) -> bool:
        """True for an alternative that is no faster than its base, if its base compiles."""
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
                return
            tried = Candidate(trial, trial.cost(ORDINARY_EXECUTION), ORDINARY_EXECUTION)
        except Exception as error:
            # The other alternatives may compile; the report states the reason for this one.
            self.failed.append(FailedAlternative(alternative, error))
            return
        self.tried.append(tried)
        self.waiting.append(tried)

    def is_fastest(self, accepted: Candidate) -> bool:
        """True if no waiting alternative is faster than an accepted one, each by its best schedule; else both wait."""
        place(accepted, self.bounds)
        for row in self.waiting:
            if SCHEDULE_GAIN * _time(row) <= _time(accepted):
                place(row, self.bounds)
        ordered = fastest_first([accepted, *(row for row in self.waiting if self.bounds.admit(row.cost))])
        if ordered[0] is accepted:
            return True
        accepted.verdict = NOT_NEEDED
        self.waiting.append(accepted)
        self._sort()
        return False

    def _sort(self) -> None:
        """Sort the waiting alternatives by time; an alternative that does not fit is sorted by its other schedule."""
        fastest = math.inf
        for row in sorted(self.waiting, key=_time):
            if SCHEDULE_GAIN * _time(row) <= fastest and fits(row, self.bounds):
                fastest = min(fastest, _time(row))
        self.waiting[:] = fastest_first(self.waiting)
        self.tried[:] = fastest_first(self.tried)


def _time(row: Candidate) -> float:
    return math.inf if row.cost.time is None else row.cost.time


def fastest_first(rows: Sequence[Candidate]) -> list[Candidate]:
    """Alternatives by time; among equally fast ones uniform fixed 8 comes first, then the smallest.

    Alternatives of unknown times keep their order.
    """
    left, ordered = sorted(rows, key=_time), list[Candidate]()
    while left:
        if (fastest := _time(left[0])) == math.inf:
            return ordered + left
        near = [row for row in left if FASTER_RATIO * _time(row) <= fastest]
        first = min(near, key=lambda row: (row.alternative.name != NARROW_WIDTH, row.cost.flash + row.cost.ram))
        ordered.append(first)
        left.remove(first)
    return ordered


def compares_floats(program: ModuleOp) -> bool:
    """True if forests compare the input's floats directly; else the option does not change the program."""
    return tdsl.read_input(program).format == F32_FORMAT.type


def fits(tried: Candidate, bounds: Bounds) -> bool:
    """True if an alternative fits, by ordinary execution or by its schedule."""
    return bounds.admit(tried.cost) or place(tried, bounds)


def place(tried: Candidate, bounds: Bounds) -> bool:
    """Set the fastest schedule of an alternative that fits; if none fits, set the smallest one and return False."""
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
    tried.verdict = f"needs {tried.cost.ram:,.0f} bytes of RAM and {tried.cost.flash:,.0f} of flash"
    return False


def _is_better(cost: EstimatedCost, known: EstimatedCost, bounds: Bounds) -> bool:
    """True if the first program fits and the second does not, if both fit and the first is faster, or if neither fits
    and the first is smaller.
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
    """A model without an alternative that fits. least: the smallest alternative."""

    def __init__(self, least: Candidate):
        super().__init__(f"needs about {least.cost.ram:,.0f} bytes of RAM and {least.cost.flash:,.0f} of flash")
        self.least = least


@dataclass(frozen=True)
class AutoChoice:
    """The result of `choose`. taken: the chosen alternative. qualifies: whether its loss is within the limit.

    options: pipeline options of its program. usual: 16 bits everywhere; None if that does not compile. tried: estimated
    alternatives, fastest first. deferred: alternatives never estimated, since their base (`beside`) was not refused.
    late: last resorts and compact programs that were not needed. failed: alternatives that do not compile. division:
    how the validation set was divided into groups. bounds: the limits.
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
        """True if all alternatives that fit were evaluated."""
        return not self.deferred and all(row.known_loss < math.inf for row in self.tried if self.bounds.admit(row.cost))


def choose(
    program: ModuleOp,
    ctx: Context,
    options: PipelineOptions,
    data: Data,
    bounds: Bounds,
    alternatives: Sequence[Alternative] | None = None,
    metric: str | None = None,
) -> AutoChoice:
    """Choose among alternatives for a program on reals, by default all that are `considered`.

    options: pipeline options, except those of alternatives. data: the validation set, the only data used. metric: the
    metric of losses, if it is not accuracy. Raises the first error if no alternative compiles, and `NothingFitsError`
    if none of these fits.
    """
    alternatives = considered() if alternatives is None else alternatives
    contenders = CandidateQueue(Trials(program, ctx, options, data, metric), bounds)
    late = [row for row in alternatives if row.last_resort or row.compact]
    contenders.enter([row for row in alternatives if row not in late])
    if not contenders.tried:
        contenders.enter(late)
        late = []
    if not contenders.tried:
        raise contenders.failed[0].error
    if contenders.trials.judge.by_error:
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
        _judge(taken, bounds)
        taken.verdict = "loses least"
    usual = next((row for row in contenders.tried if row.alternative.name == USUAL_WIDTH), None)
    if usual is not None and usual.look is None:
        usual.look = usual.trial.look()
    place(taken, bounds)
    chosen = replace(taken.trial.options, **taken.schedule)
    tried, deferred, failed = contenders.tried, contenders.deferred, contenders.failed
    division = contenders.trials.division
    return AutoChoice(taken, qualifies, chosen, usual, tried, deferred, late, failed, division, bounds)


def _first_accepted(contenders: CandidateQueue) -> Candidate | None:
    """The first alternative that fits and certainly loses no more than allowed; all before it are refused."""
    bounds, waiting = contenders.bounds, contenders.waiting
    refined: dict[str, Candidate] = {}
    while waiting:
        row = waiting.pop(0)
        if not fits(row, bounds):
            continue
        beside = refined.get(row.alternative.beside or "")
        if row.alternative.weighed and beside is None:
            row.verdict = f"weighed only after {row.alternative.beside}"
            contenders.admit_deferred(row)
        elif _looks_far_off(row, bounds):
            contenders.admit_deferred(row)
        elif row.alternative.weighed and beside and row.trial.changed_answers() >= beside.trial.changed_answers():
            row.verdict = f"changes no fewer answers than {beside.alternative.name}"
            contenders.admit_deferred(row)
        elif _judge(row, bounds):
            if contenders.is_fastest(row):
                return row
        else:
            refined[row.alternative.name] = row
            contenders.admit_deferred(row)
            if len(refined) == MOST_REFINED:
                _keep_two(contenders)
    return None


def _keep_two(contenders: CandidateQueue) -> None:
    """Keep two alternatives waiting: the fastest one that a first look allows, and the safest one by that look.

    The safest loses the fewest samples, and changes the fewest answers. An already accepted alternative stays after
    these.
    """
    waiting, bounds = contenders.waiting, contenders.bounds
    left: list[Candidate] = []
    while waiting:
        row = waiting.pop(0)
        if row.alternative.weighed:
            row.verdict = f"weighed only among the first {MOST_REFINED} with refined constants"
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
                row.verdict = f"{row.look.change} at first, {safest.alternative.name} is safer"


def _safest(contenders: CandidateQueue) -> Candidate | None:
    """The alternative with the least risk among those with an allowed loss; None if there is none.

    It is used for data sets that are too small to prove any loss.
    """
    loss = contenders.bounds.loss
    allowed = [(row.loss.risk, row) for row in contenders.tried if row.loss and row.loss.allowed(loss)]
    if not allowed:
        return None
    _, safest = min(allowed, key=lambda each: each[0])
    safest.verdict = TAKEN
    return safest


def _first_of_all(contenders: CandidateQueue) -> Candidate | None:
    """The first alternative that fits and meets the loss, among all skipped ones: none is left unevaluated."""
    contenders.admit_all()
    contenders.waiting.clear()
    bounds = contenders.bounds
    for row in contenders.tried:
        skipped = row.loss is None and fits(row, bounds) and not _looks_far_off(row, bounds)
        if skipped and _judge(row, bounds):
            return row
    return _safest(contenders)


def _looks_far_off(row: Candidate, bounds: Bounds) -> bool:
    """Evaluate an alternative without refined constants; True if it loses far too much."""
    if row.look is None:
        try:
            row.look = row.trial.look(bounds.loss + bounds.far_off)
        except InputError as error:
            row.verdict = error.message
            return True
    if row.look.points > bounds.loss + bounds.far_off:
        row.verdict = f"loses {row.look.points:.1f} points or more" if row.look.error is None else row.look.change
        return True
    return False


def _judge(row: Candidate, bounds: Bounds) -> bool:
    """True if an alternative certainly loses no more than is allowed."""
    if row.loss is None:
        row.loss = row.trial.loss()
    if row.loss.certain(bounds.loss):
        row.verdict = TAKEN
        return True
    if row.loss.allowed(bounds.loss):
        error = row.loss.error
        row.verdict = f"{row.loss.change}, {f'but may lose {row.loss.bound:.2f}' if error is None else error.most}"
    else:
        row.verdict = row.loss.change
    return False

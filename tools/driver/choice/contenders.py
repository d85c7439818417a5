"""Contenders of a choice: alternatives with their costs, each by the schedule that serves it best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.runtime.evaluator.evaluator import feature_map
from tinyml.tools.driver.choice.alternatives import (
    NARROW_WIDTH,
    ORDINARY_EXECUTION,
    SMALLER,
    STREAMED,
    USUAL_WIDTH,
    WIDE_COST,
    Alternative,
)

if TYPE_CHECKING:
    from tinyml.tools.driver.choice.statistics import Loss
    from tinyml.tools.driver.choice.trials import EstimatedCost, ProgramTrial, Trials

SPARE_STACK = 16
"""Bytes of RAM by which an estimate may be short."""

NOTABLE = 0.95
"""The ratio of times below which a program is faster than another: estimates do not tell smaller differences."""


SCHEDULE_GAIN = 0.8
"""The ratio of times that no schedule gains: an alternative beyond it is not placed to be compared with the fastest.

Of ten networks on an AVR, a Cortex-M0, a Cortex-M4 and RISC-V, one gains by schedules, at most 18 %.
"""


@dataclass(frozen=True)
class Bounds:
    """The limits of a choice: bytes of flash and of RAM (arena, input and stack), and points of loss."""

    flash: float
    ram: float
    loss: float

    def admit(self, cost: EstimatedCost) -> bool:
        """True for a program that fits by its estimate, with something to spare."""
        spare = 0 if cost.time is None else SPARE_STACK
        return cost.within(self.flash, self.ram - spare)

    def excess(self, cost: EstimatedCost) -> float:
        """The greatest ratio of what a program needs to what there is."""
        return max(cost.ram / self.ram, cost.flash / self.flash)


@dataclass(eq=False)
class Tried:
    """An alternative in the course of a choice.

    cost: by the schedule in `schedule`, ordinary execution until it is placed. look: the loss of the program with
    constants rounded to nearest. loss: that of the program itself. Both are None where nothing was evaluated. verdict:
    why the alternative was taken or not.
    """

    trial: ProgramTrial
    cost: EstimatedCost
    schedule: Mapping[str, Any]
    look: Loss | None = None
    loss: Loss | None = None
    placed: bool = False
    verdict: str = "not needed"

    @property
    def alternative(self) -> Alternative:
        return self.trial.alternative

    @property
    def known_loss(self) -> float:
        """The points lost, as far as that was looked at."""
        known = self.loss or self.look
        return math.inf if known is None else known.points


@dataclass(frozen=True)
class Failed:
    """An alternative that makes no program, and the error that says why."""

    alternative: Alternative
    error: Exception

    @property
    def reason(self) -> str:
        """The error in words, with its type if it is none of a user's."""
        error = self.error
        return error.message if isinstance(error, InputError) else f"{type(error).__name__}: {error}"


@dataclass
class Contenders:
    """The alternatives of a choice, of which those that others make needless are not estimated.

    An alternative `beside` another waits until that one is refused, unless its program may be faster. waiting: those
    that can be tried, the fastest first. tried: all that were estimated. deferred: those that wait for another.
    failed: those that make no program.
    """

    trials: Trials
    bounds: Bounds
    waiting: list[Tried] = field(default_factory=list["Tried"])
    tried: list[Tried] = field(default_factory=list["Tried"])
    deferred: list[Alternative] = field(default_factory=list[Alternative])
    failed: list[Failed] = field(default_factory=list[Failed])

    def enter(self, alternatives: Sequence[Alternative]) -> None:
        """Add alternatives, each after the one that it stands beside; of unknown times they keep their order."""
        for alternative in sorted(alternatives, key=lambda row: row.beside is not None):
            if self._waits(alternative):
                self.deferred.append(alternative)
            else:
                self._estimate(alternative)
        order = {alternative.name: place for place, alternative in enumerate(alternatives)}
        for rows in (self.waiting, self.tried):
            rows.sort(key=lambda row: order.get(row.alternative.name, -1))
        self._sort()

    def admit_deferred(self, refused: Tried) -> None:
        """Let those wait for their turn that stand beside an alternative that was refused although it fits.

        Those that are weighed against it come first, and the others once these are refused as well.
        """
        name = refused.alternative.beside if refused.alternative.weighed else refused.alternative.name
        ready = [alternative for alternative in self.deferred if alternative.beside == name]
        ready = [alternative for alternative in ready if alternative.weighed] or ready
        self.deferred = [alternative for alternative in self.deferred if alternative not in ready]
        for alternative in ready:
            self._estimate(alternative)
        if ready:
            self._sort()

    def admit_all(self) -> None:
        """Let all others wait for their turn, too."""
        ready, self.deferred = self.deferred, []
        for alternative in ready:
            self._estimate(alternative)
        self._sort()

    def _waits(self, alternative: Alternative) -> bool:
        """True for an alternative that is no faster than the one that it stands beside, which makes a program."""
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
            # It is estimated, which says what fails.
            return False

    def _estimate(self, alternative: Alternative) -> None:
        try:
            trial = self.trials.of(alternative)
            scaled = feature_map(trial.prepared.before) is not None and self.trials.options.input_unit is None
            if alternative.options.get("feature_scales") and not scaled:
                # Nothing absorbs scales of features: the program is that of another alternative.
                return
            tried = Tried(trial, trial.cost(ORDINARY_EXECUTION), ORDINARY_EXECUTION)
        except Exception as error:
            # The others make programs: whatever the reason is, it is for the report to say.
            self.failed.append(Failed(alternative, error))
            return
        self.tried.append(tried)
        self.waiting.append(tried)

    def _sort(self) -> None:
        """Order those that wait by their times, by the best schedule where one may make a difference to the order."""
        fastest = math.inf
        for row in sorted(self.waiting, key=_time):
            if SCHEDULE_GAIN * _time(row) <= fastest and place(row, self.bounds):
                fastest = min(fastest, _time(row))
        self.waiting[:] = fastest_first(self.waiting)
        self.tried[:] = fastest_first(self.tried)


def _time(row: Tried) -> float:
    return math.inf if row.cost.time is None else row.cost.time


def fastest_first(rows: Sequence[Tried]) -> list[Tried]:
    """Alternatives by their times; of those that are as fast uniform fixed 8 comes first, then the smallest.

    Alternatives of unknown times keep their order.
    """
    left, ordered = sorted(rows, key=_time), list[Tried]()
    while left:
        if (fastest := _time(left[0])) == math.inf:
            return ordered + left
        near = [row for row in left if NOTABLE * _time(row) <= fastest]
        first = min(near, key=lambda row: (row.alternative.name != NARROW_WIDTH, row.cost.flash + row.cost.ram))
        ordered.append(first)
        left.remove(first)
    return ordered


def place(tried: Tried, bounds: Bounds) -> bool:
    """Give an alternative the fastest schedule that fits; False where none does, which then is the smallest."""
    if tried.placed:
        return bounds.admit(tried.cost)
    tried.placed = True
    ordinary, fits = tried.cost, bounds.admit(tried.cost)
    streams = _has_images(tried.trial) and not (fits and ordinary.time is None)
    slower: list[Mapping[str, Any]] = []
    for way in [*(STREAMED if streams else ()), *(() if fits else SMALLER)]:
        if fits and any(way == {**known, "reuse_input": True} for known in slower):
            # The place of the input changes memory, and hardly any time.
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
    """True for a program that fits where another does not, or else is faster; where neither fits, smaller."""
    fits, fitted = bounds.admit(cost), bounds.admit(known)
    if fits != fitted:
        return fits
    if fits and cost.time is not None and known.time is not None:
        return cost.time < NOTABLE * known.time and cost.ram <= known.ram
    return not fits and cost.ram < known.ram


def _has_images(trial: ProgramTrial) -> bool:
    return any(isinstance(op, tdsl.Conv2dOp) for op in trial.prepared.before.walk())

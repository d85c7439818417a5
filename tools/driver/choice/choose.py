"""The choice of `--format auto`: the fastest program that fits the board and loses no more than is allowed.

All alternatives are estimated by the cost model, without tools of the target. From the fastest up, each is evaluated on
the half of the validation set that chooses, then on the half that accepts; the first that passes both is taken. A look
at the program with constants rounded to nearest leaves out what is far off, and no more than a few alternatives get
refined constants, so that the work is bounded by a count, and the same on every computer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.evaluator.evaluator import feature_map
from tinyml.tools.driver.choice.alternatives import (
    ALTERNATIVES,
    ORDINARY_EXECUTION,
    SMALLER,
    STREAMED,
    USUAL_WIDTH,
    Alternative,
)
from tinyml.tools.driver.choice.split import choosing_half
from tinyml.tools.driver.choice.trials import EstimatedCost, ProgramTrial, Trials

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.lowering.options import PipelineOptions
    from tinyml.runtime.model.data import Data
    from tinyml.tools.driver.choice.statistics import Loss

FAR_OFF = 10.0
"""Points beyond the permitted loss from which refined constants are not tried."""

MOST_REFINED = 3
"""Alternatives that get refined constants before the one that loses least by the first look is the last."""

SPARE_STACK = 16
"""Bytes of RAM by which an estimate may be short."""


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


@dataclass
class Tried:
    """An alternative in the course of a choice.

    cost: by the schedule in `schedule`, ordinary execution until it is placed. look: the loss of the program with
    constants rounded to nearest, on the choosing half. choosing, checking: that of the program itself on both halves,
    None if it was not looked at. verdict: why the alternative was taken or not.
    """

    trial: ProgramTrial
    cost: EstimatedCost
    schedule: Mapping[str, Any]
    look: Loss | None = None
    choosing: Loss | None = None
    checking: Loss | None = None
    placed: bool = False
    verdict: str = "not needed"

    @property
    def alternative(self) -> Alternative:
        return self.trial.alternative

    @property
    def known_loss(self) -> float:
        """The points lost, as far as that was looked at."""
        losses = [loss for loss in (self.choosing, self.checking) if loss is not None]
        if losses:
            return sum(loss.points * loss.samples for loss in losses) / max(sum(loss.samples for loss in losses), 1)
        return math.inf if self.look is None else self.look.points


class NothingFitsError(InputError):
    """A model of which no alternative fits. least: what the smallest one needs."""

    def __init__(self, least: EstimatedCost):
        super().__init__(f"needs about {least.ram:,.0f} bytes of RAM and {least.flash:,.0f} of flash")
        self.least = least


@dataclass(frozen=True)
class AutoChoice:
    """A choice. taken: the alternative. qualifies: whether it loses no more than is allowed, on both halves.

    options: of the pipelines for its program. usual: 16 bits everywhere, None if that makes no program. tried: all
    alternatives, the fastest first. division: how the validation set was divided. bounds: the limits.
    """

    taken: Tried
    qualifies: bool
    options: PipelineOptions
    usual: Tried | None
    tried: Sequence[Tried]
    division: str
    bounds: Bounds


def choose(
    program: ModuleOp,
    ctx: Context,
    options: PipelineOptions,
    data: Data,
    bounds: Bounds,
    alternatives: Sequence[Alternative] = ALTERNATIVES,
) -> AutoChoice:
    """Choose among alternatives for a program on reals.

    options: of the pipelines, but for those of alternatives. data: the validation set; no other is looked at. Raises
    the error of the first where none makes a program, `NothingFitsError` where none of these fits.
    """
    trials = Trials(program, ctx, options, data)
    refused: list[InputError] = []
    tried = _estimated(trials, [row for row in alternatives if not row.last_resort], refused)
    late = [row for row in alternatives if row.last_resort]
    if not tried:
        tried, late = _estimated(trials, late, refused), []
    if not tried:
        raise refused[0]
    reference = tried[0].trial.reference
    classes = np.empty_like(reference.classes)
    classes[reference.order] = reference.classes if reference.labels is None else reference.labels
    half, division = choosing_half(options.data, classes)
    taken = _first_accepted(tried, half, bounds)
    if taken is None and late:
        late_tried = _estimated(trials, late, refused)
        taken = _first_accepted(late_tried, half, bounds)
        tried += late_tried
    qualifies = taken is not None
    if taken is None:
        fitting = [row for row in tried if bounds.admit(row.cost)]
        if not fitting:
            raise NothingFitsError(min(tried, key=lambda row: bounds.excess(row.cost)).cost)
        # Scales of rows count only once they were weighed.
        fitting = [row for row in fitting if row.alternative.beside is None or row.choosing is not None] or fitting
        taken = min(fitting, key=lambda row: row.known_loss)
        _judge(taken, half, bounds)
        taken.verdict = "loses least"
    usual = next((row for row in tried if row.alternative.name == USUAL_WIDTH), None)
    if usual is not None and usual.look is None:
        usual.look = usual.trial.loss(usual.trial.rounded, half)
    chosen = replace(taken.trial.options, **taken.schedule)
    return AutoChoice(taken, qualifies, chosen, usual, tried, division, bounds)


def _estimated(trials: Trials, alternatives: Sequence[Alternative], refused: list[InputError]) -> list[Tried]:
    """The alternatives that make programs, with their costs, the fastest first; errors of others go to `refused`."""
    tried: list[Tried] = []
    for alternative in alternatives:
        try:
            trial = trials.of(alternative)
            if alternative.options.get("feature_scales") and feature_map(trial.prepared.reals) is None:
                # Nothing absorbs scales of features: the program is that of another alternative.
                continue
            tried.append(Tried(trial, trial.cost(ORDINARY_EXECUTION), ORDINARY_EXECUTION))
        except InputError as error:
            refused.append(error)
    return sorted(tried, key=lambda row: math.inf if row.cost.time is None else row.cost.time)


def place(tried: Tried, bounds: Bounds) -> bool:
    """Give an alternative the fastest schedule that fits; False where none does, which then is the smallest."""
    if tried.placed:
        return bounds.admit(tried.cost)
    tried.placed = True
    ways = [*(STREAMED if _has_images(tried.trial) else ()), *(() if bounds.admit(tried.cost) else SMALLER)]
    for way in ways:
        with suppress(InputError):
            cost = tried.trial.cost(way)
            if _is_better(cost, tried.cost, bounds):
                tried.cost, tried.schedule = cost, way
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
        return cost.time < known.time and cost.ram <= known.ram
    return not fits and cost.ram < known.ram


def _has_images(trial: ProgramTrial) -> bool:
    return any(isinstance(op, tdsl.Conv2dOp) for op in trial.prepared.reals.walk())


def _first_accepted(order: Sequence[Tried], half: NDArray[np.bool_], bounds: Bounds) -> Tried | None:
    """The first alternative that fits and loses no more than is allowed on both halves. order: the fastest first."""
    refined: dict[str, Tried] = {}
    waiting = list(order)
    while waiting:
        row = waiting.pop(0)
        if not place(row, bounds):
            continue
        beside = None if row.alternative.beside is None else refined.get(row.alternative.beside)
        if row.alternative.beside is not None and beside is None:
            row.verdict = f"weighed only after {row.alternative.beside}"
            continue
        if _looks_far_off(row, half, bounds):
            continue
        if beside is not None and row.trial.changed_answers() >= beside.trial.changed_answers():
            row.verdict = f"changes no fewer answers than {beside.alternative.name}"
            continue
        if _judge(row, half, bounds):
            return row
        refined[row.alternative.name] = row
        if len(refined) == MOST_REFINED:
            # Equal losses go to the fastest, which comes first.
            left = [other for other in waiting if other.alternative.beside is None and place(other, bounds)]
            left = [other for other in left if not _looks_far_off(other, half, bounds)]
            waiting = [min(left, key=lambda other: other.known_loss)] if left else []
            for other in left:
                if other is not waiting[0] and other.look is not None:
                    other.verdict = f"loses {other.look.points:.2f} points at first, {waiting[0].alternative.name} less"
    return None


def _looks_far_off(row: Tried, half: NDArray[np.bool_], bounds: Bounds) -> bool:
    """Look at an alternative without refined constants; True if it loses far too much."""
    if row.look is None:
        try:
            row.look = row.trial.loss(row.trial.rounded, half, bounds.loss + FAR_OFF)
        except InputError as error:
            row.verdict = error.message
            return True
    if row.look.points > bounds.loss + FAR_OFF:
        row.verdict = f"loses {row.look.points:.1f} points or more"
        return True
    return False


def _judge(row: Tried, half: NDArray[np.bool_], bounds: Bounds) -> bool:
    """True if an alternative loses no more than is allowed on the choosing half, then on the checking half."""
    trial = row.trial
    if row.choosing is None or row.checking is None:
        row.choosing, row.checking = (trial.loss(trial.refined, mask) for mask in (half, ~half))
    if not row.choosing.allowed(bounds.loss):
        row.verdict = f"loses {row.choosing.points:.2f} points where it is chosen"
    elif not row.checking.allowed(bounds.loss):
        row.verdict = f"loses {row.checking.points:.2f} points where it is checked"
    else:
        row.verdict = "taken"
        return True
    return False

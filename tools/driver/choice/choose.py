"""The choice of `--format auto`: the fastest program that fits the board and loses no more than is allowed.

All alternatives are estimated by the cost model, without tools of the target. From the fastest up, each is evaluated on
the validation set; the first whose expected loss is allowed is taken. Of few samples the bound of the loss has to be
allowed, and where none is, the program with the least bound is taken of those whose expected loss is. Alternatives that
are far off with constants rounded to nearest are skipped, and only a few get refined constants, unless all of them
lose too much. This bounds the work by a count, which is the same on every computer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.tools.driver.choice.alternatives import ALTERNATIVES, USUAL_WIDTH, Alternative
from tinyml.tools.driver.choice.contenders import Bounds, Contenders, Failed, Tried, place
from tinyml.tools.driver.choice.trials import EstimatedCost, Trials

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.lowering.options import PipelineOptions
    from tinyml.runtime.model.data import Data
    from tinyml.tools.driver.choice.statistics import Judge

FAR_OFF = 10.0
"""The points beyond the permitted loss at which an alternative with constants rounded to nearest is skipped."""

MOST_REFINED = 3
"""The number of alternatives with refined constants, after which only the most accurate of the others is tried."""


TAKEN = "taken"
"""The verdict on the alternative that is taken."""


class NothingFitsError(InputError):
    """A model of which no alternative fits. least: what the smallest one needs."""

    def __init__(self, least: EstimatedCost):
        super().__init__(f"needs about {least.ram:,.0f} bytes of RAM and {least.flash:,.0f} of flash")
        self.least = least


@dataclass(frozen=True)
class AutoChoice:
    """A choice. taken: the alternative. qualifies: whether it is expected to lose no more than is allowed.

    options: of the pipelines for its program. usual: 16 bits everywhere, None if that makes no program. tried: the
    alternatives that were estimated, the fastest first. deferred: those that were not, since the one that they stand
    beside was not refused. failed: those that make no program. division: of the validation set in groups. bounds: the
    limits.
    """

    taken: Tried
    qualifies: bool
    options: PipelineOptions
    usual: Tried | None
    tried: Sequence[Tried]
    deferred: Sequence[Alternative]
    failed: Sequence[Failed]
    division: str
    bounds: Bounds

    @property
    def complete(self) -> bool:
        """True if all alternatives that fit were evaluated."""
        return not self.deferred and all(row.known_loss < inf for row in self.tried if self.bounds.admit(row.cost))


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
    contenders = Contenders(Trials(program, ctx, options, data), bounds)
    contenders.enter([row for row in alternatives if not row.last_resort])
    late = [row for row in alternatives if row.last_resort]
    if not contenders.tried:
        contenders.enter(late)
        late = []
    if not contenders.tried:
        raise contenders.failed[0].error
    judge = contenders.trials.judge
    taken = _first_accepted(contenders, judge) or _safest(contenders)
    if taken is None and late and any(bounds.admit(row.cost) for row in contenders.tried):
        # Where nothing fits, wider programs do not either.
        contenders.enter(late)
        taken = _first_accepted(contenders, judge) or _safest(contenders)
    taken = taken or _first_of_all(contenders, judge)
    qualifies = taken is not None
    if taken is None:
        fitting = [row for row in contenders.tried if bounds.admit(row.cost)]
        if not fitting:
            raise NothingFitsError(min(contenders.tried, key=lambda row: bounds.excess(row.cost)).cost)
        taken = min(fitting, key=lambda row: row.known_loss)
        _judge(taken, judge, bounds)
        taken.verdict = "loses least"
    usual = next((row for row in contenders.tried if row.alternative.name == USUAL_WIDTH), None)
    if usual is not None and usual.look is None:
        usual.look = usual.trial.loss(usual.trial.rounded, judge)
    chosen = replace(taken.trial.options, **taken.schedule)
    tried, deferred, failed = contenders.tried, contenders.deferred, contenders.failed
    division = contenders.trials.division
    return AutoChoice(taken, qualifies, chosen, usual, tried, deferred, failed, division, bounds)


def _first_accepted(contenders: Contenders, judge: Judge) -> Tried | None:
    """The first alternative that fits and certainly loses no more than is allowed; all before it are refused."""
    bounds, waiting = contenders.bounds, contenders.waiting
    refined: dict[str, Tried] = {}
    while waiting:
        row = waiting.pop(0)
        if not place(row, bounds):
            continue
        beside = refined.get(row.alternative.beside or "")
        if row.alternative.weighed and beside is None:
            row.verdict = f"weighed only after {row.alternative.beside}"
            contenders.admit_deferred(row)
        elif _looks_far_off(row, judge, bounds):
            contenders.admit_deferred(row)
        elif row.alternative.weighed and beside and row.trial.changed_answers() >= beside.trial.changed_answers():
            row.verdict = f"changes no fewer answers than {beside.alternative.name}"
            contenders.admit_deferred(row)
        elif _judge(row, judge, bounds):
            return row
        else:
            refined[row.alternative.name] = row
            contenders.admit_deferred(row)
            if len(refined) == MOST_REFINED:
                _keep_least(contenders, judge)
    return None


def _keep_least(contenders: Contenders, judge: Judge) -> None:
    """Leave only that alternative waiting which loses least by a first look; the fastest of equal ones."""
    waiting, bounds = contenders.waiting, contenders.bounds
    left: list[Tried] = []
    while waiting:
        row = waiting.pop(0)
        if row.alternative.weighed:
            contenders.admit_deferred(row)
            continue
        if not place(row, bounds):
            continue
        if not _looks_far_off(row, judge, bounds):
            left.append(row)
        if row.look is None or not row.look.allowed(bounds.loss):
            contenders.admit_deferred(row)
    if left:
        least = min(left, key=lambda row: row.known_loss)
        waiting.append(least)
        for row in left:
            if row is not least and row.look is not None:
                row.verdict = f"{row.look.change} at first, {least.alternative.name} loses less"


def _safest(contenders: Contenders) -> Tried | None:
    """The alternative of the least bound of those with an allowed loss, of which few samples make none certain."""
    loss = contenders.bounds.loss
    allowed = [(row.loss.bound, row) for row in contenders.tried if row.loss and row.loss.allowed(loss)]
    if not allowed:
        return None
    _, safest = min(allowed, key=lambda each: each[0])
    safest.verdict = TAKEN
    return safest


def _first_of_all(contenders: Contenders, judge: Judge) -> Tried | None:
    """The first alternative that fits and keeps the loss, of all that were skipped: none is left unevaluated."""
    contenders.admit_all()
    contenders.waiting.clear()
    bounds = contenders.bounds
    for row in contenders.tried:
        skipped = row.loss is None and place(row, bounds) and not _looks_far_off(row, judge, bounds)
        if skipped and _judge(row, judge, bounds):
            return row
    return _safest(contenders)


def _looks_far_off(row: Tried, judge: Judge, bounds: Bounds) -> bool:
    """Look at an alternative without refined constants; True if it loses far too much."""
    if row.look is None:
        try:
            row.look = row.trial.loss(row.trial.rounded, judge, bounds.loss + FAR_OFF)
        except InputError as error:
            row.verdict = error.message
            return True
    if row.look.points > bounds.loss + FAR_OFF:
        row.verdict = f"loses {row.look.points:.1f} points or more"
        return True
    return False


def _judge(row: Tried, judge: Judge, bounds: Bounds) -> bool:
    """True if an alternative certainly loses no more than is allowed."""
    if row.loss is None:
        row.loss = row.trial.loss(row.trial.refined, judge)
    if row.loss.certain(bounds.loss):
        row.verdict = TAKEN
        return True
    if row.loss.allowed(bounds.loss):
        row.verdict = f"{row.loss.change}, but may lose {row.loss.bound:.2f}"
    else:
        row.verdict = row.loss.change
    return False

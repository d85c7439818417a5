"""The choice of `--format auto`: the fastest program that fits the board and loses no more than is allowed.

All alternatives are estimated by the cost model, without tools of the target. From the fastest up, each is evaluated on
the half of the validation set that chooses, then on the half that accepts; the first that passes both is taken.
Alternatives that are far off with constants rounded to nearest are skipped, and only a few get refined constants. This
bounds the work by a count, which is the same on every computer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.tools.driver.choice.alternatives import ALTERNATIVES, USUAL_WIDTH, Alternative
from tinyml.tools.driver.choice.contenders import Bounds, Contenders, Failed, Tried, place
from tinyml.tools.driver.choice.split import choosing_half
from tinyml.tools.driver.choice.trials import EstimatedCost, Trials

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.lowering.options import PipelineOptions
    from tinyml.runtime.model.data import Data

FAR_OFF = 10.0
"""The points beyond the permitted loss at which an alternative with constants rounded to nearest is skipped."""

MOST_REFINED = 3
"""The number of alternatives with refined constants, after which only the most accurate of the others is tried."""


class NothingFitsError(InputError):
    """A model of which no alternative fits. least: what the smallest one needs."""

    def __init__(self, least: EstimatedCost):
        super().__init__(f"needs about {least.ram:,.0f} bytes of RAM and {least.flash:,.0f} of flash")
        self.least = least


@dataclass(frozen=True)
class AutoChoice:
    """A choice. taken: the alternative. qualifies: whether it loses no more than is allowed, on both halves.

    options: of the pipelines for its program. usual: 16 bits everywhere, None if that makes no program. tried: the
    alternatives that were estimated, the fastest first. deferred: those that were not, since the one that they stand
    beside was not refused. failed: those that make no program. division: how the validation set was divided. bounds:
    the limits.
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
    reference = contenders.tried[0].trial.reference
    classes = np.empty_like(reference.classes)
    classes[reference.order] = reference.classes if reference.labels is None else reference.labels
    half, division = choosing_half(options.data, classes)
    taken = _first_accepted(contenders, half)
    if taken is None and late and any(bounds.admit(row.cost) for row in contenders.tried):
        # Where nothing fits, wider programs do not either.
        contenders.enter(late)
        taken = _first_accepted(contenders, half)
    qualifies = taken is not None
    if taken is None:
        fitting = [row for row in contenders.tried if bounds.admit(row.cost)]
        if not fitting:
            raise NothingFitsError(min(contenders.tried, key=lambda row: bounds.excess(row.cost)).cost)
        # Alternatives with scales of rows count only after these have been weighed.
        fitting = [row for row in fitting if not row.alternative.weighed or row.choosing is not None] or fitting
        taken = min(fitting, key=lambda row: row.known_loss)
        _judge(taken, half, bounds)
        taken.verdict = "loses least"
    usual = next((row for row in contenders.tried if row.alternative.name == USUAL_WIDTH), None)
    if usual is not None and usual.look is None:
        usual.look = usual.trial.loss(usual.trial.rounded, half)
    chosen = replace(taken.trial.options, **taken.schedule)
    tried, deferred, failed = contenders.tried, contenders.deferred, contenders.failed
    return AutoChoice(taken, qualifies, chosen, usual, tried, deferred, failed, division, bounds)


def _first_accepted(contenders: Contenders, half: NDArray[np.bool_]) -> Tried | None:
    """The first alternative that fits and loses no more than is allowed on both halves; all before it are refused."""
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
        elif _looks_far_off(row, half, bounds):
            contenders.admit_deferred(row)
        elif row.alternative.weighed and beside and row.trial.changed_answers() >= beside.trial.changed_answers():
            row.verdict = f"changes no fewer answers than {beside.alternative.name}"
            contenders.admit_deferred(row)
        elif _judge(row, half, bounds):
            return row
        else:
            refined[row.alternative.name] = row
            contenders.admit_deferred(row)
            if len(refined) == MOST_REFINED:
                _keep_least(contenders, half)
    return None


def _keep_least(contenders: Contenders, half: NDArray[np.bool_]) -> None:
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
        if not _looks_far_off(row, half, bounds):
            left.append(row)
        if row.look is None or not row.look.allowed(bounds.loss):
            contenders.admit_deferred(row)
    if left:
        least = min(left, key=lambda row: row.known_loss)
        waiting.append(least)
        for row in left:
            if row is not least and row.look is not None:
                row.verdict = f"loses {row.look.points:.2f} points at first, {least.alternative.name} less"


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

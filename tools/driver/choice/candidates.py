"""The candidates of `--format auto`, and the reason for which each is chosen or dropped: its outcome.

`choose.py` decides the outcomes. This file describes them, and writes the texts of the report (`verdict`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.tools.driver.choice.alternatives import Alternative
from tinyml.tools.driver.choice.trials import EstimatedCost, ProgramTrial

if TYPE_CHECKING:
    from tinyml.tools.driver.choice.statistics import Loss
    from tinyml.tools.driver.choice.stopwatch import ProgramFigures


class Outcome(Enum):
    """The reason for which a candidate is chosen or dropped."""

    NOT_REACHED = auto()
    """Another candidate was accepted before this one was evaluated."""
    OVERTAKEN = auto()
    """Accepted, but a schedule makes another candidate faster."""
    TAKEN = auto()
    """The fastest candidate whose loss is certainly within the limit, or the safest one if none is certain."""
    LEAST_LOSS = auto()
    """Chosen although its loss exceeds the limit, because the losses of all others that fit are greater."""
    TOO_LARGE = auto()
    """With no schedule does the program fit the board, or the measured program does not."""
    INVALID = auto()
    """The evaluation reports an error."""
    FAR_OFF = auto()
    """The loss with constants rounded to nearest is far above the limit (`Bounds.far_off`)."""
    TOO_LOSSY = auto()
    """The loss with refined constants exceeds the limit."""
    UNCERTAIN = auto()
    """The loss on the samples is within the limit, but the samples do not prove it."""
    LESS_SAFE = auto()
    """After `MAX_REFINED` refused candidates, only the fastest and the safest remaining one are refined."""
    BASE_NOT_REFINED = auto()
    """A weighed alternative is compared with its base, whose loss is unknown."""
    AS_MANY_CHANGES = auto()
    """A weighed alternative is slower than its base and does not change fewer answers."""
    WEIGHED_TOO_LATE = auto()
    """A weighed alternative waits after `MAX_REFINED` refused candidates."""


@dataclass(eq=False)
class Candidate:
    """An alternative and its state during a choice. Both losses are None before their evaluation.

    trial: the alternative with its program.
    schedule: the options of its schedule.
    cost: the estimated cost with `schedule`.
    figures: the measured figures with `schedule`; None if it was not measured.
    placed: true if `schedule` is the best schedule, false for ordinary execution.
    look: the loss of the program with constants rounded to nearest.
    loss: the loss of the program with refined constants.
    outcome: the reason for which it is chosen or dropped.
    detail: the name of the other alternative to which the outcome refers, the number, or the error message.
    """

    trial: ProgramTrial
    cost: EstimatedCost
    schedule: Mapping[str, Any]
    look: Loss | None = None
    loss: Loss | None = None
    figures: ProgramFigures | None = None
    placed: bool = False
    outcome: Outcome = Outcome.NOT_REACHED
    detail: str = ""

    @property
    def alternative(self) -> Alternative:
        return self.trial.alternative

    @property
    def is_measured(self) -> bool:
        return self.figures is not None and self.figures.inference is not None

    @property
    def time(self) -> float | None:
        """The time of a call with floats, by measurement or else by estimate; None if it is unknown."""
        if self.figures is None or self.figures.inference is None:
            return self.cost.time
        return self.figures.inference + self.cost.reading

    @property
    def inference(self) -> float:
        """The part of a known time that the program takes on raws."""
        assert self.time is not None
        return self.time - self.cost.reading

    @property
    def known_loss(self) -> float:
        """The loss in points by the full evaluation or, before that, by the evaluation with constants rounded to
        nearest.

        Infinite without an evaluation.
        """
        known = self.loss or self.look
        return math.inf if known is None else known.points

    @property
    def known_scores(self) -> float:
        """The greatest error of the scores by either evaluation; 0 if scores are not judged."""
        known = self.loss or self.look
        return 0.0 if known is None or known.scores is None else known.scores

    def conclude(self, outcome: Outcome, detail: str = "") -> None:
        self.outcome, self.detail = outcome, detail

    @property
    def verdict(self) -> str:
        """The outcome as text for the report."""
        look, loss = self.look, self.loss
        match self.outcome:
            case Outcome.NOT_REACHED:
                return "not needed: another alternative is accepted first"
            case Outcome.OVERTAKEN:
                return "keeps the loss, but another alternative is faster"
            case Outcome.TAKEN:
                return "taken"
            case Outcome.LEAST_LOSS:
                return "loses least"
            case Outcome.TOO_LARGE:
                return f"needs {self.cost.ram:,.0f} bytes of RAM and {self.cost.flash:,.0f} of flash"
            case Outcome.INVALID:
                return self.detail
            case Outcome.FAR_OFF:
                assert look is not None
                return f"loses {look.points:.1f} points or more" if look.error is None else look.change
            case Outcome.TOO_LOSSY:
                assert loss is not None
                return loss.change
            case Outcome.UNCERTAIN:
                assert loss is not None
                most = f"but may lose {loss.bound:.2f}" if loss.error is None else loss.error.most
                return f"{loss.change}, {most}"
            case Outcome.LESS_SAFE:
                assert look is not None
                return f"{look.change} at first, {self.detail} is safer"
            case Outcome.BASE_NOT_REFINED:
                return f"weighed only after {self.detail}"
            case Outcome.AS_MANY_CHANGES:
                return f"changes no fewer answers than {self.detail}"
            case Outcome.WEIGHED_TOO_LATE:
                return f"weighed only among the first {self.detail} with refined constants"


@dataclass(frozen=True)
class FailedAlternative:
    """An alternative that does not compile, and the error of its compilation."""

    alternative: Alternative
    error: Exception

    @property
    def reason(self) -> str:
        """The error message, with its type unless it is an `InputError`."""
        error = self.error
        return error.message if isinstance(error, InputError) else f"{type(error).__name__}: {error}"

    @property
    def verdict(self) -> str:
        return f"makes no program: {self.reason}"


def verdict_of_deferred(alternative: Alternative) -> str:
    """The text for an alternative that was not estimated, because its base was not refused."""
    return f"considered only where {alternative.beside} is refused"


def verdict_of_late(alternative: Alternative) -> str:
    """The text for a last resort or a compact alternative that was not estimated, because another alternative fits or
    keeps the loss.
    """
    return f"considered only where no other {'fits' if alternative.compact else 'keeps the loss'}"

"""The texts with which the report states why `auto` chose or dropped an alternative."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from tinyml.tools.driver.choice.alternatives import considered
from tinyml.tools.driver.choice.candidates import Candidate, Outcome, verdict_of_deferred, verdict_of_late
from tinyml.tools.driver.choice.statistics import Loss
from tinyml.tools.driver.choice.trials import EstimatedCost

ALTERNATIVES = {alternative.name: alternative for alternative in considered()}

TEXTS = {
    Outcome.NOT_REACHED: "not needed: another alternative is accepted first",
    Outcome.OVERTAKEN: "keeps the loss, but another alternative is faster",
    Outcome.TAKEN: "taken",
    Outcome.LEAST_LOSS: "loses least",
    Outcome.TOO_LARGE: "needs 3,000 bytes of RAM and 2,000 of flash",
    Outcome.INVALID: "fixed 8",
    Outcome.FAR_OFF: "loses 12.0 points or more",
    Outcome.TOO_LOSSY: "loses 1.50 points",
    Outcome.UNCERTAIN: "loses 1.50 points, but may lose 2.50",
    Outcome.LESS_SAFE: "loses 12.00 points at first, fixed 8 is safer",
    Outcome.BASE_NOT_REFINED: "weighed only after fixed 8",
    Outcome.AS_MANY_CHANGES: "changes no fewer answers than fixed 8",
    Outcome.WEIGHED_TOO_LATE: "weighed only among the first fixed 8 with refined constants",
}


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_has_a_text(outcome: Outcome):
    trial = cast("Any", SimpleNamespace(alternative=ALTERNATIVES["zeroskew 8"]))
    look, loss = Loss(12.0, 13.0, 12, 0, 100, 100), Loss(1.5, 2.5, 3, 0, 200, 200)
    candidate = Candidate(trial, EstimatedCost(1000, 2000, 3000), {}, look, loss)
    assert candidate.outcome is Outcome.NOT_REACHED
    candidate.conclude(outcome, "fixed 8")
    assert candidate.verdict == TEXTS[outcome]


def test_alternatives_that_were_not_estimated_have_a_text():
    assert verdict_of_deferred(ALTERNATIVES["zeroskew 8"]) == "considered only where fixed 8 is refused"
    assert verdict_of_late(ALTERNATIVES["f32"]) == "considered only where no other keeps the loss"
    assert verdict_of_late(ALTERNATIVES["fixed 8, weights mxint:4"]) == "considered only where no other fits"

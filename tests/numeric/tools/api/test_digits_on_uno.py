"""Estimators of scikit-learn in five lines: the programs that `auto` chooses for an Uno."""

from __future__ import annotations

import numpy as np
import pytest
from programs.digits import NAMES, digits, estimator, on_uno, points_lost
from programs.spread import spread

MOST_LOST = 0.5
"""Points of accuracy on the test samples, below those of scikit-learn."""

MOST_CYCLES = {"MLP": 18_000, "random forest": 2_800}


@pytest.mark.long
@pytest.mark.parametrize("name", spread(NAMES, 1))
def test_an_estimator_on_an_uno(name: str):
    """The chosen program fits the Uno and qualifies, and the results of the simulated board equal the evaluator's. Its
    time is within the recorded limit. Its loss is within the recorded limit or the bound that the report states.
    """
    report = on_uno(name).report
    assert report.fits
    assert report.mismatch is None
    assert report.chosen is not None
    assert report.chosen["qualifies"]
    # The samples of the choice bound what other samples may lose.
    assert points_lost(name) <= max(MOST_LOST, report.chosen["loss"]["bound"])
    assert report.time_per_inference is not None
    assert report.time_per_inference <= MOST_CYCLES.get(name, np.inf)


@pytest.mark.long
def test_answers_are_labels():
    x, _ = digits().test
    assert set(on_uno("MLP").predict(x[:50]).tolist()) <= set(estimator("MLP").classes_.tolist())

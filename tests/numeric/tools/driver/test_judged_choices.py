"""The models on which choices by estimates are judged, and the judgement of one of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from measured.measures.choices import judged
from measured.measures.unseen_networks import FAMILIES, HELD_BACK, SAMPLES, unseen
from programs.devices import need_tools

from tinyml.tools.calibration.programs.networks import FITTED


@pytest.mark.parametrize("family", range(len(FAMILIES)), ids=FAMILIES)
def test_a_number_always_draws_the_same_model_and_another_number_another(family: int, tmp_path: Path) -> None:
    first, again, other = (unseen(family + more, tmp_path) for more in (0, 0, len(FAMILIES)))
    assert len(first.x) == SAMPLES
    assert first.name == again.name
    assert str(first.module) == str(again.module)
    assert np.array_equal(first.x, again.x)
    assert str(first.module) != str(other.module)


def test_no_table_was_fitted_to_the_models() -> None:
    assert FITTED.stop < HELD_BACK


@pytest.mark.long(seconds=3)
def test_both_choices_are_those_of_one_model() -> None:
    """A forest on an Uno: the fastest program is chosen by estimates and by measurements. Only in the latter choice it
    is measured.
    """
    need_tools("uno")
    choice = judged(7, "uno")
    assert choice.by_estimates.taken.alternative == choice.by_measurements.taken.alternative
    assert choice.ratio == 1
    assert not choice.by_estimates.taken.is_measured
    assert choice.by_measurements.taken.is_measured
    assert choice.texts == "extra trees 7: 0 % (fixed 8 for fixed 8)"

"""Thresholds that are values of the data, and thresholds beyond the data, in number formats."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from programs.estimators import sk
from programs.forests import forest_program

import tinyml
from tinyml.dialects.context import context
from tinyml.dialects.formats.lookup import format_named
from tinyml.dialects.layouts.trees import Trees
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.formats.constants.cuts import crossing, cuts_of
from tinyml.transforms.reals.analysis.profiles import record_profiles

FORMATS = [
    ("fixed", 8),
    ("fixed", 16),
    ("fixed", 32),
    ("posit", 8),
    ("posit", 16),
    ("posit", 32),
    ("zeroskew", 8),
    ("bf16", None),
]
EIGHT_BITS = ("fixed", "posit", "zeroskew", "minifloat")


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 1 << 32), name=st.sampled_from(EIGHT_BITS), digits=st.integers(1, 3))
def test_a_cut_next_to_the_threshold_sends_the_most_readings_to_their_side(seed: int, name: str, digits: int):
    """Of the numbers of a format around a threshold, none is a better cut for the readings, some of which equal
    thresholds.
    """
    random = np.random.default_rng(seed)
    readings = np.round(random.uniform(-1.5, 3, (60, 1)), digits).astype(np.float32).astype(np.float64)
    thresholds = np.concatenate([readings[:5, 0], np.nextafter(readings[5:10, 0], -np.inf), random.uniform(-1, 2, 5)])
    ranged: Any = format_named(context(), name, 8).for_range(float(readings.min()), float(readings.max()))
    rounded = ranged.decode(ranged.encode_clipped(readings[:, 0]))
    with np.errstate(invalid="ignore"):
        numbers = ranged.decode(np.arange(-128, 128).astype(ranged.dtype))
    numbers = np.concatenate([[-np.inf], np.unique(numbers[np.isfinite(numbers)])])
    cuts = cuts_of(ranged, thresholds, np.zeros(len(thresholds), np.int64), readings)
    for threshold, cut in zip(thresholds, cuts, strict=True):
        mistaken = [int(((rounded <= number) != (readings[:, 0] <= threshold)).sum()) for number in (cut, *numbers)]
        at = int((numbers <= threshold).sum())
        assert mistaken[0] == min(mistaken[1:][max(at - 2, 0) : at + 1])
        limit = np.array([threshold])
        assert mistaken[0] == crossing(ranged, limit, np.array([cut]), np.zeros(1, np.int64), readings)
    several = crossing(ranged, thresholds, cuts, np.zeros(len(thresholds), np.int64), readings)
    sides = [(rounded <= cut) != (readings[:, 0] <= limit) for limit, cut in zip(thresholds, cuts, strict=True)]
    assert several == np.any(sides, 0).sum()


def tenths(samples: int, seed: int, features: int = 1, most: int = 6) -> NDArray[np.float32]:
    return (np.random.default_rng(seed).integers(0, most, (samples, features)) / 10).astype(np.float32)


@pytest.mark.parametrize(("format", "width"), FORMATS)
@pytest.mark.parametrize("strict", [False, True], ids=["at most", "below"])
def test_readings_that_equal_a_threshold_reach_the_leaf_of_the_model(
    format: str, width: int | None, strict: bool, tmp_path: Any
):
    """Trees of one node answer like the model for all readings in steps of 0.1, for `x <= threshold` and
    `x < threshold`, where the threshold is a reading.
    """
    data = tmp_path / "data.npz"
    np.savez(data, x=tenths(60, 0))
    for limit in np.arange(6) / 10:
        threshold = float(np.float32(limit))
        threshold = np.nextafter(threshold, -np.inf) if strict else threshold
        root = np.zeros(1, np.int64)
        trees = Trees(root, np.array([threshold]), np.array([[-1, -2]]), root)
        module = forest_program(trees, np.eye(2, dtype=np.float32), 1)
        record_profiles(module, tenths(60, 0))
        AssignFormatPass(format, width, data=str(data)).apply(context(), module)
        unseen = tenths(30, 1)
        labels = evaluate(module, encode_inputs(module, unseen)).labels
        np.testing.assert_array_equal(labels, (unseen[:, 0] > threshold).astype(np.int64))


@pytest.mark.parametrize("width", [8, 16])
def test_a_step_compares_readings_like_the_model(width: int):
    """The features of a naive Bayes classifier of binary features are compared with a reading."""
    x = tenths(500, 0, 6, 60)
    y = (x[:, 0] > 2.1).astype(int)
    model = sk.BernoulliNB(binarize=2.1).fit(x[:300], y[:300])
    program = tinyml.compile(model, x[:300], y[:300], board="host", format="fixed", width=width)
    unseen = tenths(400, 1, 6, 60)
    np.testing.assert_array_equal(program.predict(unseen), model.predict(unseen))


def boosted() -> tuple[Any, NDArray[np.float64]]:
    """Boosted trees of data with a steep rise at 2.5 in the first feature, and the data."""
    random = np.random.default_rng(0)
    x = random.normal(size=(600, 3)) * 1.5
    y = 5 * x[:, 1] + 40 * (x[:, 0] > 2.5)
    return sk.GradientBoostingRegressor(n_estimators=20, random_state=0).fit(x, y), x


@pytest.mark.filterwarnings("ignore:the types of")
@pytest.mark.parametrize(("format", "width"), [("fixed", 16), ("fixed", 32), ("posit", 16), ("zeroskew", 16)])
def test_thresholds_beyond_the_data_are_covered(format: tinyml.FormatName, width: int):
    """A program calibrated on half of the range answers like the model on the other half, and its answers have the
    resolution of its width: votes are not narrowed.
    """
    model, x = boosted()
    half = x[np.abs(x).max(1) < 1.9][:200]
    program = tinyml.compile(model, half, model.predict(half), board="host", format=format, width=width)
    assert program.report.thresholds is not None
    assert program.report.thresholds["constant"] == []
    with warnings.catch_warnings(action="ignore"):
        found = np.asarray(program.predict(x)).ravel()
    assert np.abs(found - model.predict(x)).max() < (0.02 if width == 16 else 1e-5)


@pytest.mark.filterwarnings("ignore:RMSE")
@pytest.mark.parametrize("width", [8, 16])
def test_a_threshold_too_far_from_the_data_is_a_constant_branch_that_the_report_names(width: int):
    """A split at -500 separates a marker of -999 in the training data. It does not cost the resolution of the data."""
    random = np.random.default_rng(0)
    x = random.normal(size=(400, 2)).clip(-2, 2)
    x[:20, 1] = -999
    model = sk.DecisionTreeRegressor(max_depth=4, random_state=0).fit(x, 5 * x[:, 0] + 50 * (x[:, 1] < -100))
    near = x[20:]
    program = tinyml.compile(model, near, model.predict(near), board="host", format="fixed", width=width)
    assert program.report.thresholds is not None
    [branch] = program.report.thresholds["constant"]
    assert (branch["feature"], branch["at_most"]) == (1, False)
    assert -999 < branch["threshold"] < -100
    assert f"none <= {branch['threshold']:g} (feature 1)" in str(program.report)
    assert program.report.thresholds["crossed"] <= (5 if width == 8 else 0)

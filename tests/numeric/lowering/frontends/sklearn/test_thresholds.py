"""Samples that equal a threshold of a tree take the same branch as in the library, with and without scalers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from programs.estimators import sk

from tinyml.lowering.frontends.layers.thresholds import single_thresholds
from tinyml.lowering.frontends.model_predictions import predictor_of
from tinyml.lowering.frontends.sklearn.importer import import_estimator
from tinyml.lowering.frontends.sklearn.predictions import check_predictions
from tinyml.runtime.evaluator.evaluator import evaluate_reals

COLUMNS = sk.ColumnTransformer(
    [("some", sk.StandardScaler(), [4, 0, 2]), ("others", sk.MinMaxScaler((-1, 2)), [1, 5])], remainder="passthrough"
)
SCALERS = (
    None,
    sk.StandardScaler(),
    sk.MinMaxScaler(),
    sk.MinMaxScaler(clip=True),
    sk.RobustScaler(),
    sk.MaxAbsScaler(),
    COLUMNS,
    sk.make_pipeline(sk.RobustScaler(), sk.StandardScaler()),
)


def decimals(digits: int) -> tuple[Any, Any]:
    """Random numbers (600, 6), rounded to `digits` decimals, and the values of a function of each row."""
    random = np.random.default_rng(digits)
    x = np.round(random.normal(size=(600, 6)) * [1, 10, 0.1, 5, 2, 30] + 3, digits)
    x[:, 1] = np.maximum(x[:, 1], 0)
    return x, np.sin(x[:, 0]) + x[:, 1] / 10 + x[:, 2] * 3 + (x[:, 3] > 4)


@pytest.mark.long
@pytest.mark.parametrize(
    "estimator",
    [
        sk.RandomForestRegressor(4, random_state=0),
        sk.GradientBoostingRegressor(n_estimators=10),
        sk.HistGradientBoostingRegressor(max_iter=10),
    ],
    ids=lambda each: type(each).__name__,
)
def test_decimals_behind_scalers_are_decided_as_in_double_precision(estimator: Any):
    x, y = decimals(1)
    for scaler in SCALERS:
        model: Any = estimator if scaler is None else sk.make_pipeline(scaler, estimator)
        model.fit(x[:400], y[:400])
        found = np.asarray(evaluate_reals(import_estimator(model), x.astype(np.float32)).tensors[0])
        np.testing.assert_allclose(found.ravel(), model.predict(x), rtol=1e-4, atol=1e-4)


def test_answers_are_compared_on_inputs_as_given():
    """Where an import compares its results with the estimator's, the estimator predicts on the original inputs, not on
    their single-precision values. Some predictions differ between the two.
    """
    x, y = decimals(3)
    model = sk.HistGradientBoostingRegressor(max_iter=20).fit(x, y)
    rounded = model.predict(x.astype(np.float32).astype(np.float64))
    assert (np.abs(rounded - model.predict(x)) > 1e-3).sum() > 6
    module = import_estimator(model)
    known = predictor_of(module)
    assert known is not None
    check_predictions(module, known, x, "model")


def test_thresholds_between_numbers_of_single_precision():
    one = np.float32(0.1)
    below, above = np.nextafter(one, np.float32(0)), np.nextafter(one, np.float32(1))
    cases = [
        (0.1, True, one),
        (float(one), True, one),
        # Less than 0.1 by a rounding error, or by more.
        (np.nextafter(0.1, 0), True, below),
        (0.1 - 1e-11, True, one),
        (0.1 - 1e-11, False, below),
        ((float(one) + float(above)) / 2, True, one),
        ((float(one) + float(below)) / 2, True, below),
        (-1e-50, True, -np.finfo(np.float32).smallest_subnormal),
        (1.0000000180025095e-35, True, np.float32(1e-35)),
        (np.inf, True, np.finfo(np.float32).max),
        (-np.inf, True, np.finfo(np.float32).min),
        (np.finfo(np.float32).min, True, np.finfo(np.float32).min),
    ]
    exact, double, expected = map(np.array, zip(*cases, strict=True))
    np.testing.assert_array_equal(single_thresholds(exact, double), expected.astype(np.float32))

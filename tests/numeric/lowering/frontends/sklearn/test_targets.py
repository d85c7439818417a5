"""Regressors whose targets were transformed for training return values in the units of the targets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from programs.estimators import halves, scores_of, sk

import tinyml
from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.sklearn.importer import import_estimator
from tinyml.runtime.evaluator.evaluator import evaluate_reals

TRANSFORMATIONS: dict[str, dict[str, Any]] = {
    "none": {},
    "standard": {"transformer": sk.StandardScaler()},
    "standard without mean": {"transformer": sk.StandardScaler(with_mean=False)},
    "min and max": {"transformer": sk.MinMaxScaler((-1, 1))},
    "max": {"transformer": sk.MaxAbsScaler()},
    "robust": {"transformer": sk.RobustScaler()},
    "log1p": {"func": np.log1p, "inverse_func": np.expm1},
    "log": {"func": np.log, "inverse_func": np.exp},
    "log2": {"func": np.log2, "inverse_func": np.exp2},
    "sqrt": {"func": np.sqrt, "inverse_func": np.square},
    "negative": {"func": np.negative, "inverse_func": np.negative},
    "log, then standard": {
        "transformer": sk.make_pipeline(
            sk.FunctionTransformer(np.log, np.exp, check_inverse=False), sk.StandardScaler()
        )
    },
}


@pytest.mark.parametrize("name", TRANSFORMATIONS)
@pytest.mark.parametrize("outputs", [1, 2])
def test_transformed_targets(name: str, outputs: int) -> None:
    data = halves("diabetes")
    y = data.y if outputs == 1 else np.stack([data.y, data.y**1.2 + 3], 1)
    estimator = sk.TransformedTargetRegressor(sk.Ridge(), **TRANSFORMATIONS[name]).fit(data.x, y)
    values = scores_of(evaluate_reals(import_estimator(estimator), data.held_x))
    expected = estimator.predict(data.held_x).reshape(values.shape)
    np.testing.assert_allclose(values, expected, rtol=1e-4)


def test_a_program_of_scaled_targets() -> None:
    """The program returns values in the units of the targets, in 16 bits and behind a scaler of features."""
    data = halves("diabetes")
    network = sk.make_pipeline(sk.StandardScaler(), sk.Ridge())
    estimator = sk.TransformedTargetRegressor(network, transformer=sk.StandardScaler()).fit(data.x, data.y)
    program = tinyml.compile(estimator, data.held_x, data.held_y, board="host", format="fixed", width=16)
    expected = estimator.predict(data.held_x)
    assert np.abs(np.ravel(program.predict(data.held_x)) - expected).max() < 0.01 * np.ptp(expected)


def squared(y: Any) -> Any:
    return y**2


OTHERS: list[tuple[dict[str, Any], str]] = [
    ({"func": np.sqrt, "inverse_func": squared}, "the function squared is not supported, only exp, "),
    ({"transformer": sk.QuantileTransformer(n_quantiles=9)}, "QuantileTransformer are not supported.*regressor_"),
]


@pytest.mark.parametrize(("transformation", "message"), OTHERS)
@pytest.mark.filterwarnings("ignore:The provided functions")
def test_other_transformations(transformation: dict[str, Any], message: str) -> None:
    data = halves("diabetes")
    estimator = sk.TransformedTargetRegressor(sk.Ridge(), **transformation).fit(data.x, data.y)
    with pytest.raises(InputError, match=message):
        import_estimator(estimator)


@pytest.mark.parametrize("function", [np.log1p, np.exp, np.tanh, np.square, None])
def test_functions_of_features(function: Any) -> None:
    data = halves("iris")
    estimator = sk.make_pipeline(sk.FunctionTransformer(function), sk.Ridge()).fit(data.x, data.y)
    values = scores_of(evaluate_reals(import_estimator(estimator), data.held_x))
    np.testing.assert_allclose(values.ravel(), estimator.predict(data.held_x), rtol=1e-3, atol=1e-4)

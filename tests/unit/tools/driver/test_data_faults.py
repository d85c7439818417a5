"""Faults of the data are detected where a test introduces them, and in none of scikit-learn's data sets."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.estimators import halves, sk
from xdsl.dialects.builtin import ModuleOp

import tinyml
from tinyml.runtime.model.data import Data
from tinyml.tools.driver.data_faults import data_faults
from tinyml.tools.reports.facts.faults import FEW_SAMPLES, NO_FAULTS, DataFaults


def of(x: NDArray[Any], y: NDArray[Any]) -> Data:
    return Data(x.astype(np.float32), y.astype(np.int64))


def fitted(name: str) -> tuple[ModuleOp, Data, Data, Any]:
    """A model with a scaler, the held-out half of its data in two parts, and the scaler.

    name: the name of the data set.
    """
    half = halves(name)
    model: Any = sk.make_pipeline(sk.StandardScaler(), sk.LogisticRegression(max_iter=500)).fit(half.x, half.y)
    val, test = (of(half.held_x[i::2], half.held_y[i::2]) for i in range(2))
    return tinyml.load(model).module, val, test, model[0]


def scaled(data: Data, scaler: Any) -> Data:
    return replace(data, x=np.asarray(scaler.transform(data.x), np.float32))


@pytest.mark.parametrize("name", ["iris", "wine", "cancer", "digits"])
def test_faults_are_found(name: str):
    reals, val, test, scaler = fitted(name)
    assert data_faults(reals, val, test, chosen=True) == NO_FAULTS
    # The model has a scaler of its own: these are scaled twice.
    assert data_faults(reals, scaled(val, scaler), None, chosen=True).poor
    for pair in ((val, scaled(test, scaler)), (scaled(val, scaler), test)):
        assert data_faults(reals, *pair, chosen=True).apart > 0.1
    assert val.y is not None
    found = data_faults(reals, of(val.x[val.y != 1], val.y[val.y != 1]), None, chosen=True)
    assert found.missing == ("1",)
    few = of(val.x[: FEW_SAMPLES - 1], val.y[: FEW_SAMPLES - 1])
    assert data_faults(reals, few, None, chosen=True).few == FEW_SAMPLES - 1
    # Nothing is chosen by the data of a model that keeps its formats.
    assert data_faults(reals, few, None, chosen=False) == NO_FAULTS


def test_rare_classes_excuse_an_accuracy_below_the_most_frequent_one():
    """A model trained with balanced classes has no fault, although its accuracy is less than the percentage of the most
    frequent class. Data on which the model is no better than a guess have a fault.
    """
    random = np.random.default_rng(0)
    y = (random.random(4000) < 0.05).astype(np.int64)
    x = random.normal(size=(4000, 2)) + 2.5 * y[:, None]
    with warnings.catch_warnings(action="ignore"):
        reals = tinyml.load(sk.LogisticRegression(class_weight="balanced").fit(x, y)).module
    assert data_faults(reals, of(x, y), None, chosen=True) == NO_FAULTS
    assert data_faults(reals, of(random.normal(size=x.shape), y), None, chosen=True).poor


def test_values_that_explain_nothing():
    half = halves("diabetes")
    reals = tinyml.load(sk.Ridge().fit(half.x, half.y)).module
    data = Data(half.held_x, None, targets=half.held_y[:, None])
    assert data_faults(reals, data, None, chosen=True) == NO_FAULTS
    found = data_faults(reals, replace(data, targets=half.held_y[::-1, None] - 500), None, chosen=True)
    assert found == DataFaults(poor=found.poor)
    assert found.poor.startswith("explains none of its variance (R2 -")

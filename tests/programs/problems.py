"""Generated problems of scikit-learn: an estimator fitted on a data set, possibly after a scaler.

A number determines each problem. In some problems the features have different units, like those of sensors.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from programs.estimators import Array, datasets, sk

SAMPLES = 160
"""The number of samples that the estimator is fitted on, and that of those that it is validated on."""

SCALERS: Mapping[str, Callable[[], Any] | None] = {
    "": None,
    "StandardScaler": lambda: sk.StandardScaler(),
    "MinMaxScaler": lambda: sk.MinMaxScaler(),
    "RobustScaler": lambda: sk.RobustScaler(),
    "MaxAbsScaler": lambda: sk.MaxAbsScaler(),
    "StandardScaler, PCA": lambda: sk.make_pipeline(sk.StandardScaler(), sk.PCA(2)),
    "FeatureUnion": lambda: sk.FeatureUnion([("standard", sk.StandardScaler()), ("least", sk.MinMaxScaler())]),
}

CLASSIFIERS: Mapping[str, Callable[[], Any]] = {
    "LogisticRegression": lambda: sk.LogisticRegression(max_iter=2000),
    "LinearSVC": lambda: sk.LinearSVC(),
    "SGDClassifier": lambda: sk.SGDClassifier(random_state=0),
    "LinearDiscriminantAnalysis": lambda: sk.LinearDiscriminantAnalysis(),
    "QuadraticDiscriminantAnalysis": lambda: sk.QuadraticDiscriminantAnalysis(reg_param=0.1),
    "GaussianNB": lambda: sk.GaussianNB(),
    "SVC": lambda: sk.SVC(),
    "SVC, poly": lambda: sk.SVC(kernel="poly", degree=2),
    "SVC, linear": lambda: sk.SVC(kernel="linear"),
    "NuSVC": lambda: sk.NuSVC(nu=0.2),
    "OneVsRest, SVC": lambda: sk.OneVsRestClassifier(sk.SVC()),
    "MLPClassifier": lambda: sk.MLPClassifier((12,), max_iter=300, random_state=0),
    "MLPClassifier, tanh": lambda: sk.MLPClassifier((8, 6), activation="tanh", max_iter=300, random_state=0),
    "KNeighborsClassifier": lambda: sk.KNeighborsClassifier(3),
    "NearestCentroid": lambda: sk.NearestCentroid(),
    "DecisionTreeClassifier": lambda: sk.DecisionTreeClassifier(max_depth=5, random_state=0),
    "RandomForestClassifier": lambda: sk.RandomForestClassifier(8, max_depth=4, random_state=0),
    "GradientBoostingClassifier": lambda: sk.GradientBoostingClassifier(n_estimators=6, max_depth=2, random_state=0),
    "Nystroem": lambda: sk.make_pipeline(sk.Nystroem(n_components=10, random_state=0), sk.LinearSVC()),
    "GaussianMixture": lambda: sk.GaussianMixture(3, random_state=0),
    "KMeans": lambda: sk.KMeans(3, n_init=2, random_state=0),
    "VotingClassifier": lambda: sk.VotingClassifier(
        [("svc", sk.SVC()), ("linear", sk.LogisticRegression(max_iter=2000)), ("bayes", sk.GaussianNB())]
    ),
}

REGRESSORS: Mapping[str, Callable[[], Any]] = {
    "LinearRegression": lambda: sk.LinearRegression(),
    "Ridge": lambda: sk.Ridge(),
    "SVR": lambda: sk.SVR(),
    "SVR, poly": lambda: sk.SVR(kernel="poly", degree=2),
    "MLPRegressor": lambda: sk.MLPRegressor(hidden_layer_sizes=(10,), max_iter=300, random_state=0),
    "KNeighborsRegressor": lambda: sk.KNeighborsRegressor(3),
    "RandomForestRegressor": lambda: sk.RandomForestRegressor(8, max_depth=4, random_state=0),
    "GradientBoostingRegressor": lambda: sk.GradientBoostingRegressor(n_estimators=8, max_depth=2, random_state=0),
    "VotingRegressor": lambda: sk.VotingRegressor([("svr", sk.SVR()), ("linear", sk.Ridge())]),
}

ESTIMATORS = {**CLASSIFIERS, **REGRESSORS}

FEATURES = 2, 3, 4, 6, 9, 16

UNITS = "like", "unlike", "tiny", "constant", "whole"
"""like: all features are of the order of 1. unlike: from 1e-3 to 1e4, far from zero. tiny: all of the order of 1e-5.
constant: one feature never varies. whole: small integers."""


@dataclass(frozen=True)
class Problem:
    """A fitted estimator, and samples for validation.

    name: a description for messages.
    y: the labels or values of the samples; None for an estimator without labels.
    """

    name: str
    estimator: Any
    x: Array
    y: Array


def problem(number: int) -> Problem:
    """The problem of a number. Estimators, scalers and units alternate with different periods."""
    random = np.random.default_rng(number)
    estimator = [*ESTIMATORS][number % len(ESTIMATORS)]
    round = number // len(ESTIMATORS)
    scaler = [*SCALERS][(round + number) % len(SCALERS)]
    features, units = int(random.choice(FEATURES)), UNITS[(round + number // 3) % len(UNITS)]
    return fitted(estimator, scaler, features, units, number)


def fitted(estimator: str, scaler: str, features: int, units: str, seed: int) -> Problem:
    """An estimator fitted to generated samples with `features` features, and further samples for validation.

    scaler: the scaler before the estimator; "" for none.
    units: how the units of the features differ.
    """
    random = np.random.default_rng(seed)
    if estimator in REGRESSORS:
        x, y = datasets.make_regression(2 * SAMPLES, features, n_informative=features, noise=5.0, random_state=seed)
        y = y / np.abs(y).max() + np.sin(2 * x[:, 0])
    else:
        classes = int(random.integers(2, 5)) if features > 2 else 2
        x, y = datasets.make_classification(
            2 * SAMPLES,
            features,
            n_informative=min(features, 4),
            n_redundant=0,
            n_classes=classes,
            n_clusters_per_class=1,
            random_state=seed,
        )
    x = _in_units(x, units, random).astype(np.float32)
    stages = [make() for make in (SCALERS[scaler], ESTIMATORS[estimator]) if make is not None]
    model = sk.make_pipeline(*stages)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(x[:SAMPLES], y[:SAMPLES])
    name = f"{scaler or 'no scaler'}, {estimator}, {features} features ({units}), seed {seed}"
    return Problem(name, model, x[SAMPLES:], y[SAMPLES:])


def _in_units(x: Array, units: str, random: np.random.Generator) -> Array:
    if units == "unlike":
        features: int = x.shape[1]
        unit = np.power(10.0, random.uniform(-3, 4, features))
        return unit * (x + random.uniform(-9, 9, features))
    if units == "tiny":
        return 1e-5 * x
    if units == "constant":
        x[:, random.integers(x.shape[1])] = 3.0
        return x
    return np.round(4 * x) if units == "whole" else x

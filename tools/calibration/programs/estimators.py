"""Estimators of scikit-learn fitted to random data, whose programs contribute to the fit of cost tables.

Programs for microcontrollers are often smaller than micro-programs: loops of few iterations with little arithmetic,
after a scaler. The C compiler unrolls these loops and allocates few registers.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tinyml.tools.api.loading import load

SAMPLES = 60
FEATURES = 2, 3, 5, 8, 13

_SCALERS = "", "preprocessing.StandardScaler", "preprocessing.MinMaxScaler", "preprocessing.RobustScaler"
_KINDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("linear_model.LogisticRegression", {}),
    ("linear_model.LinearRegression", {}),
    ("discriminant_analysis.LinearDiscriminantAnalysis", {}),
    ("discriminant_analysis.QuadraticDiscriminantAnalysis", {"solver": "eigen", "shrinkage": 0.1}),
    ("naive_bayes.GaussianNB", {}),
    ("svm.SVC", {}),
    ("svm.SVR", {}),
    ("svm.SVC", {"kernel": "poly", "degree": 2}),
    ("neural_network.MLPClassifier", {"hidden_layer_sizes": (7,), "max_iter": 50}),
    ("neural_network.MLPRegressor", {"hidden_layer_sizes": (9,), "max_iter": 50, "activation": "tanh"}),
    ("neighbors.KNeighborsClassifier", {"n_neighbors": 3}),
    ("neighbors.KNeighborsRegressor", {"n_neighbors": 4}),
    ("neighbors.NearestCentroid", {}),
    ("cluster.KMeans", {"n_clusters": 4, "n_init": 1}),
    ("mixture.GaussianMixture", {"n_components": 3}),
)
ROUNDS = 2
"""The number of estimators of each kind."""


@dataclass(frozen=True)
class MadeEstimator:
    """A fitted estimator and inputs that were not used for fitting."""

    estimator: Any
    x: np.ndarray[Any, np.dtype[np.float32]]

    def write(self, folder: Path) -> Path:
        """Write the program and its validation data to a folder and return the program's file."""
        folder.mkdir()
        np.savez(folder / "val.npz", x=self.x)
        (folder / "program.mlir").write_text(str(load(self.estimator).module))
        return folder / "program.mlir"


def estimators() -> Iterator[MadeEstimator]:
    """Yield estimators of all kinds, in a fixed order; requires scikit-learn."""
    for number in range(ROUNDS * len(_KINDS)):
        random = np.random.default_rng(1000 + number)
        kind, arguments = _KINDS[number % len(_KINDS)]
        features, classes = int(random.choice(FEATURES)), int(random.integers(2, 6))
        x = random.normal(0, 1, (2 * SAMPLES, features)) @ random.normal(0, 1, (features, features))
        y: Any = np.argmax(x @ random.normal(0, 1, (features, classes)), axis=1)
        if "Regress" in kind.replace("LogisticRegression", "") or kind.endswith("SVR"):
            y = np.sin(x).sum(1)
        scaler = _SCALERS[int(random.integers(len(_SCALERS)))]
        if scaler:
            x = x * np.power(10, random.uniform(-1, 1, features)) + random.uniform(-2, 2, features)
        stages = [_made(scaler, {})] if scaler else []
        model = import_module("sklearn.pipeline").make_pipeline(*stages, _made(kind, arguments))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(x[:SAMPLES], y[:SAMPLES])
        yield MadeEstimator(model, x[SAMPLES:].astype(np.float32))


def _made(name: str, arguments: dict[str, Any]) -> Any:
    module, _, kind = name.rpartition(".")
    seed = {"random_state": 0} if kind.startswith(("MLP", "KMeans", "GaussianMixture")) else {}
    return getattr(import_module(f"sklearn.{module}"), kind)(**arguments, **seed)

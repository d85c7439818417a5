"""Estimators of scikit-learn for its handwritten digits, trained and compiled as a user would."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import tinyml
from programs.estimators import Array, datasets, sk

NAMES = ("logistic regression", "MLP", "scaler and MLP", "PCA and RBF SVM", "random forest", "boosting")


@dataclass(frozen=True)
class Digits:
    """The digits in a random order: a third each for training, for compilation, and for the test."""

    train: tuple[Array, Array]
    val: tuple[Array, Array]
    test: tuple[Array, Array]


@cache
def digits() -> Digits:
    x, y = datasets.load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(x))
    thirds = [(x[part], y[part]) for part in np.array_split(order, 3)]
    return Digits(*thirds)


@cache
def estimator(name: str) -> Any:
    """A trained estimator, such as a logistic regression or an MLP 64-16-10."""

    def mlp() -> Any:
        return sk.MLPClassifier((16,), max_iter=600, random_state=0)

    made = {
        "logistic regression": lambda: sk.LogisticRegression(max_iter=300),
        "MLP": mlp,
        "scaler and MLP": lambda: sk.make_pipeline(sk.StandardScaler(), mlp()),
        "PCA and RBF SVM": lambda: sk.make_pipeline(sk.PCA(16), sk.SVC()),
        "random forest": lambda: sk.RandomForestClassifier(20, max_depth=6, random_state=0),
        "boosting": lambda: sk.GradientBoostingClassifier(n_estimators=20, max_depth=3, random_state=0),
    }
    return made[name]().fit(*digits().train)


@cache
def on_uno(name: str, unit: str | None = None, flash: int | None = None) -> tinyml.Program:
    """The program that `auto` chooses for an estimator on an Uno.

    unit: the unit of integer inputs; None for float inputs.
    flash: a limit in bytes that replaces the Uno's flash.
    """
    return tinyml.compile(estimator(name), *digits().val, board="uno", input_unit=unit, flash=flash)


def points_lost(name: str, unit: str | None = None, flash: int | None = None) -> float:
    """The percentage of test samples that scikit-learn classifies correctly, minus that of the program.

    unit, flash: as for `on_uno`.
    """
    x, y = digits().test
    own = on_uno(name, unit, flash).score(x if unit is None else x.astype(np.int8), y)
    return 100 * (float(estimator(name).score(x, y)) - own)

"""Estimators whose programs are called with floats, as in a sketch. Other projects compile estimators of the same
sizes.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import tinyml
from programs.estimators import Array, datasets, sk


@cache
def split(name: str) -> tuple[Array, Array, Array, Array]:
    """Training samples, validation samples, and the labels of both: digits for a forest, otherwise breast tumours."""
    load = datasets.load_digits if name == "forest" else datasets.load_breast_cancer
    return sk.train_test_split(*load(return_X_y=True), test_size=0.25, random_state=0)


@cache
def estimator(name: str) -> Any:
    """A tree of depth 5, a forest of 20 trees of depth 6, or a scaler and a logistic regression."""
    made = {
        "tree": lambda: sk.DecisionTreeClassifier(max_depth=5, random_state=0),
        "forest": lambda: sk.RandomForestClassifier(20, max_depth=6, random_state=0),
        "linear": lambda: sk.make_pipeline(sk.StandardScaler(), sk.LogisticRegression(max_iter=1000)),
    }
    train, _, labels, _ = split(name)
    return made[name]().fit(train, labels)


@cache
def on_board(name: str, board: str = "uno", flash: int | None = None) -> tinyml.Program:
    """The program that `auto` chooses for an estimator on a board.

    flash: a limit in bytes that replaces the board's flash.
    """
    _, val, _, labels = split(name)
    return tinyml.compile(estimator(name), val, labels, board=board, flash=flash)

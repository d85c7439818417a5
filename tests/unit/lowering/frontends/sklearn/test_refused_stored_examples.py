"""Messages about estimators that store examples of their training data, and that cannot be imported."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from programs.estimators import assert_refused, halves, sk

from tinyml.dialects import tdsl
from tinyml.lowering.frontends.sklearn.importer import import_estimator

IRIS = halves("iris")
BOTH = np.c_[IRIS.y, IRIS.y > 0]


def fitted(estimator: Any, y: Any = IRIS.y) -> Any:
    return estimator.fit(IRIS.x, y)


REFUSED: dict[str, tuple[Any, str]] = {
    "kernel": (
        sk.SVC(kernel="precomputed").fit(IRIS.x @ IRIS.x.T, IRIS.y),
        "SVC: kernel='precomputed' is not supported, only 'linear' or 'rbf'",
    ),
    "ties": (fitted(sk.SVC(break_ties=True)), "SVC: break_ties=True is not supported, only False: fit it with"),
    "weights": (fitted(sk.KNeighborsClassifier(weights="distance")), "fit it with weights='uniform'"),
    "metric": (fitted(sk.KNeighborsClassifier(metric="manhattan")), "fit it with the metric 'euclidean'"),
    "neighbours of outputs": (
        fitted(sk.KNeighborsClassifier(), BOTH),
        "KNeighborsClassifier: it has several outputs",
    ),
    "centroids by distance": (
        fitted(sk.NearestCentroid(metric="manhattan")),
        "NearestCentroid: metric='manhattan' is not supported",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_one_line_says_what_is_wrong_and_what_helps(name: str):
    assert_refused(*REFUSED[name])


def test_labels_in_floats_are_classes():
    estimator = fitted(sk.KNeighborsClassifier(), IRIS.y + 0.0)
    assert tdsl.read_interface(import_estimator(estimator)).classes == (0, 1, 2)

"""Rocchio's classifier, a family of models for `tinyml design`: the class of the nearest shrunken centroid."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tinyml.extend.families import Choices, Family, Parameters


def _fit(parameters: Parameters, x: Any, y: Any, seed: int) -> Any:
    neighbors: Any = import_module("sklearn.neighbors")
    return neighbors.NearestCentroid(shrink_threshold=parameters["shrinkage"]).fit(x, y)


FAMILY = Family(
    fit=_fit,
    space={"shrinkage": Choices((None, 0.1, 0.5, 1.0))},
    usual=({"shrinkage": None},),
    regresses=False,
    sized_by=(),
)

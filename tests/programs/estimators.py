"""Small data sets of scikit-learn, its estimators, and the results of programs imported from estimators.

scikit-learn, joblib and skl2onnx have no type annotations. Only this module imports them, as values of type Any.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.sklearn.importer import import_estimator
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate, in_reals
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.reals.analysis.profiles import record_profiles

Array = NDArray[Any]

_MODULES = (
    "calibration cluster compose covariance decomposition discriminant_analysis dummy ensemble feature_selection"
    " gaussian_process impute kernel_approximation linear_model metrics mixture model_selection multiclass"
    " multioutput naive_bayes neighbors neural_network pipeline preprocessing svm tree"
)

datasets: Any = import_module("sklearn.datasets")
joblib: Any = import_module("joblib")
skl2onnx: Any = import_module("skl2onnx")
_modules = [import_module(f"sklearn.{name}") for name in _MODULES.split()]
sk: Any = SimpleNamespace(**{name: each for module in _modules for name, each in vars(module).items()})
"""scikit-learn's classes and functions by their names alone."""


@dataclass(frozen=True)
class Halves:
    """A data set in two halves: `x` and `y` for training, and `held_x` and `held_y`, which are held out."""

    x: Array
    y: Array
    held_x: Array
    held_y: Array


@cache
def halves(name: str) -> Halves:
    """The digits, iris, wine, cancer or diabetes data set, randomly divided into two halves. Features have single
    precision, as in programs.
    """
    load = datasets.load_breast_cancer if name == "cancer" else getattr(datasets, f"load_{name}")
    x, y = load(return_X_y=True)
    x = np.asarray(x, np.float32)
    order = np.random.default_rng(0).permutation(len(x))
    one, other = order[::2], order[1::2]
    return Halves(x[one], y[one], x[other], y[other])


def scores_of(outputs: Outputs) -> Array:
    """The scores of a program; asserts that it returns scores."""
    assert outputs.scores is not None
    return outputs.scores


def answers(module: ModuleOp, outputs: Outputs) -> Array:
    """The results that `predict` would return: labels of classes, indices of clusters, or values."""
    if outputs.labels is None:
        return scores_of(outputs)
    classes = tdsl.read_interface(module).classes
    return outputs.labels if classes is None else np.array(classes)[outputs.labels]


def in_format(module: ModuleOp, data: Halves, format: str, width: int | None) -> ModuleOp:
    """A copy of a program in a format; the samples of the first half determine the ranges."""
    module = module.clone()
    record_profiles(module, data.x)
    AssignFormatPass(format, width).apply(context(), module)
    return module


def answers_in(module: ModuleOp, data: Halves, format: str, width: int | None = None) -> Array:
    """The results for the held-out half, computed in a format."""
    formats = in_format(module, data, format, width)
    return answers(formats, in_reals(formats, evaluate(formats, encode_inputs(formats, data.held_x))))


def assert_refused(estimator: Any, message: str) -> None:
    """Assert that an estimator is not imported, with one line that matches `message`."""
    with pytest.raises(InputError, match=message) as caught:
        import_estimator(estimator)
    assert "\n" not in str(caught.value)

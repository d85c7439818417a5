"""Import of a fitted estimator of scikit-learn as a function of `tdsl` ops on reals (L0).

Pickle and joblib files of estimators are read only on explicit request.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.plugins import described
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.importers import TRUST_PICKLE, detects
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, hint
from tinyml.lowering.frontends.layers.rewrites import simplify
from tinyml.lowering.frontends.sklearn.estimators import COMPOSITES, DISTANCES, FAMILIES, HANDLERS
from tinyml.lowering.frontends.sklearn.fitted import Handler, fitted_attribute, fitted_classes, has_logits, works
from tinyml.lowering.frontends.sklearn.nearest import IN_WORDS, advice
from tinyml.lowering.frontends.sklearn.predictions import keep_estimator

COLUMNS, ENSEMBLES = COMPOSITES["Columns"], COMPOSITES["Ensembles"]

PACKAGE = "sklearn"

_THRESHOLD = "tinyml.lowering.frontends.sklearn.detectors:threshold_of"
"""The function of an extension that returns the threshold of a detector's scores."""

OTHERS = {
    **dict.fromkeys(("xgboost", "lightgbm"), "tinyml.lowering.frontends.boosted.objects:BOOSTERS"),
    "tinyml": "tinyml.lowering.frontends.seedot.estimators:HANDLERS",
}
"""Packages whose classes implement scikit-learn's estimator interface, each with its handlers by class name."""

PIPELINE = "Pipeline"
_SEARCHES = ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV")
_AROUND = {
    **dict.fromkeys(_SEARCHES, "best_estimator_"),
    "RANSACRegressor": "estimator_",
    "SelfTrainingClassifier": "estimator_",
    "FrozenEstimator": "estimator",
}
"""Searches for parameters and training wrappers, with the attribute of the estimator that predicts for them."""

ELIMINATIONS = ("RFE", "RFECV")
"""Selectors that predict with an inner estimator on the selected features, and transform like other selectors."""


def is_estimator(model: object) -> bool:
    """Whether an object is of a scikit-learn class, or of a booster class with the same interface."""
    kind = type(model)
    package = kind.__module__.partition(".")[0]
    return package == PACKAGE or kind.__name__ in _handlers_of(package)


def _handlers_of(package: str) -> Mapping[str, Handler]:
    return imported(OTHERS[package]) if package in OTHERS else {}


def import_estimator(estimator: object, features: int | None = None, file: str = "model") -> ModuleOp:
    """Import a fitted estimator as a module with one function, which accepts one sample 1 x `features`.

    The function of a classifier returns the index of the class and the scores. These are the probabilities if they
    are a softmax, and otherwise the `decision_function` or the votes. The function of a regressor returns its
    values. The function of a detector returns the score that is compared with the `threshold` of the interface. The
    module keeps a reference to the estimator (`predictor_of`).

    Raises `InputError` for an object that is not an estimator, not fitted or not supported, and for modified
    attributes with which the estimator itself fails.

    features: the number of features, by default the estimator's `n_features_in_`.
    file: the prefix of messages, from which the function's name is also derived.
    """
    to = ModelBuilder(file)
    name = _name_of(to, estimator)
    try:
        # numpy drops imaginary parts with a warning.
        with warnings.catch_warnings(action="error", category=np.exceptions.ComplexWarning):
            return _imported(to, estimator, features)
    except (InputError, MemoryError, RecursionError, KeyboardInterrupt):
        raise
    # An attribute of an arbitrary object may run any code, even code that exits.
    except BaseException as error:
        if not isinstance(error, np.exceptions.ComplexWarning) and works(estimator, features):
            # The estimator works with these attributes, so they come from a fit and the error is a defect of the
            # importer.
            raise
        with to.importing(name):
            raise to.error(f"its attributes are none that fit(X, y) sets: {described(error)}") from error


def _imported(to: ModelBuilder, estimator: object, features: int | None) -> ModuleOp:
    """Import an estimator as `import_estimator` does, but propagate exceptions that unexpected attributes cause."""
    if (count := features or getattr(estimator, "n_features_in_", None)) is None:
        first = _first_step(estimator)
        name = _name_of(to, first)
        if name in IN_WORDS:
            raise to.error(f"{name} is not supported: {advice(name, first)}")
        with to.importing(_name_of(to, estimator)):
            raise to.error("it does not say how many features it takes: is it fitted? Call fit(X, y) first")
    x = to.argument(TensorType(F32_FORMAT.type, (1, int(count))), "features")
    last, value = _computed(to, estimator, x)
    labels: list[str | int] | None = None
    detectors = FAMILIES["Anomaly detectors"]
    name = _name_of(to, last)
    with to.importing(name):
        results, clusters = [value], name in FAMILIES["Clusters"] and not _measures_distance(name)
        if clusters:
            results = [to.emit(tdsl.ArgmaxOp, value).result]
        elif (labels := fitted_classes(to, last)) is not None:
            results = _class_and_scores(to, last, value, len(labels))
        module = to.module(results)
        classes = None if labels is None else tuple(labels)
        threshold = imported(_THRESHOLD)(to, last) if name in detectors else None
        tdsl.update_interface(module, classes=classes, clusters=clusters, threshold=threshold)
        names = tuple(map(str, getattr(estimator, "feature_names_in_", ())))
        if len(names) == int(count):
            tdsl.update_input(module, names=names)
    simplify(module)
    if not _measures_distance(name):
        keep_estimator(module, estimator, scores=name in detectors)
    return module


def _first_step(estimator: Any) -> Any:
    """The estimator that receives the inputs: the first step of a pipeline, or the estimator itself.

    A parameter search is replaced by the best estimator that it found.
    """
    while (steps := getattr(getattr(estimator, "best_estimator_", estimator), "steps", None)) is not None:
        computing = [step for _, step in steps if _computes(step)]
        if not computing:
            break
        estimator = computing[0]
    return estimator


def _measures_distance(name: str) -> bool:
    """Whether an estimator is imported as an anomaly detector that measures distances.

    This is the case if a detector is requested and the class computes distances to centres or components.
    """
    return detects() and name in DISTANCES


def _name_of(to: ModelBuilder, estimator: object) -> str:
    kind = type(estimator)
    if is_estimator(estimator):
        return kind.__name__
    own = next((base.__name__ for base in kind.__mro__ if base.__module__.partition(".")[0] == PACKAGE), None)
    if own is not None and (own in HANDLERS or own in COLUMNS or own in ENSEMBLES):
        raise to.error(f"{kind.__name__} is not a class of scikit-learn: what it changes of {own} is unknown")
    raise to.error(f"expected an estimator of scikit-learn, got {kind.__module__}.{kind.__name__}")


def _computed(to: ModelBuilder, estimator: Any, x: SSAValue, step: str | None = None) -> tuple[Any, SSAValue]:
    """Emit the result of an estimator's `predict` or, for a transformer without `predict`, its new features. Return the
    estimator that computes the result, and the result.

    For pipelines, searches and other estimators that wrap one, the returned estimator is the last or wrapped one.
    Raises `InputError` for an estimator that is not fitted or not supported.

    step: the name of the estimator in messages, by default its class name.
    """
    name = _name_of(to, estimator)
    with to.importing(name):
        if (around := _AROUND.get(name)) is not None:
            if not hasattr(estimator, around):
                refit = ", with refit=True" if name in _SEARCHES else ""
                raise to.error(f"it has no {around}: call fit(X, y) first{refit}")
            return _computed(to, getattr(estimator, around), x, step)
        if name == PIPELINE and _computes(estimator.steps[-1][1]):
            for step_name, transformer in estimator.steps[:-1]:
                x = (
                    _transformed(to, transformer, x, _chosen(step_name, transformer))[1]
                    if _computes(transformer)
                    else x
                )
            step_name, last = estimator.steps[-1]
            return _computed(to, last, x, _chosen(step_name, last))
        if name in ELIMINATIONS:
            return _computed(
                to, fitted_attribute(to, estimator, "estimator_"), _handled(to, name, estimator, x, step), step
            )
        if name == PIPELINE:
            return _transformed(to, estimator, x)
        if _measures_distance(name):
            return estimator, DISTANCES[name](estimator, to, x)
        return estimator, _handled(to, name, estimator, x, step)


def _chosen(step: str, estimator: object) -> str | None:
    """The name of a pipeline's step, if the user chose it; None if `make_pipeline` derived the name from the class."""
    default = type(estimator).__name__.lower()
    return None if step == default or step.rpartition("-")[0] == default else step


def _transformed(to: ModelBuilder, transformer: Any, x: SSAValue, step: str | None = None) -> tuple[Any, SSAValue]:
    """Emit the features that a transformer's `transform` computes, even if the transformer also has a `predict`.
    Return the transformer and the features.

    step: the name of the transformer in messages, by default its class name.
    """
    name = _name_of(to, transformer)
    if name not in FAMILIES["Transformers"] and name not in COLUMNS and name != PIPELINE:
        raise to.error(f"{name} is not supported as a transformer: {advice(name, transformer, transforms=True)}")
    with to.importing(name):
        if name != PIPELINE:
            return transformer, _handled(to, name, transformer, x, step)
        steps = [
            (step_name, step_estimator) for step_name, step_estimator in transformer.steps if _computes(step_estimator)
        ]
        if not steps:
            raise to.error("it has no steps")
        for step_name, step_estimator in steps:
            x = _transformed(to, step_estimator, x, _chosen(step_name, step_estimator))[1]
        return transformer, x


def _computes(step: object) -> bool:
    """Whether a pipeline step is an estimator. The steps None and 'passthrough' return their input unchanged."""
    return step is not None and not isinstance(step, str)


def _handled(to: ModelBuilder, name: str, estimator: Any, x: SSAValue, step: str | None) -> SSAValue:
    before = to.block.last_op
    result = _with_handler(to, name, estimator, x)
    added = before.next_op if before is not None else to.block.first_op
    while added is not None:
        for result_value in added.results:
            if (
                isinstance(result_value.type, TensorType)
                and result_value.name_hint is None
                and not isinstance(added, tdsl.ConstOp)
            ):
                hint(result_value, step or name)
        added = added.next_op
    return result


def _with_handler(to: ModelBuilder, name: str, estimator: Any, x: SSAValue) -> SSAValue:
    handlers = {**HANDLERS, **_handlers_of(type(estimator).__module__.partition(".")[0])}
    if name not in handlers and name not in COLUMNS and name not in ENSEMBLES:
        raise to.error(f"the estimator is not supported: {advice(name, estimator)}")
    if (expected := getattr(estimator, "n_features_in_", shape_of(x)[1])) != shape_of(x)[1]:
        raise to.error(f"it was fitted on {expected} features, and gets {shape_of(x)[1]}")
    if name in COLUMNS:
        return COLUMNS[name](estimator, to, x, _transformed)
    return ENSEMBLES[name](estimator, to, x, _computed) if name in ENSEMBLES else handlers[name](estimator, to, x)


def _class_and_scores(to: ModelBuilder, estimator: Any, scores: SSAValue, classes: int) -> list[SSAValue]:
    """Emit the index of the class, and the scores or probabilities. Return both in this order.

    The class is computed from the scores, since probabilities may be equal after rounding.
    """
    count = shape_of(scores)[1]
    if classes < 2:
        raise to.error("it was fitted on samples of one class alone: there is nothing to decide")
    if count != classes and (count, classes) != (1, 2):
        raise to.error(f"it has {classes} classes and {count} scores: only one class for each sample is supported")
    label = to.emit(tdsl.SignOp if count == 1 else tdsl.ArgmaxOp, scores).result
    if has_logits(estimator, classes):
        scores = to.op(tdsl.SigmoidOp if count == 1 else tdsl.SoftmaxOp, scores)
    return [label, scores]


_PACKAGES = {
    "sklearn": "scikit-learn",
    "joblib": "scikit-learn",
    "imblearn": "imbalanced-learn",
    "scipy": "scipy",
    "pandas": "pandas",
    "xgboost": "xgboost",
    "lightgbm": "lightgbm",
    "catboost": "catboost",
}
"""Packages to suggest for modules that unpickling may need; other module names in a file are not trusted."""


def read_pickle(content: bytes, file: str) -> ModuleOp:
    """Import the estimator in a pickle or joblib file as `import_estimator` does.

    Raises `InputError` unless the user declares the file trusted, for a file that cannot be unpickled, and as
    `import_estimator` does.
    """
    if not TRUST_PICKLE.get():
        reason = "reading a pickle runs the code that it holds"
        raise InputError(f"{reason}: give --trust-pickle if you trust where the file comes from", file=file)
    try:
        estimator = import_module("joblib").load(io.BytesIO(content))
    except (MemoryError, KeyboardInterrupt):
        raise
    # Unpickling runs the file's code, which may raise any exception, even SystemExit.
    except BaseException as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if (package := _PACKAGES.get(missing or "")) is not None:
            raise InputError(f"needs the package {package}: pip install {package}", file=file) from error
        raise InputError(f"cannot be unpickled: {described(error)}", file=file) from error
    return import_estimator(estimator, file=file)

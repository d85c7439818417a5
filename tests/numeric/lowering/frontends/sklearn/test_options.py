"""Every estimator, loss, link and option: the program on reals computes the results of `predict`, or the import is
rejected in one line.

Models are small and random. Some of the combinations run with the other tests; EXHAUSTIVE=1 runs all of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from inspect import signature
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.estimators import Array, Halves, answers, in_format, scores_of, sk
from programs.on_boards import difference, printed
from programs.spread import spread

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.model_predictions import predictor_of
from tinyml.lowering.frontends.sklearn.estimators import COMPOSITES, FAMILIES, HANDLERS
from tinyml.lowering.frontends.sklearn.importer import import_estimator
from tinyml.lowering.frontends.sklearn.predictions import check_predictions
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate_reals

SAMPLES = 80
"""In each half of a data set."""


@dataclass(frozen=True)
class Refused:
    """A value of an option with which the import of an estimator is rejected."""

    value: Any


Axes = Mapping[str, tuple[Any, ...]]

TREES: Axes = {"max_depth": (3, None), "criterion": ("gini", "entropy", "log_loss"), "class_weight": (None, "balanced")}
TREES_OF_VALUES: Axes = {
    "max_depth": (3, None),
    "criterion": ("squared_error", "friedman_mse", "absolute_error", "poisson"),
}
FOREST: Axes = {"n_estimators": (5,), "bootstrap": (False, True), "max_leaf_nodes": (None, 6)}
ACTIVATIONS = ("identity", "logistic", "tanh", "relu")
SVM: Axes = {"kernel": ("linear", "poly", "rbf", "sigmoid"), "gamma": ("scale", 0.2), "coef0": (0.0, 0.5)}
LINEAR: Axes = {"fit_intercept": (True, False)}
VALIDATED: Axes = {**LINEAR, "cv": (2,)}
POSITIVE: Axes = {**LINEAR, "positive": (False, True)}
TREE, STUMP = "DecisionTree", "ExtraTree"

CLASSIFIERS: Mapping[str, Axes] = {
    "LogisticRegression": {**LINEAR, "solver": ("lbfgs", "newton-cg", "saga"), "class_weight": (None, "balanced")},
    "LogisticRegressionCV": {**LINEAR, "Cs": (3,), "cv": (2,), "solver": ("lbfgs", "newton-cholesky")},
    "RidgeClassifier": {**LINEAR, "alpha": (0.1, 10.0), "class_weight": (None, "balanced")},
    "RidgeClassifierCV": {**LINEAR, "class_weight": (None, "balanced")},
    "SGDClassifier": {
        **LINEAR,
        "loss": ("hinge", "log_loss", "modified_huber", "squared_hinge", "perceptron", "squared_error"),
        "average": (False, True),
    },
    "Perceptron": {**LINEAR, "penalty": (None, "l1", "elasticnet")},
    "LinearSVC": {**LINEAR, "multi_class": ("ovr", "crammer_singer")},
    "LinearDiscriminantAnalysis": {"solver": ("svd", "lsqr", "eigen"), "priors": (None, "uneven")},
    "SVC": {**SVM, "decision_function_shape": ("ovr", "ovo"), "break_ties": (False,)},
    "NuSVC": {**SVM, "nu": (0.2,), "degree": (2, 3)},
    "MLPClassifier": {"hidden_layer_sizes": ((4,), (5, 3)), "activation": ACTIVATIONS, "max_iter": (20,)},
    "GaussianNB": {"priors": (None, "uneven"), "var_smoothing": (1e-9, 0.1)},
    "MultinomialNB": {"fit_prior": (True, False), "alpha": (1.0, 0.1)},
    "ComplementNB": {"fit_prior": (True, False), "norm": (False, True)},
    "BernoulliNB": {"binarize": (0.0, 0.7, None), "fit_prior": (True, False)},
    "QuadraticDiscriminantAnalysis": {"priors": (None, "uneven"), "reg_param": (0.0, 0.3), "solver": ("svd", "eigen")},
    "KNeighborsClassifier": {
        "n_neighbors": (1, 4),
        "weights": ("uniform", Refused("distance")),
        "metric": ("minkowski", "euclidean", Refused("manhattan"), Refused("cosine")),
        "algorithm": ("auto", "brute"),
    },
    "NearestCentroid": {"shrink_threshold": (None, 0.5), "priors": ("uniform", Refused("empirical"))},
    "DecisionTreeClassifier": TREES,
    "ExtraTreeClassifier": TREES,
    "RandomForestClassifier": {**TREES, **FOREST},
    "ExtraTreesClassifier": {**TREES, **FOREST},
    "BaggingClassifier": {
        "estimator": (None, f"{TREE}Classifier", f"{STUMP}Classifier", Refused("GaussianNB")),
        "n_estimators": (4,),
        "max_features": (1.0, 0.5),
        "max_samples": (1.0, 0.2),
        "bootstrap_features": (False, True),
    },
    "AdaBoostClassifier": {
        "estimator": (None, f"{TREE}Classifier", Refused("GaussianNB")),
        "n_estimators": (4,),
        "learning_rate": (1.0, 0.3),
    },
    "GradientBoostingClassifier": {
        "loss": ("log_loss", "exponential"),
        "init": (None, "zero", Refused("GaussianNB"), Refused("uniform"), "most_frequent"),
        "n_estimators": (3,),
        "subsample": (1.0, 0.6),
        "n_iter_no_change": (None, 1),
    },
    "HistGradientBoostingClassifier": {
        "max_iter": (3,),
        "early_stopping": (False, True),
        "max_leaf_nodes": (4, None),
        "categorical_features": (None, Refused((0,))),
        "class_weight": (None, "balanced"),
    },
    "OneVsRestClassifier": {"estimator": ("LogisticRegression", "SVC", "HistGradientBoosting", Refused("GaussianNB"))},
    "VotingClassifier": {"voting": ("hard", "soft"), "weights": (None, (1, 3, 2)), "estimators": ("members",)},
    "StackingClassifier": {
        "estimators": ("members", "deciding members"),
        "final_estimator": (None, "RandomForestClassifier", "LinearSVC"),
        "stack_method": ("auto", Refused("predict")),
        "passthrough": (False, True),
        "cv": (2,),
    },
    "CalibratedClassifierCV": {
        "estimator": (
            "LinearSVC",
            "LogisticRegression",
            "GaussianNB",
            "DecisionTreeClassifier",
            "HistGradientBoosting",
        ),
        "method": ("sigmoid", "isotonic"),
        "ensemble": (False, True),
        "cv": (2,),
    },
    "RFE": {"estimator": ("LogisticRegression", "DecisionTreeClassifier"), "n_features_to_select": (2, 3)},
    "RFECV": {"estimator": ("LogisticRegression",), "cv": (2,)},
}

HISTOGRAMS: Axes = {
    "loss": ("squared_error", "absolute_error", "gamma", "poisson", "quantile"),
    "quantile": (0.7,),
    "max_iter": (3,),
    "early_stopping": (False, True),
    "monotonic_cst": (None, (1, 0, -1, 0)),
    "max_bins": (255, 9),
}
REGRESSORS: Mapping[str, Axes] = {
    **dict.fromkeys(("LinearRegression", "Ridge", "Lasso", "ElasticNet"), POSITIVE),
    **dict.fromkeys(("RidgeCV", "BayesianRidge", "ARDRegression", "Lars", "LassoLars", "TheilSenRegressor"), LINEAR),
    **dict.fromkeys(("LassoCV", "LarsCV", "LassoLarsCV", "OrthogonalMatchingPursuitCV"), VALIDATED),
    **dict.fromkeys(("MultiTaskLassoCV", "MultiTaskElasticNetCV", "ElasticNetCV"), VALIDATED),
    "LassoLarsIC": {**LINEAR, "criterion": ("aic", "bic")},
    "QuantileRegressor": {**LINEAR, "quantile": (0.3, 0.5)},
    "MultiOutputRegressor": {"estimator": ("Ridge", "HistGradientBoostingRegressor")},
    "OrthogonalMatchingPursuit": {**LINEAR, "n_nonzero_coefs": (None, 1)},
    "HuberRegressor": {**LINEAR, "epsilon": (1.1, 2.0)},
    "SGDRegressor": {
        **LINEAR,
        "loss": ("squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"),
        "average": (False, True),
    },
    "LinearSVR": {**LINEAR, "loss": ("epsilon_insensitive", "squared_epsilon_insensitive")},
    "MultiTaskLasso": LINEAR,
    "MultiTaskElasticNet": LINEAR,
    "SVR": {**SVM, "epsilon": (0.1,)},
    "NuSVR": {**SVM, "nu": (0.5,)},
    "MLPRegressor": {
        "loss": ("squared_error", "poisson"),
        "hidden_layer_sizes": ((4,), (5, 3)),
        "activation": ACTIVATIONS,
        "max_iter": (20,),
    },
    "KNeighborsRegressor": {"n_neighbors": (1, 4), "weights": ("uniform", Refused("distance"))},
    "DecisionTreeRegressor": TREES_OF_VALUES,
    "ExtraTreeRegressor": TREES_OF_VALUES,
    "RandomForestRegressor": {**TREES_OF_VALUES, **FOREST},
    "ExtraTreesRegressor": {**TREES_OF_VALUES, **FOREST},
    "BaggingRegressor": {
        "estimator": (None, f"{TREE}Regressor", f"{STUMP}Regressor", Refused("Ridge")),
        "n_estimators": (4,),
        "max_features": (1.0, 0.5),
        "bootstrap_features": (False, True),
    },
    "GradientBoostingRegressor": {
        "loss": ("squared_error", "absolute_error", "huber", "quantile"),
        "init": (None, "zero", Refused("Ridge"), "median"),
        "n_estimators": (3,),
        "subsample": (1.0, 0.6),
        "n_iter_no_change": (None, 1),
    },
    "HistGradientBoostingRegressor": HISTOGRAMS,
    "VotingRegressor": {"weights": (None, (1, 3, 2)), "estimators": ("members of values",)},
    "StackingRegressor": {
        "estimators": ("members of values",),
        "final_estimator": (None, "Ridge", "DecisionTreeRegressor"),
        "passthrough": (False, True),
        "cv": (2,),
    },
    "RFE": {"estimator": ("Ridge", "DecisionTreeRegressor"), "n_features_to_select": (1, 2)},
}

COMPONENTS: Axes = {"n_components": (2, 3), "whiten": (False, True)}
TRANSFORMERS: Mapping[str, Axes] = {
    "StandardScaler": {"with_mean": (True, False), "with_std": (True, False)},
    "MinMaxScaler": {"feature_range": ((0, 1), (-3, 2)), "clip": (False, True)},
    "MaxAbsScaler": {},
    "RobustScaler": {"with_centering": (True, False), "with_scaling": (True, False), "unit_variance": (False, True)},
    "Normalizer": {"norm": ("l2", Refused("l1"), Refused("max"))},
    "PCA": {**COMPONENTS, "svd_solver": ("full", "covariance_eigh")},
    "IncrementalPCA": COMPONENTS,
    "TruncatedSVD": {"algorithm": ("randomized", "arpack"), "n_components": (2,)},
    "Nystroem": {
        "kernel": ("rbf", "poly", "sigmoid", "linear", Refused("laplacian"), Refused("cosine")),
        "gamma": (None, 0.2),
        "coef0": (None, 0.5),
        "n_components": (7,),
    },
    "SimpleImputer": {"strategy": ("mean", "median"), "add_indicator": (False, Refused(True))},
    "PolynomialFeatures": {
        "degree": (1, 2, 3, (2, 3)),
        "interaction_only": (False, True),
        "include_bias": (False, True),
        "order": ("C", "F"),
    },
    "Binarizer": {"threshold": (0.0, 0.5)},
    "OneHotEncoder": {
        "handle_unknown": ("ignore", "infrequent_if_exist"),
        "drop": (None, "first"),
        "max_categories": (4,),
    },
    "OrdinalEncoder": {"handle_unknown": ("use_encoded_value",), "unknown_value": (-1, 100, Refused(np.nan))},
    "FunctionTransformer": {"func": (None, Refused(np.log1p))},
    "VarianceThreshold": {"threshold": (0.0, 0.9)},
    "SelectKBest": {"k": (2, "all")},
    "SelectPercentile": {"percentile": (60,)},
    "SelectFpr": {},
    "SelectFdr": {},
    "SelectFwe": {},
    "GenericUnivariateSelect": {"mode": ("k_best", "percentile"), "param": (3,)},
    "SelectFromModel": {"estimator": ("LogisticRegression", "DecisionTreeClassifier"), "max_features": (2,)},
    "SequentialFeatureSelector": {"estimator": ("LogisticRegression",), "direction": ("forward", "backward")},
    "ColumnTransformer": {
        "transformers": ("columns", Refused("columns and clusters")),
        "remainder": ("drop", "passthrough"),
    },
    "FeatureUnion": {"transformer_list": ("union", Refused("union and discriminants"))},
}

CLUSTERS: Mapping[str, Axes] = {
    "KMeans": {"n_clusters": (3,), "algorithm": ("lloyd", "elkan")},
    "MiniBatchKMeans": {"n_clusters": (3,), "n_init": (1,)},
    "GaussianMixture": {"n_components": (3,), "covariance_type": ("full", "tied", "diag", "spherical")},
}

TARGETS = {
    "classifier": ("two", "three", "words"),
    "regressor": ("reals", "positive", "outputs"),
    "transformer": ("two", "three"),
    "cluster": ("three",),
}
"""What is learned, by the kind of an estimator."""


@dataclass(frozen=True)
class Case:
    """A test case: the name of an estimator, its options, of which at most one is a value that the importer rejects
    (`Refused`), its kind, and the name of its targets in `TARGETS`.
    """

    name: str
    options: tuple[tuple[str, Any], ...]
    kind: str
    target: str

    def __str__(self) -> str:
        options = (f"{name}={value.value if isinstance(value, Refused) else value}" for name, value in self.options)
        return "-".join([self.name, self.target, *options])

    @property
    def refused(self) -> bool:
        return any(isinstance(value, Refused) for _, value in self.options)


def cases() -> Iterator[Case]:
    kinds = {"classifier": CLASSIFIERS, "regressor": REGRESSORS, "transformer": TRANSFORMERS, "cluster": CLUSTERS}
    for kind, table in kinds.items():
        for name, axes in table.items():
            for values in product(*axes.values()):
                if sum(isinstance(value, Refused) for value in values) > 1:
                    continue
                for target in TARGETS[kind]:
                    yield Case(name, tuple(zip(axes, values, strict=True)), kind, target)


def thirds(sums: Any) -> Any:
    return (sums > -0.6) * 1 + (sums > 0.6)


def data_for(target: str, random: Any) -> Halves:
    """A random data set with targets of the given kind. The features have different ranges; the first one has five
    values.
    """
    x = random.normal(size=(2 * SAMPLES, 4)) * np.exp(random.normal(size=4))
    x[:, 0] = random.integers(-2, 3, len(x))
    x = x.astype(np.float32)
    sums: Any = x @ (random.normal(size=4) / x.std(0)) + random.normal(size=len(x)) / 4
    learned: Mapping[str, Callable[[], Any]] = {
        "two": lambda: 3 * (sums > 0) - 1,
        "three": lambda: thirds(sums),
        "words": lambda: np.take(["low", "middle", "high"], thirds(sums)),
        "reals": lambda: 5 * sums + 2,
        "positive": lambda: np.exp(sums),
        "outputs": lambda: np.stack([sums, x[:, 1] - sums**2], 1),
    }
    y: Any = learned[target]()
    return Halves(x[:SAMPLES], y[:SAMPLES], x[SAMPLES:], y[SAMPLES:])


def inner(name: str) -> Any:
    """An estimator to be used inside another estimator. Histogram-based gradient boosting has only three iterations."""
    full = f"{name}Classifier" if name == "HistGradientBoosting" else name
    return getattr(sk, full)(**({"max_iter": 3} if name == "HistGradientBoosting" else {}))


PARTS: Mapping[str, Callable[[], Any]] = {
    "members": lambda: [
        ("a", sk.GaussianNB()),
        ("b", sk.RandomForestClassifier(3, max_depth=3, random_state=0)),
        ("c", sk.LogisticRegression()),
    ],
    "deciding members": lambda: [
        ("a", sk.LinearSVC()),
        ("b", sk.HistGradientBoostingClassifier(max_iter=3)),
        ("c", sk.MLPClassifier((3,), max_iter=20, random_state=0)),
    ],
    "members of values": lambda: [
        ("a", sk.Ridge()),
        ("b", sk.HistGradientBoostingRegressor(loss="poisson", max_iter=2)),
        ("c", sk.KNeighborsRegressor(2)),
    ],
    "columns": lambda: [("a", sk.StandardScaler(), [0, 2]), ("b", sk.PCA(1), [1, 2, 3])],
    "columns and clusters": lambda: [("a", sk.StandardScaler(), [0, 2]), ("b", sk.KMeans(2, n_init=1), [1])],
    "union": lambda: [("a", sk.StandardScaler()), ("b", sk.make_pipeline(sk.MinMaxScaler(), sk.PCA(2)))],
    "union and discriminants": lambda: [("a", sk.PCA(2)), ("b", sk.LinearDiscriminantAnalysis())],
    "uniform": lambda: sk.DummyClassifier(strategy="uniform", random_state=0),
    "most_frequent": lambda: sk.DummyClassifier(strategy="most_frequent"),
    "median": lambda: sk.DummyRegressor(strategy="median"),
}
"""What words stand for that are no values of options."""

HOLDERS = ("transformers", "transformer_list", "estimators", "init")


def made(case: Case) -> Any:
    options: dict[str, Any] = {}
    for name, given in case.options:
        value: Any = given.value if isinstance(given, Refused) else given
        if name in ("estimator", "final_estimator") and value is not None:
            value = inner(value)
        elif name in HOLDERS and value in PARTS:
            value = PARTS[str(value)]()
        elif name == "init" and isinstance(value, str) and value != "zero":
            value = inner(value)
        elif value == "uneven":
            value = [0.2, 0.8] if case.target == "two" else [0.2, 0.5, 0.3]
        options[name] = value
    kind = getattr(sk, case.name)
    if "random_state" in signature(kind).parameters:
        options["random_state"] = 0
    estimator = kind(**options)
    if case.kind != "transformer":
        return estimator
    return sk.make_pipeline(estimator, sk.LogisticRegression())


def fitted(case: Case) -> tuple[Any, Halves] | None:
    """The estimator of a case and its data; None if scikit-learn rejects the combination of options."""
    data = data_for(case.target, np.random.default_rng([ord(letter) for letter in repr(case)]))
    if case.name in ("MultinomialNB", "ComplementNB"):
        data = replace(data, x=np.abs(data.x), held_x=np.abs(data.held_x))
    if ("binarize", None) in case.options:
        data = replace(data, x=np.float32(data.x > 0), held_x=np.float32(data.held_x > 0))
    if case.name in ("OneHotEncoder", "OrdinalEncoder"):
        # In the program, an unknown number takes the code of a category from which it differs by less than a quarter
        # of the distance between categories.
        data = replace(data, x=np.round(4 * data.x) / 4, held_x=np.round(4 * data.held_x) / 4)
    with warnings.catch_warnings(action="ignore"):
        try:
            return made(case).fit(data.x, data.y), data
        except (ValueError, ArithmeticError):
            return None


def clear(estimator: Any, x: Array) -> Array:
    """Whether, for each sample, the difference between the two greatest scores exceeds the error of single precision;
    True for all samples of an estimator without scores.
    """
    scores = next((getattr(estimator, name) for name in MARGINS if hasattr(estimator, name)), None)
    if scores is None:
        return np.ones(len(x), bool)
    found = np.asarray(scores(x))
    if found.ndim == 1:
        return np.abs(found) > 1e-5 * np.abs(found).max()
    ordered = np.sort(found, 1)
    return ordered[:, -1] - ordered[:, -2] > 1e-6


MARGINS = ("decision_function", "predict_proba")


def check(case: Case) -> str:
    """Check a case, and return `not trained`, `refused` or `right`. Fail for any other outcome."""
    if (trained := fitted(case)) is None:
        return "not trained"
    estimator, data = trained
    if case.refused:
        with pytest.raises(InputError) as error:
            import_estimator(estimator)
        assert "\n" not in str(error.value)
        return "refused"
    module = import_estimator(estimator)
    module.verify()
    outputs, known = evaluate_reals(module, data.held_x), predictor_of(module)
    assert known is not None
    expected = estimator.predict(data.held_x)
    if case.kind == "regressor":
        found = scores_of(outputs).reshape(expected.shape)
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-5 * np.abs(expected).max())
    else:
        different = answers(module, outputs) != expected
        assert not (different & clear(estimator, data.held_x)).any()
        # What is not clear may differ, but that is rare.
        assert different.mean() < 0.05
    check_predictions(module, known, data.held_x, "model")
    return "right"


CASES = list(cases())


@pytest.mark.long
# Encoders that drop a category warn about others that training did not see, and encode them.
@pytest.mark.filterwarnings("ignore:Found unknown categories:UserWarning")
@pytest.mark.parametrize("case", spread(CASES, 90), ids=str)
def test_every_option(case: Case):
    check(case)


DEVICE_CASES = [
    Case("HistGradientBoostingRegressor", (("loss", "poisson"), ("max_iter", 3)), "regressor", "positive"),
    Case("HistGradientBoostingRegressor", (("loss", "gamma"), ("max_iter", 3)), "regressor", "positive"),
    Case("MLPRegressor", (("loss", "poisson"), ("max_iter", 20)), "regressor", "positive"),
    Case("RFE", (("estimator", "LogisticRegression"), ("n_features_to_select", 3)), "classifier", "three"),
    Case("RFE", (("estimator", "Ridge"), ("n_features_to_select", 2)), "regressor", "reals"),
]


@pytest.mark.long
@pytest.mark.parametrize("case", DEVICE_CASES, ids=str)
def test_devices_compute_the_same_bits(case: Case, tmp_path: Path):
    trained = fitted(case)
    assert trained is not None
    estimator, data = trained
    module = in_format(import_estimator(estimator), data, "fixed", 16)
    pipelines.run(module, context(), pipelines.flatten("refine-formats", {"target": "host"}))
    source, x = printed(module, "host", tmp_path / "c"), encode_inputs(module, data.held_x[:20])
    assert difference(module, x, source, runner_for("host"), tmp_path) is None


def test_ways_to_train_stand_for_the_estimator_inside():
    halves = data_for("two", np.random.default_rng(0))
    some = np.where(np.arange(len(halves.y)) % 3, halves.y > 0, -1)
    frozen: Any = import_module("sklearn.frozen").FrozenEstimator(sk.LinearSVC().fit(halves.x, halves.y))
    for estimator in (
        sk.RANSACRegressor(sk.LinearRegression(), random_state=0).fit(halves.x, halves.x[:, 0]),
        import_module("sklearn.semi_supervised").SelfTrainingClassifier(sk.LogisticRegression()).fit(halves.x, some),
        sk.CalibratedClassifierCV(frozen).fit(halves.x, halves.y),
    ):
        module = import_estimator(estimator)
        known = predictor_of(module)
        assert known is not None
        check_predictions(module, known, halves.held_x, "model")


def test_the_table_has_every_estimator():
    """Every estimator that the importer supports is in the table of cases, except anomaly detectors, which
    `test_detectors.py` tests, and `TransformedTargetRegressor`, which `test_targets.py` tests.
    """
    elsewhere = {*FAMILIES["Anomaly detectors"], "TransformedTargetRegressor"}
    known = {*HANDLERS, *(name for family in COMPOSITES.values() for name in family)} - elsewhere
    assert {case.name for case in CASES} == known


@pytest.mark.long
def test_most_combinations_are_trained():
    """scikit-learn can train more than 70 % of a selection of the combinations."""
    outcomes = [fitted(case) is not None for case in CASES[::100]]
    assert np.mean(outcomes) > 0.7

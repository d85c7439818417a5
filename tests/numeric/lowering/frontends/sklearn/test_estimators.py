"""Imported estimators have the results of scikit-learn's `predict`."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.estimators import Halves, answers, answers_in, halves, in_format, scores_of, sk
from programs.on_boards import difference, printed

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.model_predictions import predictor_of
from tinyml.lowering.frontends.sklearn.importer import import_estimator
from tinyml.lowering.frontends.sklearn.predictions import check_predictions
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate_reals
from tinyml.runtime.model.program_data import load_program_data

POINTS = 0.5
"""The points of accuracy that 16 bits may lose."""


def fitted(estimator: Any, x: Any, y: Any) -> Any:
    """Fit an estimator without warnings about convergence, and return it."""
    with warnings.catch_warnings(action="ignore"):
        return estimator.fit(x, y)


def named(labels: Any) -> Any:
    return np.array([f"class {label}" for label in labels])


CLASSIFIERS = {
    "logistic regression": (
        "digits",
        sk.make_pipeline(sk.MinMaxScaler(clip=True), sk.LogisticRegression(max_iter=20)),
    ),
    "one of two": ("cancer", sk.make_pipeline(sk.StandardScaler(), sk.LogisticRegression())),
    "one against the rest": ("iris", sk.OneVsRestClassifier(sk.LogisticRegression())),
    "ridge": ("digits", sk.RidgeClassifier()),
    "stochastic gradients": (
        "wine",
        sk.make_pipeline(sk.RobustScaler(), sk.SGDClassifier(random_state=0)),
    ),
    "perceptron": (
        "wine",
        sk.make_pipeline(sk.MaxAbsScaler(), sk.Perceptron(random_state=0)),
    ),
    "linear SVC": ("iris", sk.LinearSVC(random_state=0)),
    "discriminant": ("wine", sk.LinearDiscriminantAnalysis()),
    "naive Bayes": ("wine", sk.GaussianNB()),
    "naive Bayes of constant features": ("digits", sk.GaussianNB()),
    "nearest neighbour": ("digits", sk.KNeighborsClassifier(1)),
    "neighbours": (
        "wine",
        sk.make_pipeline(sk.StandardScaler(with_std=False), sk.KNeighborsClassifier(7)),
    ),
    "SVC": ("digits", sk.SVC(gamma=0.001)),
    "SVC of components": (
        "digits",
        sk.make_pipeline(sk.PCA(16, whiten=True, random_state=0), sk.SVC()),
    ),
    "SVC of polynomials": ("digits", sk.SVC(kernel="poly", degree=2, coef0=1.0)),
    "SVC of sigmoids": ("wine", sk.make_pipeline(sk.StandardScaler(), sk.SVC(kernel="sigmoid"))),
    "linear SVC of libsvm": ("iris", sk.SVC(kernel="linear")),
    "SVC of two": ("cancer", sk.make_pipeline(sk.StandardScaler(), sk.NuSVC())),
    "network": (
        "digits",
        sk.make_pipeline(sk.StandardScaler(), sk.MLPClassifier((16, 10), max_iter=30, random_state=0)),
    ),
    "network of tanh": (
        "cancer",
        sk.make_pipeline(sk.Normalizer(), sk.MLPClassifier((6,), "tanh", max_iter=30, random_state=0)),
    ),
    "selected columns": (
        "wine",
        sk.make_pipeline(sk.VarianceThreshold(0.05), sk.StandardScaler(), sk.SelectKBest(k=6), sk.SVC()),
    ),
    "columns": (
        "wine",
        sk.make_pipeline(
            sk.ColumnTransformer(
                [("a", sk.StandardScaler(), [0, 3, 4, 5]), ("b", "drop", [1]), ("c", sk.MinMaxScaler(), slice(6, 9))],
                remainder="passthrough",
            ),
            sk.FeatureUnion([("d", sk.StandardScaler()), ("e", sk.PCA(2, random_state=0))]),
            sk.SelectFromModel(sk.LogisticRegression()),
            sk.LogisticRegression(),
        ),
    ),
    "components of a kernel": (
        "digits",
        sk.make_pipeline(sk.Nystroem(gamma=0.001, n_components=40, random_state=0), sk.LinearSVC(random_state=0)),
    ),
    "soft votes": (
        "wine",
        sk.VotingClassifier(
            [("a", sk.GaussianNB()), ("b", sk.RandomForestClassifier(4, max_depth=3, random_state=0))],
            voting="soft",
            weights=[1, 2],
        ),
    ),
    "votes": (
        "wine",
        sk.VotingClassifier(
            [("a", sk.RidgeClassifier()), ("b", sk.DecisionTreeClassifier(max_depth=3)), ("c", sk.GaussianNB())]
        ),
    ),
    "votes of two": (
        "cancer",
        sk.VotingClassifier(
            [("a", sk.RidgeClassifier()), ("b", sk.DecisionTreeClassifier(max_depth=3)), ("c", sk.GaussianNB())]
        ),
    ),
    "bits": ("digits", sk.BernoulliNB(binarize=8.0)),
    "counts": ("digits", sk.MultinomialNB()),
    "binarized": ("digits", sk.make_pipeline(sk.Binarizer(threshold=7.5), sk.RidgeClassifier())),
    "quadratic discriminant": ("wine", sk.QuadraticDiscriminantAnalysis()),
    "centroids": ("digits", sk.NearestCentroid()),
    "bags of trees": (
        "wine",
        sk.BaggingClassifier(sk.DecisionTreeClassifier(max_depth=3), 5, max_features=0.5, random_state=0),
    ),
    "adaptive boosting": ("wine", sk.AdaBoostClassifier(n_estimators=9, random_state=0)),
    "search": (
        "iris",
        sk.GridSearchCV(sk.make_pipeline(sk.TruncatedSVD(3), sk.RidgeClassifier()), {}, cv=2),
    ),
}


PROBABLE = ("LogisticRegression", "LinearDiscriminantAnalysis", "GaussianNB", "MLPClassifier")
"""Classifiers whose scores are the probabilities that `predict_proba` gives."""


@pytest.mark.long
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classes_are_those_of_predict(name: str):
    data, estimator = halves(CLASSIFIERS[name][0]), CLASSIFIERS[name][1]
    fitted(estimator, data.x, named(data.y))
    module = import_estimator(estimator)
    module.verify()
    outputs, expected = evaluate_reals(module, data.held_x), estimator.predict(data.held_x)
    assert tdsl.read_interface(module).classes == tuple(estimator.classes_.tolist())
    wrong = np.count_nonzero(answers(module, outputs) != expected)
    # Coefficients are rounded to single precision, and neighbours at one distance are in no order.
    assert wrong <= (1 if "neighbour" in name else 0)
    assert np.count_nonzero(answers_in(module, data, "f32") != expected) <= wrong + 1
    if type(estimator[-1] if hasattr(estimator, "steps") else estimator).__name__ in PROBABLE:
        assert outputs.scores is not None
        shares = estimator.predict_proba(data.held_x)
        np.testing.assert_allclose(scores_of(outputs), shares[:, -outputs.scores.shape[1] :], atol=1e-4)


@pytest.mark.parametrize("name", ["wine", "cancer"])
def test_naive_bayes_of_unlike_features_loses_nothing_in_16_bits(name: str):
    """In 16 bits, naive Bayes with default options is at most `POINTS` points less accurate than scikit-learn on
    features of very different magnitude, because its factors are in units of each feature's deviation.
    """
    data = halves(name)
    estimator = sk.GaussianNB().fit(data.x, data.y)
    right = (answers_in(import_estimator(estimator), data, "fixed", 16) == data.held_y).mean()
    assert right >= estimator.score(data.held_x, data.held_y) - POINTS / 100


@pytest.mark.long
@pytest.mark.parametrize(("format", "width"), [("fixed", 8), ("zeroskew", 8)])
def test_sums_of_votes_are_weighed(format: str, width: int, tmp_path: Path):
    """For the average of a forest's votes and of another classifier's probabilities, the host computes the evaluator's
    bits. The sum of products starts with the votes, which are in another unit.
    """
    data = halves("cancer")
    forest = sk.RandomForestClassifier(3, max_depth=3, random_state=0)
    members = [("a", sk.make_pipeline(sk.StandardScaler(), sk.LogisticRegression())), ("b", forest)]
    estimator = sk.VotingClassifier(members, voting="soft").fit(data.x, data.y)
    module = in_format(import_estimator(estimator), data, format, width)
    pipelines.run(module, context(), pipelines.flatten("refine-formats", {"target": "host"}))
    source, x = printed(module, "host", tmp_path / "c"), encode_inputs(module, data.held_x[:20])
    assert difference(module, x, source, runner_for("host"), tmp_path) is None


def test_integers_stay_integers():
    """The integer labels of an estimator are imported unchanged, although they are not consecutive and do not begin at
    0.
    """
    data = halves("iris")
    module = import_estimator(sk.LogisticRegression().fit(data.x, 3 * data.y - 2))
    assert tdsl.read_interface(module).classes == (-2, 1, 4)


def test_votes_differ_from_the_greatest_decision():
    """The class of an `SVC` is the one with the most votes of pairs, as in libsvm. For some samples it differs from the
    class with the greatest decision function.
    """
    data = halves("digits")
    estimator = sk.SVC().fit(data.x, data.y)
    decisions = estimator.decision_function(data.held_x).argmax(1)
    expected = estimator.predict(data.held_x)
    outputs = evaluate_reals(import_estimator(estimator), data.held_x)
    assert (decisions != expected).any()
    np.testing.assert_array_equal(outputs.labels, expected)


REGRESSORS = {
    "least squares": sk.LinearRegression(),
    "ridge": sk.make_pipeline(sk.StandardScaler(), sk.Ridge()),
    "lasso": sk.Lasso(0.1),
    "elastic net": sk.ElasticNet(0.001),
    "stochastic gradients": sk.SGDRegressor(random_state=0),
    "linear SVR": sk.LinearSVR(random_state=0),
    "SVR": sk.SVR(C=100.0),
    "neighbours": sk.KNeighborsRegressor(4),
    "votes": sk.VotingRegressor([("a", sk.LinearRegression()), ("b", sk.DecisionTreeRegressor(max_depth=3))]),
    "bags": sk.BaggingRegressor(sk.DecisionTreeRegressor(max_depth=3), 4, max_features=6, random_state=0),
    "network": sk.MLPRegressor(hidden_layer_sizes=(8,), activation="logistic", max_iter=30, random_state=0),
}
SEVERAL = ("least squares", "ridge", "lasso", "neighbours", "network")
"""Regressors that are also fitted to two outputs."""


@pytest.mark.parametrize(("name", "outputs"), [*((name, 1) for name in REGRESSORS), *((name, 2) for name in SEVERAL)])
def test_values_are_those_of_predict(name: str, outputs: int):
    data, estimator = halves("diabetes"), REGRESSORS[name]
    y = data.y if outputs == 1 else np.c_[data.y, data.x[:, 2] * 1000 + data.y / 50]
    fitted(estimator, data.x, y)
    module, expected = import_estimator(estimator), estimator.predict(data.held_x).reshape(-1, outputs)
    found = evaluate_reals(module, data.held_x)
    assert found.labels is None
    np.testing.assert_allclose(scores_of(found), expected, rtol=1e-4, atol=1e-3)
    rounded = answers_in(module, data, "fixed", 16)
    assert np.abs(rounded - expected).mean() < 0.02 * expected.std()


@pytest.mark.parametrize(
    "estimator",
    [sk.KMeans(3, n_init=1, random_state=0), sk.MiniBatchKMeans(3, n_init=1, random_state=0)]
    + [sk.GaussianMixture(3, covariance_type=kind, random_state=0) for kind in ("full", "tied", "diag", "spherical")],
)
def test_clusters_are_those_of_predict(estimator: Any):
    data = halves("iris")
    estimator.fit(data.x)
    module = import_estimator(estimator)
    outputs = evaluate_reals(module, data.held_x)
    np.testing.assert_array_equal(outputs.labels, estimator.predict(data.held_x))
    assert outputs.scores is None
    assert tdsl.read_interface(module).classes is None
    known = predictor_of(module)
    assert known is not None
    check_predictions(module, known, data.held_x, "model")


def test_labels_say_nothing_of_clusters(tmp_path: Path):
    """For clusters, labels in the data are ignored, since cluster numbers differ from them. A classifier uses them."""
    data = halves("iris")
    np.savez(tmp_path / "val.npz", x=data.held_x, y=data.held_y + 7)
    clusters = import_estimator(sk.KMeans(3, n_init=1, random_state=0).fit(data.x))
    read = load_program_data(clusters, str(tmp_path / "val.npz"))
    assert (read.y, read.targets, read.ignored) == (None, None, True)
    np.savez(tmp_path / "val.npz", x=data.held_x)
    assert not load_program_data(clusters, str(tmp_path / "val.npz")).ignored
    np.savez(tmp_path / "val.npz", x=data.held_x, y=data.held_y)
    classifier = import_estimator(sk.GaussianNB().fit(data.x, data.y))
    assert load_program_data(classifier, str(tmp_path / "val.npz")).y is not None


def test_eliminations_predict_alone_and_transform_as_a_step():
    """`RFE` alone predicts classes. As a step of a pipeline it returns its three selected features, which must not be
    mistaken for the scores of three classes.
    """
    data = halves("iris")
    selector = sk.RFE(sk.LogisticRegression(), n_features_to_select=3).fit(data.x, data.y)
    outputs = evaluate_reals(import_estimator(selector), data.held_x)
    np.testing.assert_array_equal(outputs.labels, selector.predict(data.held_x))
    for last in ("passthrough", sk.StandardScaler()):
        steps = fitted(sk.make_pipeline(selector, last), data.x, data.y)
        outputs = evaluate_reals(import_estimator(steps), data.held_x)
        assert outputs.labels is None
        np.testing.assert_allclose(scores_of(outputs), steps.transform(data.held_x), atol=1e-5)


def test_components_of_little_variance_are_whitened_alike():
    """A whitening `PCA` of features of magnitude 1e-9, whose deviations are below the square root of the machine
    precision, equals scikit-learn's.
    """
    data = halves("iris")
    steps = sk.PCA(2, whiten=True).fit(np.float64(data.x) * 1e-9)
    expected = steps.transform(np.float64(data.held_x) * 1e-9)
    found = scores_of(evaluate_reals(import_estimator(steps), data.held_x * np.float32(1e-9)))
    np.testing.assert_allclose(found, expected, atol=1e-3)


def test_a_binary_softmax_of_older_versions_has_no_sigmoid():
    data = halves("cancer")
    estimator = fitted(sk.LogisticRegression(), data.x, data.y)
    estimator.multi_class = "multinomial"
    scores = scores_of(evaluate_reals(import_estimator(estimator), data.held_x))
    np.testing.assert_allclose(scores[:, 0], estimator.decision_function(data.held_x), rtol=1e-3, atol=1e-3)


def test_transformers_alone_give_features():
    data = halves("wine")
    steps = sk.make_pipeline(sk.StandardScaler(), "passthrough", sk.PCA(4, random_state=0)).fit(data.x)
    outputs = evaluate_reals(import_estimator(steps), data.held_x)
    np.testing.assert_allclose(scores_of(outputs), steps.transform(data.held_x), atol=1e-4)


def bits_of(estimator: Any, data: Halves, width: int, device: str, folder: Path) -> Any:
    """The first difference between the outputs of a device and the evaluator, for an estimator in formats of a width;
    None if there is none.
    """
    module = in_format(import_estimator(estimator), data, "fixed", width)
    pipelines.run(module, context(), pipelines.flatten("refine-formats", {"target": device}))
    source, x = printed(module, device, folder / "c"), encode_inputs(module, data.held_x[:3])
    return difference(module, x, source, runner_for(device), folder)


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("device", ["host", "uno"])
def test_devices_compute_the_same_bits(device: str, tmp_path: Path):
    data = halves("wine")
    for number, (estimator, width) in enumerate(
        [
            (sk.make_pipeline(sk.StandardScaler(), sk.SVC()), 16),
            (sk.make_pipeline(sk.StandardScaler(), sk.KNeighborsClassifier(3)), 8),
            (sk.make_pipeline(sk.StandardScaler(), sk.GaussianNB()), 16),
        ]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert bits_of(estimator.fit(data.x, data.y), data, width, device, folder) is None

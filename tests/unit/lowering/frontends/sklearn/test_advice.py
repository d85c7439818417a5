"""Each message that rejects an estimator contains advice. If the advice is an expression for another estimator, this
estimator is fitted and imported here.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from programs.estimators import sk

from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.boosted import objects
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.sklearn import nearest
from tinyml.lowering.frontends.sklearn.importer import import_estimator

X = np.abs(np.random.default_rng(0).normal(size=(60, 4))).astype(np.float32)
CLASSES = (X[:, 0] > X[:, 1]) * 1
VALUES = X @ [1, 2, -1, 0.5] + 3
TARGETS = {"classes": CLASSES, "values": VALUES, "two outputs": np.stack([VALUES, -VALUES], 1)}
EXPRESSION = re.compile(r"[A-Z]\w+\((?:[^()]|\(\))*\)")
"""Such as PCA(2), or OneVsRestClassifier(LogisticRegression())."""

WITHOUT_FEATURES = {
    *("DictVectorizer", "CountVectorizer", "FeatureHasher", "HashingVectorizer", "TfidfVectorizer", "PatchExtractor"),
    *("KernelCenterer", "LabelBinarizer", "LabelEncoder", "MultiLabelBinarizer", "LocalOutlierFactor", "SparseCoder"),
}
"""Estimators that take texts, images or labels, or no features that a program could be given; LocalOutlierFactor is
supported with another parameter."""


def fitted(estimator: Any) -> Any | None:
    """The estimator, fitted on the first kind of targets that it accepts; None if it accepts none."""
    for targets in TARGETS.values():
        try:
            with warnings.catch_warnings(action="ignore"):
                return estimator.fit(X, targets)
        # Estimators refuse targets of another kind in many ways.
        except Exception:
            pass
    return None


def estimators() -> Iterator[tuple[str, Any]]:
    """Yield the name of each class of scikit-learn, and an estimator of the class with small parameters."""
    made = import_module("sklearn.utils._test_common.instance_generator")._construct_instances
    for name, kind in import_module("sklearn.utils").all_estimators():
        if name not in WITHOUT_FEATURES and name != "FrozenEstimator":
            with warnings.catch_warnings(action="ignore"):
                estimator = next(iter(made(kind)))
            yield name, estimator


@pytest.mark.long
def test_every_refusal_names_what_is_imported():
    """Every message that rejects an estimator has one line, refers to no page, and contains advice: words, or an
    expression, which the next test evaluates.
    """
    refused = set[str]()
    for name, estimator in estimators():
        if (trained := fitted(estimator)) is None:
            continue
        try:
            import_estimator(trained)
        except InputError as error:
            refused.add(name)
            message = str(error)
            assert "docs/" not in message
            assert "\n" not in message
            assert EXPRESSION.search(message) or any(words in message for words in nearest.IN_WORDS.values()), message
    assert 40 < len(refused) < 95


@pytest.mark.long
@pytest.mark.parametrize(
    "expression",
    sorted({*nearest.INSTEAD, *(found for text in nearest.BY_KIND.values() for found in EXPRESSION.findall(text))}),
)
def test_advice_is_followed(expression: str):
    estimator: Any = eval(expression, sk.__dict__)
    if not hasattr(estimator, "predict") and hasattr(estimator, "transform"):
        estimator = sk.make_pipeline(estimator, sk.Ridge())
    trained = fitted(estimator)
    assert trained is not None
    import_estimator(trained)


def test_advice_in_words_is_followed():
    codes = np.random.default_rng(1).integers(0, 3, (60, 2))
    columns = (codes[:, :, None] == range(3)).reshape(60, -1)
    import_estimator(sk.LogisticRegression().fit(columns, codes[:, 0]))
    for each in sk.MultiOutputClassifier(sk.LogisticRegression()).fit(X, np.eye(2, dtype=int)[CLASSES]).estimators_:
        import_estimator(each)
    thresholds = sk.FixedThresholdClassifier(sk.LogisticRegression(), threshold=0.3).fit(X, CLASSES)
    import_estimator(thresholds.estimator_)
    target = sk.TransformedTargetRegressor(sk.Ridge(), transformer=sk.QuantileTransformer(n_quantiles=9)).fit(X, VALUES)
    import_estimator(target.regressor_)
    import_estimator(sk.make_pipeline(sk.Normalizer(), sk.Ridge()).fit(X, VALUES))
    import_estimator(sk.DecisionTreeRegressor().fit(X[:, 0][:, None], VALUES))
    members = [(str(i), sk.LogisticRegression(C=i)) for i in (1, 2)]
    for voting in ("soft", "hard"):
        import_estimator(sk.VotingClassifier(members, voting=voting).fit(X, CLASSES))
    import_estimator(sk.VotingRegressor([("a", sk.Ridge()), ("b", sk.LinearRegression())]).fit(X, VALUES))


TEXT: Any = import_module("sklearn.feature_extraction.text")
TEXTS = ["up and down", "down and out"] * 10


@pytest.mark.parametrize(
    ("estimator", "x", "said"),
    [
        (
            sk.make_pipeline(TEXT.TfidfVectorizer(), sk.LinearSVC()),
            TEXTS,
            "TfidfVectorizer is not supported: it reads",
        ),
        (
            sk.make_pipeline("passthrough", TEXT.CountVectorizer(), sk.LinearSVC()),
            TEXTS,
            "CountVectorizer is not supported",
        ),
        (sk.IsotonicRegression(), np.arange(20.0), "IsotonicRegression is not supported: DecisionTreeRegressor()"),
        (
            sk.IsotonicRegression(),
            np.arange(20.0)[:, None],
            "IsotonicRegression is not supported: DecisionTreeRegressor()",
        ),
        (sk.SimpleImputer(strategy="most_frequent"), [["a"], ["b"]] * 10, "expected numbers in statistics_, got text"),
        (sk.KBinsDiscretizer(), np.arange(20.0)[:, None], "leave it out: trees cut features into intervals"),
    ],
)
def test_the_reason_is_the_right_one(estimator: Any, x: Any, said: str):
    """The message states why an estimator, or the unsupported step of a pipeline, is rejected. For a pipeline that is
    not fitted, this is the stated reason.
    """
    with pytest.raises(InputError, match="is it fitted"):
        import_estimator(sk.make_pipeline(sk.StandardScaler(), sk.Ridge()))
    with warnings.catch_warnings(action="ignore"), pytest.raises(InputError) as caught:
        import_estimator(estimator.fit(x, [0, 1] * 10))
    assert said in str(caught.value)


def test_missing_values_of_a_booster_are_nan():
    """A booster whose value for missing values is not NaN is rejected. The test uses a substitute with the attributes
    of XGBoost's class.
    """
    estimator = type("XGBClassifier", (), {"missing": 0.0, "n_features_in_": 2})()
    with pytest.raises(InputError, match=r"missing=0\.0 is not supported, only NaN: train with X = np"):
        objects._of_xgboost(estimator, ModelBuilder("model"))  # pyright: ignore[reportPrivateUsage]

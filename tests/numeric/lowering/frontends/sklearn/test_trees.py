"""Trees, forests and boosted trees of scikit-learn have the results of `predict`, imported as objects and as ONNX
files.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from programs.estimators import answers, halves, scores_of, sk, skl2onnx

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.lowering.frontends.sklearn.importer import import_estimator
from tinyml.runtime.evaluator.evaluator import evaluate_reals

CLASSIFIERS: list[Any] = [
    sk.DecisionTreeClassifier(max_depth=4, random_state=0),
    sk.ExtraTreeClassifier(max_depth=4, random_state=0),
    sk.RandomForestClassifier(6, max_depth=4, random_state=0),
    sk.ExtraTreesClassifier(6, max_depth=4, random_state=0),
    sk.GradientBoostingClassifier(n_estimators=4, max_depth=2, random_state=0),
    sk.GradientBoostingClassifier(n_estimators=4, init="zero", random_state=0),
    sk.HistGradientBoostingClassifier(max_iter=4),
]
REGRESSORS: list[Any] = [
    sk.DecisionTreeRegressor(max_depth=4, random_state=0),
    sk.ExtraTreeRegressor(max_depth=4, random_state=0),
    sk.RandomForestRegressor(6, max_depth=4, random_state=0),
    sk.ExtraTreesRegressor(6, max_depth=4, random_state=0),
    sk.GradientBoostingRegressor(n_estimators=4, max_depth=2, random_state=0),
    sk.HistGradientBoostingRegressor(max_iter=4),
]


def is_exported(estimator: Any) -> bool:
    """Whether skl2onnx converts an estimator to a valid file. Files of histogram-based estimators are rejected by
    onnx.
    """
    return not type(estimator).__name__.startswith("Hist")


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda estimator: type(estimator).__name__)
@pytest.mark.parametrize("name", ["wine", "cancer"])
def test_classifiers(name: str, estimator: Any):
    """Classifiers with two or three strings as labels return the results of `predict` for samples whose two greatest
    probabilities differ by more than 1e-6. So do the ONNX files of the classifiers that skl2onnx can export.

    The scores of single trees and of forests equal `predict_proba`.
    """
    data = halves(name)
    estimator = sk.clone(estimator).fit(data.x, np.array(["first", "second", "third"])[data.y])
    module = import_estimator(estimator)
    outputs = evaluate_reals(module, data.held_x)
    shares = np.sort(estimator.predict_proba(data.held_x), 1)
    clear = shares[:, -1] - shares[:, -2] > 1e-6
    assert clear.mean() > 0.9
    np.testing.assert_array_equal(answers(module, outputs)[clear], estimator.predict(data.held_x)[clear])
    if hasattr(estimator, "tree_") or hasattr(estimator, "estimator_"):
        np.testing.assert_allclose(scores_of(outputs), estimator.predict_proba(data.held_x), atol=1e-6)
    if is_exported(estimator):
        exported = skl2onnx.to_onnx(estimator, data.x[:1]).SerializeToString()
        module = read_onnx(exported, "model.onnx")
        labels = answers(module, evaluate_reals(module, data.held_x))
        np.testing.assert_array_equal(labels[clear], estimator.predict(data.held_x)[clear])


@pytest.mark.parametrize("estimator", REGRESSORS, ids=lambda estimator: type(estimator).__name__)
def test_regressors(estimator: Any):
    data = halves("diabetes")
    estimator = sk.clone(estimator).fit(data.x, data.y)
    wanted = estimator.predict(data.held_x)
    modules = [import_estimator(estimator)]
    if is_exported(estimator):
        modules.append(read_onnx(skl2onnx.to_onnx(estimator, data.x[:1]).SerializeToString(), "model.onnx"))
    for module in modules:
        values = scores_of(evaluate_reals(module, data.held_x))
        np.testing.assert_allclose(values[:, 0], wanted, rtol=1e-5)


def test_regressors_of_several_outputs():
    data = halves("diabetes")
    estimator = sk.RandomForestRegressor(3, max_depth=3, random_state=0).fit(data.x, np.stack([data.y, -data.y], 1))
    values = scores_of(evaluate_reals(import_estimator(estimator), data.held_x))
    np.testing.assert_allclose(values, estimator.predict(data.held_x), rtol=1e-5)


def test_equal_leaves_and_votes_are_one():
    data = halves("wine")
    estimator = sk.RandomForestClassifier(6, random_state=0).fit(data.x, data.y)
    [forest] = [op for op in import_estimator(estimator).walk() if isinstance(op, tdsl.ForestOp)]
    # All leaves are pure.
    assert tdsl.shape_of(forest.votes) == (3, 3)


def test_what_is_not_supported_says_what_helps():
    data = halves("wine")
    several = sk.RandomForestClassifier(2, max_depth=2).fit(data.x, np.stack([data.y, data.y], 1))
    with pytest.raises(InputError, match=r"several outputs|classifier for each"):
        import_estimator(several)
    begun = sk.GradientBoostingClassifier(n_estimators=1, init=sk.GaussianNB()).fit(data.x, data.y)
    with pytest.raises(InputError, match="init=GaussianNB is not supported, only init=None or 'zero'"):
        import_estimator(begun)
    x = data.x.copy()
    x[:, 0] = np.round(x[:, 0])
    categories = sk.HistGradientBoostingClassifier(max_iter=1, categorical_features=[0]).fit(x, data.y)
    with pytest.raises(InputError, match="categorical features are not supported"):
        import_estimator(categories)
    with pytest.raises(InputError, match="fit"):
        import_estimator(sk.RandomForestClassifier(2), features=3)

"""Missing values: programs have scikit-learn's results, and calls with floats have the evaluator's, bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.devices import roomy
from programs.estimators import answers, halves, scores_of, sk
from programs.on_boards import printed
from programs.spread import spread

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.sklearn.importer import import_estimator
from tinyml.runtime.devices.float_inputs import run_on_floats
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals
from tinyml.runtime.model.model_interface import interface_of

TREE = {"max_depth": 4, "random_state": 0}


def columns(*parts: Any) -> Any:
    """A `ColumnTransformer` with the given pairs of a transformer and its columns, in this order."""
    return sk.ColumnTransformer([(str(number), *part) for number, part in enumerate(parts)])


def scaled() -> Any:
    return sk.make_pipeline(sk.StandardScaler(), sk.SimpleImputer())


def behind(*steps: Any) -> Any:
    return sk.make_pipeline(*steps)


def linear() -> Any:
    return sk.LogisticRegression(max_iter=1000)


def forest() -> Any:
    return sk.RandomForestClassifier(4, **TREE)


MODELS: dict[str, Any] = {
    "tree": lambda: sk.DecisionTreeClassifier(**TREE),
    "forest": forest,
    "extra trees": lambda: sk.ExtraTreesClassifier(4, **TREE),
    "histograms": lambda: sk.HistGradientBoostingClassifier(max_iter=3, max_leaf_nodes=6, random_state=0),
    "bag": lambda: sk.BaggingClassifier(sk.DecisionTreeClassifier(max_depth=3), 3, max_features=0.5),
    "imputed forest": lambda: behind(sk.SimpleImputer(strategy="median"), forest()),
    "scaled trees": lambda: behind(sk.MinMaxScaler(), MODELS["tree"]()),
    "imputed before a scaler": lambda: behind(sk.SimpleImputer(), sk.StandardScaler(), linear()),
    "imputed behind a scaler": lambda: behind(scaled(), linear()),
    "columns": lambda: behind(columns((sk.SimpleImputer(), [3, 1]), (scaled(), [0, 2])), linear()),
    "columns of a forest": lambda: behind(columns((sk.SimpleImputer(), [3, 1]), ("passthrough", [2])), forest()),
    "votes": lambda: sk.VotingClassifier([("a", forest()), ("b", MODELS["histograms"]())], voting="soft"),
}


def data() -> tuple[Any, Any]:
    """The iris data with missing values, some of which are NaN with a sign bit."""
    iris, random = halves("iris"), np.random.default_rng(0)
    x, y = iris.x.copy(), iris.y
    x[random.random(x.shape) < 0.1] = np.nan
    x[random.random(x.shape) < 0.05] = -np.nan
    return x, y


CASES = [(device, name) for name in MODELS for device in ("host", "uno", "cortex-m0")]


@pytest.mark.long
@pytest.mark.parametrize(("device", "name"), spread(CASES, 9))
def test_predictions_and_bits(device: str, name: str, tmp_path: Path):
    x, y = data()
    fitted = MODELS[name]().fit(x, y)
    module = import_estimator(fitted)
    assert tdsl.read_input(module).missing
    np.testing.assert_array_equal(answers(module, evaluate_reals(module, x)), fitted.predict(x))
    file = tmp_path / "val.npz"
    np.savez(file, x=x, y=y)
    options = {"data": str(file), "target": "host", "width": 16, "float_features": True, "feature_scales": True}
    pipelines.run(module, context(), pipelines.flatten("reals-to-formats", options))
    raws = encode_inputs(module, x)
    expected = evaluate(module, raws)
    assert np.mean(expected.labels == fitted.predict(x)) > 0.95
    source = printed(module, device, tmp_path / "c")
    (tmp_path / "run").mkdir()
    _, result = run_on_floats(source, interface_of(module), x[:20], roomy(device), tmp_path / "run")
    np.testing.assert_array_equal(result.scores, scores_of(expected)[:20])


def test_directions_are_followed_only_where_the_data_miss_values(tmp_path: Path):
    x, y = data()
    module = import_estimator(MODELS["histograms"]().fit(x, y))
    np.savez(tmp_path / "val.npz", x=np.nan_to_num(x))
    options = {"data": str(tmp_path / "val.npz"), "target": "host", "width": 8}
    pipelines.run(module, context(), pipelines.flatten("reals-to-formats", options))
    assert not tdsl.read_input(module).missing
    assert all(op.missing is None for op in module.walk() if isinstance(op, tdsl.ForestOp))


def test_the_advice_where_trees_stand_beside_another_model_works(tmp_path: Path):
    x, y = data()
    np.savez(tmp_path / "val.npz", x=x)
    options = {"data": str(tmp_path / "val.npz"), "target": "host"}
    votes = [("a", MODELS["histograms"]()), ("b", behind(sk.SimpleImputer(), linear()))]
    beside = sk.VotingClassifier(votes, voting="soft")
    with pytest.raises(InputError, match=r"put a SimpleImputer\(\) before the whole model"):
        pipelines.run(import_estimator(beside.fit(x, y)), context(), pipelines.flatten("reals-to-formats", options))
    fitted = behind(sk.SimpleImputer(), beside).fit(x, y)
    module = import_estimator(fitted)
    pipelines.run(module, context(), pipelines.flatten("reals-to-formats", options))
    assert np.mean(evaluate(module, encode_inputs(module, x)).labels == fitted.predict(x)) > 0.95


def test_a_feature_without_an_imputer_is_not_missed(tmp_path: Path):
    x, y = data()
    x[:, 2:] = np.nan_to_num(x[:, 2:])
    some = sk.ColumnTransformer([("some", sk.SimpleImputer(), [0, 1])], remainder="passthrough")
    module = import_estimator(behind(some, linear()).fit(x, y))
    np.savez(tmp_path / "val.npz", x=x)
    options = {"data": str(tmp_path / "val.npz"), "target": "host", "width": 16}
    pipelines.run(module, context(), pipelines.flatten("reals-to-formats", options))
    assert len(encode_inputs(module, x)) == len(x)
    x[3, 2] = np.nan
    with pytest.raises(InputError, match="NaN in column 2, whose missing values no imputer replaces"):
        encode_inputs(module, x)


def test_what_equals_a_threshold_in_double_precision():
    """Labels equal scikit-learn's for values with two decimals, many of which equal a threshold of the trees in double
    precision.
    """
    random = np.random.default_rng(0)
    x = random.normal(size=(2000, 3)).round(2)
    fitted = sk.HistGradientBoostingClassifier(max_iter=20, random_state=0).fit(x, x[:, 0] * x[:, 1] + x[:, 2] > 0)
    module = import_estimator(fitted)
    np.testing.assert_array_equal(answers(module, evaluate_reals(module, x)), fitted.predict(x).astype(int))

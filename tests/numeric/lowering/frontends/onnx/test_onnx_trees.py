"""Ensembles of trees in ONNX, compared with onnxruntime: comparisons of every kind, and both versions of the op."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from oracles.onnx_models import imported, reference

from tinyml.dialects.errors import InputError
from tinyml.runtime.evaluator.evaluator import evaluate_reals

ML = "ai.onnx.ml"
MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT"]
# Many inputs equal thresholds.
X = (np.random.default_rng(0).integers(-2, 3, (60, 3)) / 2).astype(np.float32)


def model(op: str, version: int, **attributes: Any) -> onnx.ModelProto:
    outputs = ["label", "y"] if op == "TreeEnsembleClassifier" else ["y"]
    node = helper.make_node(op, ["x"], outputs, name="trees", domain=ML, **attributes)
    results = [onnx.ValueInfoProto(name=name) for name in outputs]
    if len(outputs) > 1:
        results[0] = helper.make_tensor_value_info("label", onnx.TensorProto.INT64, [1])
    results[-1] = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1, None])
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 3])
    domains = [helper.make_opsetid("", 17), helper.make_opsetid(ML, version)]
    return helper.make_model(helper.make_graph([node], "g", [x], results), opset_imports=domains, ir_version=8)


def nodes(modes: list[str]) -> dict[str, Any]:
    """The `nodes_` attributes of an ensemble of two trees: one with three comparisons, `modes[:3]`, and one with the
    comparison `modes[3]`.
    """
    return {
        "nodes_treeids": [0, 0, 0, 0, 0, 0, 0, 5, 5, 5],
        "nodes_nodeids": [0, 1, 2, 3, 4, 5, 6, 0, 1, 2],
        "nodes_featureids": [0, 1, 2, 0, 0, 0, 0, 1, 0, 0],
        "nodes_modes": [modes[0], modes[1], modes[2], *["LEAF"] * 4, modes[3], "LEAF", "LEAF"],
        "nodes_values": [0.5, -0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0],
        "nodes_truenodeids": [1, 3, 5, 0, 0, 0, 0, 2, 0, 0],
        "nodes_falsenodeids": [2, 4, 6, 0, 0, 0, 0, 1, 0, 0],
    }


# Every leaf of the first tree votes for both results: onnxruntime adds base values to no result without a vote.
LEAVES = {
    "treeids": [0, 0, 0, 0, 0, 0, 0, 0, 5, 5],
    "nodeids": [3, 3, 4, 4, 5, 5, 6, 6, 1, 2],
    "ids": [0, 1, 1, 0, 0, 1, 1, 0, 1, 1],
}
WEIGHTS = [1.0, 0.25, 2.0, 0.5, -3.0, 1.5, 0.5, 4.0, 0.25, -1.0]


def leaves(what: str, **more: Any) -> dict[str, Any]:
    return {f"{what}_{name}": values for name, values in LEAVES.items()} | {f"{what}_weights": WEIGHTS} | more


@pytest.mark.parametrize("first", range(4))
@pytest.mark.parametrize("aggregate", ["SUM", "AVERAGE"])
def test_regressors(first: int, aggregate: str):
    """The results of an ensemble whose nodes all have the same comparison equal onnxruntime's, for sums and averages of
    trees.

    first: the index of the comparison in `MODES`.
    aggregate: the aggregate function of the ensemble.
    """
    attributes = nodes([MODES[first]] * 4) | leaves("target", n_targets=2, base_values=[0.5, -1.0])
    ensemble = model("TreeEnsembleRegressor", 3, aggregate_function=aggregate, **attributes)
    scores = evaluate_reals(imported(ensemble), X).scores
    np.testing.assert_allclose(scores, reference(ensemble, X), atol=1e-6)  # pyright: ignore


@pytest.mark.parametrize("transform", ["NONE", "SOFTMAX", "LOGISTIC"])
def test_classifiers(transform: str):
    attributes = nodes(["BRANCH_LEQ"] * 4) | leaves("class", post_transform=transform, classlabels_int64s=[0, 1])
    ensemble = model("TreeEnsembleClassifier", 3, **attributes)
    outputs = evaluate_reals(imported(ensemble), X)
    np.testing.assert_array_equal(outputs.classes, reference(ensemble, X, "label")[:, 0])
    np.testing.assert_allclose(outputs.scores, reference(ensemble, X, "y"), atol=1e-6)  # pyright: ignore


@pytest.mark.parametrize("negative", [False, True])
def test_classifiers_of_one_score(negative: bool):
    """If the only score is the probability of the second class, or a sum whose sign selects the class, classes equal
    onnxruntime's for samples whose score differs from 0 by more than 1e-6.
    """
    attributes = nodes(["BRANCH_LT"] * 4) | leaves("class", classlabels_int64s=[0, 1])
    attributes["class_ids"] = [1] * 10
    attributes["class_weights"] = WEIGHTS if negative else [0.1, 0.4, 0.2, 0.05, 0.1, 0.3, 0.0, 0.15, 0.2, 0.6]
    ensemble = model("TreeEnsembleClassifier", 1, **attributes)
    outputs = evaluate_reals(imported(ensemble), X)
    assert outputs.scores is not None
    clear = abs(outputs.scores[:, 0]) > 1e-6
    assert clear.mean() > 0.8
    np.testing.assert_array_equal(outputs.classes[clear], reference(ensemble, X, "label")[clear, 0])


def test_a_transform_of_probabilities_is_of_the_sums():
    """With nonnegative votes and the post-transform `LOGISTIC`, the scores are the transformed sums. The second class
    is chosen if the sum, before the transform, is at least 1/2.
    """
    attributes = nodes(["BRANCH_LT"] * 4) | leaves("class", classlabels_int64s=[0, 1])
    weights = [0.1, 0.4, 0.2, 0.05, 0.1, 0.3, 0.0, 0.15, 0.2, 0.6]
    attributes |= {"class_ids": [1] * 10, "class_weights": weights, "post_transform": "LOGISTIC"}
    ensemble = model("TreeEnsembleClassifier", 1, **attributes)
    outputs = evaluate_reals(imported(ensemble), X)
    assert outputs.scores is not None
    np.testing.assert_allclose(outputs.scores[:, 0], reference(ensemble, X, "y")[:, -1], atol=1e-6)
    np.testing.assert_array_equal(outputs.classes, reference(ensemble, X, "label")[:, 0])


def splits(modes: list[int], values: list[float]) -> dict[str, Any]:
    return {
        "nodes_splits": numpy_helper.from_array(np.array(values, np.float32)),
        "nodes_modes": numpy_helper.from_array(np.array(modes, np.uint8)),
    }


@pytest.mark.parametrize("mode", range(4))
def test_ensembles_of_version_5(mode: int):
    """A tree whose root has a leaf and an inner child, and a tree with two leaves, have the results of a walk in
    Python, for each comparison of the op.
    """
    attributes = splits([mode] * 3, [0.5, -0.5, 0.0]) | {
        "nodes_featureids": [0, 1, 2],
        "nodes_truenodeids": [0, 1, 3],
        "nodes_trueleafs": [1, 1, 1],
        "nodes_falsenodeids": [1, 2, 4],
        "nodes_falseleafs": [0, 1, 1],
        "leaf_targetids": [0, 1, 0, 1, 1],
        "leaf_weights": numpy_helper.from_array(np.array([1, 2, 3, 4, -5], np.float32)),
        "tree_roots": [0, 2],
        "n_targets": 2,
    }
    ensemble = model("TreeEnsemble", 5, **attributes)
    scores = evaluate_reals(imported(ensemble), X).scores
    goes = (operator.le, operator.lt, operator.ge, operator.gt)[mode]
    wanted = np.zeros((len(X), 2))
    for row, (a, b, c) in enumerate(X.tolist()):
        leaf = 0 if goes(a, 0.5) else 1 if goes(b, -0.5) else 2
        for end in (leaf, 3 if goes(c, 0.0) else 4):
            wanted[row, [0, 1, 0, 1, 1][end]] += [1, 2, 3, 4, -5][end]
    np.testing.assert_allclose(scores, wanted)  # pyright: ignore


@pytest.mark.parametrize(("name", "number"), [("post_transform", 9), ("aggregate_function", -1), ("post_transform", 4)])
def test_numbers_without_a_meaning(name: str, number: int):
    attributes = splits([0], [0.5]) | {
        **{"nodes_featureids": [0], "nodes_truenodeids": [0], "nodes_trueleafs": [1], "nodes_falsenodeids": [1]},
        **{"nodes_falseleafs": [1], "leaf_targetids": [0, 0], "tree_roots": [0], "n_targets": 1},
        "leaf_weights": numpy_helper.from_array(np.array([1, 2], np.float32)),
    }
    with pytest.raises(InputError, match=f"{name} .* is not supported, only"):
        imported(model("TreeEnsemble", 5, **attributes, **{name: number}))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"nodes_modes": ["BRANCH_EQ"] * 10}, "comparisons BRANCH_EQ are not supported"),
        ({"nodes_values": [1.0]}, "differ in length"),
        ({"nodes_truenodeids": [0] * 10}, "node 0 of a tree has several parents"),
        ({"nodes_featureids": [9] * 10}, "beyond the 3 of the input"),
        ({"target_ids": [9] * 10}, "a leaf votes for the result 9, there are 2"),
        ({"target_nodeids": [99] * 10}, "no node 99"),
        ({"aggregate_function": "MAX"}, "aggregate_function MAX is not supported"),
        ({"post_transform": "PROBIT"}, "post_transform PROBIT is not supported"),
    ],
)
def test_wrong_ensembles(changed: dict[str, Any], message: str):
    attributes = nodes(["BRANCH_LEQ"] * 4) | leaves("target", n_targets=2) | changed
    with pytest.raises(InputError, match=message):
        imported(model("TreeEnsembleRegressor", 3, **attributes))

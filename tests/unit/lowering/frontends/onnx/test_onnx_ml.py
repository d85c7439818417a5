"""Ops of `ai.onnx.ml` with invalid attributes, and the import of labels and scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.runtime.evaluator.evaluator import evaluate_reals


def ml(op: str, inputs: str, outputs: str, **attributes: Any) -> Any:
    return helper.make_node(op, inputs.split(), outputs.split(), name=op.lower(), domain="ai.onnx.ml", **attributes)


def imported(*nodes: Any, outputs: str = "label scores", opset: int = 9, batch: int | None = None) -> ModuleOp:
    """The program of a model of nodes on 3 features.

    outputs: the names of the outputs, separated by spaces.
    opset: the opset of ONNX's own ops.
    batch: the number of samples in the input; None if it is not fixed.
    """
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, 3])
    declared = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs.split()]
    labels = numpy_helper.from_array(np.array(["no", "yes"], object), "names")
    graph = helper.make_graph(nodes, "graph", [x], declared, [labels])
    domains = [helper.make_opsetid("", opset), helper.make_opsetid("ai.onnx.ml", 1)]
    model = helper.make_model(graph, opset_imports=domains, ir_version=8)
    return read_onnx(model.SerializeToString(), "test.onnx")


LINEAR = {"coefficients": [1.0, 0, 0, 0, 1, 0], "intercepts": [0.0, 0.5], "classlabels_ints": [7, 9]}
SUPPORT: dict[str, Any] = {
    "coefficients": [1.0, -1.0],
    "support_vectors": [1.0, 2, 3, 3, 2, 1],
    "vectors_per_class": [1, 1],
    "rho": [0.5],
    "kernel_type": "RBF",
    "kernel_params": [0.5, 0.0, 3.0],
    "classlabels_strings": ["a", "b"],
}

REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "coefficients": ("LinearClassifier", {**LINEAR, "coefficients": [1.0]}, "1 coefficients"),
    "transform": ("LinearClassifier", {**LINEAR, "post_transform": "PROBIT"}, "PROBIT"),
    "labels": ("LinearClassifier", {"coefficients": [1.0] * 6}, "needs the attribute classlabels"),
    "equal labels": ("LinearClassifier", {**LINEAR, "classlabels_ints": [7, 7]}, "different"),
    "vectors": ("SVMClassifier", {**SUPPORT, "support_vectors": [1.0]}, "do not fit 2 support"),
    "kernel": ("SVMClassifier", {**SUPPORT, "kernel_type": "COSINE"}, "'cosine' is not"),
    "parameters": ("SVMClassifier", {**SUPPORT, "kernel_params": [float("nan")] * 3}, "three"),
    "sizes": ("SVMClassifier", {**SUPPORT, "vectors_per_class": [3, -1]}, "do not fit"),
    "pairs": ("SVMClassifier", {**SUPPORT, "prob_a": [1.0], "prob_b": [1.0]}, "probability=False"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_attributes_that_do_not_fit_are_refused_in_one_line(name: str):
    op, attributes, message = REFUSED[name]
    with pytest.raises(InputError, match=message) as caught:
        imported(ml(op, "x", "label scores", **attributes))
    assert str(caught.value).startswith("test.onnx: ")
    assert "\n" not in str(caught.value)


TREE: dict[str, Any] = {
    "nodes_treeids": [0, 0, 0],
    "nodes_nodeids": [0, 1, 2],
    "nodes_featureids": [0, 0, 0],
    "nodes_values": [0.5, 0.0, 0.0],
    "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
    "nodes_truenodeids": [1, 0, 0],
    "nodes_falsenodeids": [2, 0, 0],
    "target_treeids": [0, 0],
    "target_nodeids": [1, 2],
    "target_ids": [0, 0],
    "target_weights": [10.0, 20.0],
    "n_targets": 1,
}


@pytest.mark.parametrize(
    ("op", "outputs", "attributes"),
    [
        ("LinearClassifier", "label scores", LINEAR),
        ("SVMClassifier", "label scores", SUPPORT),
        ("TreeEnsembleRegressor", "y", TREE),
    ],
)
def test_several_samples_at_once_are_refused(op: str, outputs: str, attributes: dict[str, Any]):
    """A model with a fixed batch of several samples is rejected, since a program processes one sample and must not
    ignore the others.
    """
    node = ml(op, "x", outputs, **attributes)
    with pytest.raises(InputError, match=r"takes 2 samples at once, 2x3: export it for one, such as FloatTensorType"):
        imported(node, outputs=outputs, batch=2)
    assert imported(node, outputs=outputs, batch=1)


def test_labels_of_another_number_than_scores_are_refused():
    nodes = helper.make_node("ArgMax", ["x"], ["at"], axis=1), ml("ArrayFeatureExtractor", "names at", "label")
    with pytest.raises(InputError, match=r"2 labels of classes do not fit 3 scores"):
        imported(*nodes, outputs="label", opset=17)


def test_features_outside_are_refused():
    at = helper.make_node("Constant", [], ["at"], value=helper.make_tensor("", TensorProto.INT64, [2], [0, 3]))
    with pytest.raises(InputError, match=r"indices \[0, 3\] do not lie in shape \[1, 3\]"):
        imported(at, ml("ArrayFeatureExtractor", "x at", "scores"), outputs="scores", opset=17)


def test_a_classifier_keeps_its_labels_and_scores():
    """The labels and scores of a classifier are imported. Ops after it that only normalise the scores are omitted."""
    module = imported(
        ml("LinearClassifier", "x", "first raw", **LINEAR),
        helper.make_node("Cast", ["first"], ["label"], to=TensorProto.INT64),
        ml("Normalizer", "raw", "scores", norm="L1"),
    )
    assert tdsl.read_interface(module).classes == (7, 9)
    outputs = evaluate_reals(module, np.array([[1.0, 0.2, 5.0], [1.0, 0.6, 5.0]]))
    assert outputs.labels is not None
    assert outputs.labels.tolist() == [0, 1]
    assert outputs.scores is not None
    np.testing.assert_allclose(outputs.scores, [[1.0, 0.7], [1.0, 1.1]])


def test_support_vectors_decide_as_libsvm_does():
    module = imported(ml("SVMClassifier", "x", "label scores", **SUPPORT))
    x = np.array([[1.0, 2, 3], [3, 2, 1], [2, 2, 2]])
    near, far = (np.exp(-0.5 * ((x - vector) ** 2).sum(1)) for vector in ([1, 2, 3], [3, 2, 1]))
    outputs = evaluate_reals(module, x)
    assert outputs.scores is not None
    np.testing.assert_allclose(np.ravel(outputs.scores), far - near - 0.5, atol=1e-6)
    assert outputs.labels is not None
    assert outputs.labels.tolist() == [0, 1, 0]
    assert tdsl.read_interface(module).classes == ("a", "b")


REGRESSOR: dict[str, Any] = {
    **{name: SUPPORT[name] for name in ("coefficients", "support_vectors", "rho", "kernel_type", "kernel_params")},
    "n_supports": 2,
}


@pytest.mark.parametrize("said", [{}, {"one_class": 0}])
def test_support_vectors_give_a_value(said: dict[str, int]):
    x = np.array([[1.0, 2, 3], [3, 2, 1], [2, 2, 2]])
    near, far = (np.exp(-0.5 * ((x - vector) ** 2).sum(1)) for vector in ([1, 2, 3], [3, 2, 1]))
    outputs = evaluate_reals(imported(ml("SVMRegressor", "x", "scores", **REGRESSOR, **said), outputs="scores"), x)
    assert outputs.scores is not None
    np.testing.assert_allclose(np.ravel(outputs.scores), near - far + 0.5, atol=1e-6)


def test_support_vectors_of_one_class_are_refused():
    with pytest.raises(InputError, match="one_class = 1 is not supported, only 0"):
        imported(ml("SVMRegressor", "x", "scores", **REGRESSOR, one_class=1), outputs="scores")


def test_differences_to_the_logarithm_of_a_sum_become_a_softmax():
    """The exponential of x - logsumexp(x), as in exports of Gaussian naive Bayes, is imported as a softmax. Formats of
    few bits represent a softmax, but hardly the exponentials in the sum.
    """
    nodes = [
        helper.make_node("ReduceLogSumExp", ["x"], ["total"], axes=[1], keepdims=0),
        helper.make_node("Reshape", ["total", "column"], ["totals"]),
        helper.make_node("Sub", ["x", "totals"], ["logs"]),
        helper.make_node("Exp", ["logs"], ["scores"]),
    ]
    column = helper.make_node("Constant", [], ["column"], value=helper.make_tensor("", TensorProto.INT64, [2], [-1, 1]))
    module = imported(column, *nodes, outputs="scores")
    names = [op.name for op in module.walk()]
    assert "tdsl.softmax" in names
    assert "tdsl.exp" not in names
    x = np.array([[1.0, 2.0, -1.0], [0.0, 0.0, 3.0]])
    scores = evaluate_reals(module, x).scores
    assert scores is not None
    np.testing.assert_allclose(scores, np.exp(x) / np.exp(x).sum(1, keepdims=True), atol=1e-6)


def test_support_vectors_are_counted():
    """A support vector machine whose file does not state the number of support vectors is rejected as a model without
    support vectors.
    """
    uncounted = {name: value for name, value in REGRESSOR.items() if name != "n_supports"}
    with pytest.raises(InputError, match="a model without support vectors is not supported"):
        imported(ml("SVMRegressor", "x", "scores", **uncounted), outputs="scores")

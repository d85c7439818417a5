"""`tinyml.finetune` of pipelines with scalers: feature scales, repeated fine-tuning, and the formats of the result,
which compilation preserves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from programs.estimators import sk

import tinyml
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.runtime.evaluator.evaluator import feature_map
from tinyml.tools.cli.parse_mlir import parse_mlir

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(160, 6))
Y = np.stack([X[:, :2].sum(1), X[:, 2:4].sum(1), X[:, 4:].sum(1)], 1).argmax(1)
UNLIKE = np.geomspace(1e-2, 1e3, 6)


def pipeline() -> Any:
    """A classifier of features whose units differ by a factor of 100,000."""
    return sk.make_pipeline(sk.StandardScaler(), sk.LogisticRegression(C=100)).fit(X * UNLIKE, Y)


@pytest.mark.long(seconds=5)
@pytest.mark.filterwarnings("ignore::tinyml.CompileWarning")
def test_unlike_units_are_trained_with_the_scales_that_compilation_takes():
    model, x = pipeline(), X * UNLIKE
    assert tinyml.compile(model, x, Y, width=8, board="host").score(x, Y) < 0.8
    first = tinyml.finetune(model, x, Y, x, Y, width=8, epochs=1, quantized_epochs=1)
    assert feature_map(first.module) is not None
    second = tinyml.finetune(first, x, Y, x, Y, width=8, epochs=1, quantized_epochs=1)
    for tuned in (first, second):
        assert tinyml.compile(tuned, x, Y, board="host").score(x, Y) >= model.score(x, Y) - 0.02
    anew = tinyml.compile(first, x, Y, board="host", quantization="anew")
    assert anew.report.format == "fixed"
    assert anew.score(x, Y) >= model.score(x, Y) - 0.02


def test_where_little_is_lost_the_caller_has_no_scales_to_heed():
    assert (
        feature_map(tinyml.finetune(pipeline().fit(X, Y), X, Y, X, Y, width=16, epochs=1, quantized_epochs=1).module)
        is None
    )


@pytest.mark.long
def test_a_scaler_that_is_one_op_is_trained_again():
    """A result of fine-tuning can be fine-tuned again if its scaler is one op, `tdsl.map`, which `fuse-elementwise`
    creates in 16 bits.
    """
    x = X * np.geomspace(1, 10, 6)
    model = tinyml.finetune(pipeline().fit(x, Y), x, Y, x, Y, width=16, epochs=1, quantized_epochs=1)
    assert any(op.name == "tdsl.map" for op in model.module.walk())
    again = tinyml.finetune(model, x, Y, x, Y, width=16, epochs=1, quantized_epochs=1)
    assert tinyml.compile(again, x, Y, board="host").score(x, Y) >= 0.95


def test_a_loss_beside_floating_point_is_a_warning():
    with pytest.warns(
        tinyml.CompileWarning, match=r"loses \d+\.\d points .*: a larger width, learn_ranges=True or more"
    ):
        tinyml.finetune(pipeline().fit(X, Y), X, Y, X, Y, width=2, epochs=1, quantized_epochs=1)


@pytest.mark.long
@pytest.mark.parametrize("classifier", [sk.LogisticRegression(), sk.LinearSVC()], ids=["probability", "score"])
def test_two_classes_have_a_single_score(classifier: Any):
    """A classifier with one score for two classes loses at most 2 points of accuracy, with and without a limit on MACs.
    In training, the score counts as that of the second class, and the score of the first is 0.
    """
    y = np.where(Y == 1, "yes", "no")
    model = sk.make_pipeline(sk.StandardScaler(), classifier).fit(X, y)
    for macs in (None, 20):
        tuned = tinyml.finetune(model, X, y, X, y, width=8, epochs=2, quantized_epochs=2, macs=macs)
        assert tinyml.compile(tuned, X, y, board="host").score(X, y) >= model.score(X, y) - 0.02


@pytest.mark.long
def test_a_probability_of_two_classes_without_a_class():
    text = """func.func @net(%x: tensor<1x6xf32>) -> tensor<1x1xf32> {
      %w = tdsl.const dense<[[1.0], [1.0], [0.5], [0.0], [0.0], [0.0]]> : tensor<6x1xf32> -> tensor<6x1xf32>
      %y = tdsl.matmul %x, %w : tensor<1x6xf32>, tensor<6x1xf32> -> tensor<1x1xf32>
      RESULT
    }"""
    y = (X[:, 0] > 0).astype(int)
    sigmoid = "%p = tdsl.sigmoid %y : tensor<1x1xf32> -> tensor<1x1xf32>\n func.return %p : tensor<1x1xf32>"
    module = parse_mlir(context(), text.replace("RESULT", sigmoid).encode(), "net.mlir")
    tuned = tinyml.finetune(module, X, y, X, y, width=8, epochs=20, quantized_epochs=2, rate=0.03)
    probability = tinyml.compile(tuned, X, y, board="host", outputs="scores").scores(X)
    assert ((probability > 0.5) == y).mean() > 0.9
    number = parse_mlir(context(), text.replace("RESULT", "func.return %y : tensor<1x1xf32>").encode(), "net.mlir")
    with pytest.raises(InputError, match="computes a number: train programs that return a class or its probability"):
        tinyml.finetune(number, X, y, X, y, width=8)

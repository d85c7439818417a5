"""Derivatives of programs on reals with respect to their constants, compared with finite differences."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pytest
from programs.paths import MODELS
from programs.searches import evaluation_of
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.rewriter import Rewriter

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.runtime.evaluator.evaluator import evaluate_reals
from tinyml.runtime.evaluator.gradients import Gradients, tensor_slopes

STEP = 1e-4
"""Of each number, by which it is changed."""


def changed(module: ModuleOp, steps: list[np.ndarray], factor: float) -> ModuleOp:
    """A copy of a program in which each constant is increased by `factor` times its array in `steps`."""
    copy = module.clone()
    for op, step in zip([one for one in copy.walk() if isinstance(one, tdsl.ConstOp)], steps, strict=True):
        format = tdsl.format_of(op.result)
        Rewriter.replace_op(op, op.with_raws((op.raws + factor * step).astype(np.float32), format))
    return copy


def check(module: ModuleOp, inputs: np.ndarray, without: Collection[str] = ()) -> None:
    """Assert that directional derivatives of a combination of scores equal finite differences.

    without: names of constants that have no derivative.
    """
    random = np.random.default_rng(3)
    constants = [op for op in module.walk() if isinstance(op, tdsl.ConstOp)]
    steps: list[np.ndarray] = []
    for op in constants:
        step = STEP * op.raws * random.normal(size=op.raws.shape)
        # What single precision makes of it.
        steps.append(((op.raws + step).astype(np.float32) - (op.raws - step).astype(np.float32)).astype("f8") / 2)
        if op.result.name_hint in without:
            steps[-1][...] = 0.0
    scores = [evaluate_reals(changed(module, steps, sign), inputs).scores for sign in (1, -1)]
    assert scores[0] is not None
    assert scores[1] is not None
    direction = random.normal(size=scores[0].shape)
    expected = ((scores[0] - scores[1]) * direction).sum(1) / 2
    gradients = Gradients(module, inputs, direction)
    found = np.zeros(len(inputs))
    for op, step in zip(constants, steps, strict=True):
        rows = list(gradients.rows(op))
        places = [place for row, _ in rows for place in range(row.start, row.stop)]
        assert places == ([] if op.result.name_hint in without else list(range(op.raws.size)))
        for (row, slopes), (kept, again) in zip(rows, gradients.rows(op), strict=True):
            assert row == kept
            assert np.array_equal(slopes, again)
            found += slopes @ step.reshape(-1)[row]
    assert np.abs(found).max() > 0
    # Some samples are where a branch or a clamp changes.
    assert np.quantile(np.abs(found - expected), 0.98) < 1e-3 * np.abs(expected).max()


@pytest.mark.long
@pytest.mark.parametrize("model", MODELS)
def test_of_a_model(model: str):
    with evaluation_of(model) as evaluation:
        evaluator = evaluation.evaluator
        check(evaluator.candidates.module, evaluator.reference.inputs, ["T"] if model == "bonsai" else [])


NODES = """
func.func @f(%x: tensor<4x1xf32>) -> (tensor<3x1xf32>) {
  %W = tdsl.const dense<[[[1.0, 2.0, -1.0, 0.5], [0.25, -1.0, 1.0, 2.0], [0.5, 0.5, 1.0, 1.0]],
                         [[2.0, -1.0, 0.5, 1.0], [1.0, 1.0, -1.0, -1.0], [0.75, 0.0, 2.0, 1.0]]]> : tensor<2x3x4xf32>
      -> tensor<2x3x4xf32>
  %T = tdsl.const dense<[[1.0, -1.0, 0.5, -0.5]]> : tensor<1x4xf32> -> tensor<1x4xf32>
  %B = tdsl.const dense<[[0.5], [0.25], [-0.5]]> : tensor<3x1xf32> -> tensor<3x1xf32>
  %t = tdsl.matmul %T, %x : tensor<1x4xf32>, tensor<4x1xf32> -> tensor<1x1xf32>
  %c = tdsl.at_least %t {threshold = 0.0 : f64} : tensor<1x1xf32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %node = arith.select %c, %zero, %one : index
  %w = tdsl.index %W[%node] : tensor<2x3x4xf32> -> tensor<3x4xf32>
  %p = tdsl.matmul %w, %x {row_shifts = array<i8: 0, 2, 1>} : tensor<3x4xf32>, tensor<4x1xf32> -> tensor<3x1xf32>
  %q = tdsl.sub %p, %B : tensor<3x1xf32>, tensor<3x1xf32> -> tensor<3x1xf32>
  %r = tdsl.relu %q : tensor<3x1xf32> -> tensor<3x1xf32>
  %u = tdsl.mul %B, %r : tensor<3x1xf32>, tensor<3x1xf32> -> tensor<3x1xf32>
  %n = tdsl.neg %u : tensor<3x1xf32> -> tensor<3x1xf32>
  func.return %n : tensor<3x1xf32>
}
"""

MOVES = """
func.func @f(%x: tensor<2x3xf32>) -> (tensor<2x2xf32>) {
  %A = tdsl.const dense<[[0.5, -0.25, 1.0], [0.75, 0.5, -1.0]]> : tensor<2x3xf32> -> tensor<2x3xf32>
  %S = tdsl.const dense<[[2.0, 0.5], [0.25, -0.5]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %k = tdsl.const dense<0.5> : tensor<f32> -> tensor<f32>
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %xt = tdsl.transpose %x {permutation = array<i64: 1, 0>} : tensor<2x3xf32> -> tensor<3x2xf32>
  %p = tdsl.matmul %A, %xt : tensor<2x3xf32>, tensor<3x2xf32> -> tensor<2x2xf32>
  %e = tdsl.tanh %p : tensor<2x2xf32> -> tensor<2x2xf32>
  %q = tdsl.matmul %e, %S : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %s = tdsl.slice %q[%one, %zero] : tensor<2x2xf32> -> tensor<1x2xf32>
  %m = tdsl.mul %k, %s : tensor<f32>, tensor<1x2xf32> -> tensor<1x2xf32>
  %i = tdsl.insert_slice %m, %S[%zero, %zero] : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %v = tdsl.reverse %i {axis = 1 : i64} : tensor<2x2xf32> -> tensor<2x2xf32>
  func.return %v : tensor<2x2xf32>
}
"""


OUTER = """
func.func @f(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>) {
  %B = tdsl.const dense<[[0.5], [-0.75]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %row = tdsl.reshape %B : tensor<2x1xf32> -> tensor<1x2xf32>
  %p = tdsl.matmul %row, %x : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  %q = tdsl.matmul %B, %p : tensor<2x1xf32>, tensor<1x2xf32> -> tensor<2x2xf32>
  func.return %q : tensor<2x2xf32>
}
"""


AVERAGES = """
func.func @f(%x: tensor<1x3x2x2xf32>) -> (tensor<1x2x2x1xf32>) {
  %B = tdsl.const dense<[[[[0.5], [-0.75]], [[1.5], [0.25]], [[-1.0], [2.0]]]]> : tensor<1x3x2x1xf32>
      -> tensor<1x3x2x1xf32>
  %p = tdsl.mul %x, %B : tensor<1x3x2x2xf32>, tensor<1x3x2x1xf32> -> tensor<1x3x2x2xf32>
  %l = tdsl.leaky_relu %p {slope = 0.25 : f64} : tensor<1x3x2x2xf32> -> tensor<1x3x2x2xf32>
  %h = tdsl.hard_swish %l : tensor<1x3x2x2xf32> -> tensor<1x3x2x2xf32>
  %a = tdsl.average_pool %h {kernel = array<i64: 2, 2>, padding = array<i64: 1, 0, 0, 1>, strides = array<i64: 2, 1>}
      : tensor<1x3x2x2xf32> -> tensor<1x2x2x2xf32>
  %s = tdsl.softmax %a : tensor<1x2x2x2xf32> -> tensor<1x2x2x2xf32>
  %q = tdsl.mul %s, %a : tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32> -> tensor<1x2x2x2xf32>
  %u = tdsl.normalise %q : tensor<1x2x2x2xf32> -> tensor<1x2x2x2xf32>
  %m = tdsl.mean %u {axes = array<i64: 3>} : tensor<1x2x2x2xf32> -> tensor<1x2x2x1xf32>
  func.return %m : tensor<1x2x2x1xf32>
}
"""


@pytest.mark.parametrize(("text", "without"), [(NODES, ["T"]), (MOVES, []), (OUTER, []), (AVERAGES, [])])
def test_of_single_ops(text: str, without: Collection[str]):
    """Derivatives with respect to constants equal finite differences: for matrices selected by inputs, rows with
    shifts, factors on the right, tensors that are moved and broadcast, and a constant of two shapes. A constant that
    only determines branches has no derivative.
    """
    module = Parser(context(), text).parse_module()
    inputs = np.random.default_rng(1).normal(size=(700, {MOVES: 6, AVERAGES: 12}.get(text, 4)))
    check(module, inputs, without)


def test_none_behind_an_op_without_derivatives():
    """A constant on which the operand of an op without derivatives depends has no derivative. Constants after such an
    op have one.
    """
    text = NODES.replace(
        "tdsl.relu %q : tensor<3x1xf32>", "tdsl.select %c, %q, %q : tensor<3x1xf32>, tensor<3x1xf32>"
    ).replace("func.return %n", "func.return %m")
    text = text.replace(
        "  func.return",
        "  %k = tdsl.const dense<0.5> : tensor<f32> -> tensor<f32>\n"
        "  %m = tdsl.mul %k, %r : tensor<f32>, tensor<3x1xf32> -> tensor<3x1xf32>\n  func.return",
    )
    check(Parser(context(), text).parse_module(), np.random.default_rng(1).normal(size=(50, 4)), ["W", "T", "B"])


def test_slopes_of_stored_tensors():
    """Ops read the stored tensors. The tensors are reported as computed, with the derivatives of the exact ops."""
    text = """
func.func @square(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = tdsl.mul %x, %x : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  %z = tdsl.tanh %y : tensor<3xf32> -> tensor<3xf32>
  func.return %z : tensor<3xf32>
}
"""
    x = np.array([[0.4, 0.6, -1.3]])
    rounded, direction = np.round(2 * x) / 2, np.array([[1.0, -2.0, 3.0]])
    stored = np.round(2 * rounded**2) / 2
    module = Parser(context(), text).parse_module()
    [found] = tensor_slopes(module, x, direction, lambda _, values: np.round(2 * values) / 2)
    slopes = direction * (1 - np.tanh(stored) ** 2)
    expected = [(np.tanh(stored), direction), (rounded**2, slopes), (x, 2 * rounded * slopes)]
    for (_, values, slope), (computed, derivative) in zip(found, expected, strict=True):
        assert values == pytest.approx(computed)
        assert slope == pytest.approx(derivative)

"""Loops that insert slices, evaluated for all iterations at once, compared with one iteration after another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.formatted import parse, with_formats
from xdsl.dialects import scf
from xdsl.ir import SSAValue

from tinyml.runtime.evaluator import parallel_loops
from tinyml.runtime.evaluator.evaluator import (
    encode_inputs,
    evaluate,
    evaluate_reals,
    loop_steps,
    predict_function,
    samples_together,
)
from tinyml.runtime.evaluator.parallel_loops import nest_of
from tinyml.runtime.evaluator.shared_evaluator import SharedEvaluator

POOL = """func.func @pool(%X: tensor<6x8xf32>) -> tensor<3x5x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %W = tdsl.const dense<[[0.5, -0.75], [1.25, 0.25]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %start = tdsl.fill {value = 0.25 : f64} -> tensor<3x5x4xf32>
  %rows = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %start) -> (tensor<3x5x4xf32>) {
    %top = arith.muli %i, %c2 : index
    %columns = scf.for %j = %c0 to %c4 step %c1 iter_args(%b = %a) -> (tensor<3x5x4xf32>) {
      %left = arith.addi %j, %j : index
      %patch = tdsl.slice %X[%top, %left] : tensor<6x8xf32> -> tensor<2x2xf32>
      %zero = tdsl.fill {value = 0.0 : f64} -> tensor<2x1xf32>
      %lines = tdsl.fill {value = 0.0 : f64} -> tensor<2x2xf32>
      %read = scf.for %k = %c0 to %c2 step %c1 iter_args(%l = %lines) -> (tensor<2x2xf32>) {
        %last = scf.for %t = %c0 to %c2 step %c1 iter_args(%h = %zero) -> (tensor<2x1xf32>) {
          %x = tdsl.slice %patch[%k, %t] : tensor<2x2xf32> -> tensor<1x1xf32>
          %p = tdsl.matmul %W, %h : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
          %s = tdsl.add %p, %x : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
          %n = tdsl.tanh %s : tensor<2x1xf32> -> tensor<2x1xf32>
          scf.yield %n : tensor<2x1xf32>
        }
        %line = tdsl.reshape %last : tensor<2x1xf32> -> tensor<1x2xf32>
        %m = tdsl.insert_slice %line, %l[%k, %c0] : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
        scf.yield %m : tensor<2x2xf32>
      }
      %part = tdsl.reshape %read : tensor<2x2xf32> -> tensor<1x1x4xf32>
      %c = tdsl.insert_slice %part, %b[%i, %j, %c0] : tensor<1x1x4xf32>, tensor<3x5x4xf32> -> tensor<3x5x4xf32>
      scf.yield %c : tensor<3x5x4xf32>
    }
    scf.yield %columns : tensor<3x5x4xf32>
  }
  func.return %rows : tensor<3x5x4xf32>
}"""
"""RNNPool in small. The last column of the result keeps its first numbers."""

X = np.random.default_rng(3).normal(size=(3, 48))


@pytest.mark.long
def test_all_iterations_at_once(monkeypatch: pytest.MonkeyPatch):
    """The bits are the same whether all iterations of a nest, some of them or single ones are evaluated at once, and
    for one or several samples.
    """
    module = parse(POOL)
    reals = evaluate_reals(module, X).scores
    with_formats(module, X.astype(np.float32), "fixed", 8)
    expected = evaluate(module, encode_inputs(module, X)).scores
    assert reals is not None
    assert expected is not None
    for most in (0, 4, 20, 1 << 22):
        monkeypatch.setattr(parallel_loops, "MAX_TOGETHER", most)
        shared = SharedEvaluator(X, chunk=1).prepare(module)
        for sample in range(len(X)):
            one = evaluate(module, encode_inputs(module, X[[sample]]))
            for found in (one, shared.outputs(sample)):
                np.testing.assert_array_equal(found.tensors[0], expected[[sample]])
            alone = evaluate_reals(parse(POOL), X[[sample]]).tensors[0]
            np.testing.assert_allclose(alone, reals[[sample]], rtol=1e-12)


def test_values_of_all_iterations_are_observed():
    """An observer receives the values of a loop's iterations for every sample: for two equal samples, each value occurs
    twice as often as for one.
    """
    module = parse(POOL)

    def observed(samples: NDArray[Any]) -> dict[str, list[float]]:
        seen: dict[str, list[float]] = {}

        def observe(value: SSAValue, array: NDArray[Any]) -> None:
            if value.name_hint in ("patch", "n", "part", "rows"):
                seen.setdefault(value.name_hint, []).extend(array.ravel().tolist())

        evaluate_reals(module, samples, observe)
        return {name: sorted(values) for name, values in seen.items()}

    once, twice = observed(X[:1]), observed(X[[0, 0]])
    assert {name: sorted(values * 2) for name, values in once.items()} == twice


def test_what_counts_as_steps():
    """The number of steps of a loop that is evaluated at once is less than a tenth of the number of its iterations, so
    that several samples are evaluated together.
    """
    function = predict_function(parse(POOL))
    assert loop_steps(function, parallel=True) < loop_steps(function, parallel=False) / 10
    assert samples_together(function) > 1
    loops = [op for op in function.walk() if isinstance(op, scf.ForOp)]
    assert [None if (nest := nest_of(loop)) is None else nest.iterations for loop in loops] == [12, 4, 2, None]

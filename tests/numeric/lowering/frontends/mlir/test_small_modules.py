"""Small modules whose ops stand as no exporter writes them, against numpy."""

from __future__ import annotations

import numpy as np

from tinyml.lowering.frontends.mlir.importer import read_tensors
from tinyml.runtime.evaluator.evaluator import evaluate_reals


def computed(arguments: dict[str, str], body: str, returned: str, type: str, *rows: np.ndarray) -> np.ndarray:
    """What a function of a body computes of its arguments."""
    types = ", ".join(arguments.values())
    block = ", ".join(f"%{name}: {each}" for name, each in arguments.items())
    text = f""""builtin.module"() ({{
  "func.func"() <{{function_type = ({types}) -> {type}, sym_name = "main"}}> ({{
  ^bb0({block}):
{body}
    "func.return"(%{returned}) : ({type}) -> ()
  }}) : () -> ()
}}) : () -> ()"""
    scores = evaluate_reals(read_tensors(text, "m.mlir"), np.concatenate([each.ravel() for each in rows])[None]).scores
    assert scores is not None
    return scores.ravel()


def reducer(kind: str) -> str:
    return f"""({{
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = "stablehlo.{kind}"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }})"""


def test_a_maximum_along_another_axis_stays_in_a_softmax():
    body = f"""%l = "stablehlo.constant"() <{{value = dense<0xFF800000> : tensor<f32>}}> : () -> tensor<f32>
    %z = "stablehlo.constant"() <{{value = dense<0.0> : tensor<f32>}}> : () -> tensor<f32>
    %m = "stablehlo.reduce"(%x, %l) <{{dimensions = array<i64: 0>}}> {reducer("maximum")}
      : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
    %mb = "stablehlo.broadcast_in_dim"(%m) <{{broadcast_dimensions = array<i64: 1>}}>
      : (tensor<3xf32>) -> tensor<2x3xf32>
    %d = "stablehlo.subtract"(%x, %mb) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %e = "stablehlo.exponential"(%d) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %t = "stablehlo.reduce"(%e, %z) <{{dimensions = array<i64: 1>}}> {reducer("add")}
      : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %tb = "stablehlo.broadcast_in_dim"(%t) <{{broadcast_dimensions = array<i64: 0>}}>
      : (tensor<2xf32>) -> tensor<2x3xf32>
    %r = "stablehlo.divide"(%e, %tb) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>"""
    x = np.random.default_rng(0).normal(size=(2, 3))
    powers = np.exp(x - x.max(0))
    found = computed({"x": "tensor<2x3xf32>"}, body, "r", "tensor<2x3xf32>", x)
    np.testing.assert_allclose(found, (powers / powers.sum(1, keepdims=True)).ravel(), atol=1e-5)


def test_a_pool_has_the_axes_of_its_result():
    body = """%z = "arith.constant"() <{value = dense<0.0> : tensor<3x4xf32>}> : () -> tensor<3x4xf32>
    %w = "tensor.empty"() : () -> tensor<2xf32>
    %r = "linalg.generic"(%x, %w, %z) <{
      indexing_maps = [
        affine_map<(d0, d1, d2) -> (d0 + d2, d1)>,
        affine_map<(d0, d1, d2) -> (d2)>,
        affine_map<(d0, d1, d2) -> (d1, d0)>],
      iterator_types = [
        #linalg.iterator_type<parallel>,
        #linalg.iterator_type<parallel>,
        #linalg.iterator_type<reduction>],
      operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = "arith.addf"(%c, %a) : (f32, f32) -> f32
      "linalg.yield"(%m) : (f32) -> ()
    }) : (tensor<5x3xf32>, tensor<2xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>"""
    x = np.arange(15.0).reshape(5, 3)
    found = computed({"x": "tensor<5x3xf32>"}, body, "r", "tensor<3x4xf32>", x)
    np.testing.assert_allclose(found, (x[:4] + x[1:]).T.ravel())

"""The result of `compare_floats` states whether the program compares its inputs as floats after the rewrite."""

from __future__ import annotations

import pytest
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.transforms.reals.compare_floats import compare_floats

FOREST = """
func.func @forest(%X: tensor<1x3xf32>) -> {results} {{
  %votes = tdsl.const dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %sums = tdsl.forest %X, %votes {{features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>}} : tensor<1x3xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  {body}
}}
"""  # noqa: E501
ALONE = FOREST.format(results="tensor<1x2xf32>", body="func.return %sums : tensor<1x2xf32>")
READ = FOREST.format(
    results="(tensor<1x2xf32>, tensor<1x3xf32>)", body="func.return %sums, %X : tensor<1x2xf32>, tensor<1x3xf32>"
)


@pytest.mark.parametrize(("text", "answer"), [(ALONE, True), (READ, False)])
def test_the_answer_stays_once_the_input_is_floats(text: str, answer: bool):
    module = Parser(context(), text).parse_module()
    assert [compare_floats(module), compare_floats(module)] == [answer, answer]

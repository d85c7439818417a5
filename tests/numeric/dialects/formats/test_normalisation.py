"""Vectors of any length are scaled to length 1 in every format."""

from __future__ import annotations

import numpy as np
import pytest
from programs.number_formats import SORTS, Sort
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.runtime.evaluator.evaluator import evaluate

PROGRAM = """
func.func @normalise(%X: tensor<{rows}x12x{source}>) -> tensor<{rows}x12x{result}> {{
  %y = tdsl.normalise %X{least} : tensor<{rows}x12x{source}> -> tensor<{rows}x12x{result}>
  func.return %y : tensor<{rows}x12x{result}>
}}
"""
ROWS = 400


@pytest.mark.parametrize("least", [0.0, 0.5])
@pytest.mark.parametrize("sort", SORTS, ids=str)
def test_results_are_near(sort: Sort, least: float):
    """Normalised vectors of any length, including zero, differ from the exact ones by at most 3e-6 plus the greater of
    two values: the distance between the two numbers of the format that are nearest to the exact result, and the
    amount by which the result saturates. The sum of squares has no format of its own.

    least: the value of an additional element, which all formats represent exactly.
    """
    random = np.random.default_rng(5)
    format = sort.variants[-1]
    source, result = format.for_range(-4.0, 4.0), format.for_range(-1.0, 1.0)
    magnitudes = 2.0 ** random.uniform(-5, 2, (ROWS, 1))
    x = source.encode(random.uniform(-1, 1, (ROWS, 12)) * magnitudes * (random.random((ROWS, 1)) < 0.98))
    more = f" {{least = {least} : f64}}" if least else ""
    text = PROGRAM.format(rows=ROWS, source=source.type, result=result.type, least=more)
    module = Parser(context(), text).parse_module()
    module.verify()
    scores = evaluate(module, x.reshape(1, -1)).scores
    assert scores is not None
    y, reals = result.decode(scores).reshape(ROWS, 12), source.decode(x)
    length = np.hypot(np.linalg.norm(reals, axis=1, keepdims=True), least)
    expected = reals / np.where(length == 0, 1.0, length)
    nearest = result.encode(expected)
    spacing = np.abs(result.decode(result.encode_away(expected)) - result.decode(nearest))
    saturation = np.abs(result.decode(nearest) - expected)
    # A root is within 2^-19.4 or so; next to a tie between two numbers that counts twice.
    assert (np.abs(y - expected) <= np.maximum(spacing, saturation) + 3e-6).all()
    assert not y[~reals.any(axis=1)].any()

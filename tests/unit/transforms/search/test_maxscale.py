"""The rules of SeeDot 5.3, checked with the figures of the paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.formats.published.seedot import SeedotType
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.transforms.formats.assignment.format_assignment import FormatAssignment
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice
from tinyml.transforms.search.engine.search import Search
from tinyml.transforms.search.search_maxscale import Rules, assign_scales, explore_maxscale


@pytest.mark.parametrize(
    ("width", "magnitude", "scale"), [(16, 1.23, 14), (8, math.pi, 5), (8, math.e, 5), (8, 0.9238, 7), (8, 1.8622, 6)]
)
def test_the_best_scale_of_a_number(width: int, magnitude: float, scale: int):
    """The scales of the numbers in SeeDot's sections 2.3, 3 and 5.3 are those of the paper."""
    assert Rules(width, 0).get_p(magnitude) == scale


@pytest.mark.parametrize(("magnitude", "scale"), [(0.5, 15), (1.0, 14), (2.0, 13), (4.0, 12)])
def test_a_power_of_two_does_not_overflow(magnitude: float, scale: int):
    """By SeeDot's algorithm 1 the scale is one greater, at which the magnitude is 2^15."""
    assert Rules(16, 0).get_p(magnitude) == scale


@pytest.mark.parametrize(("maxscale", "scale"), [(0, 13), (13, 13), (14, 14), (15, 14)])
def test_a_sum(maxscale: int, scale: int):
    """SeeDot 5.3: with x = 1.23 in 16 bits at scale 14, x + x has scale 13, or 14 if maxscale is at least 14, since
    operands are then not divided.
    """
    assert Rules(16, maxscale).add_scale(14) == scale


@pytest.mark.parametrize(("maxscale", "scale"), [(3, 4), (5, 5)])
def test_a_sum_of_the_motivating_example(maxscale: int, scale: int):
    """SeeDot's section 4: the sum of two products of scale 5 has scale 4 for maxscale 3, and 5 for maxscale 5."""
    assert Rules(8, maxscale).add_scale(5) == scale


@pytest.mark.parametrize(("maxscale", "product", "total"), [(0, 5, 3), (3, 5, 3), (4, 5, 4), (5, 5, 5), (7, 7, 7)])
def test_a_sum_of_products(maxscale: int, product: int, total: int):
    """For the motivating example of SeeDot's section 3, with factors of scales 7 and 6 and four products, the sum has
    scale 3 in program (2) and, with a maxscale of at least 5, scale 5 in program (3).
    """
    rules = Rules(8, maxscale)
    assert rules.mul_scale(7, 6) == product
    assert rules.tree_sum_scale(product, 4) == total


def test_operands_are_divided_by_whole_powers():
    """If the number of bits to be removed from two operands is odd, it cannot be divided equally. The scale of the
    product is then one greater than maxscale.
    """
    assert Rules(8, 6).mul_scale(7, 6) == 7


def profile(low: float, high: float) -> str:
    return f"{{tdsl.profile = [#tdsl.profile<{low}, {high}, [{low}, {low}, {low}, {high}, {high}]>]}}"


PROGRAM = f"""func.func @f(%X: tensor<4x1xf32>) -> tensor<4x1xf32>
  attributes {{tdsl.interface = #tdsl.interface<input = <range = [-1.23, 1.23]>>}} {{
  %from = arith.constant 0 : index
  %to = arith.constant 3 : index
  %by = arith.constant 1 : index
  %W = tdsl.const dense<0.9> : tensor<4x4xf32> {profile(0.9, 0.9)} -> tensor<4x4xf32>
  %sum = tdsl.add %X, %X {profile(-2.46, 2.46)} : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
  %negated = tdsl.neg %sum {profile(-2.46, 2.46)} : tensor<4x1xf32> -> tensor<4x1xf32>
  %square = tdsl.mul %sum, %X {profile(0.0, 3.1)} : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
  %product = tdsl.matmul %W, %X {profile(-4.5, 4.5)} : tensor<4x4xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
  %power = tdsl.exp %negated {profile(0.08, 11.7)} : tensor<4x1xf32> -> tensor<4x1xf32>
  %limited = tdsl.tanh %X {profile(-0.85, 0.85)} : tensor<4x1xf32> -> tensor<4x1xf32>
  %carried = scf.for %i = %from to %to step %by iter_args(%h = %power) -> (tensor<4x1xf32>) {{
    %next = tdsl.add %h, %square {profile(0.08, 20.5)} : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
    scf.yield %next : tensor<4x1xf32>
  }}
  func.return %carried : tensor<4x1xf32>
}}"""

SCALES = {
    0: {"X": 14, "W": 15, "sum": 13, "negated": 13, "square": 11, "product": 11, "power": 9, "limited": 14},
    13: {"X": 14, "W": 15, "sum": 13, "negated": 13, "square": 13, "product": 13, "power": 13, "limited": 14},
    15: {"X": 14, "W": 15, "sum": 14, "negated": 14, "square": 16, "product": 15, "power": 15, "limited": 14},
}


@pytest.mark.parametrize("maxscale", SCALES)
def test_scales_are_propagated(maxscale: int):
    """For each maxscale, the scales of the tensors of a program follow the rules of SeeDot's figure 3. The tensor
    carried by the loop has the scale of the initial value, `power`.
    """
    module = Parser(context(), PROGRAM).parse_module()
    assignment = FormatAssignment(predict_function(module))
    scales = assign_scales(assignment, SeedotType.of_width(16), maxscale)
    found = {one.name: scales.profiled[one] + scales.zoom(one) for one in assignment.classes}
    assert found == SCALES[maxscale]


class CountedSearch:
    """A substitute for a search with the methods that `explore_maxscale` calls.

    candidates: the number of evaluated programs.
    """

    def __init__(self, module: ModuleOp) -> None:
        self.assignment = FormatAssignment(predict_function(module))
        self.classes = self.assignment.classes
        self.candidates = 0

    def choice(self, prototype: NumberFormat) -> FormatChoice:
        return FormatChoice(prototype)

    def losses(self, candidates: Sequence[object]) -> list[float]:
        self.candidates += len(candidates)
        return [float(number) for number, _ in enumerate(candidates)]


@pytest.mark.parametrize("width", [8, 16])
def test_as_many_programs_as_bits(width: int):
    """SeeDot 5.3.2: for B bits, the search evaluates B programs, one for each maxscale from 0 to B - 1, regardless of
    the size of the program.
    """
    search = CountedSearch(Parser(context(), PROGRAM).parse_module())
    _, maxscale, _ = explore_maxscale(cast(Search, search), SeedotType.of_width(width))
    assert search.candidates == width
    assert maxscale == width - 1

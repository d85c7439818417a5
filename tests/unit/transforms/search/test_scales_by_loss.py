"""`choose_scalings`: single tensors get other scales, and posits another es, where the program then loses less."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.number_format import BY_GREATEST, BY_SCORES, NumberFormat, ScaleBy
from tinyml.dialects.formats.posit.type import PositType
from tinyml.tools.driver.stages import print_ir
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice, with_choice
from tinyml.transforms.formats.evaluation.candidates import SearchProblem
from tinyml.transforms.reals.analysis.profiles import record_profiles
from tinyml.transforms.search.engine import moves
from tinyml.transforms.search.engine.evaluation import Evaluation
from tinyml.transforms.search.engine.moves import choose_scalings
from tinyml.transforms.search.engine.result import SearchResult
from tinyml.transforms.search.engine.search import Search
from tinyml.transforms.search.engine.workers import Workers

PROGRAM = """
func.func @linear(%x: tensor<2x1xf32>) -> (index, tensor<3x1xf32>) {
  %w = tdsl.const dense<[[1.0, -0.5], [0.5, 0.25], [-0.75, 1.0]]> : tensor<3x2xf32> -> tensor<3x2xf32>
  %y = tdsl.matmul %w, %x : tensor<3x2xf32>, tensor<2x1xf32> -> tensor<3x1xf32>
  %label = tdsl.argmax %y : tensor<3x1xf32>
  func.return %label, %y : index, tensor<3x1xf32>
}
"""
LOOP = """
func.func @loop(%x: tensor<2x1xf32>) -> (index, tensor<2x1xf32>) {
  %w = tdsl.const dense<[[1.0, -0.5], [0.5, 0.75]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %from = arith.constant 0 : index
  %to = arith.constant 3 : index
  %by = arith.constant 1 : index
  %h = scf.for %i = %from to %to step %by iter_args(%s = %x) -> (tensor<2x1xf32>) {
    %p = tdsl.matmul %w, %s : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    %t = tdsl.tanh %p : tensor<2x1xf32> -> tensor<2x1xf32>
    scf.yield %t : tensor<2x1xf32>
  }
  %label = tdsl.argmax %h : tensor<2x1xf32>
  func.return %label, %h : index, tensor<2x1xf32>
}
"""
Inputs = NDArray[np.float32]

X: Inputs = np.random.default_rng(1).standard_t(2, (80, 2)).astype(np.float32)


SCORES = """
func.func @scores(%x: tensor<2x1xf32>) -> (index, tensor<2x1xf32>) {
  %w = tdsl.const dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %y = tdsl.matmul %w, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %label = tdsl.argmax %y : tensor<2x1xf32>
  func.return %label, %y : index, tensor<2x1xf32>
}
"""


def search_of(prototype: NumberFormat, rule: ScaleBy | None, program: str = PROGRAM, x: Inputs = X) -> Search:
    module = Parser(context(), program).parse_module()
    record_profiles(module, x)
    problem = SearchProblem(print_ir(module), x, np.zeros(len(x), int), None, scale_by=rule)
    return Search(Evaluation(problem, "margin", Workers(1)), prototype)


def start(search: Search, input: NumberFormat, name: str = "x") -> SearchResult:
    """A candidate whose input, or tensor `name`, has the given format."""
    [index] = [i for i, tensors in enumerate(search.classes) if tensors.name == name]
    choices = with_choice(search.uniform(search.prototype), index, FormatChoice(input, is_made=True))
    return SearchResult(choices, {tensors.name: "chosen" for tensors in search.classes})


@pytest.mark.parametrize(
    ("prototype", "coarse"),
    [(PositType.of_width(6), PositType(6, 0, -4, 5, -9)), (FixedType.of_width(6), FixedType(6, -3))],
)
def test_a_coarse_input_becomes_finer(prototype: NumberFormat, coarse: NumberFormat):
    search = search_of(prototype, BY_SCORES)
    before = start(search, coarse)
    after = choose_scalings(search, before, lambda _: True)
    losses = search.losses([before.choices, after.choices])
    assert losses[1] < 0.5 * losses[0]
    assert after.reasons["x"] == "chosen; at this scale the program loses less"
    assert all(
        choice == old or (choice.is_made and choice.prototype.bits == 6)
        for choice, old in zip(after.choices, before.choices, strict=True)
    )


def test_a_tensor_gets_another_es_than_the_variant():
    search = search_of(PositType.of_width(6), None)
    one = replace(start(search, PositType(6, 0, -4, 5)), choices=search.uniform(PositType(6, 3, 0, 1)))
    after = choose_scalings(search, one, lambda _: True)
    changed = [choice.prototype for choice, old in zip(after.choices, one.choices, strict=True) if choice != old]
    assert changed
    assert any(isinstance(format, PositType) and format.es.data < 3 for format in changed)


def test_only_accepted_candidates_are_taken():
    search = search_of(PositType.of_width(6), None)
    before = start(search, PositType(6, 0, -4, 5, -9))
    assert choose_scalings(search, before, lambda _: False) == before


def test_scales_of_the_greatest_values_are_left():
    search = search_of(FixedType.of_width(6), BY_GREATEST)
    before = start(search, FixedType(6, -3))
    assert choose_scalings(search, before, lambda _: True) is before


def test_all_formats_are_tried_for_tensors_in_loops_alone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(moves, "MAX_SCALINGS", 0)
    outside = search_of(PositType.of_width(6), None)
    before = start(outside, PositType(6, 0, -4, 5, -9))
    assert choose_scalings(outside, before, lambda _: True) is before
    inside = search_of(PositType.of_width(6), None, LOOP)
    coarse = start(inside, PositType(6, 0, -4, 5, -9), "p")
    after = choose_scalings(inside, coarse, lambda _: True)
    losses = inside.losses([coarse.choices, after.choices])
    assert losses[1] < losses[0]


def test_scores_far_from_the_border_do_not_saturate_for_those_near_it():
    """At a fine scale of the scores, the errors near the border are small, but most samples get two equal scores."""
    random = np.random.default_rng(2)
    near = random.normal(0, 0.2, (30, 2))
    far = random.normal([12, 24], 1, (70, 2))
    search = search_of(FixedType.of_width(6), BY_SCORES, SCORES, np.concatenate([near, far]).astype(np.float32))
    before = start(search, FixedType(16, 8))
    after = choose_scalings(search, before, lambda _: True)
    outcomes = search.evaluation.outcomes([search.formats(result.choices) for result in (before, after)])
    assert outcomes[1].differ <= outcomes[0].differ

"""Refinement of rounded constants: margins improve, also on data that were not used, and constants keep the properties
that proofs and storage require.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.paths import MODELS
from programs.searches import evaluation_of, profiled
from xdsl.parser import Parser

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.lookup import format_named
from tinyml.dialects.formats.number_format import Raws, Reals
from tinyml.runtime.model.data import Data, load_data
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice
from tinyml.transforms.formats.constants.refine_constants import refine_constants
from tinyml.transforms.formats.evaluation.candidates import CandidateEvaluator, EvaluationTask
from tinyml.transforms.ir.pipeline_names import ProgramCost
from tinyml.transforms.reals.analysis.profiles import record_profiles
from tinyml.transforms.search.costs.candidate_costs import CandidateCosts
from tinyml.transforms.search.engine.result import SearchResult
from tinyml.transforms.search.engine.search import Limits, Search
from tinyml.transforms.search.engine.search_pass import refine_result

NARROW = FixedType.of_width(8)


def halves(model: str) -> tuple[CandidateEvaluator, CandidateEvaluator]:
    """Two evaluators of the same program and constants. Each uses every second sample."""
    data = load_data(str(MODELS[model].with_name("val.npz")))
    assert data.y is not None
    one, other = (CandidateEvaluator(profiled(model), Data(data.x[i::2], data.y[i::2]), None) for i in (0, 1))
    other.candidates.constants = one.candidates.constants
    return one, other


@pytest.mark.long
@pytest.mark.parametrize("model", MODELS)
def test_margins_get_better(model: str):
    evaluator, other = halves(model)
    assignment, constants = evaluator.candidates.assignment, evaluator.candidates.constants
    formats = tuple(assignment.formats([FormatChoice(NARROW)] * len(assignment.classes)))
    refined = refine_constants(evaluator, formats)
    for one in (evaluator, other):
        before, after = (
            one.outcome(EvaluationTask(formats, "margin", math.inf, raws)).margin for raws in (None, refined)
        )
        assert after < 0.99 * before
    before, after = constants.raws(formats), constants.raws(formats, refined)
    for place, op in enumerate(constants.constants):
        format = formats[assignment.classes.index(assignment.class_of[op.result])]
        reals, new = tdsl.format_of(op.result).decode(op.raws), after[op.result]
        assert (place in refined) == (new != before[op.result]).any()
        assert ((new == format.encode(reals)) | (new == format.encode_away(reals))).all()
        sizes = [
            np.abs(format.decode(one)).reshape(-1, op.raws.shape[-1] if op.raws.ndim else 1).sum(1).max()
            for one in (new, format.encode(reals))
        ]
        assert sizes[0] <= sizes[1] * (1 + 1e-9) or op.raws.shape[-1:] in ((), (1,))
        if isinstance(op.result.type.encoding, tdsl.Csr):
            assert ((new == 0) == (before[op.result] == 0)).all()


@pytest.mark.parametrize("model", ["protonn"])
@pytest.mark.parametrize(("flash", "kept"), [(1000, True), (1001, False)])
def test_limits_hold_with_refined_constants(model: str, flash: int, kept: bool, monkeypatch: pytest.MonkeyPatch):
    def measured(*_: object) -> ProgramCost:
        return ProgramCost(0, flash, 0)

    monkeypatch.setattr(CandidateCosts, "measured_with", measured)
    with evaluation_of(model) as evaluation:
        search = Search(evaluation, NARROW)
        result = SearchResult(search.uniform(NARROW), {})
        assert bool(refine_result(search, Limits(flash=1000), result).refined) == kept


def test_a_rival_is_taken_that_loses_less():
    with evaluation_of("protonn") as evaluation:
        search = Search(evaluation, NARROW)
        worse, better = (SearchResult(search.uniform(FixedType.of_width(width)), {}) for width in (4, 8))
        assert refine_result(search, Limits(), replace(worse, rivals=[better])).choices == better.choices
        assert refine_result(search, Limits(), replace(better, rivals=[worse])).choices == better.choices


@pytest.mark.long
def test_uniform_programs_have_refined_constants():
    file = MODELS["protonn"].with_name("val.npz")
    evaluator = CandidateEvaluator(profiled("protonn"), load_data(str(file)), None)
    formats = tuple(
        evaluator.candidates.assignment.formats([FormatChoice(NARROW)] * len(evaluator.candidates.assignment.classes))
    )
    wanted = evaluator.candidates.constants.raws(formats, refine_constants(evaluator, formats))
    module = profiled("protonn").clone()
    AssignFormatPass(width=8, data=str(file)).apply(context(), module)
    found = [op.raws for op in module.walk() if isinstance(op, tdsl.ConstOp)]
    assert len(found) == len(wanted)
    assert all(np.array_equal(one, other) for one, other in zip(found, wanted.values(), strict=True))


@pytest.mark.long
def test_large_programs_refine_the_constants_that_cost_most(monkeypatch: pytest.MonkeyPatch):
    evaluator, _ = halves("protonn")
    assignment, constants = evaluator.candidates.assignment, evaluator.candidates.constants.constants
    formats = tuple(assignment.formats([FormatChoice(NARROW)] * len(assignment.classes)))
    ops = sum(1 for _ in evaluator.candidates.function.walk())
    whole = refine_constants(evaluator, formats)

    def refined_within(most: int) -> dict[int, Raws]:
        monkeypatch.setattr("tinyml.transforms.formats.constants.refine_constants.MAX_OPS", most)
        return refine_constants(evaluator, formats)

    def margin(raws: dict[int, Raws] | None) -> float:
        return evaluator.outcome(EvaluationTask(formats, "margin", math.inf, raws)).margin

    assert list(refined_within(len(constants) * ops)) == list(whole)
    assert len(refined_within(2 * ops)) == 2 < len(whole)
    alone = [margin({index: raws}) for index, raws in whole.items()]
    for most in (2 * ops - 1, 0):
        [best] = refined_within(most).items()
        assert margin(dict([best])) <= min(alone)
    assert margin(None) > min(alone)


def test_published_arithmetic_stays_as_it_was():
    evaluator, _ = halves("protonn")
    published = format_named(context(), "shiftry", 8)
    assignment = evaluator.candidates.assignment
    assert not refine_constants(
        evaluator, tuple(assignment.formats([FormatChoice(published)] * len(assignment.classes)))
    )


@pytest.mark.parametrize(("format", "weighs"), [("fixed", False), ("zeroskew", False), ("minifloat", True)])
def test_data_are_evaluated_only_for_formats_that_weigh_numbers(format: str, weighs: bool):
    evaluator = CandidateEvaluator(profiled("protonn"), load_data(str(MODELS["protonn"].with_name("val.npz"))), None)
    assignment = evaluator.candidates.assignment
    assignment.formats([FormatChoice(format_named(context(), format, 8))] * len(assignment.classes))
    assert ("moments" in vars(assignment)) == weighs
    assert "reference" not in vars(evaluator)


CANCELLED = """
func.func @cancelled(%x: tensor<6x1xf32>) -> (index, tensor<3x1xf32>) {
  %w = tdsl.const dense<[[0.31, -0.52, 0.77, 0.11, -0.93, 0.45]]> : tensor<1x6xf32> -> tensor<1x6xf32>
  %p = tdsl.const dense<[[0.3], [0.7]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %q = tdsl.const dense<[[0.9, 0.0], [0.0, 0.9]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %r = tdsl.const dense<[[0.7, -0.3], [1.4, -0.6], [0.0, 0.0]]> : tensor<3x2xf32> -> tensor<3x2xf32>
  %z = tdsl.const dense<[[0.9, -0.4, 0.3, 0.7, 0.2, -0.6], [-0.3, 0.8, -0.1, 0.4, 0.6, 0.5],
      [0.2, 0.3, -0.7, -0.8, 0.1, 0.9]]> : tensor<3x6xf32> -> tensor<3x6xf32>
  %t = tdsl.matmul %w, %x : tensor<1x6xf32>, tensor<6x1xf32> -> tensor<1x1xf32>
  %g = tdsl.matmul %p, %t : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
  %h = tdsl.matmul %q, %g : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %a = tdsl.matmul %r, %h : tensor<3x2xf32>, tensor<2x1xf32> -> tensor<3x1xf32>
  %b = tdsl.matmul %z, %x : tensor<3x6xf32>, tensor<6x1xf32> -> tensor<3x1xf32>
  %y = tdsl.add %a, %b : tensor<3x1xf32>, tensor<3x1xf32> -> tensor<3x1xf32>
  %label = tdsl.argmax %y : tensor<3x1xf32>
  func.return %label, %y : index, tensor<3x1xf32>
}
"""
"""The product of `r`, `q` and `p` is 0 up to rounding errors of 1e-16, so that no score depends on `w`."""


def test_numbers_on_which_no_margin_depends_are_unchanged(monkeypatch: pytest.MonkeyPatch):
    """The derivatives with respect to such numbers are rounding errors, which differ between processors."""
    module = Parser(context(), CANCELLED).parse_module()
    x = np.random.default_rng(3).normal(size=(100, 6)).astype(np.float32)
    record_profiles(module, x)
    evaluator = CandidateEvaluator(module, Data(x, None), None)
    assignment, constants = evaluator.candidates.assignment, evaluator.candidates.constants.constants
    (w,) = (op for op in constants if op.result.name_hint == "w")
    ((_, slopes),) = evaluator.gradients.rows(w)
    assert 0 < np.abs(slopes).max() < 1e-14
    considered: list[float] = []

    def moves(now: Reals, other: Reals, mean: Reals, moments: Reals, *_: object) -> NDArray[np.bool_]:
        considered.append(float(moments.max()))
        return np.zeros(now.shape, bool)

    monkeypatch.setattr("tinyml.transforms.formats.constants.refine_constants.worth_moving", moves)
    refine_constants(evaluator, tuple(assignment.formats([FormatChoice(NARROW)] * len(assignment.classes))))
    assert min(considered) > 1e-6

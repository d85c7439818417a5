"""`scale-by=scores`: the estimated errors of scores equal errors computed by numpy, and determine the formats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

import numpy as np
import pytest
from programs.searches import profiled, some_data
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.number_format import BY_GREATEST, BY_SCORES, NumberFormat, ScaleBy
from tinyml.dialects.formats.posit.type import PositType
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.runtime.model.data import Data
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.formats.assignment.format_assignment import FormatAssignment
from tinyml.transforms.formats.assignment.score_errors import MIN_SAVED_SHARE, ScoreErrors
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice
from tinyml.transforms.formats.evaluation.candidates import CandidateEvaluator, EvaluationTask
from tinyml.transforms.reals.analysis.profiles import record_profiles

LINEAR = """
func.func @linear(%x: tensor<2x1xf32>) -> (index, tensor<3x1xf32>) {
  %w = tdsl.const dense<[[1.0, -0.5], [0.5, 0.25], [-0.75, 1.0]]> : tensor<3x2xf32> -> tensor<3x2xf32>
  %y = tdsl.matmul %w, %x : tensor<3x2xf32>, tensor<2x1xf32> -> tensor<3x1xf32>
  %label = tdsl.argmax %y : tensor<3x1xf32>
  func.return %label, %y : index, tensor<3x1xf32>
}
"""
WEIGHTS = np.array([[1.0, -0.5], [0.5, 0.25], [-0.75, 1.0]])
X = np.random.default_rng(1).standard_t(2, (50, 2))


def linear() -> ModuleOp:
    module = Parser(context(), LINEAR).parse_module()
    record_profiles(module, X.astype(np.float32))
    return module


def test_the_error_of_scores_is_that_of_margins_by_their_size():
    module = linear()
    assignment = FormatAssignment(predict_function(module))
    of_x = assignment.class_of[predict_function(module).args[0]]
    scores = X @ WEIGHTS.T
    order = np.argsort(scores, 1)
    rows = np.arange(len(X))
    slopes = WEIGHTS[order[:, -1]] - WEIGHTS[order[:, -2]]
    margins = scores[rows, order[:, -1]] - scores[rows, order[:, -2]]
    sizes = np.hypot(margins, np.percentile(margins, 25.0))
    formats = [FixedType(5, frac) for frac in range(-1, 5)]
    expected: list[float] = []
    for format in formats:
        errors = (format.decode(format.encode(X)) - X) * slopes / sizes[:, None]
        expected.append(0.9 * (errors.sum(1) ** 2).mean() + 0.1 * (errors**2).sum(1).mean())
    best = int(np.argmin(expected))
    assert 0 < best < len(formats) - 1
    errors = ScoreErrors(module, X, assignment.class_of, are_numbers=False)
    for offered in (formats, formats[::-1]):
        assert errors.chosen({of_x: offered}) == {of_x: formats[best]}
    for one, other in pairwise(formats):
        better = one if expected[formats.index(one)] < expected[formats.index(other)] else other
        assert errors.chosen({of_x: [one, other]}) == {of_x: better}


@dataclass(frozen=True)
class Off:
    """A substitute for a number format. A number that is encoded and decoded increases by the square root of `share`.

    effort: the cost of the format, which is compared if errors are similar.
    """

    share: float
    effort: int

    @property
    def type(self) -> object:
        return self

    def encode_clipped(self, reals: Any) -> Any:
        return reals

    def decode(self, raws: Any) -> Any:
        return raws + np.sqrt(self.share)


def chosen(*formats: Off) -> object:
    module = linear()
    assignment = FormatAssignment(predict_function(module))
    of_x = assignment.class_of[predict_function(module).args[0]]
    errors = ScoreErrors(module, X, assignment.class_of, are_numbers=False)
    return errors.chosen({of_x: cast("list[NumberFormat]", formats)})[of_x]


def test_effort_has_to_be_worth_it():
    """A format with more effort is chosen only if the errors of the other formats exceed its error by more than the
    fraction `MIN_SAVED_SHARE`. Of formats with equal effort, the one with the smaller error is chosen, and of those
    with equal error the first one.
    """
    best = Off(1.0, 1)
    assert chosen(best, near := Off(1 + 0.99 * MIN_SAVED_SHARE, 0)) == near
    assert chosen(best, Off(1 + 1.01 * MIN_SAVED_SHARE, 0)) == best
    assert chosen(Off(1 + 0.5 * MIN_SAVED_SHARE, 1), best) == best
    assert chosen(best, Off(1 + 0.5 * MIN_SAVED_SHARE, 2)) == best
    assert chosen(first := Off(2.0, 0), Off(2.0, 0)) is first
    # Errors that change next to no answer are no reason.
    assert chosen(Off(1e-9, 1), fast := Off(1e-7, 0)) == fast


def test_what_is_not_rounded_does_not_count():
    """Differences in distances, and products that a loop adds exactly, are never stored. The first format is therefore
    chosen for them, however coarse it is.
    """
    module = profiled("protonn")
    data = some_data("protonn")
    assignment = FormatAssignment(predict_function(module))
    errors = ScoreErrors(module, data.x.astype("f8"), assignment.class_of, are_numbers=False)
    coarse, fine = FixedType(8, -20), FixedType(16, 10)
    taken = errors.chosen({tensors: [coarse, fine] for tensors in assignment.classes if not tensors.is_constant})
    by_name = {tensors.name: format for tensors, format in taken.items()}
    assert [name for name, format in by_name.items() if format == coarse] == ["del", "mul_1"]
    assert by_name["WX"] == by_name["res"] == fine


@pytest.mark.long
@pytest.mark.parametrize("prototype", [FixedType.of_width(5), PositType.of_width(6)], ids=str)
def test_scores_lose_less_by_it(prototype: NumberFormat):
    module, data = profiled("bonsai"), some_data("bonsai")
    losses: dict[ScaleBy, float] = {}
    for rule in (BY_GREATEST, BY_SCORES):
        ours = CandidateEvaluator(module, data, None, rule)
        assignment = ours.candidates.assignment
        formats = tuple(assignment.formats([FormatChoice(prototype)] * len(assignment.classes)))
        losses[rule] = ours.outcome(EvaluationTask(formats, "margin", np.inf)).margin
    assert losses[BY_SCORES] < 0.8 * losses[BY_GREATEST]


def test_each_format_has_a_rule_of_its_own():
    data = Data(X.astype(np.float32), np.zeros(len(X), int))
    declared: Sequence[tuple[NumberFormat, ScaleBy]] = (
        (FixedType.of_width(5), BY_GREATEST),
        (PositType.of_width(5), BY_SCORES),
    )
    for prototype, rule in declared:
        found: list[object] = []
        rules: tuple[ScaleBy | None, ...] = None, rule
        for given in rules:
            assignment = CandidateEvaluator(linear(), data, None, given).candidates.assignment
            found.append(assignment.formats([FormatChoice(prototype)] * len(assignment.classes)))
        assert found[0] == found[1]


def test_posits_reach_beyond_the_greatest_number_of_the_data():
    """An 8-bit posit format represents numbers of more than 30 times the greatest number of the data, with a smaller
    precision.
    """
    module = linear()
    AssignFormatPass("posit", 8).apply(context(), module)
    x = predict_function(module).args[0].type.element_type  # type: ignore[attr-defined]
    assert isinstance(x, PositType)
    greatest = np.abs(X).max()
    reached = x.decode(x.encode(np.array([0.4, 1.0, 4.0, 1000.0]) * greatest)) / greatest
    assert reached[1] == pytest.approx(1.0, rel=0.05)
    assert reached[2] == pytest.approx(4.0, rel=0.2)
    assert reached[3] > 30


def test_without_data_there_are_no_scores():
    with pytest.raises(InputError, match="choosing scales by scores needs data: add data=FILE"):
        AssignFormatPass("posit", 8, scale_by=BY_SCORES).apply(context(), linear())
    with pytest.raises(InputError, match="unknown rule for scales 'size'"):
        AssignFormatPass("posit", 8, scale_by="size").apply(context(), linear())


WIDE = np.exp2(np.random.default_rng(2).uniform(-40, 4, (400, 2)))
NARROW = np.random.default_rng(3).normal(size=(400, 2))


def ranged(inputs: Any, width: int) -> tuple[Sequence[NumberFormat], Sequence[NumberFormat]]:
    """The usual scalings of posits for the input of `LINEAR`, and the formats to which `in_range` limits the choice."""
    module = Parser(context(), LINEAR).parse_module()
    record_profiles(module, inputs.astype(np.float32))
    assignment = FormatAssignment(predict_function(module))
    of_x, prototype = assignment.class_of[predict_function(module).args[0]], PositType.of_width(width)
    errors = ScoreErrors(module, inputs, assignment.class_of, are_numbers=False)
    low, high = float(inputs.min()), float(inputs.max())
    usual = prototype.scalings(low, high)
    return usual, errors.in_range({of_x: usual}, {of_x: prototype.ranging(low, high)})[of_x]


@pytest.mark.parametrize("width", [6, 8, 16])
def test_numbers_beyond_the_octaves_of_all_windows_get_no_window(width: int):
    _, found = ranged(WIDE, width)
    assert found
    assert all(isinstance(format, PositType) and format.bounds is None for format in found)


@pytest.mark.parametrize("width", [6, 8, 16])
def test_range_does_not_count_for_usual_numbers(width: int):
    usual, found = ranged(NARROW, width)
    assert found == usual


def test_without_a_tenth_of_the_octaves_a_window_remains():
    """Windows of 16 bits have 29 octaves; the numbers of 27 octaves lose accuracy in usual windows only."""
    _, found = ranged(np.exp2(np.random.default_rng(2).uniform(-23, 4, (400, 2))), 16)
    assert all(isinstance(format, PositType) and format.bounds is not None for format in found)


def test_vanishing_numbers_that_affect_no_score_keep_the_window():
    """Four tenths of the inputs are beyond the octaves of all windows, but the types of the standard, in which they do
    not vanish, have few numbers near the inputs that determine the scores.
    """
    random = np.random.default_rng(0)
    inputs = np.where(random.random((200, 2)) < 0.4, 2.0**-40, random.uniform(24, 32, (200, 2)))
    _, found = ranged(inputs, 8)
    assert all(cast(PositType, format).bounds is not None for format in found)


def test_formats_of_greater_range_have_an_es_or_no_bounds():
    windows = [format for format in PositType(8, 2).ranging(-3.0, 2.0) if format.bounds is not None]
    assert {format.es.data for format in windows} == {1, 2, 3}
    assert max(high - low for low, high in (format.bounds or (0, 0) for format in windows)) == 15
    assert [format.es.data for format in PositType(8, 2).ranging(-3.0, 2.0) if format.bounds is None] == [0, 1, 2, 3]
    assert PositType(8, 0, 0, 1).ranging(-3.0, 2.0) == ()
    assert {format.es.data for format in PositType(8, 1, 0, 1).ranging(-3.0, 2.0)} == {1}


def test_constants_of_unlike_sizes_are_standard_posits_if_small_numbers_are_important():
    constant, prototype = np.array([[1.0, 0.75], [2.0**-20, -(2.0**-19)]]), PositType.of_width(8)
    window = prototype.for_range(-1.0, 1.0)
    equal = window.fitted_to(constant, None, rows=False)
    unequal = window.fitted_to(constant, np.array([[1.0], [2.0**40]]), rows=False)
    assert equal.bounds is not None
    assert unequal.bounds is None

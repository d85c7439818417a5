"""`feedback`: in loops that carry rounded tensors, scales are chosen along the rounded program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from programs.searches import profiled, some_data
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.number_format import BY_SCORES, NumberFormat
from tinyml.dialects.formats.posit.type import PositType
from tinyml.runtime.model.data import Data
from tinyml.transforms.formats.assignment import feedback
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice
from tinyml.transforms.formats.evaluation.candidates import CandidateEvaluator, EvaluationTask, Formats
from tinyml.transforms.reals.analysis.profiles import record_profiles

GATED = """
func.func @gated(%x: tensor<12x2xf32>) -> (index, tensor<2x1xf32>) {
  %first = arith.constant 0 : index
  %last = arith.constant 12 : index
  %one = arith.constant 1 : index
  %w = tdsl.const dense<[[2.0, -1.0], [1.0, 2.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %bias = tdsl.const dense<[[3.0], [3.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %ones = tdsl.const dense<[[1.0], [1.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %nu = tdsl.const dense<[[0.04], [0.04]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %start = tdsl.fill {value = 0.0 : f64} -> tensor<2x1xf32>
  %h = scf.for %t = %first to %last step %one iter_args(%state = %start) -> (tensor<2x1xf32>) {
    %row = tdsl.index %x[%t] : tensor<12x2xf32> -> tensor<2xf32>
    %now = tdsl.reshape %row : tensor<2xf32> -> tensor<2x1xf32>
    %p = tdsl.matmul %w, %now : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    %q = tdsl.add %p, %bias : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    %gate = tdsl.sigmoid %q : tensor<2x1xf32> -> tensor<2x1xf32>
    %c = tdsl.tanh %p : tensor<2x1xf32> -> tensor<2x1xf32>
    %open = tdsl.sub %ones, %gate : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    %factor = tdsl.add %open, %nu : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    %kept = tdsl.mul %gate, %state : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    %part = tdsl.mul %factor, %c : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    %next = tdsl.add %kept, %part : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    scf.yield %next : tensor<2x1xf32>
  }
  %label = tdsl.argmax %h : tensor<2x1xf32>
  func.return %label, %h : index, tensor<2x1xf32>
}
"""
"""The cell of FastGRNN without recurrent weights. Its gate is often rounded to 1."""


def gated(seed: int) -> tuple[ModuleOp, Data]:
    random = np.random.default_rng(seed)
    x = random.normal(0, 0.5, (200, 24)) + np.repeat(random.normal(0, 0.5, (200, 2)), 12, 0).reshape(200, 24)
    module = Parser(context(), GATED).parse_module()
    record_profiles(module, x.astype(np.float32))
    return module, Data(x.astype(np.float32), np.zeros(len(x), int))


def chosen(module: ModuleOp, data: Data, prototype: NumberFormat) -> tuple[Formats, float]:
    """The formats of the classes, and the percentage of answers that the program in these formats is expected to
    change, by the margins that it computes.
    """
    evaluator = CandidateEvaluator(module, data, None, BY_SCORES)
    assignment = evaluator.candidates.assignment
    formats = tuple(assignment.formats([FormatChoice(prototype)] * len(assignment.classes)))
    return formats, evaluator.outcome(EvaluationTask(formats, "margin", np.inf)).margin


def with_and_without(
    monkeypatch: pytest.MonkeyPatch, seed: int, prototype: NumberFormat
) -> list[tuple[Formats, float]]:
    """The formats and their loss with the passes along the rounded program, then those of the first choice."""
    module, data = gated(seed)
    with_passes = chosen(module, data, prototype)
    monkeypatch.setattr(feedback, "MAX_PASSES", 0)
    return [with_passes, chosen(module, data, prototype)]


def test_the_program_loses_less_by_a_pass_along_itself(monkeypatch: pytest.MonkeyPatch):
    (formats, loss), (first, first_loss) = with_and_without(monkeypatch, 11, FixedType.of_width(6))
    assert formats != first
    assert loss < 0.8 * first_loss


def test_errors_that_fall_by_chance_do_not_replace_the_first_choice(monkeypatch: pytest.MonkeyPatch):
    """The passes lower the mean squared error of these samples by a fifth, which is 1.1 standard errors."""
    judged: list[float] = []
    judge = feedback._RoundedScores  # pyright: ignore[reportPrivateUsage]

    class Spy(judge):
        def squared_errors(self, formats: Any) -> Any:
            found = super().squared_errors(formats)
            judged.append(float(found.mean()))
            return found

    monkeypatch.setattr(feedback, "_RoundedScores", Spy)
    (formats, _), (first, _) = with_and_without(monkeypatch, 4, PositType.of_width(6))
    assert min(judged[1:]) < 0.85 * judged[0]
    assert formats == first


def test_negligible_errors_need_no_further_pass(monkeypatch: pytest.MonkeyPatch):
    """With 16 bits, far fewer than one of 10,000 answers is expected to change."""
    monkeypatch.setattr(feedback, "ScoreErrors", None)
    module, data = gated(11)
    assert chosen(module, data, PositType.of_width(16))[1] < 0.01


@pytest.mark.parametrize("model", ["protonn", "network"])
def test_without_feedback_there_is_one_choice(monkeypatch: pytest.MonkeyPatch, model: str):
    """The loop of ProtoNN carries exact sums only, and the network has no loop."""
    monkeypatch.setattr(feedback, "refitted", None)
    formats, _ = chosen(profiled(model), some_data(model), PositType.of_width(8))
    assert len(formats) > 3

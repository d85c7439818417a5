"""Warnings: each is issued if and only if its condition holds, and suggests a remedy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.tools.driver.choice.output_errors import OutputError
from tinyml.tools.driver.measure import Accuracy
from tinyml.tools.reports.facts.faults import DataFaults
from tinyml.tools.reports.warnings import WARNINGS, Findings, decoded_integers, reasons_of
from tinyml.transforms.ir.cost.estimate import TimeShares

FINE = Findings(Accuracy(97.0, 96.5, 4, 100), TimeShares(0, 0, 0, 0))
WORSE = OutputError(2, 2, 0.11, 1.73, 1.7, 950.0, 980.0)
NO_SHARES = dict.fromkeys(("softmax", "scaler", "wide_sums", "soft_floats"), 0.0)


def named(found: Findings) -> list[str]:
    rows = [row for row in WARNINGS if row.applies(found)]
    assert all(row.text(found) and row.cure(found) for row in rows)
    return [row.name for row in rows]


@pytest.mark.parametrize(
    ("found", "name"),
    [
        (replace(FINE, accuracies=Accuracy(97.0, 94.9, 4, 100)), "accuracy"),
        (replace(FINE, accuracies=Accuracy(97.0, 96.5, 6, 100)), "answers"),
        (replace(FINE, accuracies=Accuracy(84.5, 86.2, 15, 100)), "answers"),
        (replace(FINE, accuracies=Accuracy(None, None, 0, 100, worst=WORSE)), "errors"),
        (replace(FINE, reads_scores=True, accuracies=Accuracy(97.0, 96.5, 4, 100, scores=0.051)), "scores"),
        (replace(FINE, chosen=True, unmet=0.5), "unmet loss"),
        (replace(FINE, accuracies=Accuracy(None, None, 0, 100, ignored=True)), "clusters"),
        (replace(FINE, over=1), "RAM"),
        (replace(FINE, clipped=0.002), "clipped"),
        (replace(FINE, zeros=0.01), "zeros"),
        (replace(FINE, held=["x of !posit.p<8, 0, -6, 1>"], tensors=2), "fewer numbers"),
        (replace(FINE, converting=0.21), "float inputs"),
        (replace(FINE, data=DataFaults(few=5)), "few samples"),
        (replace(FINE, data=DataFaults(poor="is right about 31.3% of it")), "poor model"),
        (replace(FINE, data=DataFaults(missing=["a", "b"])), "missing classes"),
        (replace(FINE, data=DataFaults(apart=0.5)), "other ranges"),
    ],
)
def test_losses(found: Findings, name: str) -> None:
    assert named(found) == [name]


@pytest.mark.parametrize(("requested", "error"), [(True, 0.05), (False, 0.5)])
def test_scores_are_judged_if_they_are_requested(requested: bool, error: float) -> None:
    found = replace(FINE, reads_scores=requested, accuracies=Accuracy(97.0, 96.5, 4, 100, scores=error))
    assert named(found) == []


@pytest.mark.parametrize(
    ("share", "name"),
    [("softmax", "softmax"), ("scaler", "scaler"), ("wide_sums", "wide sums"), ("soft_floats", "floats")],
)
def test_causes_of_more_than_a_fifth_of_the_time(share: str, name: str) -> None:
    assert named(replace(FINE, shares=TimeShares(**{**NO_SHARES, share: 0.21}))) == [name]
    assert named(replace(FINE, shares=TimeShares(**{**NO_SHARES, share: 0.2}))) == []


HELD = """
!w = !posit.p<8, 0, -6, 2>
func.func @held(%x: tensor<2x1x!posit.p<8, 0, -6, 1>>) -> tensor<2x1x!fixed.q<8, 4>> {
  %w = tdsl.const dense<1> : tensor<2x2xi8> -> tensor<2x2x!w>
  %p = tdsl.matmul %w, %x : tensor<2x2x!w>, tensor<2x1x!posit.p<8, 0, -6, 1>> -> tensor<2x1x!posit.p<8, 1>>
  %y = tdsl.cast %p : tensor<2x1x!posit.p<8, 1>> -> tensor<2x1x!fixed.q<8, 4>>
  func.return %y : tensor<2x1x!fixed.q<8, 4>>
}"""


def test_a_window_below_2_is_held_by_fixed_point() -> None:
    """Of four tensors, only the one whose numbers are at most 127/64 has numbers of fixed point of 8 bits: numbers up
    to 4 need 9 bits, standard posits have a greater range, and the last is fixed point itself.
    """
    assert decoded_integers(Parser(context(), HELD).parse_module()) == (4, ["x of !posit.p<8, 0, -6, 1>"])


def test_a_warning_names_three_tensors() -> None:
    found = replace(FINE, held=["a", "b", "c", "d", "e"], tensors=7)
    [row] = [row for row in WARNINGS if row.applies(found)]
    assert row.text(found).startswith("the types of 5 of 7 tensors")
    assert row.text(found).endswith(": a, b, c and 2 more")
    assert named(replace(found, chosen=True)) == []


def test_a_cause_is_of_no_concern_in_a_quick_program() -> None:
    slow = replace(FINE, shares=TimeShares(**{**NO_SHARES, "softmax": 0.9}), converting=0.9)
    assert named(replace(slow, milliseconds=1.1)) == ["float inputs", "softmax"]
    assert named(replace(slow, milliseconds=1.0)) == []


def test_no_format_cures_what_is_a_fault_of_the_data() -> None:
    """For every fault of the data, the suggested remedy concerns the data and not the format."""
    losing = replace(FINE, accuracies=Accuracy(35.0, 30.0, 40, 100), chosen=True, unmet=0.5)
    for faults in (DataFaults(poor="is right about 35% of it"), DataFaults(apart=0.4)):
        found = replace(losing, data=faults)
        cures = {row.name: row.cure(found) for row in WARNINGS if row.applies(found)}
        assert cures["accuracy"] == cures["answers"] == "correct the data first"
        assert next(iter(cures)) in ("poor model", "other ranges")


def test_advice_is_not_what_was_given() -> None:
    slow = replace(FINE, shares=TimeShares(**{**NO_SHARES, "softmax": 0.9}))
    assert named(slow) == ["softmax"]
    assert named(replace(slow, outputs="class")) == []
    assert named(replace(FINE, shares=TimeShares(**{**NO_SHARES, "soft_floats": 0.9}), chosen=True)) == []
    wide = replace(FINE, shares=TimeShares(**{**NO_SHARES, "wide_sums": 0.9}), kept=True)
    [row] = [row for row in WARNINGS if row.applies(wide)]
    assert row.cure(wide).startswith("--quantization anew")


def test_nothing_loses_less_only_where_everything_was_tried() -> None:
    losing = replace(FINE, accuracies=Accuracy(97.0, 90.0, 4, 100), chosen=True)
    [row] = [row for row in WARNINGS if row.applies(losing)]
    least = "no format that fits loses less"
    assert row.cure(replace(losing, unmet=0.5)).startswith(least)
    assert not row.cure(replace(losing, unmet=0.5, complete=False)).startswith(least)
    assert not row.cure(losing).startswith(least)


def test_constants_of_a_wide_spread() -> None:
    """A warning names a wide spread of constants as a possible reason only if the program loses accuracy."""
    wide = replace(FINE, spread=1e6)
    assert named(replace(wide, accuracies=Accuracy(97.0, 94.9, 4, 100))) == ["accuracy", "spread"]
    assert named(wide) == []


@pytest.mark.parametrize(
    ("figures", "name"), [({"coarse": 1, "features": 4}, "coarse features"), ({"rows": 17.0}, "unlike rows")]
)
def test_one_scale_for_unlike_numbers(figures: dict[str, Any], name: str) -> None:
    """A warning names the scale of features or rows as a possible reason only if the program loses accuracy."""
    unlike = replace(FINE, **figures)
    assert named(unlike) == []
    losing = replace(unlike, accuracies=Accuracy(97.0, 94.9, 4, 100))
    assert named(losing) == ["accuracy", name]


def test_steps_that_are_no_loop() -> None:
    """The warning names the first step and the number of the others; lifting helps only a model with formats."""
    unrolled = replace(FINE, unrolled=["x is written 5 times", "y is written 5 times"])
    [row] = [row for row in WARNINGS if row.applies(unrolled)]
    said = "the code of a recurrent step is not a loop: x is written 5 times, and so is 1 other step"
    assert (row.name, row.text(unrolled)) == ("unrolled steps", said)
    assert not row.cure(unrolled).startswith("--quantization anew")
    assert row.cure(replace(unrolled, kept=True)).startswith("--quantization anew")


def test_feature_scales_that_nothing_absorbs() -> None:
    asked = replace(FINE, asked=True)
    assert named(asked) == ["feature scales"]
    assert named(replace(asked, scaled=True)) == []


def test_what_was_lost_is_said_in_the_terms_of_what_is_computed() -> None:
    def texts(found: Findings) -> list[str]:
        return [row.text(found) for row in WARNINGS if row.applies(found)]

    gained = replace(FINE, accuracies=Accuracy(84.5, 86.2, 15, 100))
    said = "answers differently from the model for 15.0% of the samples"
    assert texts(gained) == [f"{said}, although its error rate is no higher"]
    assert texts(replace(gained, accuracies=Accuracy(None, None, 15, 100))) == [said]
    worse = Accuracy(None, None, 0, 100, worst=WORSE)
    unmet = replace(FINE, accuracies=worse, chosen=True, unmet=5.0)
    said = "RMSE of output 2 1.73 instead of 0.11: the error grows by 950.0%"
    assert texts(unmet) == [said, "no format that fits keeps the growth of errors below 5%"]
    scored = replace(FINE, chosen=True, unmet=0.5)
    assert texts(scored) == ["nothing that fits loses as little as 0.5 points and keeps the scores"]
    assert texts(replace(scored, outputs="class")) == ["nothing that fits loses as little as 0.5 points"]


def test_silence_where_nothing_is_wrong() -> None:
    for found in (
        FINE,
        replace(FINE, shares=None, chosen=True),
        replace(FINE, accuracies=Accuracy(97.0, 95.0, 5, 100)),
        replace(FINE, accuracies=Accuracy(90.0, 90.0, 5, 100)),
        replace(FINE, accuracies=Accuracy(None, None, 0, 100, worst=OutputError(1, 1, 0.1, 0.12, 0.05, 24.0, 30.0))),
        replace(FINE, accuracies=Accuracy(None, None, 0, 100, worst=OutputError(1, 1, None, None, 0.05, 99.0, 99.0))),
        replace(FINE, accuracies=Accuracy(None, None, 4, 100)),
    ):
        assert named(found) == []


def test_equal_reasons_of_excluded_alternatives_are_stated_once():
    failed = [("fixed 16", "too many nodes"), ("f32", "no floats"), ("fixed 8", "too many nodes")]
    assert reasons_of(failed) == ["fixed 16, fixed 8 (too many nodes)", "f32 (no floats)"]

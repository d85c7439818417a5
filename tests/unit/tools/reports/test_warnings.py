"""Warnings: each is given where its condition holds, and only there, and names a cure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tinyml.tools.reports.advice.warnings import WARNINGS, Findings
from tinyml.transforms.ir.cost.shares import TimeShares

FINE: dict[str, Any] = {"accuracy_float": 97.0, "accuracy": 96.5, "disagreements": 4, "samples": 100, "chosen": None}
NO_SHARES = TimeShares(0, 0, 0, 0)


def named(report: dict[str, Any], shares: TimeShares | None = NO_SHARES) -> list[str]:
    found = Findings({**FINE, **report}, shares)
    rows = [row for row in WARNINGS if row.applies(found)]
    assert all(row.text(found) and row.cure(found) for row in rows)
    return [row.name for row in rows]


@pytest.mark.parametrize(
    ("report", "name"),
    [
        ({"accuracy": 94.9}, "accuracy"),
        ({"disagreements": 6}, "answers"),
        ({"chosen": {"qualifies": False, "permitted_loss": 0.5}}, "unmet loss"),
    ],
)
def test_losses(report: dict[str, Any], name: str) -> None:
    assert named(report) == [name]


@pytest.mark.parametrize(
    ("share", "name"),
    [("softmax", "softmax"), ("scaler", "scaler"), ("wide_sums", "wide sums"), ("soft_floats", "floats")],
)
def test_causes_of_more_than_a_fifth_of_the_time(share: str, name: str) -> None:
    assert named({}, replace(NO_SHARES, **{share: 0.21})) == [name]
    assert named({}, replace(NO_SHARES, **{share: 0.2})) == []


def test_silence_where_nothing_is_wrong() -> None:
    assert named({}) == []
    assert named({}, None) == []
    assert named({"accuracy": 95.0, "disagreements": 5}) == []
    assert named({"accuracy_float": None, "accuracy": None}) == []
    assert named({"chosen": {"qualifies": True, "permitted_loss": 0.5}}) == []

"""`assign-format` narrows the votes of forests where the answers permit it."""

# The evaluator is a stub with few types.
# pyright: basic

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from tinyml.dialects import tdsl
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.transforms.formats import assign_format
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice

ASSIGN: Any = assign_format


def narrowed(
    monkeypatch: pytest.MonkeyPatch, losses: dict[tuple[int, ...], float], *, constant: bool = True, error: bool = False
) -> tuple[int, ...]:
    """The widths of the votes of forests after narrowing.

    losses: the loss of the program for each tuple of the widths of all votes. The first tuple contains the widths
        before narrowing.
    constant: whether the votes are constants.
    error: whether the program is a regressor.
    """
    before = next(iter(losses))
    classes = {number: Votes(number, constant) for number in range(len(before))}
    evaluator = SimpleNamespace(
        candidates=SimpleNamespace(
            assignment=SimpleNamespace(classes=list(classes.values()), class_of=classes),
            module=SimpleNamespace(walk=lambda: [SimpleNamespace(votes=number, limit=None) for number in classes]),
        ),
        reference=SimpleNamespace(is_regressor=error),
    )
    monkeypatch.setattr(tdsl, "is_forest", lambda _: True)
    monkeypatch.setattr(ASSIGN, "disagreement", lambda _, choices: losses[bits(choices)])
    return bits(ASSIGN._with_narrow_votes(evaluator, [FormatChoice(FixedType.of_width(width)) for width in before]))


class Votes(NamedTuple):
    number: int
    is_constant: bool


def bits(choices: Sequence[FormatChoice]) -> tuple[int, ...]:
    return tuple(choice.prototype.bits for choice in choices)


def test_narrow_votes_of_a_classifier_change_no_more_answers(monkeypatch: pytest.MonkeyPatch):
    assert narrowed(monkeypatch, {(16,): 2.0, (8,): 2.0}) == (8,)
    assert narrowed(monkeypatch, {(16,): 2.0, (8,): math.nextafter(2.0, 3.0)}) == (16,)


def test_narrow_votes_of_a_regressor_add_a_hundredth_of_a_percent(monkeypatch: pytest.MonkeyPatch):
    most = 2.0 + 0.01
    assert narrowed(monkeypatch, {(16,): 2.0, (8,): most}, error=True) == (8,)
    assert narrowed(monkeypatch, {(16,): 2.0, (8,): math.nextafter(most, 3.0)}, error=True) == (16,)


def test_votes_of_nine_bits_are_the_narrowest_that_are_narrowed(monkeypatch: pytest.MonkeyPatch):
    assert narrowed(monkeypatch, {(9,): 1.0, (8,): 1.0}) == (8,)
    assert narrowed(monkeypatch, {(7,): 1.0, (8,): 0.0}) == (7,)


def test_only_constant_votes_are_narrowed(monkeypatch: pytest.MonkeyPatch):
    assert narrowed(monkeypatch, {(16,): 1.0, (8,): 0.0}, constant=False) == (16,)


def test_a_second_forest_is_compared_with_the_narrowed_first(monkeypatch: pytest.MonkeyPatch):
    """If the first forest has been narrowed, the second one is narrowed only if this adds no loss to that of the
    program with the narrowed first forest. If the first forest cannot be narrowed, the second one is narrowed.
    """
    losses = {(16, 16): 1.0, (8, 16): 0.5, (16, 8): 0.75, (8, 8): 0.75}
    assert narrowed(monkeypatch, losses) == (8, 16)
    assert narrowed(monkeypatch, {**losses, (8, 16): 1.5}) == (16, 8)

"""`assign-format` narrows the votes of forests where the answers permit it."""

# The evaluator is a stub with few types.
# pyright: basic

from __future__ import annotations

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
    monkeypatch: pytest.MonkeyPatch, before: tuple[int, ...], same: set[tuple[int, ...]], *, constant: bool = True
) -> tuple[int, ...]:
    """The widths of the votes of forests after narrowing.

    before: the widths before narrowing.
    same: the widths of programs with the same answers as the program before narrowing.
    constant: whether the votes are constants.
    """
    classes = {number: Votes(number, constant) for number in range(len(before))}
    evaluator = SimpleNamespace(
        candidates=SimpleNamespace(
            assignment=SimpleNamespace(classes=list(classes.values()), class_of=classes),
            module=SimpleNamespace(walk=lambda: [SimpleNamespace(votes=number, limit=None) for number in classes]),
        ),
    )

    def same_answers(_: Any, choices: Sequence[FormatChoice], others: Sequence[FormatChoice]) -> bool:
        assert bits(choices) == before
        return bits(others) in same

    monkeypatch.setattr(tdsl, "ForestOp", SimpleNamespace)
    monkeypatch.setattr(ASSIGN, "_same_answers", same_answers)
    return bits(ASSIGN._with_narrow_votes(evaluator, [FormatChoice(FixedType.of_width(width)) for width in before]))


class Votes(NamedTuple):
    number: int
    is_constant: bool


def bits(choices: Sequence[FormatChoice]) -> tuple[int, ...]:
    return tuple(choice.prototype.bits for choice in choices)


def test_votes_are_narrowed_if_the_answers_stay(monkeypatch: pytest.MonkeyPatch):
    assert narrowed(monkeypatch, (16,), {(8,)}) == (8,)
    assert narrowed(monkeypatch, (16,), set()) == (16,)


def test_votes_of_nine_bits_are_the_narrowest_that_are_narrowed(monkeypatch: pytest.MonkeyPatch):
    assert narrowed(monkeypatch, (9,), {(8,)}) == (8,)
    assert narrowed(monkeypatch, (7,), {(8,)}) == (7,)


def test_only_constant_votes_are_narrowed(monkeypatch: pytest.MonkeyPatch):
    assert narrowed(monkeypatch, (16,), {(8,)}, constant=False) == (16,)


def test_all_forests_together_keep_the_answers_of_the_requested_widths(monkeypatch: pytest.MonkeyPatch):
    """If the first forest has been narrowed, the second one is narrowed only if both together keep the answers. If the
    first forest cannot be narrowed, the second one is.
    """
    assert narrowed(monkeypatch, (16, 16), {(8, 16), (16, 8)}) == (8, 16)
    assert narrowed(monkeypatch, (16, 16), {(8, 16), (8, 8)}) == (8, 8)
    assert narrowed(monkeypatch, (16, 16), {(16, 8)}) == (16, 8)

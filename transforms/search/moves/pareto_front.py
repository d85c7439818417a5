"""The candidates of `search-pareto`, and which of them may belong to the front of loss, time, flash and RAM."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tinyml.transforms.search.engine.result import Found

if TYPE_CHECKING:
    from tinyml.transforms.formats.assignment.format_assignment import Choice
    from tinyml.transforms.formats.evaluation.candidates import Formats
    from tinyml.transforms.search.engine.search import Search

FRONT_LOSS = 5.0
"""Candidates that lose more are not worth a place in the front, whatever they cost."""


@dataclass(frozen=True, eq=False)
class Point:
    """A candidate, once. loss: by the metric of the search. error: of margins. origin: how it was found."""

    choices: tuple[Choice, ...]
    formats: Formats
    loss: float
    error: float
    origin: str

    @property
    def key(self) -> tuple[float, float]:
        return self.loss, self.error

    def found(self, search: Search) -> Found:
        """It, as what a search found."""
        pairs = zip(search.classes, self.choices, strict=True)
        return Found(self.choices, {one.name: _reason(choice, self.origin) for one, choice in pairs})


def worth_knowing(points: Collection[Point], best: Point, known: Collection[Formats]) -> list[Point]:
    """The candidates whose costs are worth knowing, and those whose costs are `known` anyway."""
    good = [one for one in points if one.loss <= best.loss + FRONT_LOSS]
    cheap = [one for one in good if one.formats in known]
    return list(dict.fromkeys([*cheap, *(one for one in good if not any(_wastes(one, other) for other in good))]))


def _wastes(one: Point, other: Point) -> bool:
    """Has one candidate nowhere fewer bits than another that loses less?"""
    pairs = zip(one.choices, other.choices, strict=True)
    return other.loss < one.loss and all(a.prototype.bits >= b.prototype.bits for a, b in pairs)


def _reason(choice: Choice, origin: str) -> str:
    scale = "" if not choice.zoom else f", scale 2^{choice.zoom} times finer than its range"
    return f"{choice.prototype.bits} bits by {origin}{scale}"

"""The candidates of `search-pareto`, and those that may be on the front of loss, time, flash and RAM."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tinyml.transforms.search.engine.result import SearchResult

if TYPE_CHECKING:
    from tinyml.transforms.formats.assignment.choices import FormatChoice
    from tinyml.transforms.formats.evaluation.candidates import Formats
    from tinyml.transforms.search.engine.search import Search

FRONT_LOSS = 5.0
"""The most by which the loss of a candidate on the front exceeds the least, whatever its cost."""


@dataclass(frozen=True, eq=False)
class Point:
    """A candidate that was evaluated on all samples.

    loss: by the metric of the search. error: of margins. origin: the step that made it.
    """

    choices: tuple[FormatChoice, ...]
    formats: Formats
    loss: float
    error: float
    origin: str

    @property
    def key(self) -> tuple[float, float]:
        """The sort key by which candidates are preferred."""
        return self.loss, self.error

    def result(self, search: Search) -> SearchResult:
        """The candidate as the result of a search."""
        pairs = zip(search.classes, self.choices, strict=True)
        return SearchResult(self.choices, {tensors.name: _reason(choice, self.origin) for tensors, choice in pairs})


def worth_knowing(points: Collection[Point], best: Point, known: Collection[Formats]) -> list[Point]:
    """The candidates that may be on the front and need a cost, and those whose costs are `known` already."""
    good = [point for point in points if point.loss <= best.loss + FRONT_LOSS]
    cheap = [point for point in good if point.formats in known]
    worth = (point for point in good if not any(_is_wasteful(point, other) for other in good))
    return list(dict.fromkeys([*cheap, *worth]))


def _is_wasteful(point: Point, other: Point) -> bool:
    """True if a candidate nowhere has fewer bits than another one with less loss."""
    pairs = zip(point.choices, other.choices, strict=True)
    return other.loss < point.loss and all(a.prototype.bits >= b.prototype.bits for a, b in pairs)


def _reason(choice: FormatChoice, origin: str) -> str:
    scale = "" if not choice.zoom else f", scale 2^{choice.zoom} times finer than its range"
    return f"{choice.prototype.bits} bits by {origin}{scale}"

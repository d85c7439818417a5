"""What searches find: what they chose and why, and how it compares with other candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, StringAttr, UnitAttr

from tinyml.transforms.formats.assignment.format_assignment import Choice
from tinyml.transforms.search.costs.candidate_costs import Cost

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws

FRONT = "tdsl.front"
"""Attribute of a function: the candidates whose costs a search looked at, with loss, costs and origin of each."""


@dataclass(frozen=True)
class FrontPoint:
    """A candidate among others. origin: how it was found; front: is no other nowhere worse and somewhere better?"""

    cost: Cost
    loss: float
    origin: str
    chosen: bool
    front: bool = False

    def dominates(self, other: FrontPoint) -> bool:
        """Is it nowhere worse than another, and better somewhere?"""
        a, b = ((one.loss, *one.cost.numbers) for one in (self, other))
        return a != b and all(x <= y for x, y in zip(a, b, strict=True))


@dataclass(frozen=True)
class Found:
    """What a search chose, and why, by the names of the tensors in the same order.

    points: candidates whose costs are known. loss: of what was chosen, where it is compared with what was found for
    other programs. refined: raws of constants, as `RoundedConstants.raws` takes them. rivals: candidates that may lose
    less once constants are refined.
    """

    choices: Sequence[Choice]
    reasons: Mapping[str, str]
    points: Sequence[FrontPoint] = ()
    loss: float = 0.0
    refined: Mapping[int, Raws] | None = None
    rivals: Sequence[Found] = ()

    @property
    def by_name(self) -> Mapping[str, Choice]:
        """The choices by the names of the tensors."""
        return dict(zip(self.reasons, self.choices, strict=True))

    @property
    def chosen(self) -> FrontPoint:
        """What was chosen, of candidates whose costs are known."""
        return next(one for one in self.points if one.chosen)


def in_one_front(found: Sequence[Found], place: int) -> list[FrontPoint]:
    """All candidates whose costs are known. place: of the program that is taken."""
    points = [replace(point, chosen=point.chosen and i == place) for i, one in enumerate(found) for point in one.points]
    return [replace(one, front=not any(other.dominates(one) for other in points)) for one in points]


def _attribute(point: FrontPoint) -> DictionaryAttr:
    numbers = {"loss": point.loss, **vars(point.cost)}
    flags = {name: UnitAttr() for name in ("front", "chosen") if getattr(point, name)}
    return DictionaryAttr(
        {
            **{name: FloatAttr(float(f"{number:.6g}"), 64) for name, number in numbers.items()},
            "origin": StringAttr(point.origin),
            **flags,
        }
    )


def front_attribute(points: Sequence[FrontPoint]) -> ArrayAttr[DictionaryAttr]:
    """What `FRONT` holds."""
    return ArrayAttr(map(_attribute, points))

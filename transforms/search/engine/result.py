"""The result of a search: the chosen formats, the reasons, and the Pareto front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, StringAttr, UnitAttr

from tinyml.dialects import tdsl
from tinyml.dialects.discardable_attributes import (
    NAME,
    NUMBER,
    TEXT,
    UNIT,
    DiscardableAttribute,
    HolderKind,
    Value,
    array,
    instance,
    record,
)
from tinyml.dialects.formats.number_format import NumberFormat, Raws, number_format
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice, TensorClass
from tinyml.transforms.ir.pipeline_names import ProgramCost

_FORMAT = Value("a number format", lambda attribute, _: number_format(attribute) is not None)
_CLASS = record(
    "a class of tensors",
    {"name": NAME, "range": instance(tdsl.Range, "a range"), "format": _FORMAT, "error": NUMBER, "why": NAME},
)
_POINT = record(
    "a candidate",
    {"loss": NUMBER, "time": NUMBER, "flash": NUMBER, "ram": NUMBER, "origin": TEXT},
    {"front": UNIT, "chosen": UNIT},
)

SEARCH_ATTRIBUTE = DiscardableAttribute(
    "tdsl.search",
    {HolderKind.FUNCTION: array(_CLASS, "the classes of tensors")},
    "The name, range, format and mean error of each class of tensors, and the reason for the format.",
)

FRONT_ATTRIBUTE = DiscardableAttribute(
    "tdsl.front",
    {HolderKind.FUNCTION: array(_POINT, "candidates of a search")},
    "The loss, cost and origin of each candidate of known cost.",
)


@dataclass(frozen=True)
class FrontPoint:
    """A candidate whose cost is known.

    loss: by the metric of the search.
    origin: the step of the search that produced the candidate.
    chosen: whether it is the candidate of the result's choices.
    front: whether no other candidate dominates it.
    """

    cost: ProgramCost
    loss: float
    origin: str
    chosen: bool
    front: bool = False

    def dominates(self, other: FrontPoint) -> bool:
        """Whether this candidate is no worse than `other` in loss, time, flash and RAM, and better in at least one of
        them.
        """
        own, others = ((point.loss, *point.cost.numbers) for point in (self, other))
        return own != others and all(x <= y for x, y in zip(own, others, strict=True))


@dataclass(frozen=True)
class SearchResult:
    """The choices of a search, one for each class of tensors.

    reasons: the reason for each choice, by the name of the class, in the order of the choices.
    points: candidates whose costs are known.
    loss: the loss of the choices, by which results for several programs are compared.
    refined: raws of constants, as in `RoundedConstants.raws`.
    rivals: results whose loss may be smaller after refinement of constants.
    """

    choices: Sequence[FormatChoice]
    reasons: Mapping[str, str]
    points: Sequence[FrontPoint] = ()
    loss: float = 0.0
    refined: Mapping[int, Raws] | None = None
    rivals: Sequence[SearchResult] = ()

    @property
    def by_name(self) -> Mapping[str, FormatChoice]:
        """The choice for each class of tensors, by the name of the class."""
        return dict(zip(self.reasons, self.choices, strict=True))

    @property
    def chosen(self) -> FrontPoint:
        """The front point that corresponds to the result's choices."""
        return next(point for point in self.points if point.chosen)


def joint_front(results: Sequence[SearchResult], taken: int) -> list[FrontPoint]:
    """The points of several results. Their field `front` is true if no point of any result dominates them.

    taken: the index of the result whose chosen point remains chosen.
    """
    points = [
        replace(point, chosen=point.chosen and i == taken)
        for i, result in enumerate(results)
        for point in result.points
    ]
    return [replace(point, front=not any(other.dominates(point) for other in points)) for point in points]


def front_attribute(points: Sequence[FrontPoint]) -> ArrayAttr[DictionaryAttr]:
    return ArrayAttr(map(_point_attribute, points))


def _point_attribute(point: FrontPoint) -> DictionaryAttr:
    numbers = {"loss": point.loss, **vars(point.cost)}
    flags = {name: UnitAttr() for name in ("front", "chosen") if getattr(point, name)}
    return DictionaryAttr(
        {
            **{name: FloatAttr(float(f"{number:.6g}"), 64) for name, number in numbers.items()},
            "origin": StringAttr(point.origin),
            **flags,
        }
    )


def search_attribute(
    classes: Sequence[TensorClass],
    formats: Sequence[NumberFormat],
    errors: Sequence[float],
    reasons: Mapping[str, str],
) -> ArrayAttr[DictionaryAttr]:
    """The value of the attribute `SEARCH_ATTRIBUTE`.

    errors: the mean absolute error of each class.
    reasons: the reason for each choice, by the tensor's name.
    """
    return ArrayAttr(
        DictionaryAttr(
            {
                "name": StringAttr(tensors.name),
                "range": tdsl.Range(*(float(f"{x:.6g}") for x in tensors.range)),
                "format": format.type,
                "error": FloatAttr(float(f"{error:.3g}"), 64),
                "why": StringAttr(reasons.get(tensors.name, "")),
            }
        )
        for tensors, format, error in zip(classes, formats, errors, strict=True)
    )

"""Families of models among which `tinyml.design` chooses. A family is a space of parameters, and a function that trains
the model of a point of this space.

A family is a row of `FAMILIES`. A package adds one by an entry point of the group `tinyml.families`, a `Family`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.plugins import FAMILIES as GROUP
from tinyml.dialects.plugins import PluginError, Row
from tinyml.dialects.rows import rows_of
from tinyml.dialects.tables import Table, check_hyphenated

Value: TypeAlias = str | int | float | bool | None
Parameters: TypeAlias = Mapping[str, Value]
"""A point of the space of a family: a value for each of its parameters."""


@dataclass(frozen=True)
class Choices:
    """A parameter with few values, such as the name of a kernel."""

    values: tuple[Value, ...]

    def at(self, place: float) -> Value:
        """The value at a place in [0, 1)."""
        return self.values[int(place * len(self.values))]

    def place(self, value: Value) -> float:
        """The inverse of `at`: a place in [0, 1) of a value."""
        return (self.values.index(value) + 0.5) / len(self.values)


@dataclass(frozen=True)
class Interval:
    """A parameter that is a number from `low` to `high`, both inclusive and positive.

    whole: true for integers.
    by_factor: true if factors matter rather than differences, as for a strength of regularisation.
    """

    low: float
    high: float
    whole: bool = False
    by_factor: bool = False

    def at(self, place: float) -> Value:
        """The value at a place in [0, 1)."""
        low, high = self._ends
        value = low + place * (high - low)
        value = float(np.exp(value)) if self.by_factor else value
        return int(min(max(round(value), self.low), self.high)) if self.whole else float(f"{value:.3g}")

    def place(self, value: Value) -> float:
        """The inverse of `at`; the ends for values beyond the interval, as the usual defaults may be."""
        assert isinstance(value, int | float)
        low, high = self._ends
        place = ((float(np.log(value)) if self.by_factor else value) - low) / (high - low)
        return min(max(place, 0.0), 1 - 1e-9)

    @property
    def _ends(self) -> tuple[float, float]:
        return (float(np.log(self.low)), float(np.log(self.high))) if self.by_factor else (self.low, self.high)


@dataclass(frozen=True)
class TableShape:
    """The shape of a table.

    samples, features: the numbers of rows and columns.
    classes: the number of classes; 0 for a table with target values.
    """

    samples: int
    features: int
    classes: int


Fit: TypeAlias = Callable[[Parameters, Any, Any, int], Any]
"""A function from parameters, samples (samples, features), class labels or targets (samples,), and a seed to a fitted
model that `tinyml.load` accepts and that has a method `predict`.
"""


@dataclass(frozen=True, kw_only=True)
class Family:
    """A family of models.

    fit: trains the model of a point. It must be deterministic for a seed.
    space: the parameters by name.
    usual: the points that are always among the candidates, such as the defaults of the library; at least one.
    classifies, regresses: whether the family has models for classes and for target values.
    sized_by: the names of the parameters that, with the shape of the table, determine the size and the time of a
        program before training; None if they also depend on the training.
    untrained: further arguments of `fit`, beside the parameters, for a model whose size is that of the trained model,
        but whose training takes no time; only with `sized_by`.
    parts: the name of the parameter that counts equal parts, such as the trees of a forest; a model with fewer parts is
        smaller and faster. None for other families.
    epochs: the name of the parameter that counts passes over the samples; None for other families.
    least_flash: a lower bound of the bytes of a program before training; None if there is none.
    """

    fit: Fit
    space: Mapping[str, Choices | Interval]
    usual: Sequence[Parameters]
    classifies: bool = True
    regresses: bool = True
    sized_by: tuple[str, ...] | None = None
    untrained: Parameters = field(default_factory=dict[str, Value])
    parts: str | None = None
    epochs: str | None = None
    least_flash: Callable[[Parameters, TableShape], float] | None = None

    def point(self, places: Sequence[float]) -> Parameters:
        """The point of the space at places in [0, 1), one for each parameter."""
        return {name: axis.at(place) for (name, axis), place in zip(self.space.items(), places, strict=True)}

    def places(self, parameters: Parameters) -> list[float]:
        """The inverse of `point`."""
        return [axis.place(parameters[name]) for name, axis in self.space.items()]


def _loaded(row: Row) -> Family:
    family = row.load(Family)
    row.expect_fields(family)
    for parameters in family.usual:
        if parameters.keys() != family.space.keys():
            raise PluginError(f"{row}: expected usual values of the parameters {', '.join(family.space)}")
    if not family.usual:
        raise PluginError(f"{row}: expected usual values of the parameters, got none")
    named = *(family.sized_by or ()), *filter(None, (family.parts, family.epochs))
    if unknown := {*named} - family.space.keys():
        raise PluginError(f"{row}: there is no parameter '{min(unknown)}'")
    return family


FAMILIES = Table(
    GROUP,
    "family of models",
    _loaded,
    home="tinyml.tools.design",
    built_in=rows_of("families"),
    check=check_hyphenated,
)
"""The families of models by name."""

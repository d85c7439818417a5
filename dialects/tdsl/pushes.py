"""The parts in which the caller of a program that streams pushes its input, and the rate of its samples."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IntegerAttr, ModuleOp, f64, i64
from xdsl.ir import Attribute

from tinyml.dialects.own_attributes import UNIT, OwnAttribute, Place, counts, integer, real
from tinyml.dialects.tdsl.attributes import of_input

__all__ = ["CALLS", "PUSHED", "RATE", "STATE", "Pushes", "calls_of", "rate_of", "set_rate"]

PUSHED = OwnAttribute(
    "tdsl.pushed",
    of_input(counts("four integers from 1: frame, hop, steps and stride", [4])),
    "The frames in which the caller pushes the input (`Pushes`).",
)

CALLS = OwnAttribute(
    "tdsl.calls",
    {Place.ARGUMENT: integer(1), "scf.for": integer(1)},
    "The calls of a step function, at its time, from a reset to the answer; the iterations of a loop over time in all.",
)

STATE = OwnAttribute(
    "tdsl.state",
    of_input(UNIT),
    "The argument of a step function keeps its value, one of the last results, for the next call.",
)

RATE = OwnAttribute(
    "tdsl.rate",
    {Place.MODULE: real("a finite float above 0", lambda rate: 0 < rate < math.inf)},
    "The samples per second of the input.",
)


def set_rate(module: ModuleOp, rate: float) -> None:
    """Say how many samples of a program's input make a second."""
    module.attributes[RATE] = FloatAttr(rate, f64)


def rate_of(module: ModuleOp) -> float | None:
    """The samples per second of a program's input; None if the program does not say."""
    rate = module.attributes.get(RATE)
    return rate.value.data if isinstance(rate, FloatAttr) else None


def calls_of(attributes: Mapping[str, Attribute]) -> int | None:
    """The number of calls that attributes count; None if they count none."""
    calls = attributes.get(CALLS)
    return calls.value.data if isinstance(calls, IntegerAttr) else None


class Pushes(NamedTuple):
    """Frames of `frame` elements, which begin `hop` elements apart.

    The program has an answer after `steps` frames, and another one after every `stride` frames more.
    """

    frame: int
    hop: int
    steps: int
    stride: int

    @staticmethod
    def of(attribute: Attribute | None) -> Pushes | None:
        """The parts that an attribute `tdsl.pushed` says; None without one."""
        if attribute is None:
            return None
        return Pushes(*(int(value) for value in cast("DenseArrayBase[Any]", attribute).get_values()))

    @property
    def attribute(self) -> Attribute:
        """The value of `tdsl.pushed`."""
        return DenseArrayBase.from_list(i64, self)

    @property
    def length(self) -> int:
        """The elements from the first one of the first frame to the last one of the last."""
        return self.frame + (self.steps - 1) * self.hop

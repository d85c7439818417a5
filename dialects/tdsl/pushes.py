"""The parts in which the caller of a program that streams pushes its input, and the rate of its samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IntegerAttr, ModuleOp, f64, i64
from xdsl.ir import Attribute

__all__ = ["CALLS", "PUSHED", "RATE", "STATE", "Pushes", "calls_of", "rate_of", "set_rate"]

PUSHED = "tdsl.pushed"
"""Argument attribute of the predict function, and of a step function: the `Pushes` of its input."""

CALLS = "tdsl.calls"
"""Argument attribute of a step function's time, and attribute of its loops over time: the number of calls from a reset
to the answer, and of iterations in all of them.
"""

STATE = "tdsl.state"
"""Argument attribute of a step function: the argument keeps its value, one of the last results, for the next call."""

RATE = "tdsl.rate"
"""Module attribute with the samples per second of the input, which front ends set; no pass reads it."""


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

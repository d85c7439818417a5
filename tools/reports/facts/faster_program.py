"""A program that takes much less time than the compiled one and needs only one other option."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FasterProgram:
    """A program that was estimated, and by which change it would be compiled.

    change: the options, as the command line spells them.
    factor: how many times as long a call of the compiled program takes.
    time: the estimated time of a call, in the unit of the board.
    unit: this unit.
    costs: what the change costs, such as accuracy, in words.
    """

    change: str
    factor: float
    time: float
    unit: str
    costs: str

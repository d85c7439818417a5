"""Tables of costs, the chip's part of the cost model: the time and memory that each kind of step takes on a board.

`make costs` fits `targets/CHIP/costs/TABLE.json` to programs that it measures on simulated boards. It holds for C
compiled at -Os. `tinyml.lowering.cost.model.steps` lists the kinds of steps.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tinyml.targets.registry import board, chip_of

OPTIMIZE = "-Os"
"""The level of the C compiler that the tables are made for."""


@dataclass(frozen=True)
class Cost:
    """time: each time a step runs, in the unit of the device. code: bytes of flash wherever the step stands.

    once: bytes of flash, and stack: bytes of stack, that a program needs for the first step of its kind: a kernel, a
    function of the C library.
    """

    time: float
    code: float
    once: float
    stack: float


@dataclass(frozen=True)
class CostTable:
    """unit: as the board has it. program: the cost of every program; its `code` is 0. steps: costs by kind of step."""

    unit: str
    program: Cost
    steps: Mapping[str, Cost]

    def cost(self, step: str) -> Cost | None:
        """The cost of a kind of step; None where it was not measured."""
        return self.steps.get(step)

    def generic_cost(self, step: str) -> Cost:
        """A guess for a kind of step that was not measured: the mean of its relatives, or else of all."""
        relatives = [cost for known, cost in self.steps.items() if _family(known) == _family(step)]
        chosen = relatives or list(self.steps.values())
        columns = zip(*((cost.time, cost.code, cost.once, cost.stack) for cost in chosen), strict=True)
        return Cost(*(sum(column) / len(chosen) for column in columns))


def _family(step: str) -> str:
    """`add i24` is an add; functions of the runtime are one family, the elements that they go through others."""
    first, *rest = step.split()
    return " ".join(["function", *rest]) if first.startswith("tm_") else first


def cost_file(target: str) -> Path | None:
    """The file of a board's table, which need not exist; None for a board without one."""
    table = board(target).costs
    return chip_of(target).folder / "costs" / f"{table}.json" if table else None


@cache
def cost_table(target: str) -> CostTable | None:
    """The table of a board; None where it has none. Raises `InputError` for an unknown board."""
    file = cost_file(target)
    if file is None or not file.is_file():
        return None
    table = json.loads(file.read_text("utf-8"))
    steps = {step: Cost(*row) for step, row in table["steps"].items()}
    return CostTable(table["unit"], Cost(*table["program"]), steps)

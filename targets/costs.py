"""Cost tables, the chip's part of the cost model: the time and memory that each kind of step takes on a board.

`make costs` fits `targets/CHIP/costs/TABLE.json` to programs measured on simulated boards. The tables hold for C
compiled at -Os. `tinyml.lowering.cost.model.steps` lists the kinds of steps.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tinyml.targets.registry import board, chip_of, kernels_of

OPTIMIZE = "-Os"
"""The optimization level of the C compiler that the tables hold for."""


@dataclass(frozen=True)
class Cost:
    """The cost of a step.

    time: per execution, in the unit of the device. code: bytes of flash per occurrence. once, stack: bytes of flash and
    of stack that the first step of its kind adds to a program, such as a kernel or a function of the C library.
    """

    time: float
    code: float
    once: float
    stack: float


@dataclass(frozen=True)
class CostTable:
    """The costs measured on a board.

    unit: the board's unit of time. program: the fixed cost of every program; its `code` is 0. steps: costs by kind.
    composed: those of composed kernels, which add up from their instructions.
    """

    unit: str
    program: Cost
    steps: Mapping[str, Cost]
    composed: Mapping[str, Cost] = field(default_factory=dict[str, Cost])

    def cost(self, step: str) -> Cost | None:
        """The cost of a kind of step; None if it is not known."""
        return self.steps.get(step) or self.composed.get(step)

    def generic_cost(self, step: str) -> Cost:
        """An estimate for a kind of step that was not measured: the mean of its family, or else of all kinds."""
        relatives = [cost for known, cost in self.steps.items() if _family(known) == _family(step)]
        chosen = relatives or list(self.steps.values())
        columns = zip(*((cost.time, cost.code, cost.once, cost.stack) for cost in chosen), strict=True)
        return Cost(*(sum(column) / len(chosen) for column in columns))


def _family(step: str) -> str:
    """The family of a kind of step: `add i24` is an add; runtime functions form one, their elements another."""
    first, *rest = step.split()
    return " ".join(["function", *rest]) if first.startswith("tm_") else first


def cost_file(target: str) -> Path | None:
    """The path of a board's cost table, which need not exist; None for a board without one."""
    table = board(target).costs
    return chip_of(target).folder / "costs" / f"{table}.json" if table else None


@cache
def cost_table(target: str) -> CostTable | None:
    """The cost table of a board; None if it has none. Raises `InputError` for an unknown board."""
    file = cost_file(target)
    if file is None or not file.is_file():
        return None
    table = json.loads(file.read_text("utf-8"))
    steps = {step: Cost(*row) for step, row in table["steps"].items()}
    return CostTable(table["unit"], Cost(*table["program"]), steps, composed_costs(target))


def composed_costs(target: str) -> Mapping[str, Cost]:
    """The costs of a board's composed kernels whose instructions say what they take."""
    composed: dict[str, Cost] = {}
    for kernel in kernels_of(target):
        if kernel.composed is not None and kernel.composed.costs:
            times = dict(kernel.composed.costs)
            composed[kernel.symbol] = Cost(times.pop(""), kernel.composed.call, kernel.code, kernel.composed.stack)
            composed |= {f"{kernel.symbol} {unit}": Cost(time, 0, 0, 0) for unit, time in times.items()}
    return composed

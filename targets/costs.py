"""What a device needs for each kind of step, measured once and kept as data: the chip's part of the cost model.

`targets/CHIP/costs/DEVICE.json` is written by `make costs`, which fits it to programs on the simulated device. It
holds for C compiled at -Os. `tinyml.lowering.cost.model.steps` says what kinds of steps there are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

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
    """device, unit: as the runner has them. program: what every program costs; its `code` is 0. steps: by kind."""

    device: str
    unit: str
    program: Cost
    steps: Mapping[str, Cost]

    def cost(self, step: str) -> Cost | None:
        """Of a kind of step that was measured; None for another."""
        return self.steps.get(step)

    def generic_cost(self, step: str) -> Cost:
        """A guess for a kind of step that was not measured: the mean of its relatives, or else of all."""
        relatives = [cost for known, cost in self.steps.items() if _family(known) == _family(step)]
        chosen = relatives or list(self.steps.values())
        columns = zip(*((one.time, one.code, one.once, one.stack) for one in chosen), strict=True)
        return Cost(*(sum(column) / len(chosen) for column in columns))


def _family(step: str) -> str:
    """`add i24` is an add; functions of the runtime are one family, the elements that they go through others."""
    first, *rest = step.split()
    return " ".join(["function", *rest]) if first.startswith("tm_") else first


def cost_tables() -> dict[str, Path]:
    """The files of all tables, by device."""
    return {file.stem: file for file in sorted(Path(__file__).parent.glob("*/costs/*.json"))}


@cache
def cost_table(device: str) -> CostTable | None:
    """The table of a device; None where it has none."""
    if (file := cost_tables().get(device)) is None:
        return None
    found = json.loads(file.read_text("utf-8"))
    steps = {step: Cost(*row) for step, row in found["steps"].items()}
    return CostTable(found["device"], found["unit"], Cost(*found["program"]), steps)

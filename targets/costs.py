"""Cost tables, the chip-specific part of the cost model: the time and memory of each kind of step on a board.

`make costs` fits `targets/CHIP/costs/TABLE.json` to programs measured on simulated boards. The tables are valid for C
compiled with -Os. `tinyml.transforms.ir.cost.demand` lists the kinds of steps.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import median

from tinyml.dialects.errors import InputError
from tinyml.targets.kernel import Kernel
from tinyml.targets.registry import board, chip_of

OPTIMIZE = "-Os"
"""The optimization level of the C compiler for which the tables hold."""

VARIABLE = " variable"
"""What follows the name of a function in the step of a call whose shift is not constant."""

OF_ZERO = " of zero"
"""The suffix of the steps of floats that compute with zero, for which routines without a unit for floats end early."""


@dataclass(frozen=True)
class Cost:
    """The cost of a step.

    * time: the time per execution, in the unit of the device.
    * code: the bytes of flash per occurrence.
    * once, stack: the bytes of flash and of stack that the first step of a kind adds to a program, such as those of a
      kernel or a function of the C library.
    """

    time: float
    code: float
    once: float
    stack: float


@dataclass(frozen=True)
class CostTable:
    """The costs of steps, measured on a board.

    * unit: the board's unit of time.
    * program: the fixed cost of every program; its `code` is 0.
    * steps: for each measured kind of step, its cost. At least one kind is measured.
    * floats: for each C conversion function, the time in which it converts a caller's float to an element of the input.
    * constants_in_ram: true if constants occupy RAM in addition to flash.
    """

    unit: str
    program: Cost
    steps: Mapping[str, Cost]
    floats: Mapping[str, float] = field(default_factory=dict[str, float])
    constants_in_ram: bool = False

    def time(self, step: str) -> float | None:
        """The time of one execution of the step `step`; None if its kind was not measured."""
        cost = self.steps.get(step)
        return None if cost is None else cost.time

    def generic_cost(self, step: str) -> Cost:
        """An estimate for the cost of a step whose kind was not measured.

        It is the median of the measured costs in the nearest family of kinds that has measured costs or, if no family
        has any, of all kinds. Unlike a mean, the median does not depend on the few functions that process a whole
        signal.
        """
        relatives = (
            [cost for known, cost in self.steps.items() if family in _families(known)] for family in _families(step)
        )
        chosen = next(filter(None, relatives), list(self.steps.values()))
        columns = zip(*((cost.time, cost.code, cost.once, cost.stack) for cost in chosen), strict=True)
        return Cost(*map(median, columns))


def _families(step: str) -> Sequence[str]:
    """The families to which a kind of step belongs, the nearest family first.

    For instance, `add i24` belongs to `add`, and `keep i8` to `select`. The nearest family of a runtime function
    contains its variants of other widths, and the next family contains all functions. The kinds of steps for the
    elements that functions process belong to families in the same way.
    """
    plain = step.removesuffix(VARIABLE)
    first, *rest = plain.split()
    if first == "keep":
        return (first, "select")
    if not first.startswith("tm_"):
        return (first,)
    return tuple(" ".join([name, *rest]) for name in (re.sub(r"\d+", "N", first), "function"))


def cost_file(target: str) -> Path | None:
    """The path of a board's cost table. The file need not exist. None for a board without a cost table."""
    table, chip = board(target).costs, chip_of(target)
    if not table:
        return None
    file = chip.folder / "costs" / f"{table}.json"
    return file if chip.extends is None or file.is_file() else chip.extends.folder / "costs" / file.name


@cache
def cost_table(target: str) -> CostTable | None:
    """The cost table of a board; None if the board has no table, or a table without steps.

    Raises `InputError` for an unknown board, and for a file that is not a cost table.
    """
    file = cost_file(target)
    if file is None or not file.is_file():
        return None
    try:
        table = json.loads(file.read_text("utf-8"))
        steps = {step: _row(row) for step, row in table["steps"].items()}
        floats = {functions: _number(time) for functions, time in table.get("floats", {}).items()}
        program, in_ram = _row(table["program"]), chip_of(target).constants_in_ram
        return CostTable(table["unit"], program, steps, floats, in_ram) if steps else None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            "no cost table: expected `unit`, `program` and, by name, `steps`, each of four numbers", file=str(file)
        ) from error


def _row(row: Sequence[object]) -> Cost:
    return Cost(*map(_number, row))


def _number(number: object) -> float:
    if not isinstance(number, int | float):
        raise TypeError(f"expected a number, got {number!r}")
    return number


@dataclass(frozen=True)
class KernelCost:
    """The cost of a step of a kernel, as far as the instructions of the kernel determine it.

    cost: the cost; None if it must be measured.
    frame: the bytes of stack; None if they must be measured.
    """

    cost: Cost | None = None
    frame: int | None = None


def kernel_cost(kernel: Kernel, unit: str = "") -> KernelCost:
    """The cost of a call of a kernel or, if `unit` is not "", of one unit of the kernel's work, such as an
    "element".
    """
    if (composed := kernel.composed) is None:
        return KernelCost()
    frame = composed.stack if composed.bodies or composed.costs else None
    if not composed.costs:
        return KernelCost(None, frame)
    time = composed.costs.get(unit, 0.0)
    return KernelCost(Cost(time, 0, 0, 0) if unit else Cost(time, composed.call, kernel.code, composed.stack), frame)


def kernel_step(kernel: Kernel, unit: str = "") -> str:
    """The name of a step of a kernel in cost tables.

    unit: "" for the call, otherwise a unit of the kernel's work, such as "element".
    """
    return f"{kernel.symbol} {unit}".rstrip()

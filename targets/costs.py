"""Cost tables, the chip's part of the cost model: the time and memory that each kind of step takes on a board.

`make costs` fits `targets/CHIP/costs/TABLE.json` to programs measured on simulated boards. The tables hold for C
compiled at -Os. `tinyml.transforms.ir.cost.steps` lists the kinds of steps.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from tinyml.targets.registry import board, chip_of, known_kernel

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
    composed: those of the composed kernels of a board, which add up from their instructions; frame: the stack of those
    in assembly, whose time may be measured; shared: the bytes of flash of the functions that some of them share.
    """

    unit: str
    program: Cost
    steps: Mapping[str, Cost]
    composed: Callable[[str], Cost | None] = lambda step: None
    frame: Callable[[str], int | None] = lambda step: None
    shared: Callable[[Iterable[str]], int] = lambda steps: 0

    def cost(self, step: str) -> Cost | None:
        """The cost of a kind of step; None if it is not known."""
        return self.steps.get(step) or self.composed(step)

    def generic_cost(self, step: str) -> Cost:
        """An estimate for a kind that was not measured: the mean of its nearest family, or else of all kinds."""
        relatives = (
            [cost for known, cost in self.steps.items() if family in _families(known)] for family in _families(step)
        )
        chosen = next(filter(None, relatives), list(self.steps.values()))
        columns = zip(*((cost.time, cost.code, cost.once, cost.stack) for cost in chosen), strict=True)
        return Cost(*(sum(column) / len(chosen) for column in columns))


def _families(step: str) -> Sequence[str]:
    """The families of a kind of step, the nearest first: `add i24` is an add; a runtime function is next to those of
    other widths, and all form a family, their elements another."""
    first, *rest = step.split()
    if not first.startswith("tm_"):
        return (first,)
    return tuple(" ".join([name, *rest]) for name in (re.sub(r"\d+", "N", first), "function"))


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
    composed, frame = partial(composed_cost, target), partial(kernel_frame, target)
    return CostTable(table["unit"], Cost(*table["program"]), steps, composed, frame, partial(shared_code, target))


def composed_cost(target: str, step: str) -> Cost | None:
    """The cost of a step of a board's kernel whose instructions say what it takes; None for any other step."""
    symbol, _, unit = step.partition(" ")
    kernel = known_kernel(symbol, target)
    composed = None if kernel is None else kernel.composed
    if kernel is None or composed is None or (time := composed.costs.get(unit)) is None:
        return None
    return Cost(time, 0, 0, 0) if unit else Cost(time, composed.call, kernel.code, composed.stack)


def kernel_frame(target: str, step: str) -> int | None:
    """The bytes of stack that the kernel of a step takes, if its instructions are known; None for any other step."""
    kernel = known_kernel(step.partition(" ")[0], target)
    composed = None if kernel is None else kernel.composed
    return composed.stack if composed is not None and (composed.bodies or composed.costs) else None


def shared_code(target: str, steps: Iterable[str]) -> int:
    """The bytes of flash of all functions that a board's kernels share, of the kernels among some kinds of steps."""
    kernels = [known_kernel(step.partition(" ")[0], target) for step in steps]
    composed = [kernel.composed for kernel in kernels if kernel is not None and kernel.composed is not None]
    return sum({function.symbol: function.code for kernel in composed for function in kernel.shared}.values())

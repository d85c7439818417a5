"""The cost model: estimates of a program's cost on a device, without building the program (L3).

The estimate is linear. The count of each kind of step (`demand.py`) is multiplied by the cost of the step on the device
(`tinyml.targets.costs`). `time_shares` computes the fractions of the time that are due to avoidable causes. Such a
cause is a kind of step, for example floating-point arithmetic in software, or an operation of the source.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from xdsl.dialects.builtin import ModuleOp

from tinyml.targets.costs import OPTIMIZE, Cost, CostTable, KernelCost, cost_table
from tinyml.transforms.ir.cost.demand import ENTRY, Demand, StepCounts, demand_of
from tinyml.transforms.ir.cost.reading import read_floats


@dataclass(frozen=True)
class Estimate:
    """The estimated cost of a program.

    time: of the program for one inference, in the unit of the board's simulator (`Board.unit`): cycles or instructions.
    reading: the time in which a call with floats converts them to raws, in addition; 0 if nothing is converted, None
        on a device without measurements of conversions.
    code: bytes of the program's own instructions.
    constants: bytes of its constants.
    far: bytes of the constants in far flash.
    far_time: the additional time that constants in far flash cost.
    flash, ram: bytes of the whole program. RAM includes the stack; on chips that store constants in RAM, it also
        includes the constants.
    stack: bytes of stack, including local arrays and the frames of kernels.
    deepest: bytes of stack of the composed kernel with the greatest frame; kernels call no other kernels.
    operations: time and code of each operation of the source, by name.
    guessed: kinds of steps that were never measured on the device and have a generic cost.
    guessed_time: the part of the price in which these run.
    """

    time: float
    reading: float | None
    code: float
    constants: int
    far: int
    far_time: float
    flash: float
    ram: float
    stack: float
    deepest: float
    operations: Mapping[str, tuple[float, float]]
    guessed: tuple[str, ...]
    guessed_time: float = 0.0

    @property
    def call(self) -> float:
        """The price of a program: the time of a call with floats, or of a call with integers if the caller has them."""
        return self.time + (self.reading or 0.0)


def estimate(module: ModuleOp, table: CostTable) -> Estimate:
    return estimate_of(demand_of(module), table)


def estimate_of(demand: Demand, table: CostTable) -> Estimate:
    """The estimated cost of a program with a given demand, on the device that a cost table describes."""
    costs, guessed = step_costs(demand, table)
    reading, unmeasured = _reading(demand.floats, table)
    kernels = {step: demand.kernels.get(step, KernelCost()) for step in costs}
    operations = {name: _time_and_code(steps, costs) for name, steps in demand.operations.items()}
    once = sum(cost.once for cost in costs.values()) + sum(demand.shared.values())
    # Kernels call no functions, so that only one of their frames is alive at a time.
    deepest = max((kernel.frame for kernel in kernels.values() if kernel.frame is not None), default=0)
    frames = sum(cost.stack for step, cost in costs.items() if kernels[step].frame is None)
    stack = table.program.stack + frames + deepest + demand.local
    code = sum(bytes for _, bytes in operations.values())
    return Estimate(
        time=table.program.time + sum(time for time, _ in operations.values()),
        reading=reading,
        code=code,
        constants=demand.constants,
        far=demand.far,
        far_time=demand.far_time,
        flash=demand.constants + table.program.once + once + code,
        ram=demand.arena + demand.input + stack + (demand.constants if table.constants_in_ram else 0),
        stack=stack,
        deepest=deepest,
        operations=operations,
        guessed=(*guessed, *unmeasured),
        guessed_time=_time_of(demand, costs, guessed) + (reading or 0.0 if unmeasured else 0.0),
    )


def reading_time(module: ModuleOp, table: CostTable) -> float | None:
    """The time in which a call converts floats to the raws of a program at any level from L1 to L3, as in
    `Estimate.reading`.
    """
    return _reading(read_floats(module), table)[0]


def _reading(floats: Mapping[str, int], table: CostTable) -> tuple[float | None, Sequence[str]]:
    """Return the time in which floats are converted, and the conversions that were never measured. Each of these is
    assumed to take the median of the measured times.
    """
    if floats and not table.floats:
        return None, ()
    times = {called: table.floats.get(called) for called in floats}
    whole = sum(
        count * (median(table.floats.values()) if (time := times[called]) is None else time)
        for called, count in floats.items()
    )
    # The report states whole units.
    return float(round(whole)), [f"{FLOAT_INPUT} {called}" for called, time in times.items() if time is None]


def step_costs(demand: Demand, table: CostTable) -> tuple[dict[str, Cost], tuple[str, ...]]:
    """Return the cost of each kind of step in a demand, and the kinds that were never measured and have a generic
    cost.
    """
    kinds = dict.fromkeys(step for steps in demand.operations.values() for step in steps.runs)
    known = {step: known_cost(table, step, demand.kernels.get(step, KernelCost())) for step in kinds}
    # In a table without these, the fixed time of a program includes them.
    known |= {step: table.steps.get(step, Cost(0, 0, 0, 0)) for step in kinds if step in ENTRY}
    costs = {step: cost or table.generic_cost(step) for step, cost in known.items()}
    return costs, tuple(step for step, cost in known.items() if cost is None)


def known_cost(table: CostTable, step: str, kernel: KernelCost) -> Cost | None:
    """The measured cost of a step or, if it was not measured, the cost that its kernel's instructions determine."""
    return table.steps.get(step) or kernel.cost


def estimate_on(module: ModuleOp, target: str, optimize: str) -> Estimate | None:
    """The cost of a program at L3 on a board. None if the board has no measurements at this C optimisation level.

    optimize: the optimisation level of the C compiler.
    """
    table = cost_table(target) if optimize == OPTIMIZE else None
    return None if table is None else estimate(module, table)


def _time_of(demand: Demand, costs: Mapping[str, Cost], kinds: Iterable[str]) -> float:
    return sum(costs[step].time * steps.runs.get(step, 0) for step in kinds for steps in demand.operations.values())


def _time_and_code(steps: StepCounts, costs: Mapping[str, Cost]) -> tuple[float, float]:
    time = sum(costs[step].time * count for step, count in steps.runs.items())
    return time, sum(costs[step].code * count for step, count in steps.stands.items())


FLOAT_INPUT = "float input"
"""The name of a conversion of floats among the guessed steps, before the functions that it calls."""

SOFTWARE = 8
"""The time of a float operation from which it is assumed to be in software; hardware needs one to a few units."""

_FLOAT = re.compile(r"\bf(32|64)\b")
_WIDE_TYPE = re.compile(r"\bi64\b|_[si]64")


@dataclass(frozen=True)
class TimeShares:
    """Fractions of the estimated time of an inference, from 0 to 1.

    softmax: the time of softmax operations.
    wide_sums: arithmetic on integers of 64 bits, except in softmax.
    soft_floats: floating-point arithmetic in software.
    scaler: the operations that scale the input before any other operation.
    """

    softmax: float
    wide_sums: float
    soft_floats: float
    scaler: float


def time_shares(module: ModuleOp, target: str, scalers: Iterable[str]) -> TimeShares | None:
    """The fractions of time in a program at L3 that are due to avoidable causes. None if costs are unknown or all zero.

    scalers: the names of the operations that scale the input.
    """
    if (table := cost_table(target)) is None:
        return None
    demand = demand_of(module)
    whole = estimate_of(demand, table)
    if not whole.time:
        return None
    costs, _ = step_costs(demand, table)
    kinds = {step: cost.time for step, cost in costs.items()}
    floats = {step for step, time in kinds.items() if _FLOAT.search(step) and time >= SOFTWARE}
    wide = {step for step in kinds if _WIDE_TYPE.search(step)}
    named = set(scalers)
    softmax = {name for name in whole.operations if re.search(r"\b(log_)?softmax\(", name)}
    return TimeShares(
        _of_operations(whole, softmax),
        _of_steps(demand, kinds, wide, softmax) / whole.time,
        _of_steps(demand, kinds, floats) / whole.time,
        _of_operations(whole, named),
    )


def _of_operations(whole: Estimate, names: Iterable[str]) -> float:
    return sum(whole.operations[name][0] for name in names if name in whole.operations) / whole.time


def _of_steps(
    demand: Demand, times: dict[str, float], kinds: Iterable[str], but: Collection[str] = frozenset()
) -> float:
    counts = [steps.runs for name, steps in demand.operations.items() if name not in but]
    return sum(times[step] * runs.get(step, 0) for step in kinds for runs in counts)

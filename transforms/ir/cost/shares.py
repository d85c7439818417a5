"""The shares of a program's estimated time that causes with a cure take (L3).

A cause is a kind of step, such as arithmetic on floats in software, or an operation of the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from tinyml.targets.costs import cost_table
from tinyml.transforms.ir.cost.demand import Demand, demand_of
from tinyml.transforms.ir.cost.estimate import Estimate, estimate_of, step_costs

SOFTWARE = 8
"""Units of time from which an operation on floats is done in software: units in hardware take one to a few."""

_FLOAT = re.compile(r"\bf(32|64)\b")
_WIDE = re.compile(r"\bi64\b|_[si]64")


@dataclass(frozen=True)
class TimeShares:
    """Shares of the estimated time of an inference, from 0 to 1.

    softmax: ops of that name. wide_sums: integers of 64 bits. soft_floats: arithmetic on floats in software. scaler:
    operations that scale the input before anything else.
    """

    softmax: float
    wide_sums: float
    soft_floats: float
    scaler: float


def time_shares(module: ModuleOp, target: str, scalers: Iterable[str]) -> TimeShares | None:
    """The shares in a program at L3, or None where costs are unknown or all zero. scalers: names of operations."""
    if (table := cost_table(target)) is None:
        return None
    demand = demand_of(module)
    whole = estimate_of(demand, table)
    if not whole.time:
        return None
    costs, _ = step_costs(demand, table)
    kinds = {step: cost.time for step, cost in costs.items()}
    floats = {step for step, time in kinds.items() if _FLOAT.search(step) and time >= SOFTWARE}
    wide = {step for step in kinds if _WIDE.search(step)}
    named = set(scalers)
    softmax = {name for name in whole.operations if re.search(r"\b(log_)?softmax\(", name)}
    return TimeShares(
        _of_operations(whole, softmax),
        _of_steps(demand, kinds, wide) / whole.time,
        _of_steps(demand, kinds, floats) / whole.time,
        _of_operations(whole, named),
    )


def _of_operations(whole: Estimate, names: Iterable[str]) -> float:
    return sum(whole.operations[name][0] for name in names if name in whole.operations) / whole.time


def _of_steps(demand: Demand, times: dict[str, float], kinds: Iterable[str]) -> float:
    counts = [steps.runs for steps in demand.operations.values()]
    return sum(times[step] * runs.get(step, 0) for step in kinds for runs in counts)

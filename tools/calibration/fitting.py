"""The fit of cost tables to measured programs: non-negative least squares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tinyml.targets.board import Board
from tinyml.targets.costs import OF_ZERO, Cost, KernelCost
from tinyml.transforms.ir.cost.demand import ENTRY, Demand, StepCounts

OLD_TIME_WEIGHT = 100.0
"""The weight of a time in an older table, as executions of the step in its equation."""
LONGEST_ENTRY = 200.0
"""The longest remainder (a time of no operation) that is attributed to entry and return."""
COLUMNS = ["time", "code", "once", "stack"]

MIN_TIME = 30.0
"""Operations with less time, or fewer bytes of code, count with absolute errors."""
POWER = 0.8
"""Each equation is divided by its size to this power; a power of 1 would give relative errors."""
LINEAR_ERROR = 0.08
"""Relative errors above this limit count linearly: the C compiler optimises some operations away."""


Equation: TypeAlias = tuple[Mapping[str, float], float]
"""The coefficient of each unknown, and the measured sum."""


@dataclass(frozen=True)
class Measurement:
    """The measured costs of one micro-program.

    demand: the steps and the memory that the program needs.
    operations: time and bytes of code by operation name.
    call: time and bytes of code that belong to no operation.
    once: bytes of flash that are neither constants nor code of operations.
    stack: bytes.
    """

    demand: Demand
    operations: dict[str, tuple[float, float]]
    call: tuple[float, float]
    once: float
    stack: float

    def kinds(self) -> set[str]:
        return {step for steps in self.demand.operations.values() for step in steps.runs}


def fields_of(measurement: Measurement) -> dict[str, Any]:
    """The fields of a measurement that the fit uses, as JSON values."""
    demand = measurement.demand
    operations = {name: {"runs": dict(s.runs), "stands": dict(s.stands)} for name, s in demand.operations.items()}
    costs = {name: getattr(measurement, name) for name in ("operations", "call", "once", "stack")}
    kernels = {step: asdict(cost) for step, cost in demand.kernels.items()}
    return {"demand": {"operations": operations, "local": demand.local, "kernels": kernels}, **costs}


def measurement_of(fields: Mapping[str, Any]) -> Measurement:
    """Restore a measurement from the fields that `fields_of` returned."""
    demand = fields["demand"]
    operations = {name: StepCounts(**steps) for name, steps in demand["operations"].items()}
    costs = {name: (time, code) for name, (time, code) in fields["operations"].items()}
    left = {name: fields[name] for name in ("once", "stack")}
    time, code = fields["call"]
    kernels = {
        step: KernelCost(known["cost"] and Cost(**known["cost"]), known["frame"])
        for step, known in demand["kernels"].items()
    }
    return Measurement(Demand(operations, local=demand["local"], kernels=kernels), costs, (time, code), **left)


def entry_of(measurement: Measurement) -> dict[str, float]:
    """The execution counts, by step name, of the steps that save registers at a program's entry."""
    runs = measurement.demand.operations.get("", StepCounts()).runs
    return {step: runs[step] for step in ENTRY if step in runs}


def counted(steps: Mapping[str, float], cost: Mapping[str, float]) -> float:
    return sum(cost.get(step, 0) * count for step, count in steps.items())


def non_negative(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """x >= 0 with the least |a x - b|^2, by active sets (Lawson and Hanson, "Solving Least Squares Problems", 23.3)."""
    gram, target = a.T @ a, a.T @ b
    x = np.zeros(a.shape[1])
    used = np.zeros(a.shape[1], bool)
    for _ in range(10 * a.shape[1]):
        gradient = np.where(used, -np.inf, target - gram @ x)
        if gradient.max() <= 1e-9 * np.abs(target).max():
            break
        used[gradient.argmax()] = True
        while True:
            trial = np.zeros_like(x)
            trial[used] = np.linalg.lstsq(gram[np.ix_(used, used)], target[used], rcond=None)[0]
            below = used & (trial <= 0)
            if not below.any():
                break
            x = x + np.min(x[below] / (x[below] - trial[below] + 1e-30)) * (trial - x)
            used &= x > 1e-12
        x = trial
    return x


def system(equations: Sequence[Equation]) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
    """The sorted unknowns, the matrix of their coefficients (equations, unknowns), and the measured values."""
    names = sorted({name for counts, _ in equations for name in counts})
    a = np.array([[counts.get(name, 0.0) for name in names] for counts, _ in equations])
    return names, a, np.array([value for _, value in equations])


def amended(
    measurements: Sequence[Measurement], before: Mapping[str, float], alone: Mapping[str, float]
) -> dict[str, float]:
    """Fit times to measurements and to earlier times. Return the time of each step, and under the key "" the time of a
    program's entry.

    before: earlier times by step, with the same key "". Each earlier time counts as one more equation, with
        `OLD_TIME_WEIGHT` executions.
    alone: times of steps that were measured in isolation; they are not fitted.
    """
    kernels = {step: cost for measurement in measurements for step, cost in measurement.demand.kernels.items()}
    composed = {step: known.cost.time for step, known in kernels.items() if known.cost is not None}
    equations: list[Equation] = []
    for each in measurements:
        for name, (time, _) in each.operations.items():
            if (steps := each.demand.operations.get(name)) is not None:
                equations.append((steps.runs, time))
    kinds = {step for steps, _ in equations for step in steps} - composed.keys() - alone.keys()
    equations += [({step: OLD_TIME_WEIGHT}, OLD_TIME_WEIGHT * before[step]) for step in sorted(kinds & before.keys())]
    entries = [({"": 1.0} | entry_of(each), each.call[0]) for each in measurements if each.call[0] < LONGEST_ENTRY]
    return {**fit(entries, {}), **fit(equations, {**composed, **alone})}


def fit(equations: Sequence[Equation], known: Mapping[str, float]) -> dict[str, float]:
    """Fit the costs of steps so that their sums approximate the measured values with small relative errors.

    Returns the costs by step, including the known costs. A step costs of zero at most what it costs of other numbers:
    few programs compute with zeros, so that the fit alone may take one step's time for another's.
    """
    names, a, measured = system(equations)
    base = a @ np.array([known.get(name, 0.0) for name in names])
    a = a * [name not in known for name in names]
    estimated, x = measured, np.zeros(len(names))
    for _ in range(8):
        size = np.maximum((estimated + measured) / 2, MIN_TIME)
        weight = size**-POWER / np.sqrt(np.maximum(np.abs(estimated - measured) / size, LINEAR_ERROR))
        x = non_negative(a * weight[:, None], (measured - base) * weight)
        estimated = a @ x + base
    costs = {**dict(zip(names, map(float, x), strict=True)), **known}
    return {step: min(cost, costs.get(step.removesuffix(OF_ZERO), cost)) for step, cost in costs.items()}


def fit_presence(
    measurements: Sequence[Measurement], values: Sequence[float], known: Mapping[str, float]
) -> dict[str, float]:
    """Fit the cost of the first occurrence of each kind of step. Return these costs by kind, and under the key ""
    the fixed cost of a program.

    known: costs that stay unchanged.
    """
    presence = [{"": 1.0, **dict.fromkeys(measurement.kinds(), 1.0)} for measurement in measurements]
    names, a, measured = system(list(zip(presence, values, strict=True)))
    base = a @ np.array([known.get(name, 0.0) for name in names])
    a = a * [name not in known for name in names]
    return {**dict(zip(names, map(float, non_negative(a, measured - base)), strict=True)), **known}


def table(
    chosen: Board,
    measurements: Sequence[Measurement],
    known: Mapping[str, Sequence[float]],
    alone: Mapping[str, float],
) -> dict[str, Any]:
    """Compute a cost table in the form that `tinyml.targets.costs` reads.

    The key "" has the costs of a program. Known costs are unchanged. The costs of composed kernels are also known, but
    the table omits them.

    chosen: the board, whose unit the table contains.
    measurements: the measurements to which the costs are fitted.
    known: known rows of a table by step.
    alone: times of steps measured in isolation.
    """
    kernels = {step: cost for measurement in measurements for step, cost in measurement.demand.kernels.items()}
    composed = {step: astuple(known.cost) for step, known in kernels.items() if known.cost is not None}
    before = [{step: row[column] for step, row in {**composed, **known}.items()} for column in range(len(COLUMNS))]
    pairs = [
        (measurement.demand.operations[name], costs)
        for measurement in measurements
        for name, costs in measurement.operations.items()
        if name in measurement.demand.operations
    ]
    time = fit([(steps.runs, costs[0]) for steps, costs in pairs], {**before[0], **alone})
    code = fit([(steps.stands, costs[1]) for steps, costs in pairs], before[1])

    left = [
        measurement.once
        + sum(bytes for _, bytes in measurement.operations.values())
        - sum(counted(steps.stands, code) for steps in measurement.demand.operations.values())
        for measurement in measurements
    ]
    once = fit_presence(measurements, left, before[2])
    # Composed kernels call nothing, so only the deepest of their frames counts.
    frames = {step: known.frame for step, known in kernels.items() if known.frame is not None}
    deepest = [max((frames[kind] for kind in each.kinds() & frames.keys()), default=0) for each in measurements]
    stacks = [each.stack - each.demand.local - frame for each, frame in zip(measurements, deepest, strict=True)]
    stack = fit_presence(measurements, stacks, before[3] | dict.fromkeys(frames, 0.0))
    entries = [({"": 1.0} | entry_of(each), each.call[0]) for each in measurements if each.call[0] < LONGEST_ENTRY]
    entry = fit(entries, {step: before[0][step] for step in ("", *ENTRY) if step in before[0]})
    time |= {step: entry[step] for step in ENTRY if step in entry}
    rows = {
        step: [round(column.get(step, 0.0), 2) for column in (time, code, once, stack)]
        for step in sorted(time.keys() - composed.keys() - {""})
    }
    return {
        "unit": chosen.unit,
        "columns": COLUMNS,
        "program": [round(entry[""], 2), 0.0, round(once[""], 2), round(stack[""], 2)],
        "steps": rows,
    }

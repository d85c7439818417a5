"""Fits the tables of the cost model to the costs of micro-programs, measured on simulated devices (`make costs`).

Each operation of a program gives an equation: the counts of its steps times their unknown costs equal its measured
time, or its bytes of code. Bytes that a program pays once (kernels, functions of the C library) and the stack are
fitted to the remainders of whole programs. Costs are never negative.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.layouts.packed_bits import WIDTHS
from tinyml.lowering.cost.model.demand import Demand, demand_of
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.devices.attribution import attribute
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.board import Board
from tinyml.targets.c.print_c import sources_of_lines
from tinyml.targets.costs import OPTIMIZE, composed_cost, cost_file, kernel_frame
from tinyml.targets.registry import boards
from tinyml.tools.calibration.copies import copy_equations
from tinyml.tools.calibration.micro_programs import micro_programs
from tinyml.tools.driver.stages import compile_stages, load_program
from tinyml.tools.reports.breakdown import CALL_AND_RETURN, constant_names, flash, operations


def measured_boards() -> dict[str, Board]:
    """The board with the most flash for each cost table, by table name; the table is measured on it."""
    by_flash = sorted(boards(), key=lambda board: board.flash or 0)
    return {board.costs: board for board in by_flash if board.costs}


FORMATS = (("fixed", 16), ("fixed", 8), ("f32", None))
CODED = ("posit:8", "minifloat:6", "minifloat:4")
PACKED = tuple(
    (width, weights) for width in (16, 8) for weights in (*(f"fixed:{n}" for n in WIDTHS), *CODED, "posit:16")
)
OTHERS = (("posit", 8), ("posit", 16), ("posit", 10), ("affine", 8))
COLUMNS = ["time", "code", "once", "stack"]
EVERY = 4
"""Every EVERY-th program is also compiled with packed and coded constants, with packed buffers and in other formats;
programs with sparse matrices are always compiled with packed constants, too, and those with
convolutions in every format of integers.
"""
SELDOM = 4
"""Only every SELDOM-th of these variants is measured when adding to an existing table."""
SAMPLES = 2

FLOOR = 30.0
"""Operations below this time, or bytes of code, count with their absolute errors."""
POWER = 0.8
"""Each equation is divided by its size to this power; a power of 1 would weigh relative errors alone."""
TYPICAL = 0.08
"""Relative errors beyond this count linearly, so that operations that the C compiler optimizes away do not skew the
fit."""

Variant: TypeAlias = tuple[str, int | None, str | None, str, bool]
"""The arguments format, width, weights, packed and pack_buffers of `measure`."""
Equation: TypeAlias = tuple[Mapping[str, float], float]
"""The coefficient of each unknown, and the measured sum."""


@dataclass(frozen=True)
class Measurement:
    """The measured costs of one micro-program.

    operations: time and bytes of code by operation name; call: time and bytes of code that belong to no operation.
    once: bytes of flash that are neither constants nor code of operations. stack: bytes.
    """

    demand: Demand
    operations: dict[str, tuple[float, float]]
    call: tuple[float, float]
    once: float
    stack: float

    def kinds(self) -> set[str]:
        return {step for steps in self.demand.operations.values() for step in steps.runs}


def counted(steps: Mapping[str, float], cost: Mapping[str, float]) -> float:
    return sum(cost.get(step, 0) * count for step, count in steps.items())


def measure(
    program: Path,
    chosen: Board,
    format: str,
    width: int | None,
    weights: str | None,
    packed: str,
    pack_buffers: bool,
    known: Mapping[str, Sequence[float]],
) -> Measurement | None:
    """Compile and measure a program; None if the costs of all its steps are known already."""
    ctx = context()
    val = program.with_name("val.npz")
    options = PipelineOptions(
        data=str(val),
        format=format,
        width=width,
        target=chosen.name,
        weights=weights,
        packed=packed,
        pack_buffers=pack_buffers,
    )
    compiled = compile_stages(load_program(program, ctx), ctx, options)
    demand = demand_of(compiled.loops)
    kinds = {step for steps in demand.operations.values() for step in steps.runs}
    if known and all(step in known or composed_cost(chosen.name, step) is not None for step in kinds):
        return None
    interface = interface_of(compiled.formats)
    inputs = encode_inputs(compiled.formats, np.load(val)["x"][:SAMPLES])
    with tempfile.TemporaryDirectory() as name:
        source = Path(name) / "source"
        source.mkdir()
        (source / f"{interface.name}.c").write_text(compiled.source)
        (source / f"{interface.name}.h").write_text(compiled.header)
        measured = attribute(
            runner_for(chosen.name),
            source,
            interface,
            inputs,
            Path(name),
            OPTIMIZE,
            constant_names(compiled.program),
        )
    sources = sources_of_lines(compiled.program, chosen.name)
    entries = operations(measured, sources, chosen.unit)
    costs = {entry["operation"]: (entry[chosen.unit], float(entry["code_bytes"])) for entry in entries}
    call = costs.pop(CALL_AND_RETURN, (0.0, 0.0))
    bytes = flash(measured)
    return Measurement(
        demand,
        costs,
        call,
        bytes["total"] - bytes["code"] - sum(bytes["constants"].values()) + call[1],
        measured.result.stack_bytes,
    )


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


def fit(equations: Sequence[Equation], known: Mapping[str, float]) -> dict[str, float]:
    """Costs, including the known ones, whose sums approximate the measured values with small relative errors."""
    names, a, measured = system(equations)
    base = a @ np.array([known.get(name, 0.0) for name in names])
    a = a * [name not in known for name in names]
    estimated, x = measured, np.zeros(len(names))
    for _ in range(8):
        size = np.maximum((estimated + measured) / 2, FLOOR)
        weight = size**-POWER / np.sqrt(np.maximum(np.abs(estimated - measured) / size, TYPICAL))
        x = non_negative(a * weight[:, None], (measured - base) * weight)
        estimated = a @ x + base
    return {**dict(zip(names, map(float, x), strict=True)), **known}


def fit_presence(
    measurements: Sequence[Measurement], values: Sequence[float], known: Mapping[str, float]
) -> dict[str, float]:
    """Fixed cost of a program, under "", and cost that the first step of each kind adds; known costs are kept."""
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
    """A cost table as `tinyml.targets.costs` reads it; known costs, with those of a program under "", are kept.

    alone: times of steps that were measured by themselves. Costs of composed kernels are known, too, but in no table.
    """
    kinds = {step for measurement in measurements for step in measurement.kinds()}
    composed = {
        step: (cost.time, cost.code, cost.once, cost.stack)
        for step in kinds
        if (cost := composed_cost(chosen.name, step)) is not None
    }
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
    # Composed kernels call nothing: the deepest of their stacks counts.
    frames = {step: frame for step in kinds if (frame := kernel_frame(chosen.name, step)) is not None}
    deepest = [max((frames[kind] for kind in each.kinds() & frames.keys()), default=0) for each in measurements]
    stacks = [each.stack - each.demand.local - own for each, own in zip(measurements, deepest, strict=True)]
    stack = fit_presence(measurements, stacks, before[3] | dict.fromkeys(frames, 0.0))
    call = known[""][0] if known else float(np.median([measurement.call[0] for measurement in measurements]))
    rows = {
        step: [round(column.get(step, 0.0), 2) for column in (time, code, once, stack)]
        for step in sorted(time.keys() - composed.keys())
    }
    return {
        "unit": chosen.unit,
        "columns": COLUMNS,
        "program": [call, 0.0, round(once[""], 2), round(stack[""], 2)],
        "steps": rows,
    }


def programs(folder: Path, chosen: Board, known: Mapping[str, Sequence[float]]) -> list[Measurement]:
    measurements: list[Measurement] = []
    for i, micro in enumerate(micro_programs()):
        program = micro.write(folder / f"p{i}", i)
        sparse, convolved = "|*|" in micro.text, "conv2d" in micro.text
        variants: list[Variant] = []
        if sparse or convolved or not known:
            variants += [(format, width, None, "never", False) for format, width in FORMATS]
        if i % EVERY == 0:
            variants += [("fixed", width, weights, "always", False) for width, weights in PACKED]
            variants += [("fixed", width, None, "never", True) for width in WIDTHS]
            variants += [(format, width, None, "never", False) for format, width in OTHERS]
        if convolved:
            variants += [("affine", 8, None, "never", False)]
        if sparse:
            variants += [("fixed", width, f"fixed:{n}", "always", False) for width in (16, 8) for n in WIDTHS]
            variants += [("fixed", width, None, "always", packed) for width in WIDTHS for packed in (False, True)]
            variants += [("fixed", width, f"fixed:{n}", "always", True) for width in (6, 12) for n in (8, 16)]
        elif known:
            variants = [variant for k, variant in enumerate(variants) if (i // EVERY + k) % SELDOM == 0]
        for format, width, weights, packed, pack_buffers in variants:
            try:
                measurement = measure(program, chosen, format, width, weights, packed, pack_buffers, known)
                if measurement is not None:
                    measurements.append(measurement)
            except InputError as error:
                print(f"{chosen.name}: program {i} in {format} {width or ''} left out: {error}", file=sys.stderr)
    return measurements


def calibrate(chosen: Board, *, anew: bool) -> None:
    """Measure a table anew, or add the steps that it lacks for packed and coded constants."""
    file, known = cost_file(chosen.name), {}
    assert file is not None
    if not anew:
        old = json.loads(file.read_text())
        known = {"": old["program"], **old["steps"]}
    with tempfile.TemporaryDirectory() as name:
        measurements = programs(Path(name), chosen, known)
    result = table(chosen, measurements, known, fit(copy_equations(chosen.name), {}))
    steps = dict(sorted({**result.pop("steps"), **known}.items()))
    steps.pop("", None)
    rows = ",\n".join(f"    {json.dumps(step)}: {json.dumps(row)}" for step, row in steps.items())
    head = json.dumps(result, indent=2).removesuffix("\n}")
    file.parent.mkdir(exist_ok=True)
    file.write_text(f'{head},\n  "steps": {{\n{rows}\n  }}\n}}\n')
    print(f"{chosen.name}: {len(measurements)} programs, {len(steps)} kinds of steps")


def chosen_boards(tables: Sequence[str]) -> list[Board]:
    """The boards that cost tables are measured on, all without names; raises `InputError` for an unknown table."""
    measured = measured_boards()
    for name in tables:
        if name not in measured:
            raise InputError(f"unknown cost table '{name}' (one of {', '.join(measured)})")
    return [measured[name] for name in tables or measured]


def main(arguments: Sequence[str]) -> int:
    """Measure cost tables and return the exit code. arguments: names of tables, all if there are none, and `--add`."""
    try:
        chosen = chosen_boards([argument for argument in arguments if argument != "--add"])
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for board in chosen:
        calibrate(board, anew="--add" not in arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Fits the tables of the cost model to the costs of micro-programs, measured on simulated devices (`make costs`).

    python -m tinyml.tools.calibration.costs [OPTION]... [TABLE]...

* `--quick` measures only every eighth program. For a chip without a table, it writes a rough table. For an existing
  table, it prints the deviation and rewrites nothing.
* `--resume` reuses the measurements of an interrupted run.
* `--add` measures only the steps missing from a table.
* `--amend` measures estimators, networks and every fourth program in fixed point. It then fits new times for the steps
  that these programs execute. Each time in the table counts as one more measurement.
* `--forests` and `--front-ends` measure only the steps of forests or of front ends. All other steps are unchanged.

Each operation of a program contributes an equation. The counts of the steps of the operation, times the unknown costs
of the steps, equal the measured time of the operation or its bytes of code. Some bytes are needed once per program, for
kernels and functions of the C library. These bytes and the stack are fitted to the remainders of whole programs. Costs
are never negative.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.layouts.packed_bits import WIDTHS
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.devices.attribution import attribute
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.board import Board
from tinyml.targets.c.composer.forests_in_c import FOREST_STEPS
from tinyml.targets.c.print_c import sources_of_lines
from tinyml.targets.costs import OPTIMIZE, Cost, KernelCost, cost_file, cost_table
from tinyml.targets.registry import board as board_named
from tinyml.targets.registry import boards
from tinyml.tools.calibration.checkpoints import checkpoints, remembered
from tinyml.tools.calibration.fitting import (
    MIN_TIME,
    Equation,
    Measurement,
    amended,
    counted,
    fields_of,
    fit,
    measurement_of,
    table,
)
from tinyml.tools.calibration.programs.copies import copy_equations
from tinyml.tools.calibration.programs.estimators import estimators
from tinyml.tools.calibration.programs.float_conversions import float_conversions
from tinyml.tools.calibration.programs.forests import forest_equations, forest_times, format_of, trained
from tinyml.tools.calibration.programs.front_ends import STEPS as FRONT_END_STEPS
from tinyml.tools.calibration.programs.front_ends import front_ends
from tinyml.tools.calibration.programs.micro_programs import micro_programs
from tinyml.tools.calibration.programs.networks import FITTED, networks
from tinyml.tools.driver.stages import compile_kept, compile_stages, load_program
from tinyml.tools.reports.breakdown import constant_names, flash
from tinyml.tools.reports.facts.spent_time import CALL_AND_RETURN, measured_time, operations
from tinyml.transforms.ir.cost.demand import StepCounts, demand_of


def measured_boards() -> dict[str, Board]:
    """The board on which each cost table is measured, by table name: the `larger` variant of the first board with the
    table.
    """
    first = {board.costs: board for board in reversed(boards()) if board.costs}
    return {table: board_named(board.larger or board.name) for table, board in first.items()}


FORMATS = (("fixed", 16), ("fixed", 8), ("fixed", 32), ("f32", None))
FIXED_WIDTHS = tuple(width for width in WIDTHS if width > 1)
"""The widths of packed constants in fixed point."""
CODED = ("posit:8", "minifloat:6", "minifloat:4")
PACKED = tuple(
    (width, weights) for width in (16, 8) for weights in (*(f"fixed:{n}" for n in FIXED_WIDTHS), *CODED, "posit:16")
)
OTHERS = (("posit", 8), ("posit", 16), ("posit", 10), ("affine", 8))
NETWORK_FORMATS = (("fixed", 8), ("fixed", 16), ("zeroskew", 8), ("f32", None), ("posit", 8))
"""The formats of networks, other than those that have formats of their own."""
EXTRA_STRIDE = 4
"""Every EXTRA_STRIDE-th program is also compiled with packed and coded constants, packed buffers and other formats.

Programs with sparse matrices are always compiled with packed constants, too, and programs with convolutions in every
integer format.
"""
ADDED_STRIDE = 4
"""Only every ADDED_STRIDE-th variant is measured when adding to an existing table."""
SAMPLES = 2
QUICK_STRIDE = 8
LOOKUP = "extui i32"
"""The step of an indexed leaf lookup, which only forests in f32 use."""
LOOKUPS = 12
"""The programs that measure the time of `LOOKUP`."""
OPTIONS = ("--add", "--quick", "--resume", "--amend", "--forests", "--front-ends")

Variant: TypeAlias = tuple[str, int | None, str | None, str, bool]
"""The arguments format, width, weights, packed and pack_buffers of `measure`."""


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
    """Compile a program and return its measured costs; None if the costs of all its steps are already known.

    program: the program's file, in a folder with val.npz.
    chosen: the board.
    format, width, weights, packed, pack_buffers: as in `PipelineOptions`.
    known: known costs by step.
    """
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
    module = load_program(program, ctx)
    if tdsl.has_formats(module):
        compiled = compile_kept(module, ctx, replace(options, data=""))
    else:
        compiled = compile_stages(module, ctx, options)
    demand = demand_of(compiled.loops)
    kinds = {step for steps in demand.operations.values() for step in steps.runs}
    if known and all(step in known or demand.kernels.get(step, KernelCost()).cost is not None for step in kinds):
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
    spent = measured_time(measured, sources, compiled.source.split("\n"), chosen.unit)
    entries = operations(spent, chosen.unit)
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


def programs(folder: Path, chosen: Board, known: Mapping[str, Sequence[float]], every: int = 1) -> list[Measurement]:
    """The measurements of every `every`-th micro-program in several formats. The programs that cannot be compiled are
    omitted, and their number is printed on standard error for each reason.

    folder: an existing folder to which the programs are written.
    known: known costs by step; programs without other steps are omitted.
    """
    measurements: list[Measurement] = []
    left_out = Counter[str]()
    for i, micro in list(enumerate(micro_programs()))[::every]:
        program = micro.write(folder / f"p{i}", i)
        sparse, convolved = "|*|" in micro.text, "conv2d" in micro.text
        variants: list[Variant] = [(format, width, None, "never", False) for format, width in FORMATS]
        if i % EXTRA_STRIDE == 0:
            variants += [("fixed", width, weights, "always", False) for width, weights in PACKED]
            variants += [("fixed", width, None, "never", True) for width in FIXED_WIDTHS]
            variants += [(format, width, None, "never", False) for format, width in OTHERS]
        if convolved:
            variants += [("affine", 8, None, "never", False)]
        if sparse:
            variants += [("fixed", width, f"fixed:{n}", "always", False) for width in (16, 8) for n in FIXED_WIDTHS]
            variants += [("fixed", width, None, "always", packed) for width in FIXED_WIDTHS for packed in (False, True)]
            variants += [("fixed", width, f"fixed:{n}", "always", True) for width in (6, 12) for n in (8, 16)]
        elif known:
            variants = [variant for k, variant in enumerate(variants) if (i // EXTRA_STRIDE + k) % ADDED_STRIDE == 0]
        for format, width, weights, packed, pack_buffers in variants:
            try:
                variant = format, width, weights, packed, pack_buffers
                key = chosen.name, micro.text, i, variant, sorted(known)

                def measured(program: Path = program, variant: Variant = variant) -> dict[str, Any] | None:
                    measurement = measure(program, chosen, *variant, known)
                    return None if measurement is None else fields_of(measurement)

                if (stored := remembered(key, measured)) is not None:
                    measurements.append(measurement_of(stored))
            except InputError as error:
                left_out[re.sub(r"\d+", "N", error.message)] += 1
    for reason, times in left_out.most_common():
        print(f"{chosen.name}: {times} programs left out: {reason}", file=sys.stderr)
    return measurements


def measured_estimators(folder: Path, chosen: Board, known: Mapping[str, Sequence[float]]) -> list[Measurement]:
    """The measurements of the estimators of `estimators`, each in fixed point."""
    written = [(number, estimator.write(folder / f"e{number}")) for number, estimator in enumerate(estimators())]
    named = [(f"estimator {number}", program) for number, program in written]
    return _measured(named, FORMATS[:3], chosen, known)


def measured_networks(folder: Path, chosen: Board, known: Mapping[str, Sequence[float]]) -> list[Measurement]:
    """The measurements of the networks of `networks` with the sizes `FITTED`."""
    made = [(f"{made.kind} {made.size}", made) for made in networks(FITTED)]
    written = [(made, (name, made.write(folder / name))) for name, made in made]
    floats = [program for made, program in written if not made.is_quantised]
    quantised = [program for made, program in written if made.is_quantised]
    return [
        *_measured(floats, NETWORK_FORMATS, chosen, known),
        *_measured(quantised, NETWORK_FORMATS[:1], chosen, known),
    ]


def measured_front_ends(folder: Path, chosen: Board, known: Mapping[str, Sequence[float]]) -> list[Measurement]:
    """The measurements of the front ends of `front_ends`. Spectrograms have 16 bits; the other front ends have their
    own formats.
    """
    written = [(number, front_end.write(folder / f"s{number}")) for number, front_end in enumerate(front_ends())]
    named = [(f"front end {number}", program) for number, program in written]
    return _measured(named, FORMATS[:1], chosen, known)


def some_programs(folder: Path, chosen: Board) -> list[Measurement]:
    """The measurements of every `ADDED_STRIDE`-th program in fixed point."""
    chosen_ones = list(enumerate(micro_programs()))[::ADDED_STRIDE]
    written = ((f"{micro.text} {number}", micro.write(folder / f"p{number}", number)) for number, micro in chosen_ones)
    return _measured(written, [("fixed", 8), ("fixed", 16)], chosen, {})


def _measured(
    programs: Iterable[tuple[str, Path]],
    formats: Sequence[tuple[str, int | None]],
    chosen: Board,
    known: Mapping[str, Sequence[float]],
) -> list[Measurement]:
    """The measurements of programs, each in several formats. A program that cannot be compiled is reported on standard
    error and omitted.

    programs: each program with the key of its stored measurements.
    formats: pairs of a format and a width in bits.
    known: known costs by step.
    """
    measurements: list[Measurement] = []
    for name, program in programs:
        for format, width in formats:

            def measured(program: Path = program, format: str = format, width: int | None = width) -> Any:
                found = measure(program, chosen, format, width, None, "never", False, known)
                return None if found is None else fields_of(found)

            try:
                if (found := remembered((chosen.name, name, format, width, sorted(known)), measured)) is not None:
                    measurements.append(measurement_of(found))
            except InputError as error:
                print(f"{chosen.name}: {name} left out: {error.message}", file=sys.stderr)
    return measurements


def calibrate(chosen: Board, *, anew: bool = True, quick: bool = False, resume: bool = False) -> None:
    """Measure the costs of all steps on a board and write its cost table.

    anew: false to measure only programs with steps that the table lacks.
    quick: measure a few programs; an existing table is compared with them and left unchanged.
    resume: continue an interrupted run.
    """
    file, known = cost_file(chosen.name), {}
    assert file is not None
    if not anew and file.exists():
        old = json.loads(file.read_text())
        known = {"": old["program"], **old["steps"]}
    mode = "quick" if quick else "full" if anew else "add"
    with (
        tempfile.TemporaryDirectory() as name,
        checkpoints(f"costs-{chosen.costs}-{mode}", resume=resume),
    ):
        measurements = programs(Path(name), chosen, known, QUICK_STRIDE if quick else 1)
        measurements += [] if quick else measured_estimators(Path(name), chosen, known)
        measurements += [] if quick else measured_networks(Path(name), chosen, known)
        measurements += [] if quick else measured_front_ends(Path(name), chosen, known)
    if quick and file.exists():
        print(f"{chosen.name}: {len(measurements)} programs, {deviation(chosen, measurements):.1%} off the table")
        return
    alone = fit(copy_equations(chosen.name), {}) | ({} if quick else forest_times(forest_equations(chosen.name)))
    result = table(chosen, measurements, known, alone)
    steps = {**result.pop("steps"), **known}
    result["floats"] = float_conversions(chosen)
    _write(file, result, steps)
    print(f"{chosen.name}: {len(measurements)} programs, {len(steps)} kinds of steps")


def amend(chosen: Board, *, resume: bool = False) -> None:
    """Fit new times for the steps of a table that estimators, networks and some programs execute, and all costs of the
    steps that the table lacks.

    resume: as for `calibrate`.
    """
    file = cost_file(chosen.name)
    assert file is not None
    with tempfile.TemporaryDirectory() as name, checkpoints(f"costs-{chosen.costs}-amend", resume=resume):
        measurements = [
            *measured_estimators(Path(name), chosen, {}),
            *some_programs(Path(name), chosen),
            *measured_networks(Path(name), chosen, {}),
        ]
        alone = fit(copy_equations(chosen.name), {}) | forest_times(forest_equations(chosen.name))
    write_amended(file, chosen, measurements, alone)
    print(f"{chosen.name}: {len(measurements)} programs")


def renew_forests(chosen: Board, *, resume: bool = False) -> None:
    """Measure the steps of forests and the step `LOOKUP` again, and leave all other steps of a table unchanged.

    resume: as for `calibrate`.
    """
    file = cost_file(chosen.name)
    assert file is not None
    with checkpoints(f"costs-{chosen.costs}-forests", resume=resume):
        equations = forest_equations(chosen.name)
    write_forests(file, equations)
    # The programs below are compiled with the new costs.
    cost_table.cache_clear()
    with tempfile.TemporaryDirectory() as name:
        table = cost_table(chosen.name)
        assert table is not None
        write_lookup(file, table.generic_cost(LOOKUP), forests_of_floats(Path(name), chosen))
    print(f"{chosen.name}: {len(equations)} forests")


def renew_front_ends(chosen: Board, *, resume: bool = False) -> None:
    """Measure the steps of front ends again and leave all other steps of a table unchanged.

    resume: as for `calibrate`.
    """
    file = cost_file(chosen.name)
    assert file is not None
    old = json.loads(file.read_text())
    steps = {step: row for step, row in old.pop("steps").items() if not step.startswith(FRONT_END_STEPS)}
    with tempfile.TemporaryDirectory() as name, checkpoints(f"costs-{chosen.costs}-front-ends", resume=resume):
        measurements = measured_front_ends(Path(name), chosen, {})
    rows = table(chosen, measurements, {"": old["program"], **steps}, {})["steps"]
    _write(file, old, {**steps, **{step: row for step, row in rows.items() if step.startswith(FRONT_END_STEPS)}})
    print(f"{chosen.name}: {len(measurements)} front ends")


def forests_of_floats(folder: Path, chosen: Board) -> list[Measurement]:
    """The measurements of programs of trained forests in f32."""
    numbers = islice((number for number in count(1, 2) if format_of(number) == ("f32", None)), LOOKUPS)
    written = ((number, trained(number).write(folder / f"t{number}")) for number in numbers)
    measurements = [measure(program, chosen, "f32", None, None, "never", False, {}) for _, program in written]
    return [measurement for measurement in measurements if measurement is not None]


def write_lookup(file: Path, generic: Cost, measurements: Sequence[Measurement]) -> None:
    """Fit and write the time of the step `LOOKUP`, from operations whose other steps have known costs.

    generic: the cost whose bytes fill a new row.
    """
    old = json.loads(file.read_text())
    steps = old.pop("steps")
    equations = [
        (runs, time)
        for measurement in measurements
        for name, (time, _) in measurement.operations.items()
        if LOOKUP in (runs := measurement.demand.operations.get(name, StepCounts()).runs)
    ]
    kernels = {step: cost for measurement in measurements for step, cost in measurement.demand.kernels.items()}
    known = {step: row[0] for step, row in steps.items() if step != LOOKUP}
    known |= {step: cost.cost.time for step, cost in kernels.items() if cost.cost is not None}
    bytes = steps.get(LOOKUP, [0.0, generic.code, generic.once, generic.stack])[1:]
    _write(file, old, {**steps, LOOKUP: [round(fit(equations, known)[LOOKUP], 2), *bytes]})


def write_forests(file: Path, equations: Sequence[Equation]) -> None:
    """Replace the costs of the steps of forests in a table by costs fitted to equations.

    equations: pairs of step counts and a measured time, to which the costs of the counted steps add up.
    """
    old = json.loads(file.read_text())
    steps = {step: row for step, row in old.pop("steps").items() if not step.startswith(FOREST_STEPS)}
    rows = {step: [round(time, 2), 0.0, 0.0, 0.0] for step, time in forest_times(equations).items()}
    _write(file, old, {**steps, **rows})


def write_amended(file: Path, chosen: Board, measurements: Sequence[Measurement], alone: Mapping[str, float]) -> None:
    """Fit step times to measurements and write them to the table of a board. The other costs of steps are fitted only
    for steps that the table lacks.

    alone: as for `amended`.
    """
    old = json.loads(file.read_text())
    program: list[float] = old.pop("program")
    before: dict[str, list[float]] = old.pop("steps")
    times = amended(measurements, {"": program[0], **{step: row[0] for step, row in before.items()}}, alone)
    program[0] = round(times.pop(""), 2)
    result = {"unit": old.pop("unit"), "columns": old.pop("columns"), "program": program}
    steps: dict[str, list[float]] = table(chosen, measurements, {"": program, **before}, alone)["steps"]
    _write(
        file,
        {**result, **old},
        {step: [round(times.get(step, row[0]), 2), *row[1:]] for step, row in {**steps, **before}.items()},
    )


def _write(file: Path, result: Mapping[str, Any], steps: dict[str, Any]) -> None:
    steps.pop("", None)
    rows = ",\n".join(f"    {json.dumps(step)}: {json.dumps(row)}" for step, row in sorted(steps.items()))
    head = json.dumps(result, indent=2).removesuffix("\n}")
    file.parent.mkdir(exist_ok=True)
    file.write_text(f'{head},\n  "steps": {{\n{rows}\n  }}\n}}\n')


def deviation(chosen: Board, measurements: Sequence[Measurement]) -> float:
    """The median relative error of estimated times, over the operations whose steps all occur in a board's table; 0 if
    there are no such operations.
    """
    file = cost_file(chosen.name)
    assert file is not None
    times = {step: row[0] for step, row in json.loads(file.read_text())["steps"].items()}
    errors = [
        abs(counted(steps.runs, times) - measured) / max(measured, MIN_TIME)
        for measurement in measurements
        for name, (measured, _) in measurement.operations.items()
        if (steps := measurement.demand.operations.get(name)) is not None and steps.runs.keys() <= times.keys()
    ]
    return float(np.median(errors)) if errors else 0.0


def chosen_boards(tables: Sequence[str]) -> list[Board]:
    """The boards of the given cost tables, by default of all tables; raises `InputError` for an unknown table."""
    measured = measured_boards()
    for name in tables:
        if name not in measured:
            raise InputError(f"unknown cost table '{name}' (one of {', '.join(measured)})")
    return [measured[name] for name in tables or measured]


def main(arguments: Sequence[str]) -> int:
    """Measure cost tables and return the exit code.

    arguments: table names, by default all, and options.
    """
    try:
        chosen = chosen_boards([argument for argument in arguments if argument not in OPTIONS])
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for board in chosen:
        add, quick, resume, only_times, only_forests, only_front_ends = (option in arguments for option in OPTIONS)
        if only_forests:
            renew_forests(board, resume=resume)
        elif only_front_ends:
            renew_front_ends(board, resume=resume)
        elif only_times:
            amend(board, resume=resume)
        else:
            calibrate(board, anew=not add, quick=quick, resume=resume)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Hardware modules compared with an Uno (SeeDot 7.3.1), schedules of sparse products, and times on a Due and an
MKR1000.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from programs.hardware import open_contractions
from programs.network_writer import NetworkWriter
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from measured.commands import Unmeasured, measure, model_path, of_report
from measured.measures.classifiers import compiled, mean
from measured.store import Values
from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.formats.number_format import Raws
from tinyml.lowering import pipelines
from tinyml.runtime.devices.verilog_tools import IcarusSimulation
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.runtime.model.program_data import load_program_data
from tinyml.targets.verilog.print_verilog import print_verilog
from tinyml.tools.driver.measure import check_equal, first_mismatch
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest
from tinyml.tools.driver.stages import find_model, load_program, print_ir
from tinyml.transforms.ir.pipeline_names import (
    BITS_TO_HARDWARE,
    BUFFERS_TO_LOOPS,
    FORMATS_TO_BUFFERS,
    LOOPS_TO_BITS,
)
from tinyml.transforms.rtl.spread_entries import SpreadEntriesPass
from tinyml.transforms.rtl.unroll_loops import UnrollLoopsPass
from tinyml.transforms.rtl.unrolling.choose_lanes import SEQUENTIAL

CLOCK, UNO_CLOCK = 10e6, 16e6
"""The clock of the paper's FPGA, and that of an Uno, in Hz."""

MODES = {"plain": (False, False), "hints": (False, True), "sparse": (True, False), "both": (True, True)}
"""Processing elements for sparse products, and unrolled loops."""


def beside_uno(names: Sequence[str], width: int, cells: int) -> Callable[[Path | None], Values]:
    """A function that measures the time of an inference on an Uno divided by that of a hardware module at 10 MHz.

    It measures modules with and without each of SeeDot's optimisations.

    cells: the budget in percent of an LFE5U-25F.

    Raises `ValueError` for a module whose outputs differ from the evaluator's.
    """

    def measured(models: Path | None) -> Values:
        found: dict[str, dict[str, float]] = {}
        for name in names:
            uno = measure(f"bench {name} --format fixed --width {width} --target uno", models)["time"]
            cycles = _cycles(model_path(name, models), width, cells)
            found[name] = {mode: round(uno / UNO_CLOCK * CLOCK / cycles[mode], 1) for mode in MODES}
        summary = {mode: round(mean([row[mode] for row in found.values()]), 1) for mode in MODES}
        least, most = (round(pick(row["both"] for row in found.values()), 1) for pick in (min, max))
        return {**found, **summary, "least": least, "most": most, "models": len(found)}

    return measured


def _cycles(folder: Path, width: int, cells: int) -> dict[str, int]:
    program, val, _ = find_model(folder)
    with tempfile.TemporaryDirectory() as work:
        out = Path(work, "out")
        options = ["--format", "fixed", "--width", str(width), "--target", "host", "--package", "c", "-o", str(out)]
        if not compiled(["compile", str(program), "--val", str(val), *options]):
            raise Unmeasured(f"{program} does not compile")
        return {mode: _inference(out, val, cells, Path(work), *asked) for mode, asked in MODES.items()}


def _inference(out: Path, val: Path, cells: int, work: Path, sparse: bool, hints: bool) -> int:
    """The cycles of an inference in a simulated module; they do not depend on the input.

    out: the output folder of the program.
    val: the file with inputs.
    cells: the budget in percent of the FPGA.
    work: a folder for the simulation.
    sparse: true to distribute the entries of sparse matrices to processing elements.
    hints: true to unroll loops within the budget, false to unroll none.
    """
    module = load_program(out / "ir" / "2-buffers.mlir", context())
    for pipeline in (BUFFERS_TO_LOOPS, LOOPS_TO_BITS):
        pipelines.run(module, context(), pipelines.flatten(pipeline, {"target": "ecp5-25k"}))
    unroll = UnrollLoopsPass(cells=cells, order=SEQUENTIAL) if hints else UnrollLoopsPass(factor=1)
    chosen = {"spread-entries": SpreadEntriesPass(cells=cells if sparse else 0), "unroll-loops": unroll}
    steps = [chosen.get(step.name, step) for step in pipelines.flatten("bits-to-hardware", {})]
    if not sparse:
        open_contractions(module)
    pipelines.run(module, context(), steps)
    formats = load_program(out / "ir" / "1-formats.mlir", context())
    raws = encode_inputs(formats, load_program_data(formats, str(val)).x[:1])
    return _simulated(module, formats, raws, work)


def _simulated(module: ModuleOp, formats: ModuleOp, raws: Raws, work: Path) -> int:
    """The cycles of a module for raws of one sample; raises `ValueError` if its outputs differ from the evaluator's."""
    result = IcarusSimulation(print_verilog(module), work).run(interface_of(formats), raws)
    if first_mismatch(evaluate(formats, raws), Outputs(result.labels, result.scores, result.more)) is not None:
        raise ValueError("hardware and evaluator differ")
    assert result.cycles is not None
    return int(result.cycles[0])


def module_beside_uno(model: Path, options: Sequence[str]) -> Values:
    """The cycles of an inference on an Uno and in a module, and the ratio of their times with the module at 10 MHz."""
    command = f"{model.name} --width 8"
    uno = measure(f"compile {command}", model.parent)["time"]
    cycles = measure(f"compile {command} --target ecp5-25k {' '.join(options)}", model.parent)["time"]
    return {"uno": uno, "cycles": cycles, "times": uno / UNO_CLOCK * CLOCK / cycles}


def equal_module(model: Path, options: Sequence[str]) -> Values:
    """The cycles of a module; raises `MismatchError` unless its outputs for 100 samples equal the evaluator's."""
    program, val, _ = find_model(model)
    with tempfile.TemporaryDirectory() as work:
        out = str(Path(work, "out"))
        if not compiled(["compile", str(program), "--val", str(val), "--target", "ecp5-25k", *options, "-o", out]):
            return {"error": f"{program} does not compile"}
        result = run_model(RunRequest(folder=Path(out), data=val, device="ecp5-25k", limit=100))
        check_equal(result["mismatch"], result["device"], model)
        return {"time": result["cycles_per_inference"], "samples": result["samples"]}


def sparse_products(model: Path, options: Sequence[str]) -> Values:
    """The figures of a module whose sparse products run on processing elements.

    `gaps`: the cycles of the same model with loops over the gaps of sparse rows.
    `dense`: the cycles of the same model with dense matrices.

    All three modules have the same budget of cells.

    options: `--width` and `--cells` of `tinyml compile`, followed by other options.

    Raises `Unmeasured` for a model that does not compile.
    """
    program, val, _ = find_model(model)
    given = dict(zip(options[::2], options[1::2], strict=True))
    with tempfile.TemporaryDirectory() as work:
        out = Path(work, "out")
        if not compiled(["compile", str(program), "--val", str(val), "--target", "ecp5-25k", *options, "-o", str(out)]):
            raise Unmeasured(f"{program} does not compile")
        cells, formats = int(given["--cells"]), load_program(out / "ir" / "1-formats.mlir", context())
        raws = encode_inputs(formats, load_program_data(formats, str(val)).x[:1])
        found = {name: 0 for name in ("gaps", "dense")}
        for name in found:
            module = formats.clone()
            if name == "dense":
                _store_densely(module)
            for pipeline in (FORMATS_TO_BUFFERS, BUFFERS_TO_LOOPS, LOOPS_TO_BITS):
                pipelines.run(module, context(), pipelines.flatten(pipeline, {"target": "ecp5-25k"}))
            open_contractions(module)
            pipelines.run(module, context(), pipelines.flatten(BITS_TO_HARDWARE, {"cells": cells}))
            found[name] = _simulated(module, formats, raws, Path(work))
        return {**of_report(json.loads((out / "report.json").read_text())), **found}


def _store_densely(module: ModuleOp) -> None:
    """Replace products of sparse matrices by products of dense ones with the same accumulators."""
    for op in [op for op in module.walk() if isinstance(op, tdsl.SpmvOp)]:
        constant = op.lhs.owner
        assert isinstance(constant, tdsl.ConstOp)
        dense = tdsl.ConstOp(constant.raws, tdsl.format_of(constant.result))
        product = tdsl.MatmulOp(dense.result, op.rhs, tdsl.format_of(op.out).type)
        product.acc, product.bound, product.row_shifts = op.acc, op.bound, op.row_shifts
        Rewriter.replace_op(op, [dense, product])


PROJECTIONS = "bonsai-mnist16-10", "bonsai-mnist10", "bonsai-usps10"
"""Models whose sparse products have one sparse matrix, the projection `Z`."""

ELEMENTS = 4, 8, 16, 32


def elements(models: Path | None) -> Values:
    """Cycles of sparse products, summed over all projections and all numbers of processing elements.

    `rows`: the entries of each row are distributed to the elements at compile time.
    `fed`: columns are distributed to the elements as in the paper (`fed_cycles`).
    `joined`: as `fed`, with an additional cycle for each row, in which the partial sums of the elements are added.
    `least`: no element is ever idle.
    `saved`: the greatest number of cycles by which `fed` is faster than `rows` in one product.
    """
    cycles: list[tuple[int, int, int, int]] = []
    for name in PROJECTIONS:
        nonzero = np.load(model_path(name, models) / "Z.npy") != 0
        for count in ELEMENTS:
            by_rows = sum(max(1, -(-entries // count)) for entries in nonzero.sum(1).tolist())
            fed = fed_cycles(nonzero.sum(0).tolist(), count)
            cycles.append((by_rows, fed, fed + len(nonzero), -(-int(nonzero.sum()) // count)))
    by_rows, fed, joined, least = np.array(cycles).T
    found = {"rows": by_rows.sum(), "fed": fed.sum(), "joined": joined.sum(), "least": least.sum()}
    return {name: int(value) for name, value in {**found, "saved": (by_rows - fed).max()}.items()}


def fed_cycles(columns: Sequence[int], count: int) -> int:
    """The cycles until all columns are processed. Three quarters of the columns are assigned in equal shares, the
    others to the next free processing element.

    columns: the number of entries of each column; each entry takes a cycle (section 6.2.1).
    """
    fixed = len(columns) * 3 // 4
    busy = [sum(columns[:fixed][element::count]) for element in range(count)]
    for entries in columns[fixed:]:
        busy[busy.index(min(busy))] += entries
    return max(busy)


DUE = 84e6
"""Hertz of an Arduino Due."""


def on_due(models: Path | None) -> Values:
    """For each family, the milliseconds of an inference on USPS in 16 bits on a Due, computed from the published timing
    of a Cortex-M3.
    """
    names = {"fastgrnn": "fastgrnn-usps10-genuine", "protonn": "protonn-usps10", "bonsai": "bonsai-usps10"}
    found = {family: measure(f"compile {name} --width 16 --target due", models) for family, name in names.items()}
    return {family: round(1e3 * values["core_cycles"] / DUE, 2) for family, values in found.items()}


LATENCY_OF = "fastgrnn-mnist16-10", "protonn-letter26", "bonsai-letter26"
"""A model of each family."""


def promoted_on_due(models: Path | None) -> Values:
    """For each family, the core cycles of an inference on a Due after promotion, divided by those after demotion, in
    Shiftry's arithmetic. Arena and input after promotion take at most as many bytes as after demotion.
    """
    found: dict[str, float] = {}
    for name in LATENCY_OF:
        command = f"compile {name} --target due --format shiftry --widths 8,16 --search"
        demoted = measure(f"{command} demote", models)
        promoted = measure(f"{command} promote --ram {demoted['arena_and_input']}", models)
        assert promoted["arena_and_input"] <= demoted["arena_and_input"]
        found[name.split("-")[0]] = round(promoted["core_cycles"] / demoted["core_cycles"], 3)
    return found


CIFAR = {"50K": 112, "105K": 250}
"""Hidden elements of LeNets for 32 x 32 pixels of three colours, by the number of their parameters."""


def lenets(_models: Path | None) -> Values:
    """For each width, flash and RAM of LeNets for CIFAR-10 on an MKR1000, and their time in floating point divided by
    that in fixed point.

    The weights are random. Memory does not depend on the weights, and time depends on them only for constants that are
    powers of two.

    `fits_{name}_{bits}`: 1 if the program fits the board, otherwise 0; `bits` is 0 for floating point.
    """
    found: dict[str, float] = {}
    formats = {0: "f32", 32: "fixed --width 32", 16: "fixed --width 16"}
    with tempfile.TemporaryDirectory() as folder:
        for name, hidden in CIFAR.items():
            _write_lenet(hidden, Path(folder), name)
            options = f"--val {folder}/val.npz --target mkr1000"
            programs = {
                bits: measure(f"compile {name} {options} --format {format}", Path(folder))
                for bits, format in formats.items()
            }
            for bits, program in programs.items():
                found[f"fits_{name}_{bits}"] = int("error" not in program)
                if "error" not in program:
                    found |= {f"ram_{name}_{bits}": program["ram"], f"flash_{name}_{bits}": program["flash"]}
                if bits and not {"error"} & (programs[0].keys() | program.keys()):
                    found[f"times_{name}_{bits}"] = round(programs[0]["core_cycles"] / program["core_cycles"], 1)
    return found


def _write_lenet(hidden: int, folder: Path, name: str) -> None:
    """Write a LeNet with random weights as NAME.mlir, and random pixels for its profile as val.npz."""
    net = NetworkWriter((1, 32, 32, 3), 1, F32_FORMAT)
    image = net.pool(net.convolution(net.input, 6, 5))
    image = net.pool(net.convolution(image, 16, 5))
    program = net.module(net.dense(net.relu(net.dense(image, hidden)), 10))
    Path(folder, f"{name}.mlir").write_text(print_ir(program), encoding="utf-8")
    pixels = np.random.default_rng(1).uniform(0, 1, (20, 32 * 32 * 3)).astype(np.float32)
    np.savez(folder / "val.npz", x=pixels, y=np.zeros(len(pixels), np.int64))


def lenet(models: Path | None) -> Values:
    """The points that LeNet for MNIST loses in 16-bit fixed point, and its time in floating point divided by that in
    fixed point.
    """
    floats, fixed = (
        measure(f"bench cnn-lenet-mnist10 --format {format} --target mkr1000", models)
        for format in ("f32", "fixed --width 16")
    )
    return {"lost": round(0.0 - fixed["change"], 2), "times": round(floats["core_cycles"] / fixed["core_cycles"], 1)}

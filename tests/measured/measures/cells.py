"""The cells of hardware modules as estimated before synthesis and as yosys counts them, for stored and generated
models.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from xdsl.dialects import func

from measured.store import Values
from tinyml.dialects.context import context
from tinyml.lowering.pipelines import flatten, run
from tinyml.runtime.devices.verilog_tools import synthesised
from tinyml.targets.verilog.fabric import fabric_around
from tinyml.targets.verilog.print_verilog import print_verilog
from tinyml.tools.calibration.programs import micro_programs as micro
from tinyml.tools.calibration.programs.micro_programs import MicroProgram, Random
from tinyml.tools.driver.stages import find_model, load_program
from tinyml.transforms.ir.intervals import intervals
from tinyml.transforms.rtl.scheduling.operators import Operators
from tinyml.transforms.rtl.unrolling.cell_costs import cells_of

GENERATED: dict[str, tuple[int, Callable[[Random], MicroProgram]]] = {
    "FastGRNN, 12 features": (203, lambda random: micro.fastgrnn(random, 5, 12, 14, 4, None)),
    "convolution, 10 x 10 x 3": (205, lambda random: micro.convolutions(random, 10, 3, 6, 3, 5)),
    "ProtoNN, 64 features": (201, lambda random: micro.protonn(random, 64, 12, 14, 4, 0.4)),
    "Bonsai, 50 features": (202, lambda random: micro.bonsai(random, 50, 10, 3, 3, 1.0)),
    "two dense layers, 30 features": (204, lambda random: micro.dense(random, 30, 40, 7, "sigmoid")),
    "two dense layers, 20 features, posits": (206, lambda random: micro.dense(random, 20, 10, 4, "tanh")),
    "ProtoNN, 25 features": (301, lambda random: micro.protonn(random, 25, 16, 20, 3, 1.0)),
    "FastGRNN, 10 features, low rank": (302, lambda random: micro.fastgrnn(random, 7, 10, 20, 6, (4, 6))),
    "convolution, 9 x 9 x 4": (303, lambda random: micro.convolutions(random, 9, 4, 5, 3, 6)),
    "Bonsai, 70 features, sparse": (304, lambda random: micro.bonsai(random, 70, 8, 2, 6, 0.3)),
}
"""Models by their labels on the page: the seed of weights and data, and the program."""


def write_generated(label: str, folder: Path) -> Path:
    """Write a model of `GENERATED` with its data to a new folder in `folder`; return the new folder."""
    seed, make = GENERATED[label]
    return make(Random(seed)).write(folder / "model", seed).parent


def cells(model: Path, options: Sequence[str]) -> Values:
    """The LUTs and DSPs of a module for an LFE5U-25F: estimated after its loops are unrolled, and counted by yosys.

    options: `--format`, `--width` and `--cells` with their values.

    Raises `InputError` without yosys.
    """
    given = dict(zip(options[::2], options[1::2], strict=True))
    program, val, _ = find_model(model)
    chosen = {"data": str(val), "target": "ecp5-25k", "format": given.get("--format", "fixed")}
    chosen |= {"width": int(given["--width"]), "cells": int(given["--cells"])}
    module, ctx = load_program(program, context()), context()
    for name in ("reals-to-formats", "formats-to-buffers", "buffers-to-loops", "loops-to-bits", "bits-to-lanes"):
        run(module, ctx, flatten(name, chosen))
    [function] = (op for op in module.ops if isinstance(op, func.FuncOp))
    fabric = fabric_around(function)
    luts, dsps = cells_of(function.body.block.ops, Operators(fabric.delays, intervals(function)), fabric)
    run(module, ctx, flatten("bits-to-hardware", chosen)[len(flatten("bits-to-lanes", chosen)) :])
    with tempfile.TemporaryDirectory() as folder:
        counted = synthesised(print_verilog(module), fabric, Path(folder))
    return {"luts": counted.luts, "estimate": luts, "dsps": counted.dsps, "estimated_dsps": dsps}


def cells_drawn(seed: int) -> Values:
    """The figures of `cells` for a model whose family, sizes, format and cell budget are random, and these choices."""
    draw = np.random.default_rng(seed)

    def between(low: int, high: int) -> int:
        return int(draw.integers(low, high + 1))

    random, inputs = Random(seed), between(10, 90)
    match draw.choice(["ProtoNN", "Bonsai", "FastGRNN", "dense layers", "convolution"]):
        case "ProtoNN":
            made = f"ProtoNN, {inputs} features"
            program = micro.protonn(random, inputs, between(5, 20), between(8, 40), between(2, 12), 1.0)
        case "Bonsai":
            made, dense = f"Bonsai, {inputs} features", float(draw.choice([0.3, 1.0]))
            program = micro.bonsai(random, inputs, between(5, 20), between(1, 3), between(2, 12), dense)
        case "FastGRNN":
            features, hidden = between(4, 20), between(8, 40)
            made = f"FastGRNN, {features} features"
            program = micro.fastgrnn(random, between(3, 8), features, hidden, between(2, 12), None)
        case "dense layers":
            made, function = f"two dense layers, {inputs} features", str(draw.choice(["relu", "tanh", "sigmoid"]))
            program = micro.dense(random, inputs, between(8, 40), between(2, 12), function)
        case _:
            side, channels = between(6, 12), between(1, 4)
            made = f"convolution, {side} x {side} x {channels}"
            program = micro.convolutions(random, side, channels, between(3, 8), 3, between(2, 12))
    width, share = int(draw.choice([8, 12, 16])), 5 * between(2, 8)
    with tempfile.TemporaryDirectory() as folder:
        model = program.write(Path(folder, "model"), seed).parent
        found = cells(model, ["--width", str(width), "--cells", str(share)])
    return {**found, "model": made, "width": width, "share": share}

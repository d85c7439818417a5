"""Real models as hardware against the evaluator, in every raw output."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from programs.compiled import CompiledModels
from programs.hardware import need_simulator, read_bits, verilog_of
from programs.paths import MODELS
from xdsl.dialects.builtin import StringAttr

from tinyml.dialects.context import context
from tinyml.lowering.pipelines import flatten, run
from tinyml.runtime.devices.hardware.simulation import IcarusSimulation
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.runtime.model.program_data import load_program_data
from tinyml.targets.c.print_c import write_c
from tinyml.targets.registry import HOST, TARGET, board
from tinyml.tools.driver.measure import first_mismatch
from tinyml.tools.driver.stages import load_program

SAMPLES = 3
MACS = 124 * 10 + 24 * 10 + 24 * 6
"""Products of numbers in an inference of ProtoNN on gestures: projection, distances, sums over prototypes."""


UNROLLED = {"not unrolled": (1, 0, 1.2), "by 8": (8, 0, 0.4), "half of the FPGA": (None, 50, 0.3)}
"""Factors and shares of cells for loops, and the cycles of a product; for the last one not all products have DSPs."""


@pytest.mark.parametrize("how", UNROLLED)
def test_protonn(how: str, compiled_models: CompiledModels, tmp_path: Path):
    """An element of the input takes a cycle, a product few."""
    factor, cells, cycles = UNROLLED[how]
    need_simulator("iverilog")
    folder = compiled_models.folder("protonn", "fixed", 8, board(HOST))
    formats = load_program(folder / "ir" / "1-formats.mlir", context())
    simulation = IcarusSimulation(verilog_of(read_bits(folder), factor, cells), tmp_path)
    data = load_program_data(formats, str(MODELS["protonn"].with_name("test.npz")))
    raws = encode_inputs(formats, data.x[:SAMPLES])
    result = simulation.run(interface_of(formats), raws)
    assert first_mismatch(evaluate(formats, raws), Outputs(result.labels, result.scores, result.more)) is None
    assert result.cycles is not None
    assert len(np.unique(result.cycles)) == 1
    assert result.cycles[0] - raws[0].size <= cycles * MACS


def test_hints_leave_the_bits(compiled_models: CompiledModels, tmp_path: Path):
    """Compilers other than those for high-level synthesis see the same program; each unrolled loop has its memories."""
    folder, target = compiled_models.folder("protonn", "fixed", 8, board(HOST)), "ecp5-25k"
    formats, bits = (load_program(folder / "ir" / file, context()) for file in ("1-formats.mlir", "4-bits.mlir"))
    bits.attributes[TARGET] = StringAttr(target)
    run(bits, context(), flatten("bits-to-c", {"cells": 20}))
    write_c(bits, context(), target, tmp_path)
    data = load_program_data(formats, str(MODELS["protonn"].with_name("test.npz")))
    raws, interface = encode_inputs(formats, data.x), interface_of(formats)
    text = (tmp_path / f"{interface.name}.c").read_text()
    factors = {int(factor) for factor in re.findall("UNROLL factor=(.*)", text)}
    assert factors
    assert factors == {int(factor) for factor in re.findall("ARRAY_PARTITION cyclic factor=(.*) variable", text)}
    runner = runner_for(HOST)
    result = runner.run(runner.build(tmp_path, interface, tmp_path, "-O0", ["-Werror"]), interface, raws)
    assert first_mismatch(evaluate(formats, raws), Outputs(result.labels, result.scores, result.more)) is None

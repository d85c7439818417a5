"""Hardware computes sums of products in a format of a test package. The products have two units, and the sums are
rounded at each addition.
"""

from __future__ import annotations

import sys
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from programs.environments import GAUSSIAN
from programs.hardware import need_simulator, verilog_of
from programs.plugins import entry_points_of, installed

from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.runtime.devices.verilog_tools import IcarusSimulation
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.stages import load_program

PROGRAM = """
let X = (4, 1) in [-1.0, 1.0] in
let W = (3, 4) in [-1.0, 1.0] in
let U = (3, 4) in [-9.0, 9.0] in
let B = (3, 1) in [-1.0, 1.0] in
W * X + U * X + B
"""


@pytest.mark.long
def test_rounded_sums_are_hardware(tmp_path: Path):
    need_simulator("iverilog")
    program, data, random = tmp_path / "sums.sd", tmp_path / "val.npz", np.random.default_rng(5)
    program.write_text(PROGRAM)
    for name, columns in (("W", 4), ("U", 4), ("B", 1)):
        np.save(tmp_path / f"{name}.npy", random.uniform(-1, 1, (3, columns)).astype(np.float32))
    np.savez(data, x=random.uniform(-1, 1, (20, 4)).astype(np.float32))
    with patch.object(sys, "path", [str(GAUSSIAN), *sys.path]), installed(*entry_points_of("gaussian")):
        ctx = context()
        module = load_program(program, ctx)
        options = {"data": str(data), "format": "gaussian"}
        pipelines.run(module, ctx, pipelines.flatten("reals-to-formats", options))
        inputs, bits = encode_inputs(module, np.load(data)["x"]), module.clone()
        for name in ("formats-to-buffers", "buffers-to-loops", "loops-to-bits"):
            pipelines.run(bits, ctx, pipelines.flatten(name, {"target": "ecp5-25k"}))
        result = IcarusSimulation(verilog_of(bits), tmp_path).run(interface_of(module), inputs)
        np.testing.assert_array_equal(result.scores, evaluate(module, inputs).scores)

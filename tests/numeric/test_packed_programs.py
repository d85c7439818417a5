"""Whole programs whose constants are all packed, whatever reads them, have the evaluator's bits on every device."""

from __future__ import annotations

import io
from pathlib import Path

import micro_programs
import numpy as np
import pytest

from tinyml.lowering import pipelines
from tinyml.runtime.evaluator import encode_inputs, evaluate
from tinyml.runtime.model_interface import interface_of
from tinyml.runtime.runner import runner_for
from tinyml.targets.print_c import CTarget
from tinyml.tools.stages import load_program
from tinyml.transforms.contexts import context

FORMATS = (
    *((8, weights) for weights in ("fixed:4", "fixed:6", "fixed:10", "minifloat:6")),
    *((16, weights) for weights in ("fixed:4", "fixed:5", "fixed:6", "fixed:9", "fixed:12", "posit:6", "minifloat:4")),
)
"""Widths, and formats of constants."""
DEVICES = (("avr", "simavr"), ("avr", "host"), ("cortex-m", "cortex-m0"), ("host", "host"))
PROGRAMS = {
    "protonn": micro_programs.protonn(micro_programs.Random(1), 13, 10, 10, 3, 0.5),
    "bonsai": micro_programs.bonsai(micro_programs.Random(2), 11, 6, 1, 4, 1),
    "fastgrnn": micro_programs.fastgrnn(micro_programs.Random(3), 3, 5, 9, 4, (3, 4)),
}


@pytest.mark.parametrize(("width", "weights"), FORMATS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_all_constants_packed(name: str, width: int, weights: str, tmp_path: Path):
    ctx = context()
    program = PROGRAMS[name].write(tmp_path / "program", 1)
    module = load_program(program, ctx)
    data = program.with_name("val.npz")
    options = {"data": f'"{data}"', "width": str(width), "weights": f'"{weights}"', "packed": "always"}
    pipelines.run(module, ctx, pipelines.flatten("reals-to-formats", {**options, "target": "avr"}))
    interface, inputs = interface_of(module), encode_inputs(module, np.load(data)["x"][:3])
    expected = evaluate(module, inputs).scores
    for target, device in DEVICES:
        lowered = module.clone()
        for step in ("formats-to-buffers", "buffers-to-loops", "loops-to-bits", "bits-to-c"):
            pipelines.run(lowered, ctx, pipelines.flatten(step, {**options, "target": target}))
            assert step != "buffers-to-loops" or "#scratch.packed" in str(lowered)
        folder = tmp_path / f"{target}-{device}"
        folder.mkdir()
        for file, suffix in (("source", "c"), ("header", "h")):
            text = io.StringIO()
            CTarget(target, file).emit(ctx, lowered, text)
            (folder / f"{interface.name}.{suffix}").write_text(text.getvalue())
        runner = runner_for(device)
        found = runner.run(runner.build(folder, interface, folder / "build", "-Os"), interface, inputs).scores
        np.testing.assert_array_equal(found, expected, err_msg=f"{device}, {target}")

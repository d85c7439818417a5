"""Convolutions as hardware with sliding windows compute every raw output of the evaluator."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from programs.hardware import need_simulator, open_contractions, verilog_of

from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.runtime.devices.verilog_tools import IcarusSimulation
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.calibration.programs import micro_programs
from tinyml.tools.calibration.programs.micro_programs import MicroProgram
from tinyml.tools.driver.measure import first_mismatch
from tinyml.tools.driver.stages import load_program


def image_program(seed: int, width: int, channels: int, rows: int, kernel: int) -> MicroProgram:
    """A program of a convolution without padding, an activation, a pool, and the class with the greatest of three sums
    of the pool's results. The image is one row higher than the kernel.

    width, channels: those of the image.
    rows: the number of channels of the convolution's result.
    kernel: the side of the kernel.
    """
    random = micro_programs.Random(seed)
    random.array("F", 1, kernel, kernel, channels, rows, scale=1 / kernel)
    random.array("B", rows, scale=0.3)
    outputs = (width - kernel + 1) // 2 * rows
    random.matrix("W", 3, outputs)
    height = kernel + 1
    text = f"""let I = reshape(X, (1, {height}, {width}, {channels}), (1, 2)) in
let A = relu(conv2d(I, F, {{s 1 1}}, {{p 0 0 0 0}}, {{d 1 1}}, {{g 1}}) <+> B) in
let M = maxpool(A, {{k 2 2}}, {{p 0 0 0 0}}, {{s 2 2}}) in
argmax(W * reshape(M, ({outputs}, 1), (1, 2, 3, 4)))"""
    return MicroProgram(text, random.parameters, height * width * channels)


@pytest.mark.long
@pytest.mark.parametrize(
    ("format", "width", "channels", "rows", "kernel"),
    [("zeroskew", 9, 2, 4, 2), ("fixed", 12, 3, 4, 5), ("fixed", 12, 3, 1, 4)],
)
def test_images(
    format: str,
    width: int,
    channels: int,
    rows: int,
    kernel: int,
    tmp_path: Path,
) -> None:
    """The hardware module of a convolution computes the evaluator's outputs with and without sliding windows. With
    sliding windows, only the new elements of a window are copied, which saves at least one cycle for each element
    that is not copied.
    """
    need_simulator("iverilog")
    program = image_program(width, width, channels, rows, kernel).write(tmp_path / "program", 1)
    ctx, data = context(), program.with_name("val.npz")
    module = load_program(program, ctx)
    pipelines.run(module, ctx, pipelines.flatten("reals-to-formats", {"data": str(data), "format": format, "width": 8}))
    inputs = encode_inputs(module, np.load(data)["x"][:3])
    bits = module.clone()
    for name in ("formats-to-buffers", "buffers-to-loops", "loops-to-bits"):
        pipelines.run(bits, ctx, pipelines.flatten(name, {"target": "ecp5-25k"}))
    cycles: list[int] = []
    for slides in (True, False):
        if not slides:
            open_contractions(bits)
        simulation = IcarusSimulation(verilog_of(bits, factor=8), tmp_path)
        result = simulation.run(interface_of(module), inputs)
        assert first_mismatch(evaluate(module, inputs), Outputs(result.labels, result.scores, result.more)) is None
        assert result.cycles is not None
        cycles.append(int(result.cycles[0]))
    pixels, seen = width - kernel, kernel * (kernel - 1) * channels
    assert cycles[1] - cycles[0] >= pixels * seen

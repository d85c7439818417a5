"""Random quantised networks with dilation, several outputs and floating-point parts, on every chip."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
from programs.devices import DEVICES, roomy
from programs.on_boards import difference, printed
from programs.random_networks import random_network, raw_inputs
from programs.random_onnx import random_onnx
from programs.spread import spread
from programs.tflite_models import computed_by_tflm, inputs_of
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.reals.analysis.profiles import record_profiles

NETWORKS = 40
WIDTHS = (("int8", "fixed", 16), ("int16", "posit", 8), ("int8", "bf16", None), ("int16", "fixed", 8))


@pytest.mark.long
@pytest.mark.parametrize("number", [n for n in range(NETWORKS) if random_network(Random(n)).exact])
def test_the_bits_of_tflm(number: int):
    network = random_network(Random(number))
    content = network.finish()
    module = read_tflite(content, "network.tflite")
    module.verify()
    x = inputs_of(content, 3, number)
    got = evaluate(module, x.reshape(3, -1)).tensors
    for mine, theirs in zip(got, computed_by_tflm(content, x, len(got)), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def on_device(module: ModuleOp, inputs: np.ndarray, format: str, width: int | None, device: str, folder: Path) -> None:
    """Assert that a device computes the evaluator's bits if floating-point parts have the given format."""
    record_profiles(module, inputs)
    AssignFormatPass(format, width).apply(context(), module)
    pipelines.run(module, context(), pipelines.flatten("refine-formats", {"target": device}))
    source = printed(module, device, folder / "source")
    raws = encode_inputs(module, inputs)
    assert difference(module, raws, source, runner_for(device), folder / "build") is None


@pytest.mark.long
@pytest.mark.parametrize(("number", "device"), spread([*enumerate(map(roomy, DEVICES))], 3))
def test_tflite_on_devices(number: int, device: str, tmp_path: Path):
    dtype, format, width = WIDTHS[number % len(WIDTHS)]
    content = random_network(Random(100 + number), dtype, floats=True).finish()
    module = read_tflite(content, "network.tflite")
    inputs = tdsl.kept_format(module).decode(raw_inputs(content, 2, number)).astype(np.float32)
    assert tdsl.is_mixed(module)
    on_device(module, inputs, format, width, device, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize(("number", "device"), [*enumerate(map(roomy, DEVICES))])
def test_onnx_on_devices(number: int, device: str, tmp_path: Path):
    seeds = (seed for seed in range(10 * number, 1000))
    modules = (read_onnx(random_onnx(Random(seed)).SerializeToString(), "network.onnx") for seed in seeds)
    module = next(module for module in modules if tdsl.is_mixed(module))
    inputs = np.random.default_rng(number).normal(size=(2, interface_of(module).input_length)).astype(np.float32)
    _, format, width = WIDTHS[(number + 1) % len(WIDTHS)]
    on_device(module, inputs, format, width, device, tmp_path)

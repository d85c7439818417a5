"""A transformer block as ONNX, PyTorch, Keras and JAX write it: the values of the block, and equal bits on devices."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models.attention.make import ROWS, WIDTH, computed, weights
from programs.devices import DEVICES, roomy
from programs.lowered import lowered
from programs.paths import ROOT
from programs.spread import spread

from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate, evaluate_reals
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.tools.driver.measure import first_mismatch
from tinyml.tools.driver.stages import load_program

FOLDER = ROOT / "tests/models/attention"
FILES = ["block.onnx", "block-pytorch.onnx", "block-keras.tflite", "block-jax.mlir"]
SAMPLES = 3


@pytest.mark.long
@pytest.mark.parametrize("file", FILES)
def test_exports_of_a_block_compute_its_values(file: str):
    """The scores of each export equal those of the block in double precision within 1e-4. The classes in test.npz are
    those of the latter.
    """
    with np.load(FOLDER / "test.npz") as data:
        x, y = data["x"][:9], data["y"][:9]
    expected = computed(weights(), x.reshape(-1, ROWS, WIDTH).astype(np.float64))
    scores = evaluate_reals(load_program(FOLDER / file, context()), x).scores
    assert scores is not None
    np.testing.assert_allclose(np.asarray(scores).reshape(expected.shape), expected, atol=1e-4)
    np.testing.assert_array_equal(expected.argmax(1), y)


@pytest.mark.long(seconds=50)
@pytest.mark.parametrize(("file", "device"), spread([*product(FILES, DEVICES)], 4))
def test_exports_of_a_block_on_devices(file: str, device: str, tmp_path: Path):
    """In 8 bits, devices compute the evaluator's bits. On AVR the programs need more flash than an Uno has."""
    module, ctx = load_program(FOLDER / file, context()), context()
    options: dict[str, Any] = {"data": str(FOLDER / "val.npz"), "target": device, "format": "fixed", "width": 8}
    pipelines.run(module, ctx, pipelines.flatten("reals-to-formats", options))
    pipelines.run(module, ctx, pipelines.flatten("refine-formats", options))
    with np.load(FOLDER / "test.npz") as data:
        x = encode_inputs(module, data["x"][:SAMPLES])
    expected, interface = evaluate(module, x), interface_of(module)
    lowered(module, ctx, **options)
    write_c(module, ctx, device, tmp_path)
    runner = runner_for(roomy(device))
    result = runner.run(runner.build(tmp_path, interface, tmp_path / "build"), interface, x)
    assert first_mismatch(expected, Outputs(result.labels, result.scores)) is None

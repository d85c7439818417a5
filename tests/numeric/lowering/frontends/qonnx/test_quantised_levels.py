"""Networks of few bits compute the integers of `qonnx` at each quantiser, and the evaluator's bits on every device."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from oracles.quantised_levels import differences
from programs.devices import DEVICES
from programs.lowered import lowered
from programs.spread import spread

from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.tools.driver.measure import first_mismatch

MODELS = Path(__file__).parents[4] / "models" / "qonnx"
NAMES = (
    "signs",
    "images",
    "depthwise",
    "residual",
    "skewed",
    "thresholds",
    "rounded",
    "limited",
    "annotated",
    "transposed",
    "floors",
    "shifts",
    "rounds",
)


def expected_of(name: str):
    stored = np.load(MODELS / "expected.npz")
    return {key.partition(":")[2]: stored[key] for key in stored.files if key.startswith(f"{name}:")}


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_the_integers_at_each_quantiser(name: str):
    found = list(differences(str(MODELS / f"{name}.onnx"), expected_of(name)))
    assert [quantiser for quantiser, _, _ in found][-1] == "y"
    assert [(quantiser, number) for quantiser, number, _ in found if number] == []


@pytest.mark.long
@pytest.mark.parametrize("number", spread(range(len(NAMES)), 3))
def test_networks_of_few_bits_on_devices(number: int, tmp_path: Path):
    """Each network computes the evaluator's bits on one device; the devices alternate."""
    name, device = NAMES[number], DEVICES[number % len(DEVICES)]
    file = MODELS / f"{name}.onnx"
    module, ctx, options = read_onnx(file.read_bytes(), str(file)), context(), {"target": device}
    x = expected_of(name)["x"][:6]
    raws = encode_inputs(module, x.reshape(len(x), -1))
    expected = evaluate(module, raws)
    pipelines.run(module, ctx, pipelines.flatten("refine-formats", options))
    interface = interface_of(module)
    lowered(module, ctx, **options)
    write_c(module, ctx, device, tmp_path)
    runner = runner_for(device)
    result = runner.run(runner.build(tmp_path, interface, tmp_path / "build"), interface, raws)
    assert first_mismatch(expected, Outputs(result.labels, result.scores)) is None

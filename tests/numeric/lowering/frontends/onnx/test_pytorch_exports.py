"""ONNX models from both exporters of PyTorch compile, and devices compute the evaluator's bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from programs.devices import DEVICES
from programs.spread import spread

from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.runtime.evaluator.evaluator import evaluate_reals
from tinyml.tools.main import main

MODELS = Path(__file__).parents[4] / "models" / "pytorch"
NAMES = ("cnn", "gru", "lstm", "accelerometer")
EXPORTERS = ("script", "dynamo")


@pytest.mark.parametrize("exporter", EXPORTERS)
@pytest.mark.parametrize("name", NAMES)
def test_an_export_computes_what_the_module_does(name: str, exporter: str):
    file, expected = MODELS / f"{name}-{exporter}.onnx", np.load(MODELS / "expected.npz")
    scores = evaluate_reals(read_onnx(file.read_bytes(), str(file)), expected[f"{name}_x"].reshape(16, -1)).scores
    assert scores is not None
    np.testing.assert_allclose(scores, expected[f"{name}_y"], atol=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("number", spread(range(len(NAMES)), 2))
def test_exports_compile(number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Each network compiles in 16 bits from the file of one exporter, and one device computes the evaluator's bits for
    16 samples. Exporters and devices alternate.
    """
    name, exporter = NAMES[number], EXPORTERS[number % 2]
    expected = np.load(MODELS / "expected.npz")
    data = tmp_path / "val.npz"
    np.savez(data, x=expected[f"{name}_x"], y=expected[f"{name}_y"].argmax(1))
    file, device = str(MODELS / f"{name}-{exporter}.onnx"), DEVICES[number % len(DEVICES)]
    options = ["--val", str(data), "--width", "16", "--target", device, "-o", str(tmp_path / "out")]
    assert main(["compile", file, *options]) == 0
    assert "0/16" in capsys.readouterr().out

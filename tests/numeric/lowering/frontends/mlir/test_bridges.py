"""Networks as exported by JAX, IREE and torch-mlir, compared with the same networks in ONNX (`tests/models/mlir`)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from programs.spread import spread

from tinyml.lowering.frontends.mlir.importer import read_tensors
from tinyml.runtime.evaluator.evaluator import evaluate_reals
from tinyml.tools.main import main

MODELS = Path(__file__).parents[4] / "models" / "mlir"
FILES = [
    f"{name}-{tool}.mlir"
    for name in ("mlp", "cnn", "rnn", "gru")
    for tool in ("jax", "iree", "torch-linalg", "torch-tosa")
]
DEVICES = {"mlp": "uno", "cnn": "cortex-m4", "rnn": "uno", "gru": "cortex-m4"}
OWN_GELU = "cnn-torch-linalg.mlir"
"""A file in which torch-mlir writes 0.797724 for the root of 2 / pi, 0.797885."""


@pytest.mark.long
@pytest.mark.parametrize("file", FILES)
def test_a_module_computes_what_pytorch_does(file: str):
    expected = np.load(MODELS / "expected.npz")
    scores = expected[file.partition("-")[0]]
    module = read_tensors((MODELS / file).read_text(), file)
    computed = evaluate_reals(module, expected["images"][: len(scores)] / 16).scores
    assert computed is not None
    np.testing.assert_allclose(computed, scores, atol=3e-4 if file == OWN_GELU else 1e-5)


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("number", spread(range(len(FILES)), 1))
def test_a_module_compiles_as_the_onnx_model_does(number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """In 16 bits, the accuracy equals that of the ONNX model, and the device computes the evaluator's bits."""
    name = FILES[number].partition("-")[0]
    expected = np.load(MODELS / "expected.npz")
    np.savez(tmp_path / "val.npz", x=expected["images"] / 16, y=expected["labels"])
    accuracies: list[str] = []
    for file in (f"{name}.onnx", FILES[number]):
        options = ["--val", str(tmp_path / "val.npz"), "--width", "16", "--target", DEVICES[name]]
        assert main(["compile", str(MODELS / file), *options, "-o", str(tmp_path / "out")]) == 0
        row = next(line for line in capsys.readouterr().out.splitlines() if "fixed 16" in line)
        assert "0/200" in row
        accuracies.append(row.split("│")[4])
    assert accuracies[0] == accuracies[1]

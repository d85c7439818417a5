"""Quantised models with floating-point parts compile, from the file to the output folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto
from oracles.onnx_models import model, node, number, reference

from tinyml.tools.main import main

RANDOM = np.random.default_rng(5)
ZERO = np.array(3, np.int8)


def convolution() -> ModelProto:
    """A model with a convolution whose weights are floats, between two conversions."""
    nodes = [
        node("QuantizeLinear", "x s z", "a"),
        node("DequantizeLinear", "a s z", "b"),
        node("Conv", "b w", "c"),
        node("QuantizeLinear", "c t z", "d"),
        node("DequantizeLinear", "d t z", "y"),
    ]
    weights = RANDOM.normal(0, 0.3, (3, 2, 3, 3)).astype(np.float32)
    return model(nodes, [1, 2, 6, 6], {"s": number(0.02), "t": number(0.1), "z": ZERO, "w": weights})


def relu_first() -> ModelProto:
    """A model whose first op, a relu, is computed in floats."""
    nodes = [
        node("Relu", "x", "r"),
        node("QuantizeLinear", "r s z", "a"),
        node("DequantizeLinear", "a s z", "b"),
        node("LeakyRelu", "b", "c"),
        node("QuantizeLinear", "c s z", "d"),
        node("DequantizeLinear", "d s z", "y"),
    ]
    return model(nodes, [1, 6], {"s": number(0.02), "z": ZERO})


@pytest.fixture(params=[convolution, relu_first])
def file(request: Any, tmp_path: Path) -> Path:
    network = request.param()
    (tmp_path / "net.onnx").write_bytes(network.SerializeToString())
    size = 72 if request.param is convolution else 6
    np.savez(tmp_path / "val.npz", x=RANDOM.normal(size=(20, size)).astype(np.float32))
    return tmp_path / "net.onnx"


def compiled(file: Path, *options: str | Path) -> dict[str, Any]:
    out = file.with_name("out")
    assert main(["compile", str(file), "--target", "host", "-o", str(out), *map(str, options)]) == 0
    return json.loads((out / "report.json").read_text())


@pytest.mark.long
def test_floats_without_data(file: Path, capsys: pytest.CaptureFixture[str]):
    report = compiled(file)
    assert (report["format"], report["width"], report["parts"]) == ("zeroskew", 8, "f32")
    assert "Parts of the model are in floats" in capsys.readouterr().out


@pytest.mark.long
def test_the_format_of_the_options_with_data(file: Path, capsys: pytest.CaptureFixture[str]):
    report = compiled(file, "--val", file.with_name("val.npz"), "--width", "8")
    assert report["parts"] == "fixed 8"
    assert "Parts of the model" not in capsys.readouterr().out
    formats = file.with_name("out").joinpath("ir", "1-formats.mlir").read_text()
    assert "!fixed.q<8," in formats


def test_a_format_needs_data(file: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["compile", str(file), "--target", "host", "-o", str(file.with_name("out")), "--format", "posit"]) == 1
    assert "choosing number formats needs data: add --val" in capsys.readouterr().err


@pytest.mark.long
def test_anew(file: Path):
    report = compiled(file, "--val", file.with_name("val.npz"), "--quantization", "anew")
    assert (report["format"], report["parts"]) == ("fixed", None)


@pytest.mark.long
def test_the_quantised_part_keeps_the_raws_of_onnxruntime(tmp_path: Path):
    """The raws of the quantised part equal onnxruntime's. The part in floats is exact in single precision for this
    model.
    """
    network, file = relu_first(), tmp_path / "net.onnx"
    file.write_bytes(network.SerializeToString())
    x = RANDOM.normal(size=(20, 6)).astype(np.float32)
    np.savez(tmp_path / "val.npz", x=x)
    compiled(file)
    saved = tmp_path / "scores.npz"
    out = str(tmp_path / "out")
    assert main(["run", out, "--data", str(tmp_path / "val.npz"), "--save", str(saved)]) == 0
    raws = np.load(saved)["scores"].astype(float)
    np.testing.assert_allclose((raws - 3) * 0.02, reference(network, x), atol=1e-6)

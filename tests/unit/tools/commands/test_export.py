"""`tinyml export`: its files, and errors that leave no file behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs.paths import ROOT

from tinyml.tools.main import main

KERAS = ROOT / "tests/models/keras"


def test_a_quantised_network_in_tosa(tmp_path: Path):
    file = tmp_path / "images.mlir"
    for _ in range(2):
        assert main(["export", str(KERAS / "images-int8.tflite"), "--to", "tosa", "-o", str(file)]) == 0
    text = file.read_text()
    assert text.startswith('"builtin.module"() ({')
    assert '"tosa.conv2d"' in text
    assert "zeroskew" not in text


@pytest.mark.parametrize(
    ("model", "kind", "message"),
    [
        ("mobile-16x8.tflite", "tosa", "mobile-16x8.tflite: elements of !zeroskew.q<16, "),
        ("images-float.tflite", "tosa", "images-float.tflite: elements of f32 are not written in TOSA"),
    ],
)
def test_refusals(model: str, kind: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["export", str(KERAS / model), "--to", kind, "-o", str(tmp_path / "out.mlir")]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert message in line
    assert not list(tmp_path.iterdir())


def test_reals_as_onnx(tmp_path: Path):
    pytest.importorskip("onnx")
    file = tmp_path / "lenet.onnx"
    assert main(["export", str(ROOT / "docs/schedules/lenet.mlir"), "--to", "onnx", "-o", str(file)]) == 0
    assert main(["plan", str(file), "--bits", "8"]) == 0

"""Real models through the whole compiler: every device computes the evaluator's bits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from programs.compiled import CompiledModels
from programs.paths import MODELS

from tinyml.targets.board import board
from tinyml.tools.commands.compile import Request, build_folder
from tinyml.tools.commands.run import RunRequest, run_model

FORMATS = (
    ("fixed", 8),
    ("fixed", 16),
    ("fixed", 32),
    ("posit", 8),
    ("posit", 16),
    ("minifloat", 8),
    ("affine", 8),
    ("f32", None),
    ("bf16", None),
    ("seedot", 16),
    ("shiftry", 8),
)


@pytest.mark.parametrize(("device", "limit"), [("host", 300), ("simavr", 3), ("cortex-m0", 3), ("cortex-m4", 3)])
@pytest.mark.parametrize(("format", "width"), FORMATS)
@pytest.mark.parametrize("model", MODELS)
def test_device_equals_evaluator(
    model: str, format: str, width: int | None, device: str, limit: int, compiled_models: CompiledModels
) -> None:
    folder = compiled_models.folder(model, format, width, board("avr", "atmega1284p"))
    result = run_model(RunRequest(folder, MODELS[model].with_name("test.npz"), device, None, limit, "-Os"))
    assert result["mismatch"] is None
    assert result["samples"] == limit


def test_weights_and_activations_of_two_formats(tmp_path: Path) -> None:
    model = MODELS["bonsai"]
    val, test = model.parent / "val.npz", model.parent / "test.npz"
    asked = Request(model, val, test, "uno", None, "fixed", 16, "-Os", tmp_path, weights="posit:8")
    report, _ = build_folder(asked, board("uno"), tmp_path, must_fit=True)
    assert report["accuracy"] >= report["accuracy_float"] - 0.5
    assert json.loads((tmp_path / "report.json").read_text())["estimate"] == report["estimate"]
    assert "!posit.p<8" in (tmp_path / "ir/1-formats.mlir").read_text()
    for device, limit in (("host", 300), ("simavr", 3), ("cortex-m4", 3)):
        assert run_model(RunRequest(tmp_path, test, device, None, limit, "-Os"))["mismatch"] is None


def test_posits_of_two_widths_in_one_product(tmp_path: Path) -> None:
    val = MODELS["bonsai"].parent / "val.npz"
    asked = Request(MODELS["bonsai"], val, None, "cortex-m4", None, "posit", 8, "-Os", tmp_path, weights="posit:16")
    build_folder(asked, board("cortex-m4"), tmp_path, must_fit=True)
    assert run_model(RunRequest(tmp_path, val, "cortex-m4", None, 3, "-Os"))["mismatch"] is None


@pytest.mark.parametrize("model", MODELS)
def test_optimisation_does_not_change_bits(model: str, compiled_models: CompiledModels) -> None:
    folder = compiled_models.folder(model, "fixed", 16, board("avr", "atmega1284p"))
    for optimize in ("-O2", "-O3"):
        for device in ("simavr", "cortex-m0"):
            result = run_model(RunRequest(folder, MODELS[model].with_name("val.npz"), device, None, 2, optimize))
            assert result["mismatch"] is None

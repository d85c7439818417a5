"""Real models through the whole compiler: every device computes the evaluator's bits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from programs.compiled import CompiledModels
from programs.devices import DEVICES, SMALL, roomy
from programs.paths import MODELS

from tinyml.targets.registry import HOST, USUAL, board
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


def limit(device: str) -> int:
    """Samples that a device runs."""
    return 300 if device == HOST else 3


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("format", "width"), FORMATS)
@pytest.mark.parametrize("model", MODELS)
def test_device_equals_evaluator(
    model: str, format: str, width: int | None, device: str, compiled_models: CompiledModels
) -> None:
    folder = compiled_models.folder(model, format, width, board(roomy(USUAL)))
    result = run_model(RunRequest(folder, MODELS[model].with_name("test.npz"), roomy(device), limit(device), "-Os"))
    assert result["mismatch"] is None
    assert result["samples"] == limit(device)


def test_weights_and_activations_of_two_formats(tmp_path: Path) -> None:
    model = MODELS["bonsai"]
    val, test = model.parent / "val.npz", model.parent / "test.npz"
    asked = Request(model, val, test, "uno", "fixed", 16, "-Os", tmp_path, weights="posit:8")
    report, _ = build_folder(asked, board("uno"), tmp_path, must_fit=True)
    assert report["accuracy"] >= report["accuracy_float"] - 0.5
    assert json.loads((tmp_path / "report.json").read_text())["estimate"] == report["estimate"]
    assert "!posit.p<8" in (tmp_path / "ir/1-formats.mlir").read_text()
    for device in DEVICES:
        assert run_model(RunRequest(tmp_path, test, device, limit(device), "-Os"))["mismatch"] is None


def test_posits_of_two_widths_in_one_product(tmp_path: Path) -> None:
    val = MODELS["bonsai"].parent / "val.npz"
    asked = Request(MODELS["bonsai"], val, None, "cortex-m4", "posit", 8, "-Os", tmp_path, weights="posit:16")
    build_folder(asked, board("cortex-m4"), tmp_path, must_fit=True)
    assert run_model(RunRequest(tmp_path, val, "cortex-m4", 3, "-Os"))["mismatch"] is None


@pytest.mark.parametrize("model", MODELS)
def test_optimisation_does_not_change_bits(model: str, compiled_models: CompiledModels) -> None:
    folder = compiled_models.folder(model, "fixed", 16, board(roomy(USUAL)))
    for optimize in ("-O2", "-O3"):
        for device in SMALL:
            result = run_model(RunRequest(folder, MODELS[model].with_name("val.npz"), device, 2, optimize))
            assert result["mismatch"] is None

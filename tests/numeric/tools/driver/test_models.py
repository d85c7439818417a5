"""Trained models through the whole compiler: every device computes the evaluator's bits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from programs.compiled import CompiledModels
from programs.devices import DEVICES, SMALL, roomy
from programs.paths import MODELS
from programs.spread import spread

from tinyml.targets.registry import DEFAULT_TARGET, HOST, board
from tinyml.tools.driver.compile_model import build_folder
from tinyml.tools.driver.program_in_folder import program_in
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest

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

TAKEN = {"fastgrnn": slice(0, None, 5), "protonn": slice(None), "bonsai": slice(1, None, 2)}
"""The formats that a model has; the smallest has every one."""


def limit(device: str) -> int:
    """The number of samples that a device runs."""
    return 100 if device == HOST else 2


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize(
    ("model", "format", "width"),
    spread([(model, *format) for model, taken in TAKEN.items() for format in FORMATS[taken]], 3),
)
def test_device_equals_evaluator(model: str, format: str, width: int | None, compiled_models: CompiledModels) -> None:
    """The program of a trained model computes the evaluator's bits on the host and on half of the boards. Over all
    cases, each format and each model runs on every board.
    """
    folder = compiled_models.folder(model, format, width, board(roomy(DEFAULT_TARGET)))
    turn = [*MODELS].index(model) + FORMATS.index((format, width))
    data, program = MODELS[model].with_name("test.npz"), program_in(folder)
    for device in (HOST, *DEVICES[1:][turn % 2 :: 2]):
        result = run_model(RunRequest(folder=folder, data=data, device=roomy(device), limit=limit(device)), program)
        assert result["mismatch"] is None
        assert result["samples"] == limit(device)


@pytest.mark.long(seconds=5)
def test_weights_and_activations_of_two_formats(tmp_path: Path) -> None:
    model = MODELS["bonsai"]
    val, test = model.parent / "val.npz", model.parent / "test.npz"
    asked = Request(model=model, val=val, test=test, width=16, out=tmp_path, weights="posit:8")
    report = build_folder(asked, board("uno"), tmp_path, must_fit=True).report.as_json()
    assert report["accuracy"] >= report["accuracy_float"] - 0.5
    assert json.loads((tmp_path / "report.json").read_text())["estimate"] == report["estimate"]
    assert "!posit.p<8" in (tmp_path / "ir/1-formats.mlir").read_text()
    program = program_in(tmp_path)
    for device in spread(DEVICES, 3):
        result = run_model(RunRequest(folder=tmp_path, data=test, device=device, limit=limit(device)), program)
        assert result["mismatch"] is None


@pytest.mark.long(seconds=10)
def test_posits_of_two_widths_in_one_product(tmp_path: Path) -> None:
    val = MODELS["bonsai"].parent / "val.npz"
    asked = Request(
        model=MODELS["bonsai"], val=val, target="cortex-m4", format="posit", width=8, out=tmp_path, weights="posit:16"
    )
    build_folder(asked, board("cortex-m4"), tmp_path, must_fit=True)
    assert run_model(RunRequest(folder=tmp_path, data=val, device="cortex-m4", limit=3))["mismatch"] is None


@pytest.mark.long(seconds=10)
@pytest.mark.parametrize("model", spread(MODELS, 1))
def test_optimisation_does_not_change_bits(model: str, compiled_models: CompiledModels) -> None:
    folder = compiled_models.folder(model, "fixed", 16, board(roomy(DEFAULT_TARGET)))
    data, program = MODELS[model].with_name("val.npz"), program_in(folder)
    for turn, device in enumerate(SMALL, [*MODELS].index(model)):
        optimize = ("O2", "O3")[turn % 2]
        result = run_model(RunRequest(folder=folder, data=data, device=device, limit=2, optimize=optimize), program)
        assert result["mismatch"] is None

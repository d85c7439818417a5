"""Real models through the whole compiler: every device computes the evaluator's bits."""

from __future__ import annotations

from pathlib import Path

import pytest
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


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest) -> Path:
    return MODELS[request.param]


@pytest.fixture(scope="module", params=FORMATS, ids=lambda given: f"{given[0]}{given[1] or ''}")
def compiled(model: Path, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    name, width = request.param
    folder = tmp_path_factory.mktemp("compiled")
    val, test = model.parent / "val.npz", model.parent / "test.npz"
    asked = Request(model, val, test, roomy(USUAL), name, width, "-Os", folder)
    build_folder(asked, board(roomy(USUAL)), folder, must_fit=True)
    return folder


@pytest.mark.parametrize(("device", "limit"), [(roomy(name), limit(name)) for name in DEVICES])
def test_device_equals_evaluator(compiled: Path, model: Path, device: str, limit: int) -> None:
    result = run_model(RunRequest(compiled, model.parent / "test.npz", device, limit, "-Os"))
    assert result["mismatch"] is None
    assert result["samples"] == limit


def test_weights_and_activations_of_two_formats(tmp_path: Path) -> None:
    model = MODELS["bonsai"]
    val, test = model.parent / "val.npz", model.parent / "test.npz"
    asked = Request(model, val, test, "uno", "fixed", 16, "-Os", tmp_path, weights="posit:8")
    report, _ = build_folder(asked, board("uno"), tmp_path, must_fit=True)
    assert report["accuracy"] >= report["accuracy_float"] - 0.5
    assert "!posit.p<8" in (tmp_path / "ir/1-formats.mlir").read_text()
    for device in DEVICES:
        assert run_model(RunRequest(tmp_path, test, device, limit(device), "-Os"))["mismatch"] is None


def test_posits_of_two_widths_in_one_product(tmp_path: Path) -> None:
    val = MODELS["bonsai"].parent / "val.npz"
    asked = Request(MODELS["bonsai"], val, None, "cortex-m4", "posit", 8, "-Os", tmp_path, weights="posit:16")
    build_folder(asked, board("cortex-m4"), tmp_path, must_fit=True)
    assert run_model(RunRequest(tmp_path, val, "cortex-m4", 3, "-Os"))["mismatch"] is None


def test_optimisation_does_not_change_bits(model: Path, tmp_path: Path) -> None:
    val = model.parent / "val.npz"
    build_folder(Request(model, val, None, "uno", "fixed", 16, "-Os", tmp_path), board("uno"), tmp_path, must_fit=True)
    for optimize in ("-O2", "-O3"):
        for device in SMALL:
            result = run_model(RunRequest(tmp_path, val, device, 2, optimize))
            assert result["mismatch"] is None

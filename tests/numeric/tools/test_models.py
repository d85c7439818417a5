"""Real models through the whole compiler: every device computes the evaluator's bits."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs.paths import MODELS

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


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest) -> Path:
    return MODELS[request.param]


@pytest.fixture(scope="module", params=FORMATS, ids=lambda given: f"{given[0]}{given[1] or ''}")
def compiled(model: Path, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tinyml.targets.board import board

    name, width = request.param
    folder = tmp_path_factory.mktemp("compiled")
    val, test = model.parent / "val.npz", model.parent / "test.npz"
    asked = Request(model, val, test, "avr", "atmega1284p", name, width, "-Os", folder)
    build_folder(asked, board("avr", "atmega1284p"), folder, must_fit=True)
    return folder


@pytest.mark.parametrize(("device", "limit"), [("host", 300), ("simavr", 3), ("cortex-m0", 3), ("cortex-m4", 3)])
def test_device_equals_evaluator(compiled: Path, model: Path, device: str, limit: int) -> None:
    result = run_model(RunRequest(compiled, model.parent / "test.npz", device, None, limit, "-Os"))
    assert result["mismatch"] is None
    assert result["samples"] == limit


def test_weights_and_activations_of_two_formats(tmp_path: Path) -> None:
    from tinyml.targets.board import board

    model = MODELS["bonsai"]
    val, test = model.parent / "val.npz", model.parent / "test.npz"
    asked = Request(model, val, test, "uno", None, "fixed", 16, "-Os", tmp_path, weights="posit:8")
    report, _ = build_folder(asked, board("uno"), tmp_path, must_fit=True)
    assert report["accuracy"] >= report["accuracy_float"] - 0.5
    assert "!posit.p<8" in (tmp_path / "ir/1-formats.mlir").read_text()
    for device, limit in (("host", 300), ("simavr", 3), ("cortex-m4", 3)):
        assert run_model(RunRequest(tmp_path, test, device, None, limit, "-Os"))["mismatch"] is None


def test_posits_of_two_widths_in_one_product(tmp_path: Path) -> None:
    from tinyml.targets.board import board

    val = MODELS["bonsai"].parent / "val.npz"
    asked = Request(MODELS["bonsai"], val, None, "cortex-m4", None, "posit", 8, "-Os", tmp_path, weights="posit:16")
    build_folder(asked, board("cortex-m4"), tmp_path, must_fit=True)
    assert run_model(RunRequest(tmp_path, val, "cortex-m4", None, 3, "-Os"))["mismatch"] is None


def test_optimisation_does_not_change_bits(model: Path, tmp_path: Path) -> None:
    from tinyml.targets.board import board

    val = model.parent / "val.npz"
    build_folder(
        Request(model, val, None, "uno", None, "fixed", 16, "-Os", tmp_path), board("uno"), tmp_path, must_fit=True
    )
    for optimize in ("-O2", "-O3"):
        for device in ("simavr", "cortex-m0"):
            result = run_model(RunRequest(tmp_path, val, device, None, 2, optimize))
            assert result["mismatch"] is None

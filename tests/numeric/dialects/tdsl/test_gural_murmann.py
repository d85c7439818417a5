"""Gural and Murmann's published network: labels and logits equal those of its integer arithmetic, on every device."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from programs import gural_murmann
from programs.compiled import compile_without_pictures

from tinyml.dialects.context import context
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.evaluator.evaluator import evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest
from tinyml.tools.driver.stages import load_program, print_ir

TEST = np.load(gural_murmann.FOLDER / "test.npz")
IMAGES = gural_murmann.images(TEST["x"])


@pytest.fixture(scope="module", params=[False, True], ids=["whole", "packed"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output folder of the network for the Uno, with activations in separate bytes or two in each byte."""
    root = tmp_path_factory.mktemp("gural")
    (root / "network.mlir").write_text(print_ir(gural_murmann.program()))
    report = compile_without_pictures(
        Request(model=root / "network.mlir", out=root / "out", reuse_input=True, pack_buffers=request.param)
    )
    # Results overlap the images that they are computed from; windows and the sums of a pixel come on top.
    assert report["ram_bytes"]["arena"] == (503 if request.param else 1004)
    assert report["ram_bytes"]["total"] <= (545 if request.param else 1030)
    assert report["cycles_per_inference"] < (4_500_000 if request.param else 1_500_000)
    return root / "out"


@pytest.mark.long(seconds=5)
def test_labels_and_logits_are_those_of_integers(folder: Path):
    expected = gural_murmann.logits(IMAGES)
    formats = load_program(folder / "ir/1-formats.mlir", context())
    interface, runner = interface_of(formats), HostRunner(sanitize=True)
    got = runner.run(runner.build(folder, interface, folder.parent), interface, IMAGES)
    for outputs in (evaluate(formats, IMAGES), got):
        np.testing.assert_array_equal(outputs.scores, expected)
        np.testing.assert_array_equal(outputs.labels, expected.argmax(1))
    # As the numpy arithmetic, which gets 99.15 % of the whole test set right.
    assert (expected.argmax(1) == TEST["y"]).sum() == 990


@pytest.mark.long
@pytest.mark.parametrize("device", ["uno", "cortex-m4", "riscv"])
def test_devices_agree(folder: Path, device: str, tmp_path: Path):
    data = tmp_path / "images.npz"
    np.savez(data, x=IMAGES[:5])
    assert run_model(RunRequest(folder=folder, data=data, device=device))["mismatch"] is None

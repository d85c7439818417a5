"""`tinyml plan --bottleneck` and `tinyml prune`: their outputs and files, and errors for invalid options."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from programs.paths import ROOT

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.tools.driver.stages import load_program
from tinyml.tools.main import main

LENET = str(ROOT / "docs/schedules/lenet.mlir")


def test_the_bottleneck_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    np.savez(tmp_path / "worth.npz", F1=[3, 1, 6, 2, 5, 4], F2=range(12))
    options = ["--mode", "rows", "--bits", "8", "--importance", str(tmp_path / "worth.npz"), "--json"]
    assert main(["plan", LENET, *options, "--bottleneck"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["bytes"] == 1248
    assert report["segments"] == [{"first": "conv1.0", "last": "pool1.1", "schedule": "streamed by rows"}]
    image, wide, pooled = report["tensors"]
    assert image == {"tensor": "input", "part": "whole", "bytes": 784, "channels": 1, "groups": []}
    assert [wide[name] for name in ("tensor", "part", "bytes", "channels")] == ["conv1.0", "2 of 24 rows", 288, 6]
    assert [group["importance"] for group in wide["groups"]] == [3, 1, 6, 2, 5, 4]
    # Five channels take 1,068 bytes: a ring of 240, the image, and the 44 bytes by which the result is ahead of it.
    assert pooled["groups"][2] == {"channels": [2], "importance": 6, "bytes": 180, "tied": {"conv1.0": [2]}}


def test_what_is_alive_in_other_plans(capsys: pytest.CaptureFixture[str]):
    parts: dict[str, list[str]] = {}
    for mode in ("ordinary", "partial-8", "patches"):
        assert main(["plan", LENET, "--mode", mode, "--bits", "8", "--json", "--bottleneck"]) == 0
        report = json.loads(capsys.readouterr().out)
        parts[mode] = [f"{tensor['tensor']} {tensor['part']} {tensor['bytes']:.0f}" for tensor in report["tensors"]]
    assert parts["ordinary"] == ["conv1.0 whole 3456", "pool1.1 whole 864"]
    assert parts["partial-8"] == ["input whole 784", "conv1.0 1 of 6 channels 576", "pool1.1 whole 864"]
    assert parts["patches"] == ["input whole 784", "conv1.0 4 of 576 pixels 24", "pool1.1 whole 864"]


def test_a_pruned_network_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    options = ["--ram", "1000", "--mode", "rows", "--bits", "8", "--json"]
    for file in ("small.mlir", "small.onnx"):
        assert main(["prune", LENET, *options, "-o", str(tmp_path / file)]) == 0
        report = json.loads(capsys.readouterr().out)
        assert report["peak_bytes"] == [1248, 976]
        assert report["filters"][0] == {"weights": "F1", "tensor": "conv1.0", "channels": 6, "kept": [2, 3, 4, 5]}
        assert report["macs"] == [203520, 136320]
        written = load_program(tmp_path / file, context())
        shapes = {
            op.result.name_hint: tdsl.shape_of(op.result) for op in written.walk() if isinstance(op, tdsl.ConstOp)
        }
        assert shapes == {"F1": (4, 5, 5, 1), "F2": (12, 5, 5, 4), "W": (10, 192)}


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--ram", "1000", "-o", "small.tflite"], "error: small.tflite: expected a file .onnx or .mlir to write to"),
        (["--ram", "0", "-o", "small.mlir"], "argument --ram: expected a positive integer"),
        (["--ram", "700", "-o", "small.mlir"], "lenet.mlir: cannot be pruned to 700 bytes: at "),
        (["--ram", "1000", "--mode", "all", "-o", "small.mlir"], "unknown mode 'all' (one of ordinary, rows"),
        (["--ram", "1000", "--importance", "none.npz", "-o", "small.mlir"], "none.npz: cannot read the importance"),
    ],
)
def test_requests_that_do_not_fit(arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]):
    assert main(["prune", LENET, "--bits", "8", *arguments]) == 1
    error = capsys.readouterr().err
    assert expected in error
    assert error.count("\n") == 1


def test_a_quantised_network_counts_its_own_bits(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    quantised = Path(LENET).read_text().replace("dense<0.0> :", "dense<0> :").replace("xf32> ->", "xi8> ->", 3)
    quantised = quantised.replace("xf32>", "x!fixed.q<8, 5>>")
    (tmp_path / "quantised.mlir").write_text(quantised)
    assert main(["plan", str(tmp_path / "quantised.mlir"), "--mode", "rows", "--json", "--bottleneck"]) == 0
    assert json.loads(capsys.readouterr().out)["bytes"] == 1248


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--bottleneck", "--front"], "--bottleneck shows one plan: omit --front and --picture"),
        (["--bottleneck", "--picture", "plan.svg"], "--bottleneck shows one plan: omit --front and --picture"),
        (["--importance", "worth.npz"], "--importance ranks the channels of --bottleneck: add it"),
    ],
)
def test_options_that_do_not_belong_together(options: list[str], expected: str, capsys: pytest.CaptureFixture[str]):
    assert main(["plan", LENET, *options]) == 1
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        ("(%X: index) -> index", "expected an input of numbers, 'plain' expects index"),
        ("(%X: tensor<2x1xf32>) -> tensor<2x1xf32>", "the program has no operations"),
    ],
)
def test_programs_without_a_plan(signature: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "plain.mlir").write_text(
        f"func.func @plain{signature} {{\n  func.return %X : {signature.split()[-1]}\n}}\n"
    )
    assert main(["plan", str(tmp_path / "plain.mlir"), "--bottleneck"]) == 1
    assert expected in capsys.readouterr().err

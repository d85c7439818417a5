"""`tinyml finetune` and `tinyml.finetune`: outputs, files, results, and errors for invalid input."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from programs.paths import ROOT

import tinyml
from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate
from tinyml.runtime.training.training import Trainer
from tinyml.tools.driver.finetune import QuantisedProgram
from tinyml.tools.driver.stages import load_program
from tinyml.tools.main import main

MODEL, DATA = str(ROOT / "docs/tour/tour.sd"), str(ROOT / "docs/tour/val.npz")
ARGUMENTS = ["finetune", MODEL, "--train", DATA, "--val", DATA, "--width", "8", "--epochs", "4", "--rate", "0.05"]


def test_command_and_function_train_alike(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "tuned.mlir"
    assert main([*ARGUMENTS, "--json", "-o", str(file)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["removed"] == 0
    assert report["in floating point"]["loss"] < report["before"]["loss"]
    with np.load(DATA) as arrays:
        data = dict(arrays)
    written = load_program(file, context())
    labels = evaluate(written, encode_inputs(written, data["x"])).labels
    assert report["fine-tuned"]["accuracy"] == 100 * (labels == data["y"]).mean()
    model = tinyml.finetune(MODEL, data["x"], data["y"], data["x"], data["y"], width=8, epochs=4, rate=0.05)
    raws = [
        [op.raws.tolist() for op in module.walk() if isinstance(op, tdsl.ConstOp)] for module in (written, model.module)
    ]
    assert raws[0] == raws[1]
    with pytest.raises(TypeError, match="unexpected keyword argument 'epoch', did you mean 'epochs'"):
        tinyml.finetune(MODEL, data["x"], data["y"], data["x"], data["y"], epoch=4)  # pyright: ignore[reportCallIssue]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "tuned.onnx"], "expected an output file with the suffix .mlir"),
        (["-o", "tuned.mlir", "--train", "unlabelled.npz"], "unlabelled.npz: has no classes `y` to train with"),
        (["-o", "tuned.mlir", "--pruning", "norms", "--macs", "4"], "--pruning norms supports only a limit on RAM"),
        (["-o", "tuned.mlir", "--rate", "1e200"], "the loss is NaN: choose a smaller --rate"),
    ],
)
def test_bad_input(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.chdir(tmp_path)
    np.savez("unlabelled.npz", x=np.zeros((2, 4)))
    assert main([*ARGUMENTS, *arguments]) == 1
    assert message in capsys.readouterr().err
    assert not list(tmp_path.glob("tuned*"))


def test_nothing_is_written_where_training_makes_the_program_worse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def spoilt(program: QuantisedProgram, *_: object) -> Trainer:
        trainer = program.trainer({})
        trainer.weights.restore([np.zeros_like(each) for each in trainer.weights.variables])
        return trainer

    monkeypatch.setattr("tinyml.tools.driver.finetune._train_formats", spoilt)
    assert main([*ARGUMENTS, "-o", str(tmp_path / "tuned.mlir")]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert "training reduced the accuracy: " in line
    assert not list(tmp_path.iterdir())


def test_a_loss_beside_floating_point_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "tuned.mlir"
    assert main([*ARGUMENTS, "--width", "2", "--rate", "1e-9", "-o", str(file)]) == 0
    printed = capsys.readouterr()
    assert [line.partition(":")[0] for line in printed.out.splitlines()] == [
        *("before", "in floating point", "compiled without training", "fine-tuned"), str(file)
    ]  # fmt: skip
    assert "points of accuracy compared with floating point: a larger --width, --learn-ranges or more" in printed.err

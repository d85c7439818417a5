"""Failures of all kinds result in one line with advice, exit code 1, and no partially written files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper
from programs.paths import ROOT
from sklearn.ensemble import RandomForestClassifier

import tinyml
from tinyml.tools.main import main

TOUR = ROOT / "docs/tour"


def write_onnx(folder: Path, op: str, domain: str = "") -> None:
    """Write `model.onnx` with one node of an op."""
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4]) for name in "xy")
    graph = helper.make_graph([helper.make_node(op, ["x"], ["y"], name="layer7", domain=domain)], "g", [x], [y])
    opsets = [helper.make_opsetid("", 17), *([helper.make_opsetid(domain, 1)] if domain else [])]
    model: Any = helper.make_model(graph, opset_imports=opsets)
    (folder / "model.onnx").write_bytes(model.SerializeToString())


def large(folder: Path) -> None:
    np.save(folder / "W.npy", np.ones((4, 9000), np.float32))
    text = "let X = (9000, 1) in [0.0, 1.0] in\nlet W = (4, 9000) in [0.0, 1.0] in\nargmax(W * X)\n"
    (folder / "tour.sd").write_text(text)
    data(folder, np.eye(2, 9000))


def data(folder: Path, x: object, y: object = (0, 1)) -> None:
    np.savez(folder / "val.npz", x=np.array(x, np.float32), y=np.array(y))


PREPARED: dict[str, Callable[[Path], object]] = {
    "no onnx": lambda folder: (folder / "model.onnx").write_text("hello"),
    "wrong shape": lambda folder: data(folder, np.ones((2, 5))),
    "NaN": lambda folder: data(folder, [[0] * 4, [np.nan] * 4]),
    "labels": lambda folder: data(folder, np.ones((2, 4)), [0, 7]),
    "too large": large,
    "unknown op": lambda folder: write_onnx(folder, "Det"),
    "op of an estimator": lambda folder: write_onnx(folder, "NoSuchModel", "ai.onnx.ml"),
    "table": lambda folder: (folder / "val.csv").write_text("a,b,y\n1,2,0\n"),
    "single array": lambda folder: np.save(folder / "val.npy", np.ones((2, 4))),
    "file as a folder": lambda folder: (folder / "out").touch(),
    "folder of others": lambda folder: (folder / "out").mkdir() or (folder / "out/mine").touch(),
}
"""Preparations of the folder of the model, by the name of a case."""

MODEL = "compile tour.sd --val val.npz -o out"
ONNX = "compile model.onnx --val val.npz -o out"
USAGE = "(usage: tinyml compile model -o FOLDER [options]; tinyml compile --help-all lists them)"

CASES: dict[str, tuple[str, *tuple[str, ...]]] = {
    "no file": ("compile tuor.sd --val val.npz -o out", "tuor.sd: ", "No such file"),
    "wrong file": ("compile val.npz --val val.npz -o out", "val.npz: expected a program (.", ".onnx"),
    "no onnx": (ONNX, "model.onnx: ", "ONNX"),
    "no data": ("compile tour.sd -o out", "tour.sd: choosing number formats needs data: add --val"),
    "data that are a program": ("compile tour.sd --val tour.sd -o out", "tour.sd: ", ".npz"),
    "wrong shape": (MODEL, "val.npz: samples of `x` have 5 values, the program expects 4"),
    "NaN": (MODEL, "val.npz: `x` contains NaN or infinity in sample 1"),
    "labels": (MODEL, "val.npz: `y` contains 7 in sample 1", "are 0 to 1"),
    "too large": (MODEL, "tour.sd: does not fit uno (atmega328p): needs", "of flash", "atmega1284p has"),
    "too large for a limit": (f"{MODEL} --ram 3", "tour.sd: does not fit uno (atmega328p): needs", "--ram allows 3"),
    "misspelt option": (f"{MODEL} --widht 8", "unknown option --widht, did you mean '--width'?", USAGE),
    "option by another name": (f"{MODEL} --board uno", "unknown option --board, did you mean '--target'?", USAGE),
    # `--ram` is a limit, but `--ram-size` describes another part.
    "option that begins another option": ("bench m --ram 2K", "unknown option --ram, did you mean '--ram-size'?"),
    "long name of a class": (
        f"{MODEL} --classes a,{'b' * 1000}",
        "the label of a class has 1,000 characters, expected",
    ),
    "misspelt command": ("compiel tour.sd", "unknown command 'compiel', did you mean 'compile'?"),
    "misspelt choice": (f"{MODEL} --packed allways", "--packed: unknown value 'allways', did you mean 'always'?"),
    "option without value": (f"{MODEL} --width", "argument --width: expected one argument", USAGE),
    "missing argument": ("compile tour.sd --val val.npz", "arguments are required: -o/--out", USAGE),
    "argument too many": (f"{MODEL} more", "unrecognized arguments: more", USAGE),
    "unknown format": (f"{MODEL} --format fixd", "unknown number format 'fixd', did you mean 'fixed'?"),
    "unlike any format": (f"{MODEL} --format 7", "unknown number format '7' (one of ", "posit"),
    "unknown width": (f"{MODEL} --width 99", "widths from 2 to 32"),
    "unknown board": (f"{MODEL} --target cortexm4", "unknown target 'cortexm4', did you mean 'cortex-m4'?"),
    "core without its family": (f"{MODEL} --target M33", "unknown target 'M33', did you mean 'cortex-m33'?"),
    "part of a board": (
        f"{MODEL} --target imxrt1062",
        "unknown target 'imxrt1062': the boards with it are teensy40, teensy41",
    ),
    "part in a title": (f"{MODEL} --target nRF52833", "unknown target 'nRF52833', did you mean 'microbit'?"),
    "part of a family": (
        f"{MODEL} --target esp32-s31",
        "unknown target 'esp32-s31': the nearest boards with its instruction set are esp32-s3, ",
    ),
    "unknown part": (
        f"{MODEL} --target efr32mg24",
        "unknown target 'efr32mg24' (one of uno, ",
        "; for the part itself: --target cortex-m4 --flash-size 1M --ram-size 256K, with its sizes",
    ),
    "AVR part of no board": (
        f"{MODEL} --target atmega644",
        "'atmega644': the nearest boards with its instruction set are uno, nano; ",
        "for the part itself: --target uno --flash-size 32256 --ram-size 2K, with its sizes",
    ),
    "part of no board": (
        f"{MODEL} --target nucleo-f429zi",
        "'nucleo-f429zi': the nearest boards with its instruction set are nucleo-l4r5zi, ",
        "for the part itself: --target cortex-m4 --flash-size 1M --ram-size 256K, with its sizes",
    ),
    "table": (
        "compile tour.sd --val val.csv -o out",
        "val.csv: not a readable",
        "np.savez('data.npz', x=X, y=y) writes one",
    ),
    "single array": ("compile tour.sd --val val.npy -o out", "val.npy: ", "np.savez('data.npz', x=X, y=y) writes one"),
    "file as a folder": (MODEL, "out: already exists and is not a folder"),
    "unknown search": (f"{MODEL} --search parretto", "unknown search 'parretto', did you mean 'pareto'?"),
    "unknown plan": (f"{MODEL} --plan rowz", "--plan: unknown value 'rowz', did you mean 'rows'?"),
    "unknown schedule": ("plan tour.sd --mode pixel", "unknown mode 'pixel', did you mean 'pixels'?"),
    "unknown op": (ONNX, "model.onnx: Det 'layer7': the op is not supported: ", "onnxsim", "end the model before it"),
    "op of an estimator": (ONNX, "NoSuchModel 'layer7': the op is not supported: give the estimator itself to tinyml"),
    "folder of others": (MODEL, "out: already exists and was not written by tinyml"),
    "no folder of ours": ("run . --data val.npz", ".: expected a folder written by tinyml compile"),
}
"""A command in that folder, and what the line has to say."""


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(TOUR, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_on_the_command_line(name: str, folder: Path, capsys: pytest.CaptureFixture[str]):
    command, *said = CASES[name]
    if name in PREPARED:
        PREPARED[name](folder)
    before = contents(folder)
    assert main(command.split()) == 1
    [error] = [line for line in capsys.readouterr().err.splitlines() if line.startswith(("error", "Traceback"))]
    assert all(part in error for part in said), error
    assert len(error) < 400
    assert contents(folder) == before


X = np.zeros((2, 4))

IN_PYTHON: dict[str, tuple[Callable[[], object], str]] = {
    "no file": (lambda: tinyml.load("tuor.sd"), "tuor.sd: cannot read the program: No such file or directory"),
    "wrong file": (
        lambda: tinyml.load("val.npz"),
        "val.npz: expected a program (.cbm, .h5, .hdf5, .joblib, .json, .keras, .onnx, ",
    ),
    "no model": (lambda: tinyml.load(X), "expected the path of a model"),
    "no data": (lambda: tinyml.compile("tour.sd"), "tour.sd: choosing number formats needs data: add X_val"),
    "wrong shape": (
        lambda: tinyml.compile("tour.sd", X[:, :3]),
        "samples of X_val have 3 values, the program expects 4",
    ),
    "batches": (
        lambda: tinyml.compile("tour.sd", X[None]),
        "samples of X_val have 8 values, the program expects 4: if its first two axes are samples, X_val.reshape(-1, ",
    ),
    "flat": (lambda: tinyml.compile("tour.sd", X[0]), "X_val: expected shape (samples, elements), got (4,)"),
    "NaN": (lambda: tinyml.compile("tour.sd", X * np.nan), "X_val contains NaN or infinity in sample 0"),
    "words": (lambda: tinyml.compile("tour.sd", [["a"] * 4]), "X_val: expected numbers, got <U1"),
    "objects": (lambda: tinyml.compile("tour.sd", [[object()] * 4]), "X_val: expected numbers, got objects"),
    "too few labels": (lambda: tinyml.compile("tour.sd", X, [0]), "y_val: expected a value for each of the 2 samples"),
    "labels": (
        lambda: tinyml.compile("tour.sd", X, [0, 7]),
        "y_val contains 7 in sample 1, the classes",
    ),
    "words as labels": (
        lambda: tinyml.compile("tour.sd", X, ["a", "b"]),
        "y_val contains text such as 'a', but the model",
    ),
    "labels alone": (lambda: tinyml.compile("tour.sd", None, [0]), "y_val needs X_val"),
    "labels twice": (
        lambda: tinyml.compile("tour.sd", "val.npz", [0]),
        "X_val is a file, which contains `y`: omit y_val",
    ),
    "test data": (lambda: tinyml.compile("tour.sd", X, X_test=X[:, :1]), "samples of X_test have 1 values"),
    "unknown board": (
        lambda: tinyml.compile("tour.sd", X, board="unoo"),
        "unknown target 'unoo', did you mean 'uno'?",
    ),
    "unknown format": (
        lambda: tinyml.compile("tour.sd", X, format="posti"),
        "unknown number format 'posti', did you mean 'posit'?",
    ),
    "too large": (
        lambda: tinyml.compile("tour.sd", X, ram=3),
        "tour.sd: does not fit uno (atmega328p): needs 22 bytes of RAM, ram allows 3",
    ),
    "no folder of ours": (lambda: tinyml.open("."), ".: expected a folder written by tinyml compile"),
}


@pytest.mark.long
@pytest.mark.parametrize("name", IN_PYTHON)
def test_in_python(name: str, folder: Path):
    call, said = IN_PYTHON[name]
    before = contents(folder)
    with pytest.raises(tinyml.InputError) as raised:
        call()
    assert str(raised.value).startswith(said)
    assert "\n" not in str(raised.value)
    assert contents(folder) == before


def test_wrong_ir_has_a_place(tmp_path: Path):
    (tmp_path / "a.mlir").write_text("builtin.module {\n  %0 = tdsl.nonsense\n}\n")
    with pytest.raises(tinyml.InputError) as raised:
        tinyml.load(tmp_path / "a.mlir")
    assert str(raised.value).startswith(f"{tmp_path / 'a.mlir'}:2:3: Operation tdsl.nonsense")


def test_a_module_of_pytorch_needs_an_input():
    made = type("Net", (type("Module", (), {"__module__": "torch.nn.modules.module"}),), {})
    with pytest.raises(tinyml.InputError, match=r"^Net: a module of PyTorch needs an input of the right shape: load\("):
        tinyml.load(made())


LATE = {
    "no data": ("compile tour.sd --val no.npz -o out", "no.npz: cannot read the data: No such file or directory"),
    "no test data": (f"{MODEL} --test no.npz", "no.npz: cannot read the data: No such file or directory"),
    "data that are a program": ("compile tour.sd --val tour.sd -o out", "tour.sd: not a readable .npz file"),
    "a folder as data": ("compile tour.sd --val . -o out", ".: cannot read the data: Is a directory"),
    "costs that are not known": (f"{MODEL} --search pareto --target host", "none are known of the target 'host'"),
    "width": (f"{MODEL} --width 99", "fixed point has widths from 2 to 32, got 99"),
    "format of a search": (f"{MODEL} --search maxscale --format fixd", "unknown number format 'fixd'"),
    "format beside others": (f"{MODEL} --search pareto --formats fixd", "unknown number format 'fixd'"),
    "format of constants": (f"{MODEL} --weights fixd:3", "unknown number format 'fixd'"),
    "functions": (f"{MODEL} --functions foo", "format 'fixed' has no scheme 'foo' for functions"),
    "functions of a search": (f"{MODEL} --search maxscale --functions foo", "has no scheme 'foo' for functions"),
    "unit": (f"{MODEL} --input-unit foo", "unknown unit 'foo'"),
    "place of a journal": (f"{MODEL} --search maxscale --journal no/j", "no/j: cannot open the journal: No such file"),
    "a folder as a journal": (f"{MODEL} --search maxscale --journal .", ".: cannot open the journal: Is a directory"),
    "journal to go on from": (f"{MODEL} --search maxscale --resume", "resume needs a journal to go on from"),
    "data to run on": ("run . --data no.npz", "no.npz: cannot read the data: No such file or directory"),
    "data to train on": ("finetune tour.sd --train val.npz --val no.npz -o x.mlir", "no.npz: cannot read the data"),
    "data of a front": ("plan tour.sd --front --val no.npz", "no.npz: cannot read the data: No such file"),
}
"""A command with an error that can be seen before anything is read, and what the line says."""


@pytest.mark.parametrize("name", LATE)
def test_what_can_be_seen_at_once_is(name: str, folder: Path, capsys: pytest.CaptureFixture[str]):
    """Errors that do not depend on the model, such as a missing file or a target without costs, are reported in one
    line before any output is written.
    """
    command, said = LATE[name]
    assert main(command.split()) == 1
    [error] = capsys.readouterr().err.splitlines()
    assert said in error
    assert not (folder / "out").exists()


@pytest.mark.long
def test_names_are_utf_8_whatever_the_locale(folder: Path):
    """Commands accept UTF-8 names of files and classes in a locale without UTF-8, in which Python represents the bytes
    of arguments as lone surrogates.
    """
    # Letters of two, three and four bytes.
    name = "é-日本-😀"
    (folder / "tour.sd").rename(folder / f"{name}.sd")
    command = [sys.executable, "-m", "tinyml.tools.main", *MODEL.split(), "--target", "host", "--classes", f"{name},b"]
    command[command.index("tour.sd")] = f"./{name}.sd"
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run([*map(os.fsencode, command)], env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(f"{name}.sd: reading".encode())
    assert json.loads((folder / "out/report.json").read_text("utf-8"))["classes"] == [name, "b"]


def test_a_forest_for_hardware_says_so():
    x, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    forest: Any = RandomForestClassifier(3, max_depth=2)
    with pytest.raises(tinyml.InputError, match="a forest of trees has no hardware module: compile it for"):
        tinyml.compile(forest.fit(x, y), x, y, board="ecp5-25k", width=8)


def test_the_spread_of_constants_does_not_overflow():
    from tinyml.dialects.context import context
    from tinyml.tools.cli.parse_mlir import parse_mlir
    from tinyml.tools.reports.warnings import spread_of

    text = """func.func @f(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
      %0 = tdsl.const dense<[[3.0e38, 1.0e-30]]> : tensor<1x2xf32> -> tensor<1x2xf32>
      %1 = tdsl.const dense<[[3.0e38, 1.0e-44]]> : tensor<1x2xf32> -> tensor<1x2xf32>
      %2 = tdsl.add %0, %1 : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<1x2xf32>
      func.return %2 : tensor<1x2xf32>
    }"""
    assert spread_of(parse_mlir(context(), text.encode(), "f.mlir")) == pytest.approx(2)

"""Outputs never replace inputs or files of another type, unless forced."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from programs.paths import ROOT

from tinyml.tools.main import main as tinyml
from tinyml.tools.tinyml_opt import main as tinyml_opt

BUFFERS = "id,lower,upper,size\na,0,3,4\nb,1,2,3\n"
COMMANDS = {"tinyml": tinyml, "tinyml-opt": tinyml_opt}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model, its output folder `o`, and other files."""
    folder = shutil.copytree(ROOT / "docs/tour", tmp_path_factory.mktemp("built") / "work")
    arguments = ["--val", str(folder / "val.npz"), "--target", "host"]
    assert tinyml(["compile", str(folder / "tour.sd"), *arguments, "-o", str(folder / "o")]) == 0
    shutil.copy(ROOT / "examples/pruned-lenet/lenet.onnx", folder / "net.onnx")
    (folder / "a.csv").write_text(BUFFERS)
    (folder.parent / "elsewhere.csv").write_text(BUFFERS)
    (folder / "out.csv").symlink_to("../elsewhere.csv")
    (folder / "soft.npz").symlink_to("val.npz")
    (folder / "hard.npz").hardlink_to(folder / "val.npz")
    return folder


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.parent.rglob("*") if path.is_file()}


@pytest.mark.long
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("tinyml run o --data val.npz --save val.npz", "val.npz: is an input of this command"),
        ("tinyml run o --data val.npz --save hard.npz", "hard.npz: is an input of this command, val.npz"),
        ("tinyml run o --data val.npz --save soft.npz", "soft.npz: is an input of this command, val.npz"),
        ("tinyml run o --data soft.npz --save val.npz", "val.npz: is an input of this command, soft.npz"),
        ("tinyml run o --data val.npz --save o/tour.c", "o/tour.c: is an input of this command"),
        ("tinyml prune net.onnx --ram 100 -o net.onnx", "net.onnx: is an input of this command"),
        ("tinyml pack a.csv -o a.csv", "a.csv: is an input of this command"),
        ("tinyml pack a.csv -o tour.sd", "tour.sd: already exists; the output is .csv"),
        ("tinyml pack a.csv -o out.csv", "out.csv: is a link to a file outside its folder"),
        ("tinyml pack a.csv -o p.svg --picture p.svg", "p.svg: two outputs have this path"),
        ("tinyml-opt tour.sd -o tour.sd", "tour.sd: is an input of this command"),
        ("tinyml-opt tour.sd -o=", "error: .: Is a directory"),
        ("tinyml compile tour.sd --val val.npz -o a.csv", "a.csv: already exists and is not a folder"),
        ("tinyml compile tour.sd --val val.npz -o val.npz", "val.npz: is an input of this command"),
        ("tinyml new pass mine a.csv", "a.csv: already exists and is not a folder"),
        ("tinyml new pass mine /", "error: /: is a mount point"),
        ("tinyml new format mine .", "error: .: the folder is not empty"),
        ("tinyml new target mine ..", "error: ..: the folder is not empty"),
        ("tinyml-opt tour.sd -o W.npy", "W.npy: already exists; the output is .mlir"),
        ("tinyml-opt o/ir/0-reals.mlir -o o/ir/0-reals.mlir", "0-reals.mlir: is an input of this command"),
    ],
)
def test_what_must_not_be_replaced_stays(
    built: Path, command: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(built)
    before = contents(built)
    name, *arguments = command.split()
    assert COMMANDS[name](arguments) == 1
    error = capsys.readouterr().err.splitlines()[-1]
    assert said in error
    assert contents(built) == before


def test_a_parameter_that_is_read_later_is_an_input(built: Path, monkeypatch: pytest.MonkeyPatch):
    """An output that is a link to a parameter of the program is rejected, although the program, which names the
    parameter, has not been parsed when the output is opened.
    """
    monkeypatch.chdir(built)
    (built / "same.mlir").hardlink_to("W.npy")
    before = contents(built)
    assert tinyml_opt(["tour.sd", "-o", "same.mlir"]) == 1
    assert contents(built) == before


def test_force_replaces_and_results_are_replaced_without_it(built: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(built)
    assert tinyml(["pack", "a.csv", "-o", "out.csv", "--force"]) == 0
    assert (built.parent / "elsewhere.csv").read_text().startswith("id,lower,upper,size,offset\n")
    assert (built / "out.csv").is_symlink()
    for _ in range(2):
        assert tinyml(["pack", "a.csv", "-o", "result.csv"]) == 0
    assert tinyml(["pack", "a.csv", "-o", "a.csv", "--force"]) == 0
    assert "offset" in (built / "a.csv").read_text()

"""Output folders are replaced only if they contain no files of the user."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from programs.paths import ROOT

from tinyml.dialects.errors import InputError
from tinyml.tools.driver.output_folder import REPORT, removable_files, seal_folder
from tinyml.tools.main import main


@pytest.fixture
def output(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    (folder / "ir").mkdir(parents=True)
    (folder / "ir/0.mlir").write_text("ir")
    (folder / "a.c").write_text("c")
    seal_folder(folder, {"target": "host"})
    return folder


def test_own_files_are_removable_the_report_last(output: Path):
    assert removable_files([])(output) == ["a.c", "ir/0.mlir", REPORT]


def test_a_removal_that_was_cut_short_can_go_on(output: Path):
    (output / "ir/0.mlir").unlink()
    (output / "ir").rmdir()
    assert removable_files([])(output) == ["a.c", REPORT]


def edit_report(folder: Path) -> None:
    report = json.loads((folder / REPORT).read_text())
    (folder / REPORT).write_text(json.dumps({**report, "target": "toaster"}))


def damage(folder: Path, how: str) -> None:
    match how:
        case "no report":
            (folder / REPORT).unlink()
        case "any report":
            (folder / REPORT).write_text("{}")
        case "nested report":
            (folder / REPORT).write_text("[" * 10**5)
        case "file":
            (folder / "ir/notes").touch()
        case "empty folder":
            (folder / "mine").mkdir()
        case "link":
            (folder / "ir/elsewhere").symlink_to("/")
        case "changed":
            (folder / "a.c").write_text("mended")
        case "moved, with a link":
            shutil.move(folder / "a.c", folder.parent)
            (folder / "a.c").symlink_to("../a.c")
        case "pipe":
            (folder / "a.c").unlink()
            os.mkfifo(folder / "a.c")
        case _:
            assert how == "changed report"
            report = json.loads((folder / REPORT).read_text())
            (folder / REPORT).write_text(json.dumps({**report, "target": "toaster"}))


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("no report", "was not written by tinyml"),
        ("any report", "was not written by tinyml"),
        ("nested report", "was not written by tinyml"),
        ("file", "contains ir/notes, not written by tinyml"),
        ("empty folder", "contains mine, not written by tinyml"),
        ("link", "contains ir/elsewhere, not written by tinyml"),
        ("changed", "contains a.c, which was changed"),
        ("moved, with a link", "contains a.c, which was changed"),
        ("pipe", "contains a.c, which was changed"),
        ("changed report", "contains report.json, which was changed"),
    ],
)
def test_what_is_in_the_way_is_named(output: Path, how: str, said: str):
    damage(output, how)
    with pytest.raises(InputError, match=said):
        removable_files([])(output)


def test_an_input_is_not_removed(output: Path, tmp_path: Path):
    link = tmp_path / "model.mlir"
    link.symlink_to(output / "ir/0.mlir")
    with pytest.raises(InputError, match=r"contains the input .*model.mlir"):
        removable_files([link])(output)


def test_any_report_does_not_make_an_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A folder that contains a model and an empty report is no output folder. The compilation reports an error and
    removes nothing.
    """
    out = Path(shutil.copytree(ROOT / "docs/tour", tmp_path / "out"))
    (out / REPORT).write_text("{}")
    before = sorted(out.iterdir())
    for model, said in ((out, "contains the input"), (ROOT / "docs/tour", "was not written by tinyml")):
        command = ["compile", str(model / "tour.sd"), "--val", str(model / "val.npz"), "-o", str(out)]
        assert main(command) == 1
        assert said in capsys.readouterr().err
    assert sorted(out.iterdir()) == before

"""The table of frontends, which packages can extend."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from programs.paths import ROOT
from programs.plugins import installed
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends import importers as table
from tinyml.tools.driver.stages import find_model, load_program
from tinyml.tools.tinyml_opt import main


def read_nothing(content: bytes, file: str) -> ModuleOp:
    """An importer that returns an empty module for an empty file, and raises `InputError` for any other."""
    if content:
        raise InputError("is not empty", file=file)
    return ModuleOp([])


@pytest.fixture
def plugin() -> Iterator[None]:
    with installed(EntryPoint("nothing", f"{__name__}:read_nothing", table.GROUP)):
        yield


def test_every_row_of_the_table_loads() -> None:
    assert {*table.FRONTENDS.built_in} <= {*table.FRONTENDS.names()}
    for suffix in table.FRONTENDS.built_in:
        assert callable(table.FRONTENDS.get(suffix))


@pytest.mark.usefixtures("plugin")
def test_a_package_adds_a_frontend(tmp_path: Path) -> None:
    program = tmp_path / "model.nothing"
    program.write_bytes(b"")
    assert isinstance(load_program(program, context()), ModuleOp)
    assert find_model(tmp_path)[0] == program
    (tmp_path / "model.onnx").touch()
    assert find_model(tmp_path)[0].name == "model.onnx", "plug-ins come last"
    (tmp_path / "seedot").mkdir()
    (tmp_path / "seedot" / "input.sd").touch()
    assert find_model(tmp_path)[0].name == "input.sd", "a folder's program is the first in the order of the table"
    program.write_bytes(b"\xff")
    with pytest.raises(InputError, match="is not empty"):
        load_program(program, context())


def test_unknown_suffixes_and_binary_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.text").write_text("")
    (tmp_path / "model.sd").write_bytes(b"\xff")
    known = (
        "expected a program (.cbm, .h5, .hdf5, .joblib, .json, .keras, .onnx, .pkl, .sd, .tflite, .txt, .ubj, .mlir)"
    )
    with pytest.raises(InputError, match=re.escape(known)):
        load_program(tmp_path / "model.text", context())
    with pytest.raises(InputError, match="cannot read the program: not a text file"):
        load_program(tmp_path / "model.sd", context())
    with pytest.raises(InputError, match="holds no program"):
        find_model(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("net.pt", r"\.mlir\): in Python, tinyml.compile\(module, X_val, board=...\) accepts the module"),
        ("saved_model.pb", "TFLiteConverter.from_saved_model"),
        ("weights.npz", "arrays have no network"),
        ("boosted.model", r"save_model\('model.json'\) of XGBoost writes a file that is read"),
    ],
)
def test_files_of_other_tools_name_what_helps(file: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        load_program(tmp_path / file, context())


@pytest.mark.parametrize("suffix", ["onnx", "tflite", "h5", "mlir", "joblib"])
def test_pointers_of_git_lfs_are_called_so(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"net.{suffix}"
    file.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")
    with pytest.raises(
        InputError, match=r"net\..*: the program is a pointer of Git LFS: fetch the file with 'git lfs pull'"
    ):
        load_program(file, context())


def test_tinyml_opt_reads_what_frontends_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(ROOT / "docs/tour/tour.sd")]) == 0
    assert "func.func @tour" in capsys.readouterr().out

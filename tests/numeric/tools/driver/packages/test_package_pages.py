"""The commands of the pages of docs/packages (esp-idf.md, micropython.md, rust.md, zephyr.md) write the folders that
these pages name.
"""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from programs.paths import ROOT

from tinyml.tools.main import main

FOLDERS = {
    "esp-idf": ("idf/digits/idf_component.yml", "idf/digits/test_apps"),
    "micropython": ("micropython/digits/Makefile", "micropython/selftest.py"),
    "rust": ("rust/Cargo.toml",),
    "zephyr": ("zephyr/digits/zephyr/module.yml", "zephyr/digits/sample"),
}


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("page", FOLDERS)
def test_the_command_of_a_page_writes_its_folder(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs/packages" / f"{page}.md").read_text("utf-8")
    [command] = re.findall(r"^tinyml (compile .*)$", text, re.MULTILINE)
    shutil.copy(ROOT / "examples/pruned-lenet/lenet.onnx", tmp_path / "digits.onnx")
    shutil.copy(ROOT / "examples/pruned-lenet/digits.npz", tmp_path / "digits.npz")
    monkeypatch.chdir(tmp_path)
    assert main([*shlex.split(command), "--format", "fixed", "--width", "8"]) == 0
    assert [name for name in FOLDERS[page] if not (tmp_path / "out" / name).exists()] == []

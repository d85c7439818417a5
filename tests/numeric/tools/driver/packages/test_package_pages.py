"""The commands of the pages of docs/packages (esp-idf.md, esphome.md, micropython.md, rust.md, zephyr.md) write the
folders that these pages name.
"""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from programs.paths import ROOT
from programs.sounds import WAKE_WORDS

from tinyml.tools.main import main

FOLDERS = {
    "esp-idf": ("idf/digits/idf_component.yml", "idf/digits/test_apps"),
    "esphome": ("esphome/hey_jarvis.yaml", "esphome/digits.yaml", "esphome/components/tinyml_digits/__init__.py"),
    "micropython": ("micropython/digits/Makefile", "micropython/selftest.py"),
    "rust": ("rust/Cargo.toml",),
    "zephyr": ("zephyr/digits/zephyr/module.yml", "zephyr/digits/sample"),
}


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("page", FOLDERS)
def test_the_command_of_a_page_writes_its_folder(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs/packages" / f"{page}.md").read_text("utf-8")
    for name in ("lenet.onnx", "digits.npz"):
        shutil.copy(ROOT / "examples/pruned-lenet" / name, tmp_path / name.replace("lenet", "digits"))
    for suffix in (".json", ".tflite"):
        shutil.copy(WAKE_WORDS / f"hey_jarvis{suffix}", tmp_path)
    monkeypatch.chdir(tmp_path)
    found = set[str]()
    for command in re.findall(r"^tinyml (compile .*)$", text, re.MULTILINE):
        plain = ("--format", "fixed", "--width", "8") if "digits" in command else ()
        assert main([*shlex.split(command), *plain]) == 0
        found |= {name for name in FOLDERS[page] if (tmp_path / "out" / name).exists()}
    assert found == {*FOLDERS[page]}

"""`tinyml doctor`: installed and missing tools and how to install them, the version, and packages."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from importlib import invalidate_caches
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
from programs.paths import ROOT

import tinyml
from tinyml.targets.package import Package
from tinyml.targets.registry import chips, targets
from tinyml.tools.commands.actions.doctor import PACKAGE_OF
from tinyml.tools.main import main
from tinyml.tools.tinyml_opt import main as optimise


def examined(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["doctor", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_everything_is_there(capsys: pytest.CaptureFixture[str]):
    found = examined(capsys)
    assert [board["board"] for board in found["boards"]] == [*targets()]
    here = [board for board in found["boards"] if not board["not_run"]]
    assert all(board["runs"] and board["measures"] and not board["missing"] for board in here)
    state = {extra["extra"]: extra["missing"] for extra in found["extras"]}
    models = {"onnx", "tflite", "keras", "sklearn", "torch"}
    tools = {"devices", "plots", "prove", "fpga", "circt", "cluster"}
    assert state.keys() == models | tools
    assert state["onnx"] == state["tflite"] == state["devices"] == []


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def installed(package: Package) -> bool:
        return "avr" not in package.name

    monkeypatch.setattr(Package, "is_installed", installed)
    monkeypatch.setattr("tinyml.tools.commands.actions.doctor.find_spec", dict[str, Any]().get)
    boards = {board["board"]: board for board in examined(capsys)["boards"]}
    assert boards["uno"]["missing"] == ["sudo apt-get install gcc-avr avr-libc libsimavr-dev"]
    assert boards["cortex-m4"]["missing"] == ["pip install 'tinyml-xdsl[devices]'"]
    assert boards["host"]["runs"]
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("sudo apt-get install gcc-avr") == 1
    assert re.search("uno, atmega328p +│ atmega328p +│ yes +│ NO +│ - ", shown)


def test_boards_that_are_only_written_for_say_why(capsys: pytest.CaptureFixture[str]):
    boards = {board["board"]: board for board in examined(capsys)["boards"]}
    assert [name for name, board in boards.items() if board["not_run"]] == ["esp32", "esp32-s2", "esp32-s3"]
    assert not boards["esp32"]["runs"]
    assert (boards["esp32"]["measures"], boards["esp32"]["time_source"]) == (None, None)
    assert main(["doctor"]) == 0
    line = "esp32, esp32-s2, esp32-s3 are not run here: Debian has no compiler for its core; the C is that of esp8266"
    assert line in capsys.readouterr().out


def test_every_module_of_a_chip_is_in_an_extra(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """For each chip whose runner needs Python modules, the suggested command installs an extra of tinyml, and not a
    module by its name, which may differ from that of its distribution.
    """
    monkeypatch.setattr("tinyml.tools.commands.actions.doctor.find_spec", dict[str, Any]().get)
    missing = {board["board"]: board["missing"] for board in examined(capsys)["boards"]}
    for chip in chips():
        for board in chip.boards:
            commands = [command for command in missing[board.name] if command.startswith("pip")]
            assert len(commands) == bool(chip.modules)
            assert all(command.startswith("pip install 'tinyml-xdsl[") for command in commands)


@pytest.mark.parametrize(
    ("modules", "command"),
    [
        (("elftools", "unicorn"), "pip install 'tinyml-xdsl[devices]'"),
        (("elftools", "z3"), "pip install pyelftools z3-solver"),
        (("sklearn", "other"), "pip install scikit-learn other"),
    ],
)
def test_packages_are_installed_by_their_names(
    modules: tuple[str, ...], command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """The suggested command installs packages, whose names may differ from those of the missing modules, if no extra of
    tinyml contains all of them.
    """
    chip = replace(chips()[0], modules=modules)
    monkeypatch.setattr("tinyml.tools.commands.actions.doctor.chips", lambda: [chip])
    monkeypatch.setattr("tinyml.tools.commands.actions.doctor.find_spec", dict[str, Any]().get)
    assert all(command in board["missing"] for board in examined(capsys)["boards"])


def test_installed_packages_contain_their_modules():
    found = packages_distributions()
    assert all(package in found.get(module, [package]) for module, package in PACKAGE_OF.items())


def test_the_version(capsys: pytest.CaptureFixture[str]):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"tinyml-xdsl {tinyml.__version__}\n"


def test_the_package_of_others_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    metadata = tmp_path / "tinyml-0.4.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: tinyml\nVersion: 0.4\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    invalidate_caches()
    said = (
        "'tinyml' 0.4 and tinyml-xdsl are both installed and share the package tinyml: pip uninstall -y tinyml; "
        "pip install 'tinyml-xdsl' --force-reinstall --no-deps"
    )
    assert main(["plan", str(ROOT / "docs/schedules/lenet.mlir")]) == 0
    assert capsys.readouterr().err.splitlines()[0] == f"warning: {said}"
    assert examined(capsys)["namesake"] == said
    assert optimise([str(ROOT / "docs/schedules/lenet.mlir")]) == 0
    assert capsys.readouterr().err.splitlines() == [f"warning: {said}"]


@pytest.mark.parametrize("file", ["tinyml.py", "tinyml/__init__.py", "tinyml/model.h"])
def test_what_hides_the_package_is_reported(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """If a module, a package or a folder in front of an editable installation hides tinyml, it is reported."""
    assert examined(capsys)["namesake"] is None
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).touch()
    monkeypatch.setattr(sys, "path", [str(tmp_path), *(each for each in sys.path if each)])
    invalidate_caches()
    said = (
        f"{tmp_path / file.partition('/')[0]} is found on sys.path as the package tinyml, in place of that of "
        "tinyml-xdsl: rename it, or take its folder off PYTHONPATH"
    )
    assert main(["doctor"]) == 0
    assert capsys.readouterr().err.splitlines() == [f"warning: {said}"]
    assert examined(capsys)["namesake"] == said

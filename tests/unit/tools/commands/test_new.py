"""Packages that `tinyml new KIND` writes work unchanged after installation in a separate environment."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs.environments import GROUPED, NEW, SUMS, PackagesOfOthers
from programs.paths import ROOT

from tinyml.tools.commands.new import KINDS
from tinyml.tools.main import main


def test_a_command_is_there_for_each_kind():
    assert NEW.keys() == {*KINDS}


@pytest.mark.long(seconds=10)
def test_their_own_tests_pass(packages: PackagesOfOthers):
    """The generated tests pass, and ruff accepts the generated packages. The tests of a format with a table run in the
    test of docs/adding-a-format.md instead.
    """
    options = ["-q", "-W", "error", "-p", "no:cacheprovider", "--import-mode=importlib"]
    tests = [f"{name}/test_{name}.py" for kind, name in NEW.items() if kind != "format"]
    tests += [f"{name}/test_{name}.py" for name in (SUMS, GROUPED)]
    said = packages.run("pytest", *options, *tests, cwd=packages.folder)
    assert " passed" in said
    assert "skipped" not in said
    written = (SUMS, GROUPED, *NEW.values())
    for check in (["check"], ["format", "--check", "--line-length", "120"]):
        packages.run("ruff", *check, "--config", f"src = {[*written]}", *written, cwd=packages.folder)


@pytest.mark.long
def test_the_suite_of_runners_passes_on_the_chip(packages: PackagesOfOthers):
    """The suite of runners passes on the generated chip. `test_strangers.py` runs the suite of formats."""
    suite = ROOT / "tests/numeric/runtime/devices/test_runners.py"
    assert " passed" in packages.run("pytest", "-q", "-p", "no:cacheprovider", suite, "-k", "own-chip")


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("format", "fixed", "a dialect 'fixed' already exists"),
        ("format", "json", "a Python module 'json' already exists"),
        ("format", "My-Format", "the name of a format is a Python identifier in lower case, got 'My-Format'"),
        ("format", "lambda", "the name of a format is a Python identifier in lower case, got 'lambda'"),
        ("op", "My-Op", "the name of an op is a Python identifier in lower case, got 'My-Op'"),
        ("target", "avr", "a chip or target 'avr' already exists"),
        ("target", "cortex_m4", "a chip or target 'cortex_m4' already exists"),
        ("frontend", "onnx", "a frontend 'onnx' already exists"),
        ("frontend", "mlir", "a frontend 'mlir' already exists"),
        ("frontend", "a_b", "the name of a frontend is the suffix of a file, letters and digits, got 'a_b'"),
        ("pass", "pack_scratch", "a pass 'pack_scratch' already exists"),
    ],
)
def test_names_that_nothing_new_can_have(
    kind: str, name: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["new", kind, name, str(tmp_path / "package")]) == 1
    assert capsys.readouterr().err == f"error: {message}\n"
    assert not (tmp_path / "package").exists()


def test_options_of_formats_are_refused_for_other_kinds(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["new", "pass", "mine", str(tmp_path / "mine"), "--sums"]) == 1
    assert capsys.readouterr().err == "error: --sums and --grouped write formats, and not a pass\n"


@pytest.mark.parametrize(
    ("former", "now"),
    [
        ("new-format", "the commands new-KIND are 'tinyml new KIND' now"),
        ("bottleneck", "it is 'tinyml plan MODEL --bottleneck' now"),
        ("explain", "it is 'tinyml open OUT --text' now"),
        ("levels", "it is 'tinyml open OUT --levels' now"),
    ],
)
def test_the_former_commands_name_the_new_one(former: str, now: str, capsys: pytest.CaptureFixture[str]):
    assert main([former, "mine", "mine"]) == 1
    assert capsys.readouterr().err == f"error: unknown command '{former}': {now}\n"


def test_a_format_is_of_one_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["new", "format", "mine", str(tmp_path / "mine"), "--sums", "--grouped"]) == 1
    assert capsys.readouterr().err == "error: --sums and --grouped write different formats: choose one of them\n"


@pytest.mark.parametrize("kind", NEW)
def test_a_folder_with_something_in_it_is_left_alone(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "mine").write_text("")
    assert main(["new", kind, NEW[kind], str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"error: {tmp_path}: the folder is not empty\n"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]

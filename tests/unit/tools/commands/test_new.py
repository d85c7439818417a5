"""Packages that `tinyml new KIND` writes work unchanged after installation in a separate environment."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from programs.environments import GROUPED, NEW, SUMS, PackagesOfOthers
from programs.paths import ROOT
from programs.spread import spread

from tinyml.tools.commands.new import KINDS
from tinyml.tools.main import main


def test_a_command_is_there_for_each_kind():
    assert NEW.keys() == {*KINDS}


ALL = (*NEW.values(), SUMS, GROUPED)

BROKEN = [
    # The exact bound of the sums; then only numbers in the tables of the C.
    ("halves", "halves.py", "1 << np.arange", "3 << np.arange", "SUMS"),
    (
        "halves",
        "halves.py",
        "1 << np.arange((1 << (self.bits - 1)) - 1)",
        "np.array([1, 3, *(1 << np.arange(2, (1 << self.bits - 1) - 1))])",
        "AVR",
    ),
    (SUMS, f"{SUMS}.py", "_scale(lhs) + _scale(rhs))", "_scale(lhs) + _scale(rhs) + 1)", "SUMS"),
    (
        SUMS,
        f"{SUMS}.py",
        "self.scale.data - accumulator.scale.data",
        "1 + self.scale.data - accumulator.scale.data",
        "C",
    ),
    (GROUPED, f"{GROUPED}.py", "80, 120", "80, 121", "SUMS"),
    ("own_chip", "own_chip/chip.py", "constant_alignment=4", "constant_alignment=8", "C"),
    ("linear", "linear.py", "table[:, :-1]", "-table[:, :-1]", "REALS"),
    ("half_gates", "half_gates.py", "tdsl.SigmoidOp", "tdsl.TanhOp", "REALS"),
    ("half_gates", "half_gates.py", "(0, length // 2))", "(length // 2, 0))", "AVR"),
    ("drop_relus", "drop_relus.py", "op.input.owner, tdsl.ReluOp", "op.input.owner, tdsl.TanhOp", "CHECK"),
    ("one_by_one", "one_by_one.py", "loss <= most", "loss < most", "FOUND"),
    ("inner_patches", "inner_patches.py", "first, last, 2)", "first, last, 4)", "TILES"),
    ("longest_first", "longest_first.py", "shape.first - shape.last", "shape.last - shape.first", "PACKED"),
    ("count_ops", "count_ops.py", "count >= request.least", "count > request.least", "CHECK"),
]
"""Defects of packages: package, file, text, the text in its place, and the check that must find the defect."""


def test_a_defect_is_there_for_each_package():
    assert {package for package, *_ in BROKEN} == {*ALL}


@pytest.mark.long(seconds=8)
@pytest.mark.parametrize(("package", "file", "text", "broken", "check"), spread(BROKEN, 2))
def test_the_filecheck_test_finds_a_defect(
    package: str, file: str, text: str, broken: str, check: str, packages: PackagesOfOthers, tmp_path: Path
):
    """The FileCheck test of a package, which passes as written, fails at the check of what a defect changes."""
    folder = shutil.copytree(packages.folder / package, tmp_path / package)
    source = (folder / file).read_text()
    assert source.count(text) == 1
    (folder / file).write_text(source.replace(text, broken))
    lit = [packages.python, "-c", "from lit.main import main; main()", "-v", folder]
    run = subprocess.run(
        lit, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(folder)}
    )
    assert run.returncode == 1, run.stdout + run.stderr
    *_, last = re.findall("# executed command: filecheck .*", run.stdout)
    [prefixes] = re.findall("--check-prefix(?:es)?=(.*)", last) or ["CHECK"]
    assert check in prefixes.split(",")


@pytest.mark.long(seconds=60)
def test_their_own_tests_pass(packages: PackagesOfOthers):
    """The generated tests pass, among them the FileCheck tests, and ruff accepts the generated packages. The other
    tests of a format with a table run in the test of docs/adding-a-format.md instead.
    """
    options = ["-q", "-W", "error", "-p", "no:cacheprovider", "--import-mode=importlib"]
    tests = [f"{name}/test_{name}.py" for name in ALL if name != NEW["format"]]
    tests += [f"{name}/test_filecheck.py" for name in ALL]
    said = packages.run("pytest", *options, *tests, cwd=packages.folder)
    assert " passed" in said
    assert "skipped" not in said
    for check in (["check"], ["format", "--check", "--line-length", "120"]):
        packages.run("ruff", *check, "--config", f"src = {[*ALL]}", *ALL, cwd=packages.folder)


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

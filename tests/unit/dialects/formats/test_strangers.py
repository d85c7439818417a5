"""Formats that come from elsewhere: installed into an environment of its own, a package needs no edit here."""

from __future__ import annotations

import json
import os
import shutil
import site
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

import pytest
from programs.paths import ROOT

from tinyml.tools.main import main

LNS = ROOT / "tests" / "plugins" / "lns"
PROTONN = ROOT / "examples" / "protonn-gesturepod"
BONSAI = ROOT / "tests" / "models" / "bonsai-mnist16"
FORMAT_LINES = 60
SEARCHED = "uno"
"""The board that searches choose formats for; its programs are run, too."""


class Environment:
    """A virtual environment that finds what this one has, and packages of its own."""

    def __init__(self, folder: Path):
        venv.create(folder / "venv")
        self.folder = folder
        self.python = folder / "venv" / "bin" / "python"
        [packages] = (folder / "venv" / "lib").glob("python*/site-packages")
        lines = [f"import site; site.addsitedir({path!r})" for path in site.getsitepackages()]
        (packages / "surroundings.pth").write_text("\n".join(lines) + "\n")

    def run(self, *arguments: str | Path, cwd: Path = ROOT) -> str:
        command = [str(self.python), "-m", *map(str, arguments)]
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def install(self, package: Path) -> None:
        """Build a wheel of a copy of the package, and install it."""
        copy, wheels = self.folder / package.name, self.folder / "wheels"
        if copy != package:
            shutil.copytree(package, copy)
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
        quiet = ["--no-deps", "--no-build-isolation", "-w", str(wheels), str(copy)]
        subprocess.run([*pip, "wheel", *quiet], check=True, capture_output=True)
        [wheel] = wheels.glob("*.whl")
        into = ["--python", str(self.python), "install", "--no-deps", str(wheel)]
        subprocess.run([*pip, *into], check=True, capture_output=True)


@pytest.fixture(scope="module")
def with_lns(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    environment = Environment(tmp_path_factory.mktemp("lns"))
    environment.install(LNS)
    return environment


def shared_suite(environment: Environment, name: str) -> str:
    """Run the tests of all registered formats on those of one name."""
    files = sorted((ROOT / "tests/numeric/dialects/formats").glob("test_format*.py"))
    assert files
    return environment.run("pytest", "-q", "-p", "no:cacheprovider", *files, "-k", name)


def compile_and_run(
    environment: Environment, out: Path, options: Sequence[str], target: str, model: Path = PROTONN
) -> None:
    [program], data = map(str, model.glob("*.sd")), str(model / "val.npz")
    compile_ = ["compile", program, "--val", data, "--target", target, "-o", str(out), *options]
    run = ["run", str(out), "--data", data, "--device", target, "--limit", "5"]
    (out.parent / "commands.py").write_text(
        f"from tinyml.tools.main import main\nassert main({compile_}) == main({run}) == 0\n"
    )
    said = environment.run("commands", cwd=out.parent)
    assert "all raw outputs equal the evaluator's" in said


def test_a_logarithmic_format_passes_the_suite_of_all_formats(with_lns: Environment):
    assert " passed" in shared_suite(with_lns, "lns")


def test_a_logarithmic_format_runs_on_another_device(with_lns: Environment, tmp_path: Path):
    compile_and_run(with_lns, tmp_path / "out", ["--format", "lns"], "cortex-m4")


def test_the_searches_choose_among_its_widths(with_lns: Environment, tmp_path: Path):
    options = ["--format", "lns", "--search", "promote", "--widths", "4,6,8"]
    compile_and_run(with_lns, tmp_path / "out", options, SEARCHED)


def test_a_search_chooses_it_for_a_tensor_among_fixed_ones(with_lns: Environment, tmp_path: Path):
    options = ["--search", "promote", "--widths", "8", "--formats", "lns"]
    compile_and_run(with_lns, tmp_path / "out", options, "uno", BONSAI)
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    families = {one["format"].partition(".")[0] for one in report["search"]["tensors"]}
    assert families == {"!fixed", "!lns"}


def test_a_logarithmic_format_is_short():
    text = (LNS / "lns.py").read_text()
    code = [line for line in text.splitlines() if line.strip()]
    assert len(code) <= FORMAT_LINES


def test_a_new_format_is_the_same_under_any_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert not main(["new-format", "halves", str(tmp_path / "package")])
    assert f"Wrote {tmp_path / 'package' / 'halves.py'}" in capsys.readouterr().out
    for check in (["check"], ["format", "--check", "--line-length", "120"]):
        subprocess.run([sys.executable, "-m", "ruff", *check, "."], cwd=tmp_path / "package", check=True)
    # Under the name that it has in docs/adding-a-format.md, where it is installed, tested and compiled with.
    assert not main(["new-format", "pow2", str(tmp_path / "pow2")])
    for written in (tmp_path / "pow2").iterdir():
        renamed = tmp_path / "package" / written.name.replace("pow2", "halves")
        assert renamed.read_text() == written.read_text().replace("pow2", "halves").replace("Pow2", "Halves")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("fixed", "there is a dialect 'fixed' already"),
        ("json", "there is a Python module 'json' already"),
        ("My-Format", "a format's name is a Python identifier in lower case, got 'My-Format'"),
        ("lambda", "a format's name is a Python identifier in lower case, got 'lambda'"),
    ],
)
def test_names_that_no_new_format_can_have(name: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["new-format", name, str(tmp_path / "package")]) == 1
    assert capsys.readouterr().err == f"error: {message}\n"
    assert not (tmp_path / "package").exists()


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "mine").write_text("")
    assert main(["new-format", "halves", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"error: {tmp_path}: the folder is not empty\n"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]

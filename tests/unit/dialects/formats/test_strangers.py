"""Formats that come from elsewhere: installed into an environment of its own, a package needs no edit here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from programs.environments import Environment
from programs.paths import ROOT

LNS = ROOT / "tests" / "plugins" / "lns"
PROTONN = ROOT / "examples" / "protonn-gesturepod"
BONSAI = ROOT / "tests" / "models" / "bonsai-mnist16"
FORMAT_LINES = 60
SEARCHED = "uno"
"""The board that searches choose formats for; its programs are run, too."""


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
    [program], data = model.glob("*.sd"), model / "val.npz"
    environment.run("tinyml.tools.main", "compile", program, "--val", data, "--target", target, "-o", out, *options)
    said = environment.run("tinyml.tools.main", "run", out, "--data", data, "--device", target, "--limit", "5")
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

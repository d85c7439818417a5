"""Formats of other packages: a package installed into a separate environment works without changes to tinyml."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from programs.compiled import some_samples
from programs.environments import GAUSSIAN, LNS, SUMS, PackagesOfOthers
from programs.paths import MODELS, ROOT
from programs.spread import spread

SAMPLES = 25
"""Validation samples: numpy takes long for the formats of others."""

FORMAT_LINES = {LNS: 60, GAUSSIAN: 200, GAUSSIAN.with_name("normal"): 120}


def shared_suite(environment: PackagesOfOthers, name: str) -> str:
    """Run the tests in `test_format*.py` whose names contain `name`, except tests of compiled networks, in the
    environment. Return pytest's output.
    """
    files = sorted((ROOT / "tests/numeric/dialects/formats").glob("test_format*.py"))
    assert files
    # Programs compiled with the format run on a device below.
    chosen = f"{name} and not network"
    return environment.run("pytest", "-q", "-p", "no:cacheprovider", *files, "-k", chosen)


def compile_and_run(
    environment: PackagesOfOthers,
    out: Path,
    options: Sequence[str],
    target: str,
    program: Path = MODELS["protonn"],
    data: Path | None = None,
) -> None:
    """Compile a program in the environment, run it on the target's device, and assert that its raw outputs for one
    sample equal the evaluator's.

    options: further options of `tinyml compile`.
    data: the samples; if None, the first of the program's validation samples.
    """
    data = data or some_samples(program, out.with_suffix(".npz"), SAMPLES)
    environment.run("tinyml.tools.main", "compile", program, "--val", data, "--target", target, "-o", out, *options)
    said = environment.run("tinyml.tools.main", "run", out, "--data", data, "--device", target, "--limit", "1")
    assert "all raw outputs equal the evaluator's" in said


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("name", spread(["lns", "gaussian", SUMS], 2))
def test_it_passes_the_suite_of_all_formats(packages: PackagesOfOthers, name: str):
    """Formats of packages pass the tests of all registered formats: logarithms with exact and with rounded sums, and
    the format of a generated package.
    """
    assert " passed" in shared_suite(packages, name)


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("target", spread(["riscv", "cortex-m4", "cortex-m0", "uno"], 1))
def test_rounded_sums_are_equal_on_devices(packages: PackagesOfOthers, target: str, tmp_path: Path):
    """A FastGRNN in the format `gaussian` computes the evaluator's bits. It contains W x + U h, a sum of two products
    with different units, and functions in floating point.
    """
    compile_and_run(packages, tmp_path / "out", ["--format", "gaussian"], target, MODELS["fastgrnn"])


@pytest.mark.long
def test_the_searches_choose_among_its_widths(packages: PackagesOfOthers, tmp_path: Path):
    options = ["--format", "lns", "--search", "promote", "--widths", "4,6,8"]
    compile_and_run(packages, tmp_path / "out", options, "cortex-m4")


@pytest.mark.long
def test_a_search_chooses_it_for_a_tensor_among_fixed_ones(packages: PackagesOfOthers, tmp_path: Path):
    options = ["--search", "promote", "--widths", "8", "--formats", "lns"]
    bonsai = MODELS["bonsai"]
    compile_and_run(packages, tmp_path / "out", options, "uno", bonsai, bonsai.with_name("val.npz"))
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    families = {one["format"].partition(".")[0] for one in report["search"]["tensors"]}
    assert families == {"!fixed", "!lns"}


@pytest.mark.parametrize("package", FORMAT_LINES, ids=lambda package: package.name)
def test_a_format_is_short(package: Path):
    text = (package / f"{package.name}.py").read_text()
    code = [line for line in text.splitlines() if line.strip()]
    assert len(code) <= FORMAT_LINES[package]

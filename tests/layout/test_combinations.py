"""Which cases of parametrised tests pytest runs with the configuration of the suite."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from programs.paths import ROOT
from programs.spread import EXHAUSTIVE

FILE = '''
import pytest


@pytest.fixture(params=["x", "y", "z"])
def letter(request):
    return request.param


@pytest.mark.parametrize("number", [1, 2])
class TestOfClass:
    @pytest.mark.parametrize("other", [10, 20, 30])
    def test_method(self, number, other):
        """The parameters of the class and of the method."""


@pytest.mark.parametrize("number", [1, 2])
def test_fixture(number, letter):
    """A parameter and a fixture with parameters."""


@pytest.mark.parametrize(("one", "two"), [(0, 1), (1, 0), (0, 0)])
def test_pairs(one, two):
    """One list of pairs."""


@pytest.mark.parametrize("flag", [pytest.param("off", marks=pytest.mark.skip), "on"])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_marked(number, flag):
    """A value whose cases are skipped."""


@pytest.mark.parametrize("value", [0, 1], ids=["same", "same"])
@pytest.mark.parametrize("number", [1, 2])
def test_ids(value, number):
    """Equal ids of different values."""
'''


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cases") / "test_cases.py"
    path.write_text(FILE)
    return path


def run(*names: str, exhaustive: bool = False) -> list[list[str]]:
    """The parameters of the cases that a run executes or skips, as their ids."""
    environment = {name: value for name, value in os.environ.items() if name not in (EXHAUSTIVE, "PYTEST_ADDOPTS")}
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider", "-p", "no:xdist", "-rA"]
    done = subprocess.run(
        [*command, "--color=no", *names],
        cwd=ROOT / "tests",
        env=environment | ({EXHAUSTIVE: "1"} if exhaustive else {}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    passed = [line for line in done.stdout.splitlines() if line.startswith("PASSED ")]
    return [line.partition("[")[2].rstrip("]").split("-") for line in passed]


@pytest.mark.parametrize(
    ("test", "axes"),
    [
        ("TestOfClass::test_method", [{"1", "2"}, {"10", "20", "30"}]),
        ("test_fixture", [{"1", "2"}, {"x", "y", "z"}]),
        ("test_pairs", [{"0", "1"}, {"0", "1"}]),
        ("test_marked", [{"1", "2", "3"}, {"on"}]),
        ("test_ids", [{"1", "2"}, {"same0", "same1"}]),
    ],
)
def test_each_value_is_in_a_case_that_runs(file: Path, test: str, axes: list[set[str]]):
    cases = run(f"{file}::{test}")
    found = [{case[axis] for case in cases} for axis in range(2)]
    assert sorted(map(sorted, found)) == sorted(map(sorted, axes))
    # The list of pairs is one axis.
    assert len(cases) == (3 if test == "test_pairs" else max(map(len, axes)))


def test_a_named_case_runs(file: Path):
    for case in ("1-10", "1-20", "2-10", "2-20"):
        [found] = run(f"{file}::TestOfClass::test_method[{'-'.join(reversed(case.split('-')))}]")
        assert {*found} == {*case.split("-")}


def test_an_exhaustive_run_takes_all_combinations(file: Path):
    assert len(run(f"{file}::TestOfClass::test_method", exhaustive=True)) == 6

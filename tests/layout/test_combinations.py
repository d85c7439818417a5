"""pytest runs the intended cases of parametrised and long tests with the configuration of the suite."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import defaultdict
from datetime import date
from pathlib import Path

import pytest
from programs.paths import ROOT
from programs.spread import EXHAUSTIVE, SEED, seed_of

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

LONG_TESTS = """
import pytest

pytestmark = pytest.mark.long


@pytest.mark.parametrize("number", [1, 2])
def test_one(number): ...


@pytest.mark.skip
def test_skipped(): ...


def test_another(): ...
"""

TIMED_TESTS = """
import pytest


@pytest.mark.long(seconds=100)
@pytest.mark.parametrize("number", [1, 2, 3])
def test_of_minutes(number): ...


@pytest.mark.long(seconds=50)
def test_of_a_minute(): ...


@pytest.mark.long(seconds=151)
def test_beyond_the_budget(): ...
"""

AXES = {
    "test_method": [{"10", "20", "30"}, {"1", "2"}],
    "test_fixture": [{"x", "y", "z"}, {"1", "2"}],
    "test_pairs": [{"0", "1"}, {"0", "1"}],
    "test_marked": [{"1", "2", "3"}, {"on"}],
    "test_ids": [{"1", "2"}, {"same0", "same1"}],
}
"""The ids of both parameters of each test in `FILE` that are not skipped."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cases") / "test_cases.py"
    path.write_text(FILE)
    return path


@pytest.fixture(scope="module")
def long_tests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three test files: two with the same long tests, and one with tests that state their seconds."""
    folder = tmp_path_factory.mktemp("long")
    for name in ("test_first.py", "test_second.py"):
        (folder / name).write_text(LONG_TESTS)
    (folder / "test_third.py").write_text(TIMED_TESTS)
    return folder


def run(*arguments: str, exhaustive: bool = False) -> dict[str, list[list[str]]]:
    """For each test, the parameter ids of the cases that pass in a run of pytest.

    arguments: the arguments of pytest.
    exhaustive: true to run all cases, as `make exhaustive` does.
    """
    environment = {name: value for name, value in os.environ.items() if name not in (EXHAUSTIVE, "PYTEST_ADDOPTS")}
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider", "-p", "no:xdist", "-rA"]
    done = subprocess.run(
        [*command, "--color=no", *arguments],
        cwd=ROOT / "tests",
        env=environment | ({EXHAUSTIVE: "1"} if exhaustive else {}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    cases: defaultdict[str, list[list[str]]] = defaultdict(list)
    for line in done.stdout.splitlines():
        if line.startswith("PASSED "):
            name, _, parameters = line.rpartition("::")[2].partition("[")
            cases[name].append(parameters.rstrip("]").split("-"))
    return cases


@pytest.mark.long
def test_each_value_is_in_a_case_that_runs(file: Path):
    cases = run(str(file))
    found = {test: [{case[axis] for case in each} for axis in range(2)] for test, each in cases.items()}
    assert found == AXES
    # The list of pairs is one axis.
    counts = {test: max(map(len, axes)) for test, axes in AXES.items()} | {"test_pairs": 3}
    assert {test: len(each) for test, each in cases.items()} == counts


def test_named_cases_run(file: Path):
    names = [f"{number}-{other}" for number in (1, 2) for other in (10, 20)]
    # The decorator of a class comes after those of its methods.
    ids = ["-".join(reversed(name.split("-"))) for name in names]
    found = run(*(f"{file}::TestOfClass::test_method[{id}]" for id in ids))
    assert found == {"test_method": [id.split("-") for id in ids]}


@pytest.mark.long
def test_an_exhaustive_run_takes_all_combinations(file: Path):
    assert len(run(f"{file}::TestOfClass::test_method", exhaustive=True)["test_method"]) == 6


def test_two_long_cases_of_each_file_run(long_tests: Path):
    cases = run(str(long_tests))
    assert sum(len(each) for test, each in cases.items() if test in ("test_one", "test_another")) == 4


def test_as_many_timed_cases_run_as_the_budget_allows(long_tests: Path):
    """The budget is 150 seconds: one case of 100 and the one of 50 fit, a case of 151 never does."""
    cases = run(str(long_tests))
    assert len(cases["test_of_minutes"]) == 1
    assert len(cases["test_of_a_minute"]) == 1
    assert "test_beyond_the_budget" not in cases


def test_the_seed_draws(long_tests: Path, monkeypatch: pytest.MonkeyPatch):
    def with_seed(seed: int) -> str:
        monkeypatch.setenv(SEED, str(seed))
        return str(run(str(long_tests)))

    found = [with_seed(seed) for seed in range(4)]
    assert with_seed(0) == found[0]
    assert len({*found}) > 1


def test_the_seed_is_the_commit_or_the_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(SEED, "7")
    assert seed_of(tmp_path) == "7"
    monkeypatch.delenv(SEED)
    assert seed_of(tmp_path) == date.today().isoformat()
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for command in ["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "one"]:
        subprocess.run([*git, *command], cwd=tmp_path, check=True)
    assert re.fullmatch("[0-9a-f]{7,}", seed_of(tmp_path))


def test_all_long_tests_run_with_the_option_and_in_an_exhaustive_run(long_tests: Path):
    every = run(str(long_tests), "--long")
    assert every == run(str(long_tests), exhaustive=True)
    assert {test: len(cases) for test, cases in every.items()} == {
        "test_one": 4,
        "test_another": 2,
        "test_of_minutes": 3,
        "test_of_a_minute": 1,
        "test_beyond_the_budget": 1,
    }


def test_all_long_tests_of_a_named_file_run(long_tests: Path):
    cases = run(str(long_tests / "test_first.py"))
    assert {test: len(each) for test, each in cases.items()} == {"test_one": 2, "test_another": 1}

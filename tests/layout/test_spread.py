"""The selection of parameter combinations that a run of the suite executes."""

from __future__ import annotations

from itertools import product

import pytest
from programs.spread import EXHAUSTIVE, covering

CASES = [*product("abcde", (1, 2, 3), (True, False))]


@pytest.fixture(autouse=True)
def usual_run(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(EXHAUSTIVE, raising=False)


def numbered(case: tuple[object, ...]) -> list[tuple[int, object]]:
    return [*enumerate(case)]


@pytest.mark.parametrize("seed", ["one", "another"])
def test_each_value_is_taken_in_as_few_cases_as_the_longest_axis_has(seed: str):
    taken = covering(CASES, numbered, seed)
    values, all_values = ({value for case in cases for value in numbered(case)} for cases in (taken, CASES))
    assert values == all_values
    assert len(taken) == 5
    assert taken == sorted(taken, key=CASES.index)


def test_the_only_case_with_a_value_is_taken():
    """The selection retains every case that alone has some value. It therefore retains all cases of a list with one
    parameter.
    """
    assert ("f", 1, True) in covering([*CASES, ("f", 1, True)], numbered, "one")
    assert covering([(number,) for number in range(9)], numbered, "one") == [(number,) for number in range(9)]
    assert covering(["without parameters"], lambda _: [], "one") == ["without parameters"]


def test_an_exhaustive_run_takes_all(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(EXHAUSTIVE, "1")
    assert covering(CASES, numbered, "one") == CASES

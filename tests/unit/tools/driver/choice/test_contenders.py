"""The order in which alternatives are tried, and the table of the choices of `auto` for trained models."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured.store import MEASURED, read
from measured.tables import PAGES, column_of, tables

from tinyml.dialects import tdsl
from tinyml.tools.driver.choice.alternatives import NARROW_WIDTH, considered
from tinyml.tools.driver.choice.candidates import Candidate
from tinyml.tools.driver.choice.choose import FASTER_RATIO, Bounds, CandidateQueue, fastest_first
from tinyml.tools.driver.choice.stopwatch import ProgramFigures
from tinyml.tools.driver.choice.trials import EstimatedCost

BY_NAME = {alternative.name: alternative for alternative in considered()}


def row(name: str, time: float | None, flash: float = 0.0) -> Candidate:
    trial = SimpleNamespace(alternative=BY_NAME[name])
    return Candidate(cast("Any", trial), EstimatedCost(time, flash, 0.0), {})


def network(name: str, time: float, streamed: float = math.inf) -> Candidate:
    """A candidate that appears to be a network of images.

    time: its estimated time by ordinary execution.
    streamed: its estimated time with a schedule.
    """
    tried = row(name, time)
    image = tdsl.Conv2dOp.__new__(tdsl.Conv2dOp)
    tried.trial.prepared = cast("Any", SimpleNamespace(before=SimpleNamespace(walk=lambda: [image])))
    tried.trial.cost = lambda more: EstimatedCost(streamed, 0.0, 0.0)
    return tried


def names(rows: list[Candidate]) -> list[str]:
    return [row.alternative.name for row in fastest_first(rows)]


def test_of_equally_fast_programs_uniform_fixed_8_comes_first_then_the_smallest() -> None:
    assert names([row("fixed 16", 98), row(NARROW_WIDTH, 100)]) == [NARROW_WIDTH, "fixed 16"]
    assert names([row("fixed 16", 90), row(NARROW_WIDTH, 100)]) == ["fixed 16", NARROW_WIDTH]
    assert names([row("fixed 16", 98, 9), row("zeroskew 8", 100, 8)]) == ["zeroskew 8", "fixed 16"]
    assert names([row("fixed 16", None), row(NARROW_WIDTH, None)]) == ["fixed 16", NARROW_WIDTH]


@given(st.permutations(sorted(BY_NAME)), st.lists(st.floats(1, 100), min_size=len(BY_NAME), max_size=len(BY_NAME)))
def test_nothing_comes_before_what_is_notably_faster(order: list[str], times: list[float]) -> None:
    given = [row(name, time) for name, time in zip(order, times, strict=True)]
    ordered = fastest_first(given)
    assert {id(one) for one in ordered} == {id(one) for one in given}
    for place, first in enumerate(ordered):
        for later in ordered[place + 1 :]:
            assert cast("float", later.cost.time) >= FASTER_RATIO * cast("float", first.cost.time)


@pytest.mark.parametrize("streamed", [84, 98])
def test_an_accepted_program_waits_where_a_schedule_makes_another_one_faster(streamed: float) -> None:
    """An accepted program is the fastest unless a schedule makes another alternative clearly faster. Schedules are
    estimated only for alternatives that they could make the fastest, here not for the third one.
    """
    accepted, other = network(NARROW_WIDTH, 100, 100), network("fixed 16", 110, streamed)
    far = network("zeroskew 8", 130)
    contenders = CandidateQueue(cast("Any", None), Bounds(1e6, 1e6, 0.5), [other, far], [accepted, other, far])
    assert contenders.is_fastest(accepted) == (streamed == 98)
    assert contenders.waiting == ([other, far] if streamed == 98 else [other, accepted, far])
    assert (other.placed, far.placed) == (True, False)


class Watch:
    """A stopwatch with given times and sizes, by alternative, that notes what it measures."""

    def __init__(self, **figures: tuple[float | None, int]):
        self.given = figures
        self.measured = list[str]()

    def figures(self, compiled: Any, name: str) -> ProgramFigures:
        assert compiled == name
        self.measured.append(name)
        inference, flash = self.given[name.replace(" ", "_")]
        return ProgramFigures("", inference, flash, 0)


def timed(name: str, time: float | None) -> Candidate:
    tried = row(name, time)
    tried.trial.compiled = lambda more: cast("Any", name)
    tried.placed = True
    return tried


def queue(watch: Watch, waiting: list[Candidate], accepted: Candidate) -> CandidateQueue:
    return CandidateQueue(
        cast("Any", None), Bounds(1e6, 1e6, 0.5), waiting, [accepted, *waiting], stopwatch=cast("Any", watch)
    )


@pytest.mark.parametrize(("estimate", "expected"), [(130, ["fixed 8", "fixed 16"]), (131, ["fixed 8"])])
def test_estimates_within_30_percent_are_measured(estimate: float, expected: list[str]) -> None:
    """Measured times are compared exactly: of 96 and 95, the second is taken although they differ by 1 %."""
    watch = Watch(fixed_8=(96, 0), fixed_16=(95, 0))
    accepted, other = timed("fixed 8", 100), timed("fixed 16", estimate)
    contenders = queue(watch, [other], accepted)
    assert contenders.is_fastest(accepted) == (estimate > 130)
    assert watch.measured == expected
    if estimate == 130:
        assert contenders.waiting == [other, accepted]
        assert accepted.verdict == "keeps the loss, but another alternative is faster"
        contenders.waiting.remove(other)
        assert contenders.is_fastest(other)
        assert watch.measured == expected


def test_an_estimate_below_the_least_measured_time_is_measured() -> None:
    watch = Watch(fixed_8=(150, 0), fixed_16=(151, 0), zeroskew_8=(10, 0))
    accepted, other, far = timed("fixed 8", 100), timed("fixed 16", 140), timed("zeroskew 8", 149)
    assert not queue(watch, [other, far], accepted).is_fastest(accepted)
    assert watch.measured == ["fixed 8", "fixed 16", "zeroskew 8"]


def test_without_estimates_all_are_measured() -> None:
    watch = Watch(fixed_8=(100, 0), fixed_16=(500, 0), zeroskew_8=(90, 0))
    accepted, other, far = (timed(name, None) for name in ("fixed 8", "fixed 16", "zeroskew 8"))
    contenders = queue(watch, [other, far], accepted)
    assert not contenders.is_fastest(accepted)
    assert contenders.waiting == [far, accepted, other]


def test_a_measured_program_that_exceeds_the_memory_is_dropped() -> None:
    watch = Watch(fixed_8=(None, 2_000_000), fixed_16=(100, 0))
    accepted, other = timed("fixed 8", 100), timed("fixed 16", 110)
    contenders = queue(watch, [other], accepted)
    assert not contenders.is_fastest(accepted)
    assert contenders.waiting == [other]
    assert accepted.verdict == "needs 0 bytes of RAM and 2,000,000 of flash"
    watch = Watch(fixed_8=(100, 0), fixed_16=(None, 2_000_000))
    accepted, other = timed("fixed 8", 100), timed("fixed 16", 110)
    assert queue(watch, [other], accepted).is_fastest(accepted)


def test_alternatives_stand_beside_those_that_come_before() -> None:
    """If an alternative depends on another one (`beside`), the other one comes first. Every alternative with the flag
    `weighed` or `mixed` depends on another one.
    """
    seen: set[str] = set()
    for alternative in sorted(BY_NAME.values(), key=lambda row: row.beside is not None):
        assert alternative.beside is None or alternative.beside in seen
        assert alternative.beside is not None or not (alternative.weighed or alternative.mixed)
        seen.add(alternative.name)


def test_no_trained_model_runs_slower_than_in_8_bits_that_qualify() -> None:
    """In the measured figures (`make figures`), no program that `auto` chose is slower on its simulated board than the
    program in 8-bit fixed point, if the latter qualifies.
    """
    measured = read(MEASURED)
    [table] = [table for page in PAGES for table in tables(page.read_text("utf-8")) if table.name == "auto-suite"]
    assert table.rows
    for label in table.rows:
        auto, narrow = (measured[column_of(table.name, heading, label)[0]] for heading in ("auto", "fixed 8"))
        assert auto["fits"], label
        assert auto["kept"], label
        assert not narrow["qualifies"] or auto["time"] <= narrow["time"], label

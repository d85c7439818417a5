"""Each step of `search-pareto` with losses and costs from test functions: branches, ties, limits and budgets."""

# Stubs have few types.
# pyright: basic

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from programs.judged_searches import Choices, JudgedSearch, by_widths, fixed, missing_bits, widths_of

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice
from tinyml.transforms.ir.pipeline_names import ProgramCost
from tinyml.transforms.search import search_pareto
from tinyml.transforms.search.engine.result import FrontPoint, SearchResult
from tinyml.transforms.search.engine.search import Feasibility, Limits
from tinyml.transforms.search.search_pareto import SearchParetoPass

PARETO: Any = search_pareto
EIGHT, TWELVE, SIXTEEN = (FixedType.of_width(width) for width in (8, 12, 16))
OFFERED = [EIGHT, TWELVE, SIXTEEN]


def state(
    search: JudgedSearch, limits: Limits | None = None, offered: Sequence[Any] = OFFERED, effort: int = 100
) -> Any:
    return PARETO._Pareto(Feasibility(search, limits or Limits()), offered, effort)


def of(pareto: Any, *widths: int) -> Any:
    """The evaluated candidate with the given widths, as the point that the search stores."""
    return pareto.points[tuple(fixed(*widths))]


def test_what_loses_no_more_than_the_most_is_kept_with_its_first_origin():
    losses = {(8,): 2.0, (12,): math.nextafter(2.0, 3.0), (16,): math.inf}
    pareto = state(JudgedSearch([1], by_widths(losses), error=missing_bits))
    points = pareto.evaluate([fixed(8), fixed(12), fixed(16)], "first", 2.0)
    assert [(point.origin, point.key) for point in points] == [("first", (2.0, 8.0))]
    assert [point.origin for point in pareto.evaluate([fixed(16), fixed(12), fixed(8)], "second")] == [
        "second",
        "first",
    ]
    assert len(pareto.points) == 2


def test_only_what_is_better_and_fits_becomes_the_best():
    losses = {(8, 8): 3.0, (10, 8): 3.0, (16, 8): 2.0, (8, 16): 1.0}
    # (10, 8) is as good as (8, 8); of (8, 16) the stack leaves one byte too few.
    errors = {(8, 8): 5.0, (10, 8): 5.0, (16, 8): 9.0, (8, 16): 9.0}
    search = JudgedSearch([1, 2], by_widths(losses), error=by_widths(errors))
    pareto = state(search, Limits(ram=14), offered=[EIGHT, SIXTEEN])
    pareto.evaluate([fixed(*widths) for widths in losses], "any")
    taken = [pareto.consider(of(pareto, *widths)) for widths in losses]
    assert taken == [True, False, True, False]
    assert widths_of(pareto.best.choices) == (16, 8)
    pareto.feasibility.limits = Limits()
    assert not pareto.consider(of(pareto, 16, 8))


def settled(pareto: Any, factor: float, attempts: float) -> tuple[int, ...]:
    pareto.settle(factor, attempts)
    return widths_of(pareto.best.choices)


def test_the_least_loss_that_is_measured_within_the_limits_is_settled_for():
    """The two programs with the least loss need a byte more than estimated and exceed the limit. The search settles for
    the third one.
    """
    search = JudgedSearch([1, 1], missing_bits, error=lambda choices: choices[0].prototype.bits)
    search.judged_costs.excess = lambda choices: widths_of(choices) in ((8, 16), (16, 8), (12, 12))
    pareto = state(search, Limits(ram=13))
    pareto.evaluate([fixed(*pair) for pair in ((16, 8), (8, 12), (12, 8), (8, 16), (12, 12), (8, 8))], "any")
    assert settled(pareto, 1.0, math.inf) == (8, 12)
    assert list(map(widths_of, search.judged_costs.measurements)) == [(8, 16), (16, 8), (8, 12)]
    assert pareto.feasibility.error == ProgramCost(0, 0, 0)


@pytest.mark.parametrize(
    ("attempts", "known", "taken"), [(3, (), (8, 12)), (2, ((8, 8),), (8, 8)), (1, ((12, 8), (8, 8)), (12, 8))]
)
def test_after_failed_measurements_only_known_programs_are_taken(
    attempts: int, known: Sequence[tuple[int, int]], taken: tuple[int, int]
):
    search = JudgedSearch([1, 1], missing_bits, error=lambda choices: choices[0].prototype.bits)
    search.judged_costs.excess = lambda choices: widths_of(choices) in ((8, 16), (16, 8))
    pareto = state(search, Limits(ram=13))
    pareto.evaluate([fixed(*pair) for pair in ((16, 8), (8, 12), (12, 8), (8, 16), (8, 8))], "any")
    search.judged_costs.measure([tuple(fixed(*pair)) for pair in known])
    assert settled(pareto, 1.0, attempts) == taken


def test_estimates_are_corrected_by_what_is_settled_for():
    search = JudgedSearch([1], missing_bits)
    search.judged_costs.excess = lambda _: -2
    pareto = state(search, Limits(ram=12))
    pareto.evaluate([fixed(16)], "any")
    pareto.settle(1.0, 1)
    assert pareto.feasibility.error == ProgramCost(0, 0, -2)


@pytest.mark.parametrize(("cycles", "needed"), [(math.inf, ""), (23.0, ", 24 cycles")])
def test_if_nothing_fits_the_least_needs_of_programs_of_known_costs_are_said(
    monkeypatch: pytest.MonkeyPatch, cycles: float, needed: str
):
    search = JudgedSearch([1, 2], missing_bits, constants=[1])
    pareto = state(search, Limits(time=cycles, flash=101))
    pareto.evaluate([fixed(10, 10), fixed(16, 16)], "uniform")
    # The costs of the first are known, those of the second are not.
    pareto.evaluate([fixed(8, 8), fixed(4, 4)], "registers")
    pareto.best = of(pareto, 8, 8)
    pareto.feasibility.costs.estimated(tuple(fixed(8, 8)))
    monkeypatch.setattr(pareto.feasibility, "may_fit", lambda *_: False)
    message = f"no program within the limits was found: the least needs 11 bytes of RAM and 102 of flash{needed}"
    with pytest.raises(InputError, match=message) as raised:
        pareto.settle(1.0, 1)
    assert raised.value.message == message
    assert pareto.best is None


def test_the_costs_of_uniform_programs_are_always_said():
    pareto = state(JudgedSearch([1, 2], missing_bits, constants=[1]), Limits(flash=101))
    pareto.evaluate([fixed(8, 8)], "uniform")
    pareto.feasibility.costs.estimates = {}
    assert pareto._least_needs(list(pareto.points.values())) == "11 bytes of RAM and 102 of flash"


def neighbours(pareto: Any, *widths: int) -> list[tuple[int, ...]]:
    found = pareto._neighbours(fixed(*widths))
    return [
        widths_of(choices) if all(one.zoom == 0 for one in choices) else tuple(one.zoom for one in choices)
        for choices in found
    ]


def test_neighbours_have_one_other_width_or_one_scale_next_to_theirs():
    pareto = state(JudgedSearch([1, 1], missing_bits))
    assert neighbours(pareto, 8, 12) == [(12, 12), (16, 12), (-1, 0), (1, 0), (8, 8), (8, 16), (0, -1), (0, 1)]
    moved = [replace(one, zoom=2) for one in fixed(8, 8)]
    assert [one[0].zoom for one in pareto._neighbours(moved)][2:4] == [1, 3]


def test_defaults():
    assert search_pareto.WIDTHS == (4, 6, 8, 10, 12, 16)
    assert SearchParetoPass("").effort == 400


def no_scales(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_pareto, "ZOOMS", ())


def test_changes_that_help_are_joined_while_each_still_does(monkeypatch: pytest.MonkeyPatch):
    """Each of three tensors alone reduces the loss if it has 16 bits. The changes of the first two are joined; that of
    the third is not, because 16 bits for all three increase the loss.
    """
    no_scales(monkeypatch)
    gains = {(8, 8, 8): 9.0, (16, 8, 8): 5.0, (8, 16, 8): 6.0, (8, 8, 16): 7.0, (16, 16, 8): 3.0, (16, 8, 16): 8.0}

    search = JudgedSearch([1, 1, 1], by_widths(gains, 20.0))
    pareto = state(search, offered=[EIGHT, SIXTEEN])
    pareto.evaluate([fixed(8, 8, 8)], "uniform")
    pareto.best = of(pareto, 8, 8, 8)
    pareto.improve()
    assert widths_of(pareto.best.choices) == (16, 16, 8)
    assert pareto.best.origin == "changes of several"
    assert of(pareto, 8, 8, 16).origin == "change of one"
    tried = search.judged.tried
    assert tried == [
        (8, 8, 8), (16, 8, 8), (8, 16, 8), (8, 8, 16), (16, 16, 8), (16, 16, 16),
    ]  # fmt: skip
    assert search.judged.phases == ["improvement"]


@pytest.mark.parametrize(
    ("effort", "tried", "best"), [(1, 1, (8, 8)), (2, 3, (8, 8)), (4, 4, (16, 16)), (5, 4, (16, 16))]
)
def test_improvement_ends_with_the_effort(
    monkeypatch: pytest.MonkeyPatch, effort: int, tried: int, best: tuple[int, int]
):
    no_scales(monkeypatch)
    search = JudgedSearch([1, 1], missing_bits)
    pareto = state(search, offered=[EIGHT, SIXTEEN], effort=effort)
    pareto.evaluate([fixed(8, 8)], "uniform")
    pareto.best = of(pareto, 8, 8)
    pareto.improve()
    assert (search.judged.evaluated, widths_of(pareto.best.choices)) == (tried, best)


def test_equals_and_what_does_not_fit_are_no_improvements(monkeypatch: pytest.MonkeyPatch):
    no_scales(monkeypatch)
    search = JudgedSearch([1, 1], lambda choices: 1.0 if choices[1].prototype.bits == 8 else 0.5)
    pareto = state(search, Limits(ram=13), offered=[EIGHT, SIXTEEN])
    search.judged_costs.excess = lambda choices: widths_of(choices) != (8, 8)
    pareto.evaluate([fixed(8, 8)], "uniform")
    pareto.best = of(pareto, 8, 8)
    search.judged_costs.measure([tuple(fixed(8, 16)), tuple(fixed(8, 8))])
    joined: list[tuple[int, ...]] = []
    monkeypatch.setattr(pareto, "_join", lambda _, point: joined.append(widths_of(point.choices)))
    pareto.improve()
    assert joined == [(8, 16)]
    monkeypatch.undo()
    no_scales(monkeypatch)
    pareto.improve()
    assert widths_of(pareto.best.choices) == (8, 8)
    assert search.judged.tried == [(8, 8), (16, 8), (8, 16)]


def test_a_join_that_changes_nothing_is_not_evaluated():
    search = JudgedSearch([1, 1], missing_bits)
    pareto = state(search)
    pareto.evaluate([fixed(8, 8), fixed(16, 8), fixed(16, 16)], "any")
    before, point, pareto.best = of(pareto, 8, 8), of(pareto, 16, 8), of(pareto, 16, 16)
    pareto._join(before, point)
    assert search.judged.evaluated == 3
    assert len(search.judged.asked) == 1
    pareto.best = of(pareto, 16, 8)
    pareto._join(before, of(pareto, 16, 16))
    assert pareto.best is of(pareto, 16, 16)


def test_four_at_once_are_estimated_until_one_is_taken(monkeypatch: pytest.MonkeyPatch):
    no_scales(monkeypatch)
    search = JudgedSearch(
        [1] * 6,
        missing_bits,
        error=lambda choices: [one.prototype.bits for one in choices].index(16) if 16 in widths_of(choices) else 9.0,
    )
    pareto = state(search, offered=[EIGHT, SIXTEEN], effort=8)
    pareto.evaluate([fixed(*[8] * 6)], "uniform")
    pareto.best = of(pareto, *[8] * 6)
    estimated: list[list[int]] = []

    def estimate_fitting(candidates: Any) -> None:
        estimated.append([widths_of(choices).index(16) for choices in candidates])

    monkeypatch.setattr(pareto.feasibility, "estimate_fitting", estimate_fitting)
    monkeypatch.setattr(pareto, "consider", lambda point: False)
    pareto.improve()
    assert estimated == [[0, 1, 2, 3], [4, 5]]


def test_the_effort_ends_a_round_of_joins(monkeypatch: pytest.MonkeyPatch):
    """For six tensors and an effort of eight, a round of improvements ends after one join of two changes: seven
    candidates were evaluated before. With an effort of 100, all tensors receive 16 bits.
    """
    no_scales(monkeypatch)
    search = JudgedSearch([1] * 6, missing_bits)
    pareto = state(search, offered=[EIGHT, SIXTEEN], effort=8)
    pareto.evaluate([fixed(*[8] * 6)], "uniform")
    pareto.best = of(pareto, *[8] * 6)
    estimated: list[int] = []
    monkeypatch.setattr(pareto.feasibility, "estimate_fitting", lambda candidates: estimated.append(len([*candidates])))
    pareto.improve()
    assert search.judged.tried[7:] == [(16, 16, 8, 8, 8, 8)]
    # Once the best one is another, nothing is estimated together.
    assert estimated == [4]
    more = state(search, offered=[EIGHT, SIXTEEN], effort=100)
    more.evaluate([fixed(*[8] * 6)], "uniform")
    more.best = of(more, *[8] * 6)
    estimated.clear()
    monkeypatch.setattr(more.feasibility, "estimate_fitting", lambda candidates: estimated.append(len([*candidates])))
    more.improve()
    assert widths_of(more.best.choices) == (16,) * 6
    assert estimated == [4]


class Moves:
    """A substitute for `PairwiseMoves` that proposes the given steps in order."""

    def __init__(self, steps: Sequence[Sequence[Choices]]):
        self.steps = list(steps)
        self.given: Sequence[Any] = ()
        self.asked: list[tuple[int, ...]] = []

    def __call__(self, *given: Any) -> Moves:
        self.given = given
        return self

    def proposals(self, current: Choices) -> Sequence[Choices]:
        self.asked.append(widths_of(current))
        return self.steps.pop(0) if self.steps else []


def exchanging(monkeypatch: pytest.MonkeyPatch, loss: Callable[[Choices], float], moves: Moves, effort: int) -> Any:
    monkeypatch.setattr(search_pareto, "PairwiseMoves", moves)
    monkeypatch.setattr(search_pareto, "LinearErrors", lambda _, base: ("model", widths_of(base)))
    monkeypatch.setattr(search_pareto, "possible_changes", lambda _, start, offered: (widths_of(start), offered))
    pareto = state(JudgedSearch([1, 1], loss), effort=effort)
    pareto.evaluate([fixed(8, 8)], "uniform")
    pareto.best = of(pareto, 8, 8)
    return pareto


def test_exchanges_go_on_while_one_saves_a_fiftieth(monkeypatch: pytest.MonkeyPatch):
    losses = {(8, 8): 100.0, (8, 12): 99.0, (12, 8): 98.0, (12, 12): 96.04, (16, 16): 96.03}
    moves = Moves([[fixed(8, 12), fixed(12, 8)], [fixed(12, 12), fixed(16, 16)], [fixed(8, 16)]])
    pareto = exchanging(monkeypatch, by_widths(losses, 97.0), moves, 100)
    pareto.exchange()
    assert moves.asked == [(8, 8), (12, 8), (16, 16)]
    assert widths_of(pareto.best.choices) == (16, 16)
    assert moves.given[1:] == (("model", (16, 16)), tuple(fixed(8, 8)), ((8, 8), OFFERED))
    assert pareto.search.judged.asked[1:3] == pytest.approx([98.0, 96.04])
    assert pareto.best.origin == "exchange"
    assert pareto.search.judged.phases == ["exchange"]


@pytest.mark.parametrize(("effort", "steps"), [(1, 0), (2, 1), (3, 2)])
def test_exchanges_end_with_the_effort(monkeypatch: pytest.MonkeyPatch, effort: int, steps: int):
    moves = Moves([[fixed(8, 12)], [fixed(12, 12)], [fixed(16, 16)]])
    pareto = exchanging(monkeypatch, missing_bits, moves, effort)
    pareto.exchange()
    assert len(moves.asked) == steps
    assert bool(pareto.search.judged.phases) == (steps > 0)


def test_without_scores_nothing_is_exchanged(monkeypatch: pytest.MonkeyPatch):
    moves = Moves([[fixed(8, 12)]])
    pareto = exchanging(monkeypatch, missing_bits, moves, 100)
    pareto.search.evaluator.reference.scores = None
    pareto.exchange()
    assert moves.asked == []


def test_what_just_misses_the_limits_is_retreated_from(monkeypatch: pytest.MonkeyPatch):
    """The search retreats only from candidates of the origin `registers` with a smaller loss than the best one.
    Candidates that it evaluates in a retreat do not count as effort.
    """
    search = JudgedSearch([1, 100], missing_bits)
    pareto = state(search, Limits(ram=211))
    pareto.evaluate([fixed(8, 16), fixed(12, 12), fixed(8, 8)], "uniform")
    pareto.evaluate([fixed(14, 14)], "promotion")
    pareto.evaluate([fixed(16, 16), fixed(9, 15), fixed(32, 32), fixed(10, 10)], "registers")
    pareto.best = of(pareto, 8, 16)
    search.judged_costs.measured(tuple(fixed(8, 16)))
    called: list[Any] = []

    def better_scales(_: Any, choices: Choices) -> Choices:
        pareto.evaluation.tried.append(())
        return [replace(choice, zoom=1) for choice in choices]

    def backtrack(_: Any, start: Choices, goal: Choices, most: float) -> Choices:
        called.append((start, widths_of(goal), most))
        return fixed(8, 16) if len(called) > 1 else fixed(12, 8)

    monkeypatch.setattr(search_pareto, "with_better_scales", better_scales)
    monkeypatch.setattr(search_pareto, "backtrack", backtrack)
    settled_with: list[Any] = []
    monkeypatch.setattr(pareto, "settle", lambda *given: settled_with.append(given))
    pareto.retreat()
    assert settled_with == [(1.01, 0)]
    assert called == [([replace(choice, zoom=1) for choice in fixed(16, 16)], (8, 8), 8.0)]
    assert pareto.effort == 102
    assert of(pareto, 12, 8).origin == "retreat"
    assert search.judged.phases == ["retreat"]


@pytest.mark.parametrize("limits", [Limits(), Limits(ram=100)])
def test_there_is_no_retreat_without_limits_or_a_program_within_them(monkeypatch: pytest.MonkeyPatch, limits: Limits):
    search = JudgedSearch([1, 100], missing_bits)
    pareto = state(search, limits)
    pareto.evaluate([fixed(8, 16), fixed(16, 16)], "registers")
    pareto.best = of(pareto, 8, 16)
    pareto.retreat()
    assert search.judged.phases == []


def finished(limits: Limits) -> Any:
    """A finished search with losses of 0, 4, 8 and 16 and times of 32, 28, 24 and 16."""
    pareto = state(JudgedSearch([1, 1], missing_bits), limits)
    pareto.evaluate([fixed(8, 8), fixed(16, 8), fixed(12, 16), fixed(16, 16)], "uniform")
    pareto.best = of(pareto, 16, 16)
    return pareto


@pytest.mark.parametrize(
    ("limits", "taken"),
    [
        (Limits(), (16, 16)),
        (Limits(loss=3.0), (16, 16)),
        (Limits(loss=4.0), (12, 16)),
        (Limits(loss=0.0), (16, 16)),
        # More than five beyond the best: not worth a cost.
        (Limits(loss=8.0), (12, 16)),
        (Limits(loss=4.0, flash=99), (16, 16)),
    ],
)
def test_the_fastest_within_the_permitted_loss_is_chosen(limits: Limits, taken: tuple[int, int]):
    pareto = finished(limits)
    assert widths_of(pareto.chosen().choices) == taken
    assert pareto.evaluation.phases == ["front"]


def test_of_equally_fast_ones_the_smaller_and_then_the_better_is_chosen():
    search = JudgedSearch([1, 1], by_widths({(8, 16): 0.5, (12, 12): 0.4, (16, 8): 0.3, (16, 16): 0.0}))
    pareto = state(search, Limits(loss=1.0))
    pareto.evaluate([fixed(8, 16), fixed(12, 12), fixed(16, 8), fixed(16, 16)], "any")
    pareto.best = of(pareto, 16, 16)
    # All take 24 units of time; 12 bits take two bytes.
    assert widths_of(pareto.chosen().choices) == (16, 8)


def test_what_exceeds_the_limits_by_its_estimate_is_not_built():
    pareto = finished(Limits(ram=13, loss=4.0))
    assert widths_of(pareto.chosen().choices) == (16, 16)
    assert not pareto.search.judged_costs.measurements


def test_what_is_not_feasible_is_not_chosen():
    pareto = finished(Limits(ram=14, loss=4.0))
    pareto.search.judged_costs.excess = lambda choices: widths_of(choices) == (12, 16)
    assert widths_of(pareto.chosen().choices) == (16, 16)
    assert pareto.chosen().reasons == {"a": "16 bits by uniform", "b": "16 bits by uniform"}


def test_rivals_are_the_six_best_of_each_origin_up_to_twice_the_loss():
    widths = [(4, 8), (6, 8), (8, 4), (8, 6), (8, 8), (10, 8), (8, 10), (8, 12), (12, 8)]
    losses: dict[tuple[int, ...], float] = dict(
        zip(widths, (9.0, 1.0, 2.0, 1.5, 1.9, 1.8, 1.7, 1.6, math.nextafter(2.0, 3.0)), strict=True)
    )
    search = JudgedSearch([1, 1], by_widths(losses, 1.2))
    # Estimates may be off by three bytes.
    pareto = state(search, Limits(ram=10.9))
    pareto.evaluate(map(lambda pair: fixed(*pair), widths), "maxscale")
    pareto.evaluate([fixed(16, 16), fixed(8, 16)], "promotion")
    pareto.evaluate([fixed(16, 8)], "exchange")
    chosen = FrontPoint(ProgramCost(0, 0, 0), 1.0, "", True)
    rivals = pareto.rivals(SearchResult([], {}, [chosen]))
    found = [widths_of(one.choices) for one in rivals]
    assert found == [(6, 8), (8, 6), (8, 12), (8, 10), (10, 8), (8, 8), (8, 16)]
    assert rivals[-1].reasons == {"a": "8 bits by promotion", "b": "16 bits by promotion"}


def test_rivals_lose_up_to_twice_as_much():
    losses = {(8,): 2.0, (12,): math.nextafter(2.0, 3.0)}
    pareto = state(JudgedSearch([1], by_widths(losses)))
    pareto.evaluate([fixed(8), fixed(12)], "demotion")
    rivals = pareto.rivals(SearchResult([], {}, [FrontPoint(ProgramCost(0, 0, 0), 1.0, "", True)]))
    assert [widths_of(one.choices) for one in rivals] == [(8,)]
    assert pareto.rivals(SearchResult([], {}, [FrontPoint(ProgramCost(0, 0, 0), 0.9, "", True)])) == []


def test_rivals_of_a_negative_loss_lose_up_to_its_magnitude_more():
    losses = {(8,): 0.0, (12,): math.nextafter(0.0, 1.0)}
    pareto = state(JudgedSearch([1], by_widths(losses)))
    pareto.evaluate([fixed(8), fixed(12)], "demotion")
    rivals = pareto.rivals(SearchResult([], {}, [FrontPoint(ProgramCost(0, 0, 0), -1.0, "", True)]))
    assert [widths_of(one.choices) for one in rivals] == [(8,)]


def test_the_front_has_the_chosen_one_once_and_what_is_worth_knowing():
    pareto = finished(Limits())
    front = pareto.with_front(pareto.best.result(pareto.search))
    assert [(one.loss, one.origin, one.chosen) for one in front.points] == [
        (4.0, "uniform", False),
        (0.0, "uniform", True),
    ]
    other = pareto.with_front(SearchResult(fixed(8, 12), {}))
    assert [(one.loss, one.origin, one.chosen) for one in other.points] == [
        (4.0, "uniform", False),
        (0.0, "uniform", False),
        (12.0, "other formats", True),
    ]
    assert [one.cost.time for one in other.points] == [28, 32, 20]


def test_candidates_of_five_more_points_are_worth_knowing_unless_wasteful():
    losses = {
        (16, 16): 1.0,
        (8, 16): 6.0,
        (16, 8): math.nextafter(6.0, 7.0),
        (12, 16): 1.0,
        (16, 12): 1.5,
        (8, 12): 5.0,
    }
    pareto = state(JudgedSearch([1, 1], by_widths(losses)))
    pareto.evaluate([fixed(*pair) for pair in losses], "any")
    points = list(pareto.points.values())
    best = of(pareto, 16, 16)

    def worth(*known: tuple[int, int]) -> list[tuple[int, ...]]:
        found = PARETO.worth_knowing(points, best, [tuple(fixed(*pair)) for pair in known])
        return [widths_of(point.choices) for point in found]

    # (8, 16) has no fewer bits than (8, 12), which loses less; (16, 16) loses as much as (12, 16).
    assert worth() == [(16, 16), (12, 16), (16, 12), (8, 12)]
    assert worth((8, 16), (16, 8), (16, 16)) == [(16, 16), (8, 16), (12, 16), (16, 12), (8, 12)]


def test_reasons_name_width_origin_and_scale():
    assert PARETO._reason(FormatChoice(EIGHT), "maxscale") == "8 bits by maxscale"
    assert PARETO._reason(FormatChoice(EIGHT, 1), "it") == "8 bits by it, scale 2^1 times finer than its range"


def initial(search: JudgedSearch, limits: Limits, monkeypatch: pytest.MonkeyPatch, offered: Sequence[Any] = OFFERED):
    """The feasibility of candidates within the limits, and the initial candidates by their origin. The published
    searches are replaced by substitutes.

    offered: the choices of a format that the search may use for all tensors.
    """
    monkeypatch.setattr(
        search_pareto,
        "explore_maxscale",
        lambda _, format: ([replace(one, zoom=3) for one in search.uniform(format)], 0, 0.0),
    )
    monkeypatch.setattr(search_pareto, "explore_input_scale", lambda _, start: replace(start[0], zoom=5))
    monkeypatch.setattr(search_pareto, "heat_map", lambda _, low, high: (3.0, 2.0, 1.0))
    feasibility = Feasibility(search, limits)
    return feasibility, {
        origin: [list(one) for one in found] for origin, found in PARETO._initial_candidates(feasibility, offered)
    }


def test_initial_candidates(monkeypatch: pytest.MonkeyPatch):
    """The initial candidates come from uniform widths, from wide registers and from each of the published searches.
    Those of registers and promotions are within the limit on RAM, in which either each of two tensors has 8 bits or
    the first one has 16.
    """
    search = JudgedSearch([1, 2, 4], missing_bits, constants=[2])
    monkeypatch.setattr(search_pareto, "choose_pair", lambda *_: (TWELVE, SIXTEEN))
    _, found = initial(search, Limits(ram=14.5), monkeypatch)
    assert list(found) == ["uniform", "registers", "maxscale", "demotion", "promotion"]
    assert search.judged.phases == ["uniform", "registers", "maxscale", "demotion", "promotion"]
    assert [widths_of(one) for one in found["uniform"]] == [(8, 8, 8), (12, 12, 12), (16, 16, 16)]
    # None that takes more RAM, and no constant of several elements.
    assert [widths_of(one) for one in found["registers"]] == [(8, 8, 8), (8, 8, 8)]
    assert [(widths_of(one), one[0].zoom) for one in found["maxscale"]] == [((width,) * 3, 3) for width in (8, 12, 16)]
    # All from 16 bits to half of it, those that lose least first; the input has its own scale.
    assert [(widths_of(one), one[0].zoom) for one in found["demotion"]] == [
        ((8, 16, 16), 5), ((8, 8, 16), 5), ((8, 8, 8), 5)
    ]  # fmt: skip
    # Of 8 and 16 bits: in RAM, then in the RAM of each demotion within the limit. 12 bits do not fit.
    assert [widths_of(one) for one in found["promotion"]] == [(16, 8, 16), (8, 8, 16), (16, 8, 16)]


def test_registers_that_take_no_ram_are_wide(monkeypatch: pytest.MonkeyPatch):
    search = JudgedSearch([1, 2, 4, 1], missing_bits, constants=[0, 2, 3])
    monkeypatch.setattr(search_pareto, "choose_pair", lambda *_: None)
    monkeypatch.setattr(search_pareto, "_promotions", lambda *_: [])
    _, found = initial(search, Limits(ram=13), monkeypatch)
    assert [widths_of(one) for one in found["registers"]] == [(12, 8, 8, 12), (16, 8, 8, 16)]
    _, found = initial(JudgedSearch([1, 2, 4, 1], missing_bits), Limits(ram=4), monkeypatch)
    assert found["registers"] == []
    # The widest that fits is widened.
    _, found = initial(JudgedSearch([1], missing_bits), Limits(), monkeypatch)
    assert found["registers"] == []


@pytest.mark.parametrize(
    ("widths", "narrow"), [((6, 8, 16), 8), ((6, 9, 16), 6), ((9, 12, 16), 9), ((12,), 12), ((4, 6, 12), 6)]
)
def test_demotions_go_to_the_widest_half(monkeypatch: pytest.MonkeyPatch, widths: Sequence[int], narrow: int):
    monkeypatch.setattr(search_pareto, "choose_pair", lambda *_: None)
    monkeypatch.setattr(search_pareto, "_promotions", lambda _, __, halves, ___: [fixed(*[one.bits for one in halves])])
    offered = [FixedType.of_width(width) for width in widths]
    _, found = initial(JudgedSearch([1], missing_bits), Limits(), monkeypatch, offered)
    assert [widths_of(one) for one in found["demotion"]] == [(narrow,)]
    assert [widths_of(one) for one in found["promotion"]] == [(narrow, max(widths))]


def test_an_earlier_result_stands_for_maxscale_and_demotion(monkeypatch: pytest.MonkeyPatch):
    search = JudgedSearch([1, 1, 1], missing_bits, earlier={"b": FormatChoice(TWELVE, 2)})
    monkeypatch.setattr(search_pareto, "choose_pair", lambda *_: None)
    _, found = initial(search, Limits(), monkeypatch)
    assert list(found) == ["uniform", "registers", "the other program", "promotion"]
    assert [(widths_of(one), one[1].zoom) for one in found["the other program"]] == [
        ((8, 12, 8), 2), ((12, 12, 12), 2), ((16, 12, 16), 2)
    ]  # fmt: skip
    # Everything fits: all of both pairs.
    assert [widths_of(one) for one in found["promotion"]] == [(16, 16, 16)]


def test_programs_that_may_fit_are_measured_narrow_first_and_correct_estimates(monkeypatch: pytest.MonkeyPatch):
    search = JudgedSearch([10], missing_bits)
    search.judged_costs.excess = lambda choices: -choices[0].prototype.bits
    feasibility = Feasibility(search, Limits(ram=29))
    estimated: list[Any] = []
    monkeypatch.setattr(feasibility, "estimate_fitting", lambda programs: estimated.extend(programs))
    PARETO._calibrate(feasibility, [search.uniform(format) for format in OFFERED])
    assert [widths_of(one) for one in estimated] == [(8,), (12,), (16,)]
    # Wide ones take 30 bytes by their estimates, within a twentieth of the limit.
    assert [widths_of(one) for one in search.judged_costs.measurements] == [(8,), (12,), (16,)]
    assert feasibility.error == ProgramCost(0, 0, -16)


@pytest.mark.parametrize(("ram", "measured"), [(238, 1), (239, 3)])
def test_uniform_programs_may_exceed_limits_by_a_twentieth(ram: int, measured: int):
    """A uniform program is measured if its estimate exceeds the limit by at most a twentieth. The two programs have 150
    and 250 bytes.
    """
    search = JudgedSearch([100], missing_bits)
    search.STACK = 50
    feasibility = Feasibility(search, Limits(ram=ram))
    PARETO._calibrate(feasibility, [search.uniform(format) for format in OFFERED])
    assert len(search.judged_costs.measurements) == measured


def test_nothing_is_measured_without_limits():
    search = JudgedSearch([10], missing_bits)
    PARETO._calibrate(Feasibility(search, Limits()), [search.uniform(EIGHT)])
    assert not search.judged_costs.measurements


@pytest.mark.parametrize(("ram", "found"), [(11, 8), (12, 16), (10, None)])
def test_the_widest_uniform_program_within_the_limits(ram: int, found: int | None):
    widest = PARETO._widest_within(Feasibility(JudgedSearch([1], missing_bits), Limits(ram=ram)), OFFERED)
    assert (None if widest is None else widest.bits) == found


@pytest.mark.parametrize("flash", [math.inf, 104.0, 106.0])
def test_promotions_where_more_than_ram_is_limited(monkeypatch: pytest.MonkeyPatch, flash: float):
    """If the flash is limited, only MinUn's algorithm 7 promotes tensors, beginning with the highest rank. If only RAM
    is limited, the best of several results is chosen.
    """
    search = JudgedSearch([1, 1, 3], missing_bits, constants=[2])
    monkeypatch.setattr(search_pareto, "heat_map", lambda *_: (1.0, 2.0, 3.0))
    feasibility = Feasibility(search, Limits(ram=13, flash=flash))
    found = list(PARETO._promotions(feasibility, [EIGHT, SIXTEEN], (EIGHT, SIXTEEN), []))
    assert [widths_of(one) for one in found] == [(8, 16, 16 if flash >= 106 else 8)]


def test_promotions_in_the_ram_of_demotions(monkeypatch: pytest.MonkeyPatch):
    search = JudgedSearch([1, 2], missing_bits, refused=[(12, 8)])
    monkeypatch.setattr(search_pareto, "heat_map", lambda *_: (1.0, 2.0))
    monkeypatch.setattr(search_pareto, "choose_pair", lambda *_: (EIGHT, SIXTEEN))
    feasibility = Feasibility(search, Limits(ram=15))
    # Of 3, 4, 5 and 6 bytes, one that makes no program, and twice the same.
    demotions = [fixed(*pair) for pair in ((8, 8), (12, 8), (16, 8), (16, 8), (8, 16), (16, 16))]
    found = [widths_of(one) for one in PARETO._promotions(feasibility, [EIGHT, SIXTEEN], (EIGHT, SIXTEEN), demotions)]
    assert found == [(8, 16), (8, 8), (16, 8), (8, 16), (16, 16)]


def test_no_pair_is_chosen_if_no_width_fits(monkeypatch: pytest.MonkeyPatch):
    def choose_pair(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(search_pareto, "choose_pair", choose_pair)
    monkeypatch.setattr(search_pareto, "heat_map", lambda *_: (1.0,))
    feasibility = Feasibility(JudgedSearch([5], missing_bits), Limits(ram=14))
    assert list(PARETO._promotions(feasibility, [EIGHT, SIXTEEN], (EIGHT, SIXTEEN), [])) == []


def results(*points: tuple[float, float, float]) -> list[SearchResult]:
    """Search results with the given times, RAM and losses."""
    return [SearchResult([], {}, [FrontPoint(ProgramCost(time, 0, ram), loss, "", True)]) for time, ram, loss in points]


def test_a_third_program_is_searched_unless_memory_is_left():
    """Two programs suffice if the one that would be chosen needs less than 98 of 100 bytes of RAM, or if the metric is
    not `margin`. One program, or two without a limit on RAM, do not suffice.
    """
    limited = SearchParetoPass("", ram=100, loss=9.0)
    assert limited.suffices(results((5, 97.9, 1), (9, 99, 1)))
    assert not limited.suffices(results((5, 98, 1), (9, 50, 1)))
    # Metrics that count cannot tell more programs apart.
    assert SearchParetoPass("", ram=100, loss=9.0, metric="error").suffices(results((5, 98, 1), (9, 50, 1)))
    assert not limited.suffices(results((5, 97.9, 1)))
    assert not SearchParetoPass("", loss=9.0).suffices(results((5, 97.9, 1), (9, 50, 1)))


@pytest.mark.parametrize(
    ("points", "taken"),
    [
        (((5, 9, 1.0), (5, 8, 2.0)), 1),
        (((5, 9, 1.5), (5, 9, 1.0)), 1),
        (((5, 9, 2.0), (4, 9, math.nextafter(2.0, 3.0))), 0),
        # None loses as little: of those within three hundredths of the least the smallest.
        (((1, 9, 100.0), (2, 8, 103.0), (3, 7, 103.1)), 1),
        (((1, 9, 100.0), (2, 9, 99.0)), 1),
    ],
)
def test_the_fastest_program_within_the_loss_is_preferred(points: Sequence[Any], taken: int):
    assert SearchParetoPass("", loss=2.0).preferred(results(*points)) == taken


def test_plans_are_searched_instead_of_other_programs(monkeypatch: pytest.MonkeyPatch):
    class Modes:
        def __call__(self, program: Any, plans: Any) -> list[Any]:
            return [(program, plan) for plan in plans]

    parents: Any = SearchParetoPass.__mro__[1]
    monkeypatch.setattr(search_pareto, "in_modes", Modes())
    monkeypatch.setattr(parents, "programs", lambda *_: iter([1, 2]))
    monkeypatch.setattr(parents, "otherwise", lambda *_: iter([3]))
    op: Any = None
    with_plans, without = SearchParetoPass("", plans=("rows", "pixels")), SearchParetoPass("")
    assert list(with_plans.programs(context(), op, op)) == [(1, "rows"), (1, "pixels"), (2, "rows"), (2, "pixels")]
    assert list(without.programs(context(), op, op)) == [1, 2]
    assert list(with_plans.otherwise(op)) == []
    assert list(without.otherwise(op)) == [3]


def test_options_are_checked():
    search = JudgedSearch([1], missing_bits)
    with pytest.raises(InputError, match="effort must be positive, got 0"):
        SearchParetoPass("", effort=0).search(search)
    with pytest.raises(InputError, match="loss must not be negative, got -1"):
        SearchParetoPass("", loss=-1).search(search)
    SearchParetoPass("", target="uno").check(context())
    with pytest.raises(InputError, match="search-pareto compares costs, and none are known of the target 'host'"):
        SearchParetoPass("", target="host").check(context())


@pytest.mark.parametrize(("loss", "rivals"), [(None, 1), (0.0, 0)])
def test_the_steps_of_the_whole_search(monkeypatch: pytest.MonkeyPatch, loss: float | None, rivals: int):
    """`search-pareto` evaluates, exchanges and improves candidates and measures the front. For one tensor whose loss
    decreases with its bits, it chooses 16 bits. If a loss is permitted, it returns no rivals of the chosen program.
    """
    search = JudgedSearch([1], missing_bits)
    monkeypatch.setattr(
        search_pareto, "_initial_candidates", lambda _, offered: [("maxscale", map(search.uniform, offered))]
    )
    monkeypatch.setattr(search_pareto, "PairwiseMoves", Moves([]))
    monkeypatch.setattr(search_pareto, "LinearErrors", lambda *_: SimpleNamespace())
    monkeypatch.setattr(search_pareto, "possible_changes", lambda *_: [])
    settled_with: list[Any] = []
    settle = PARETO._Pareto.settle

    def noted(self: Any, *given: float) -> None:
        settled_with.append(given)
        settle(self, *given)

    monkeypatch.setattr(PARETO._Pareto, "settle", noted)
    found = SearchParetoPass("", widths=(8, 16), effort=10, loss=loss).search(search)
    assert widths_of(found.choices) == (16,)
    assert len(found.rivals) == rivals
    assert search.judged.phases == ["exchange", "improvement", "front"]
    assert settled_with == [(1.01, math.inf), (1.0, 8), (1.0, 8)]
    assert [one.loss for one in found.points if one.chosen] == [0.0]

"""The steps of the searches for widths, with losses and costs from test functions: branches, ties, limits and
budgets.
"""

# Stubs have few types.
# pyright: basic

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from programs.judged_searches import Choices, JudgedSearch, by_widths, fixed, missing_bits, widths_of

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.codebook import CodebookType
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.posit.type import PositType
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice
from tinyml.transforms.search import search_demote, search_maxscale, search_promote, search_weights
from tinyml.transforms.search.engine.moves import choose_scales
from tinyml.transforms.search.engine.result import SearchResult
from tinyml.transforms.search.engine.search import Feasibility, Limits
from tinyml.transforms.search.search_by_accuracy import SearchByAccuracyPass
from tinyml.transforms.search.search_by_size import SearchBySizePass
from tinyml.transforms.search.search_demote import (
    Demotion,
    SearchDemotePass,
    better,
    cumulative_demotions,
    demote_each,
    explore_input_scale,
    first_that_fits,
    narrow_and_wide,
)
from tinyml.transforms.search.search_maxscale import SearchMaxscalePass
from tinyml.transforms.search.search_promote import (
    Promotion,
    SearchPromotePass,
    best_variant,
    choose_pair,
    heat_map,
    uniform_losses,
    use_room,
)
from tinyml.transforms.search.search_weights import SearchWeightsPass

DEMOTE: Any = search_demote
PROMOTE: Any = search_promote
WEIGHTS: Any = search_weights
EIGHT, TWELVE, SIXTEEN = (FixedType.of_width(width) for width in (8, 12, 16))


def by_zooms(losses: dict[tuple[int, ...], float], other: float = 99.0) -> Callable[[Choices], float]:
    return lambda choices: losses.get(tuple(choice.zoom for choice in choices), other)


def always(_: object) -> bool:
    return True


# Shiftry.


@pytest.mark.parametrize(
    ("reach", "losses", "best"),
    [
        # From the scale in which the last bit is a unit, to one bit above the range: numbers up to 4 at 4 bits.
        ((-3.0, 4.0), {(3 - 2,): 1.0}, 1),
        ((-3.0, 4.0), {(4,): 1.0}, 4),
        ((-3.0, 4.0), {(5,): 1.0}, 0),
        ((-3.0, 4.0), {(0,): 1.0}, 0),
        ((0.0, 0.0), {(1,): 1.0}, 1),
        ((0.0, 0.0), {(-3,): 1.0}, -3),
        ((0.0, 0.0), {(-4,): 1.0}, 0),
        # Of equally good ones the nearest to the profile's.
        ((-3.0, 4.0), {(3,): 1.0, (2,): 1.0, (1,): 1.0}, 1),
        ((-3.0, 4.0), {(1,): 1.0, (0,): 1.0}, 0),
    ],
)
def test_the_scale_of_the_input(reach: tuple[float, float], losses: dict[tuple[int, ...], float], best: int):
    search = JudgedSearch([1], by_zooms(losses), ranges={0: reach})
    assert explore_input_scale(search, fixed(4)).zoom == best


def test_each_tensor_is_demoted_alone_at_the_best_of_four_scales():
    losses = {(0, 0): 9.0, (1, 0): 7.0, (2, 0): 7.0, (3, 0): 8.0, (4, 0): 1.0, (0, 3): 5.0, (0, 4): 1.0}

    def loss(choices: Choices) -> float:
        return by_zooms(losses, 9.5)(choices)

    search = JudgedSearch([1, 1], loss)
    found = demote_each(search, fixed(16, 16), EIGHT)
    assert found == [
        Demotion(FormatChoice(EIGHT, 1), 7.0, "mean error"), Demotion(FormatChoice(EIGHT, 3), 5.0, "mean error")
    ]  # fmt: skip
    assert search.judged.asked == [
        [math.nextafter(math.inf, -math.inf)] * 2,
        [math.nextafter(9.0, -math.inf)] * 2,
        [math.nextafter(7.0, -math.inf), math.nextafter(9.0, -math.inf)],
        [math.nextafter(7.0, -math.inf), math.nextafter(9.0, -math.inf)],
    ]
    assert found[0].reason(True) == "demoted: 7 mean error with it alone demoted at a scale 2^1 times finer"
    assert (
        Demotion(FormatChoice(EIGHT), 0.12345, "% differ").reason(False) == "kept: 0.123 % differ with it alone demoted"
    )


def test_what_fails_at_every_scale_is_demoted_at_its_own():
    found = demote_each(JudgedSearch([1], lambda _: math.inf), fixed(16), EIGHT)
    assert found == [Demotion(FormatChoice(EIGHT), math.inf, "mean error")]


def demotions(*losses: float) -> list[Demotion]:
    return [Demotion(FormatChoice(EIGHT), loss, "points lost") for loss in losses]


def test_demotions_go_on_from_the_least_loss():
    steps = cumulative_demotions(fixed(16, 16, 16), demotions(2.0, 1.0, 2.0))
    assert [widths_of(choices) for choices in steps] == [(16, 8, 16), (8, 8, 16), (8, 8, 8)]


@pytest.mark.parametrize(("ram", "taken"), [(16, (16, 16, 16)), (15, (16, 8, 16)), (14, (8, 8, 16)), (13, (8, 8, 8))])
def test_as_few_tensors_as_possible_are_demoted(ram: int, taken: tuple[int, ...]):
    search = JudgedSearch([1, 1, 1], missing_bits)
    steps = [fixed(16, 16, 16), *cumulative_demotions(fixed(16, 16, 16), demotions(2.0, 1.0, 2.0))]
    assert widths_of(first_that_fits(Feasibility(search, Limits(ram=ram)), steps)) == taken


def test_nothing_fits():
    feasibility = Feasibility(JudgedSearch([1], missing_bits), Limits(ram=10))
    with pytest.raises(InputError, match=r"no program works in 10 bytes of RAM, even with all tensors demoted"):
        first_that_fits(feasibility, [fixed(8)])


def test_the_first_of_equally_good_results_is_the_better():
    search = JudgedSearch([1, 1], missing_bits)
    results = [SearchResult(fixed(*widths), {}) for widths in ((8, 8), (8, 16), (16, 8))]
    found = better(search, results)
    assert (widths_of(found.choices), found.loss) == ((8, 16), 8.0)


@pytest.mark.parametrize(
    ("widths", "bits", "found"), [((), 16, (8, 16)), ((), 8, (4, 8)), ((8, 8), 16, (8, 8)), ((6, 12), 16, (6, 12))]
)
def test_the_width_of_demoted_tensors(widths: Sequence[int], bits: int, found: tuple[int, int]):
    search = JudgedSearch([1], missing_bits, prototype=FixedType.of_width(bits))
    narrow, wide = narrow_and_wide(search, widths)
    assert (narrow.bits, wide.bits) == found


@pytest.mark.parametrize("widths", [(16, 8), (8,), (4, 8, 16), (8, 8, 8)])
def test_other_widths_are_refused(widths: Sequence[int]):
    with pytest.raises(InputError, match=r"expected the width of demoted tensors and that of others"):
        narrow_and_wide(JudgedSearch([1], missing_bits), widths)


def offering(bits: int, *candidates: int) -> Any:
    return SimpleNamespace(bits=bits, candidates=[SimpleNamespace(bits=width) for width in candidates])


@pytest.mark.parametrize(
    ("usual", "found"), [(offering(8, 5, 6, 8), (5, 8)), (offering(8, 3, 4, 5, 8, 9), (4, 8)), (offering(8, 8), (8, 8))]
)
def test_the_width_of_demoted_tensors_of_a_format_with_few_widths(usual: Any, found: tuple[int, int]):
    search = JudgedSearch([1], missing_bits, prototype=usual)
    narrow, wide = narrow_and_wide(search, ())
    assert (narrow.bits, wide.bits) == found


def test_the_only_width_of_a_format_may_be_given():
    search = JudgedSearch([1], missing_bits, prototype=offering(8, 8))
    assert [format.bits for format in narrow_and_wide(search, (8,))] == [8, 8]
    assert [format.bits for format in narrow_and_wide(search, (8, 8))] == [8, 8]
    with pytest.raises(InputError, match=r"expected the width of demoted tensors"):
        narrow_and_wide(search, (8, 8, 8))


@pytest.mark.parametrize(
    ("permitted", "kept", "evaluated"),
    [(7.9, 0, 2), (8.0, 1, 2), (16.0, 2, 4), (24.0, 3, 4), (32.0, 4, 4), (33.0, 4, 4)],
)
def test_as_many_tensors_as_the_loss_permits_are_demoted(permitted: float, kept: int, evaluated: int):
    """Demotion demotes as many tensors as the permitted loss allows. Two worker processes evaluate candidates at the
    same time, which does not change the result.
    """
    search = JudgedSearch([1] * 4, missing_bits)
    found = DEMOTE._demote_within_loss(search, fixed(*[16] * 4), demotions(1, 2, 3, 4), permitted, "error")
    assert widths_of(found) == (8,) * kept + (16,) * (4 - kept)
    assert search.judged.evaluated == evaluated


def test_an_excessive_loss_ends_demotions_though_a_later_one_is_less():
    losses = by_widths({(8, 16, 16): 1.0, (8, 8, 16): 3.0, (8, 8, 8): 1.0})
    found = DEMOTE._demote_within_loss(
        JudgedSearch([1] * 3, losses), fixed(16, 16, 16), demotions(1, 2, 3), 2.0, "error"
    )
    assert widths_of(found) == (8, 16, 16)


def test_the_whole_of_demotion():
    """`search-demote` determines the scale of the input, the loss of each tensor alone, and then demotes cumulatively.
    The loss is the number of missing bits; a scale of 1 reduces it for the input and increases it for other tensors.
    """

    def loss(choices: Choices) -> float:
        return missing_bits(choices) + 1 - choices[0].zoom % 2 + sum(one.zoom for one in choices[1:])

    search = JudgedSearch([1, 2, 1], loss)
    found = SearchDemotePass("", loss=17.0).search(search)
    assert (widths_of(found.choices), found.choices[0].zoom) == ((8, 8, 16), 1)
    assert found.reasons["a"] == "demoted: 8 mean error with it alone demoted at a scale 2^1 times finer"
    assert found.reasons["c"] == "kept: 8 mean error with it alone demoted"
    assert search.judged.phases == ["scale of the input", "one by one", "cumulative"]
    limited = SearchDemotePass("", ram=16, loss=0).search(JudgedSearch([1, 2, 1], loss))
    assert (widths_of(limited.choices), limited.loss) == ((8, 8, 16), 16.0)
    with pytest.raises(InputError, match=r"loss must not be negative, got -1"):
        SearchDemotePass("", loss=-1).search(search)
    assert SearchDemotePass("").loss == 2.0


# MinUn's baselines.


@pytest.mark.parametrize(("ram", "found"), [(13, (8, 8, 8)), (14, (16, 8, 8)), (16, (8, 16, 16)), (17, (16, 16, 16))])
def test_by_accuracy_what_loses_most_stays_wide(ram: int, found: tuple[int, ...]):
    """Within a limit on RAM, the tensors whose demotion loses the most stay wide. The three tensors of 1, 1 and 2
    elements lose 1, 3 and 2 if demoted alone. A limit that no program meets is an error.
    """

    def loss(choices: Choices) -> float:
        return sum(lost for lost, one in zip((1, 3, 2), choices, strict=True) if one.prototype.bits == 8)

    search = JudgedSearch([1, 1, 2], loss)
    if ram == 13:
        with pytest.raises(InputError, match=r"no program works in 13 bytes"):
            SearchByAccuracyPass("", ram=ram).search(search)
        return
    result = SearchByAccuracyPass("", ram=ram + 1).search(search)
    assert loss(result.choices) == {15: 3, 17: 1, 18: 0}[ram + 1]


def test_by_accuracy_promotion_begins_from_all_demoted():
    """Demotion leaves one tensor wide. Promotion, which begins with all tensors demoted, widens another one. The result
    is the one with less loss, here that of promotion. The input has its own scale.
    """
    alone = {(8, 16, 16): 1.0, (16, 8, 16): 2.0, (16, 16, 8): 3.0}
    both = {(8, 8, 16): 9.0, (8, 8, 8): 12.0, (16, 16, 16): 0.0}
    search = JudgedSearch(
        [1, 1, 1], lambda choices: by_widths(alone | both, 20.0)(choices) + (choices[0].zoom != 1) / 4
    )
    found = SearchByAccuracyPass("", ram=14).search(search)
    assert widths_of(found.choices) == (8, 8, 16)
    assert found.choices[0].zoom == 1
    assert found.reasons["c"].startswith("kept: 3 ")
    assert search.judged.phases == ["scale of the input", "one by one", "within the limit"]


def test_by_accuracy_promotion_ends_at_the_first_that_does_not_fit():
    """Demotion demotes a, then b. If b, the first tensor to be promoted, does not fit, promotion ends and does not try
    a, although a would fit.
    """
    losses = {(8, 16): 1.0, (16, 8): 2.0, (8, 8): 5.0, (16, 16): 0.0}
    search = JudgedSearch([1, 9], by_widths(losses))
    found = SearchByAccuracyPass("", ram=29).search(search)
    assert widths_of(found.choices) == (8, 16)
    found = SearchByAccuracyPass("", ram=28).search(search)
    assert widths_of(found.choices) == (8, 8)


def test_by_accuracy_the_better_of_both_orders_is_taken():
    """If exactly one tensor is demoted, the loss is the same for each. Demotion leaves the last tensor wide, while
    promotion begins with the first; the better of both results is chosen.
    """
    losses = {(8, 16, 16): 1.0, (16, 8, 16): 1.0, (16, 16, 8): 1.0, (8, 8, 16): 5.0, (16, 8, 8): 4.0, (8, 8, 8): 9.0}
    for better_one, taken in (((16, 8, 8), (16, 8, 8)), ((8, 8, 16), (8, 8, 16))):
        search = JudgedSearch([1, 1, 1], by_widths(losses | {better_one: 3.0}))
        found = SearchByAccuracyPass("", ram=14).search(search)
        assert (widths_of(found.choices), found.loss) == (taken, 3.0)


def test_by_size_the_smallest_are_demoted_first_and_promoted_last():
    search = JudgedSearch([1, 3, 2], missing_bits)
    assert widths_of(SearchBySizePass("", ram=21).search(search).choices) in ((8, 16, 16), (16, 16, 8))
    assert widths_of(SearchBySizePass("", ram=22).search(search).choices) == (16, 16, 16)


# MinUn.


def test_uniform_widths_and_variants():
    search = JudgedSearch([1], missing_bits)
    assert uniform_losses(search, [EIGHT, SIXTEEN]) == [8.0, 0.0]
    assert best_variant(search, EIGHT, always) is EIGHT
    posits = PositType.of_width(8).variants
    assert len(posits) > 2

    def loss(choices: Choices) -> float:
        return [1.0, 0.5, 0.5, 0.25][posits.index(choices[0].prototype)]

    search = JudgedSearch([1], loss)
    for excluded, best in (((), posits.index(posits[-1]) if len(posits) > 3 else 1), (posits[3:], 1), (posits[1:], 0)):
        found = best_variant(search, posits[0], lambda choices, out=excluded: choices[0].prototype not in out)
        assert found == posits[best]
    assert best_variant(search, posits[0], lambda _: False) == posits[0]


@pytest.mark.parametrize(
    ("losses", "most", "pair"),
    [
        # The best of those as good as the reals that is followed by a worse one, and that.
        ((3.0, 2.0, 0.0, 0.0, -1.0), 16, (9, 10)),
        ((3.0, 2.0, 1.0, -1.0, -2.0), 16, (10, 12)),
        # All are worse: the two best.
        ((3.0, 2.0, 1.0, 0.9, 0.8), 16, (12, 16)),
        ((3.0, 2.0, 2.0, 0.8, 0.9), 16, (9, 12)),
        # None that is narrower is worse.
        ((0.0, 1.0, 1.0, 1.0, 1.0), 16, (8, 8)),
        ((1.0, 1.0, 1.0, 1.0, 1.0), 16, (8, 8)),
        # What does not fit is no low one.
        ((3.0, 2.0, 1.0, -1.0, -2.0), 9, (9, 12)),
        ((1.0, 2.0, 3.0, 4.0, 0.5), 8, (8, 16)),
        ((1.0, 2.0, 3.0, 4.0, 0.5), 7, None),
    ],
)
def test_the_pair_of_widths(losses: Sequence[float], most: int, pair: tuple[int, int] | None):
    offered = [FixedType.of_width(width) for width in (8, 9, 10, 12, 16)]
    known = {(format.bits,): loss for format, loss in zip(offered, losses, strict=True)}
    search = JudgedSearch([1], by_widths(known))
    found = choose_pair(search, offered, lambda choices: choices[0].prototype.bits <= most)
    assert (None if found is None else tuple(format.bits for format in found)) == pair


@pytest.mark.parametrize(("most", "pair"), [(16, (8, 16)), (8, (8, 16)), (7, None)])
def test_two_widths_are_the_pair(most: int, pair: tuple[int, int] | None):
    search = JudgedSearch([1], missing_bits)
    found = choose_pair(search, [SIXTEEN, EIGHT], lambda choices: choices[0].prototype.bits <= most)
    assert (None if found is None else tuple(format.bits for format in found)) == pair
    assert search.judged.evaluated == 0


def test_of_three_widths_two_are_chosen():
    search = JudgedSearch([1], by_widths({(8,): 3.0, (12,): 1.0, (16,): 0.0}))
    assert choose_pair(search, [EIGHT, TWELVE, SIXTEEN], always) == (TWELVE, SIXTEEN)


def test_promotability_is_the_95th_percentile_of_deviations_for_each_element(monkeypatch: pytest.MonkeyPatch):
    maps = {8: [np.arange(21.0), np.zeros(2)], 16: [np.full(21, -1.0), np.full(2, -6.0)]}
    monkeypatch.setattr(search_promote, "value_map", lambda _, formats: maps[formats[0].prototype.bits])
    assert heat_map(JudgedSearch([4, 3], missing_bits), EIGHT, SIXTEEN) == [20 / 4, 2.0]


def test_promotions_with_what_did_not_fit_first():
    """By rank, a (2 bytes) and b (3 bytes) are promoted in five additional bytes. Another attempt begins with c (4
    bytes), which did not fit, and adds d (1 byte). Its loss is smaller, so it is chosen.
    """
    losses = {(16, 8, 8, 16): 5.0, (8, 16, 8, 16): 4.0, (8, 8, 16, 16): 3.0, (8, 8, 8, 8): 9.0}
    search = JudgedSearch([2, 3, 4, 1], by_widths(losses))
    promotion = Promotion(search, EIGHT, SIXTEEN, [4.0, 2.0, 3.0, 1.0])

    def fits(choices: Choices) -> bool:
        return search.memory(choices) <= 15

    assert widths_of(promotion.in_order(fits)) == (16, 16, 8, 8)
    found = promotion.best(fits)
    assert widths_of(found.choices) == (8, 8, 16, 16)
    assert found.reasons == {
        "a": "kept: promotability 4",
        "b": "kept: promotability 2",
        "c": "promoted: promotability 3, beyond the limit by itself",
        "d": "promoted: promotability 1, beyond the limit by itself",
    }


def test_what_fits_softly_alone_is_not_taken():
    search = JudgedSearch([1, 1], missing_bits)
    promotion = Promotion(search, EIGHT, SIXTEEN, [2.0, 1.0])
    found = promotion.best(lambda choices: search.memory(choices) <= 3, always)
    assert widths_of(found.choices) == (8, 8)
    # Softly both are promoted; only the first is tried alone where that is asked.
    assert search.judged.tried == [(8, 8)]


def test_narrow_is_taken_if_nothing_better_fits():
    search = JudgedSearch([1, 1], lambda choices: -missing_bits(choices))
    found = Promotion(search, EIGHT, SIXTEEN, [2.0, 1.0]).best(always)
    assert widths_of(found.choices) == (8, 8)
    assert search.judged.tried == [(16, 16), (8, 8)]


def test_few_tensors_come_first_in_large_programs(monkeypatch: pytest.MonkeyPatch):
    """Promotion is repeated for a limited number of tensors that did not fit, each of which comes first once. The limit
    is `_TENSORS` divided by the number of tensors, rounded down, but at least one. For three tensors, `_TENSORS` = 6
    permits two such tensors. Two more candidates are tried: the program without promotions, and the promotion in
    which all tensors that did not fit come first. The percentile of promotability is 95.
    """
    for permitted, beginnings in ((6, 2), (5, 1), (2, 1), (9, 3)):
        monkeypatch.setattr(search_promote, "_TENSORS", permitted)
        search = JudgedSearch([2, 2, 2], missing_bits)
        promotion = Promotion(search, EIGHT, SIXTEEN, [3.0, 2.0, 1.0])
        promotion._promoted = lambda promoted, fits: (promoted, [0, 1, 2])
        promotion.best(always)
        assert len(search.judged.tried) == beginnings + 2
    assert PROMOTE._PERCENTILE == 95


def test_room_that_is_left(monkeypatch: pytest.MonkeyPatch):
    """Free bytes are used to widen tensors whose format is among the offered ones. A tensor in another format is
    unchanged.
    """
    search = JudgedSearch([1, 2, 4], missing_bits)
    posit = FormatChoice(PositType.of_width(8))
    given = SearchResult([*fixed(8, 8), posit], {"a": "x", "b": "y", "c": "z"})
    offered = [EIGHT, SIXTEEN]

    def fits(choices: Choices) -> bool:
        return search.memory(choices) <= 9

    found = use_room(search, given, offered, [1.0, 2.0, 3.0], fits)
    assert widths_of(found.choices) == (8, 16, 8)
    assert found.reasons == {"a": "x", "b": "y; made wider in free memory", "c": "z"}
    assert found.choices[2] is posit
    again = use_room(search, found, offered, [1.0, 2.0, 3.0], fits)
    assert again.reasons == found.reasons


@pytest.mark.parametrize(
    ("bits", "tried"),
    [
        # 24 bits beside 2 x 8: from the widest down, then from the narrowest up, each from the result and from narrow.
        (24, [(8, 8), (16, 8), (8, 12), (12, 12)]),
        (28, [(8, 8), (16, 8), (16, 12), (12, 12), (12, 16)]),
    ],
)
def test_steps_to_other_widths(bits: int, tried: Sequence[tuple[int, int]]):
    search = JudgedSearch([1, 1], missing_bits)
    use_room(
        search,
        SearchResult(fixed(8, 8), {"a": "", "b": ""}),
        [SIXTEEN, EIGHT, TWELVE],
        [2.0, 1.0],
        lambda choices: sum(widths_of(choices)) <= bits,
    )
    assert search.judged.tried[0] == (8, 8)
    assert all(sum(widths) <= bits for widths in search.judged.tried)
    assert (12, 12) in search.judged.tried
    assert search.judged.tried[1] == (16, 8)


def test_room_is_used_from_the_narrowest_that_fits():
    search = JudgedSearch([1], missing_bits)
    found = use_room(
        search,
        SearchResult(fixed(12), {"a": ""}),
        [EIGHT, SIXTEEN],
        [1.0],
        lambda choices: choices[0].prototype.bits > 8,
    )
    assert widths_of(found.choices) == (16,)


def last_bytes(search: JudgedSearch, limits: Limits, *widths: int) -> SearchResult:
    given = SearchResult(fixed(*widths), dict.fromkeys("abc"[: len(widths)], ""))
    return PROMOTE._use_last_bytes(Feasibility(search, limits), given, [EIGHT, TWELVE, SIXTEEN])


@pytest.mark.parametrize(("finer", "zoom"), [(-1.0, 0), (-1.03, 0), (math.nextafter(-1.03, -2.0), 1)])
def test_another_scale_has_to_help_by_more_than_the_standard_error(finer: float, zoom: int):
    """A loss may be negative, as that of R2 is. Its standard error is then a share of its magnitude."""
    search = JudgedSearch([1], by_zooms({(0,): -1.0, (1,): finer}, 0.0))
    result = choose_scales(search, SearchResult(fixed(8), {}), always)
    assert [choice.zoom for choice in result.choices] == [zoom]


def test_the_last_bytes_go_to_what_loses_least():
    search = JudgedSearch([1, 2], lambda choices: missing_bits(choices) + 1)
    found = last_bytes(search, Limits(ram=14), 8, 8)
    assert widths_of(found.choices) == (16, 8)
    assert found.reasons == {"a": "; made wider in the last bytes", "b": ""}
    assert widths_of(last_bytes(search, Limits(ram=16), 8, 8).choices) == (16, 16)


@pytest.mark.parametrize(("loss", "taken"), [(97.0, 8), (96.9, 16)])
def test_the_last_bytes_have_to_help_by_more_than_the_standard_error(loss: float, taken: int):
    search = JudgedSearch([1], by_widths({(8,): 100.0, (16,): loss}, 100.0))
    assert widths_of(last_bytes(search, Limits(), 8).choices) == (taken,)


def test_only_wider_formats_of_the_same_kind_get_the_last_bytes():
    search = JudgedSearch([1, 1, 1], missing_bits)
    posit = FormatChoice(PositType.of_width(8))
    given = SearchResult([*fixed(12, 16), posit], {"a": "", "b": "", "c": ""})
    found = PROMOTE._use_last_bytes(Feasibility(search, Limits()), given, [EIGHT, TWELVE, SIXTEEN])
    assert widths_of(found.choices) == (16, 16, 8)
    assert search.judged.tried == [(12, 16, 8), (16, 16, 8)]


def test_the_better_of_narrowed_results_at_their_best_scales_is_taken(monkeypatch: pytest.MonkeyPatch):
    """After other formats have made a tensor narrower, the free bytes are used once with all widths, and once with each
    wider width alone. The result with the least loss that fits is chosen.
    """
    used: list[tuple[int, ...]] = []
    maps: list[tuple[int, int]] = []

    def use_room(_: Any, narrow: SearchResult, widths: Any, *__: Any) -> SearchResult:
        used.append(tuple(format.bits for format in widths))
        return SearchResult(fixed(6, max(used[-1])), {})

    def heat(_: Any, low: Any, high: Any) -> list[float]:
        maps.append((low.bits, high.bits))
        return [1.0, 1.0]

    monkeypatch.setattr(search_promote, "use_room", use_room)
    monkeypatch.setattr(search_promote, "heat_map", heat)
    monkeypatch.setattr(search_promote, "choose_scales", lambda _, result, __: result)
    for offered, limits, widths, taken in (
        ([SIXTEEN, EIGHT, TWELVE], Limits(), [(8, 12, 16), (8, 12), (8, 16)], (6, 16)),
        ([SIXTEEN, EIGHT], Limits(), [], (8, 8)),
        # It is not feasible.
        ([SIXTEEN, EIGHT, TWELVE], Limits(ram=11), [], (8, 8)),
    ):
        used.clear()
        search = JudgedSearch([1, 1], by_widths({(8, 8): 5.0, (6, 12): 6.0, (6, 16): 4.0}), others=[EIGHT])
        given = SearchResult(fixed(8, 8), {})
        monkeypatch.setattr(search_promote, "narrow_formats", lambda *_: SearchResult(fixed(6, 8), {}))
        found = SearchPromotePass("")._narrowed(Feasibility(search, limits), given, offered)
        assert widths_of(found.choices) == taken
        assert used == widths
    assert set(maps) == {(8, 16)}
    # The same object: nothing is narrower.
    monkeypatch.setattr(search_promote, "narrow_formats", lambda _, result: result)
    assert SearchPromotePass("")._narrowed(Feasibility(search, Limits()), given, offered) is given
    search.others = []
    assert SearchPromotePass("")._narrowed(Feasibility(search, Limits()), given, offered) is given


def test_what_the_last_bytes_are_spent_on_is_built(monkeypatch: pytest.MonkeyPatch):
    """Programs that use the last bytes are built, at most `BUILDS` of them. The first two exceed the limit, so that the
    third one is chosen only if three builds are permitted.
    """
    search = JudgedSearch([1, 1, 1], lambda choices: 10 + missing_bits(choices) + choices[0].prototype.bits / 100)
    search.judged_costs.excess = lambda choices: 9 * (widths_of(choices) in ((8, 8, 16), (8, 16, 8)))
    for builds, taken in ((1, (8, 8, 8)), (2, (8, 8, 8)), (3, (16, 8, 8)), (4, (16, 8, 8))):
        search.judged_costs.measurements.clear()
        monkeypatch.setattr(search_promote, "BUILDS", builds)
        assert widths_of(last_bytes(search, Limits(ram=14), 8, 8, 8).choices) == taken


def test_promotion_of_the_whole(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(search_promote, "heat_map", lambda *_: [1.0, 2.0])
    assert search_promote.WIDTHS == (8, 9, 10, 12, 16)
    for ram, found in ((13, (8, 8)), (14, (16, 8)), (15, (8, 16)), (None, (16, 16))):
        search = JudgedSearch([1, 2], by_widths({(8, 8): 4.0, (16, 8): 3.0, (8, 16): 2.0, (16, 16): 1.0}))
        result = SearchPromotePass("", widths=(8, 16), ram=ram).search(search)
        assert widths_of(result.choices) == found
        assert result.loss == search.losses([fixed(*found)])[0]
        assert search.judged.phases == ["widths", "heat map", "promotion"]


def test_promotion_refuses():
    search = JudgedSearch([1], missing_bits)
    with pytest.raises(InputError, match=r"soft must be positive, got 0"):
        SearchPromotePass("", soft=0).search(search)
    with pytest.raises(InputError, match=r"in 10 bytes of RAM at the tried widths 8, 16 \(--widths sets others\)"):
        SearchPromotePass("", widths=(8, 16), ram=10).search(search)


def test_a_soft_limit_lets_promotions_go_on(monkeypatch: pytest.MonkeyPatch):
    """Promotion within a soft limit that equals the hard limit widens the first tensor. Within a soft limit that is
    twice as high, it widens all tensors, but the hard limit excludes this result. The narrow result is then chosen.
    """
    monkeypatch.setattr(search_promote, "heat_map", lambda *_: [1.0, 2.0])
    for soft, found in ((1.0, (16, 8)), (2.0, (8, 8))):
        search = JudgedSearch([1, 2], missing_bits)
        assert widths_of(SearchPromotePass("", widths=(8, 16), ram=14, soft=soft).search(search).choices) == found


def test_other_widths_and_scales_follow_promotion_within_limits(monkeypatch: pytest.MonkeyPatch):
    called: list[str] = []

    def noting(name: str, result: Callable[..., Any]) -> Callable[..., Any]:
        def note(*given: Any) -> Any:
            called.append(name)
            return result(*given)

        return note

    monkeypatch.setattr(search_promote, "heat_map", noting("heat", lambda *_: [1.0]))
    monkeypatch.setattr(search_promote, "use_room", noting("room", lambda _, result, *__: result))
    monkeypatch.setattr(search_promote, "choose_scales", noting("scales", lambda _, result, __: result))
    monkeypatch.setattr(search_promote, "choose_formats", noting("formats", lambda _, result, __: result))
    monkeypatch.setattr(search_promote, "narrow_formats", noting("narrow", lambda _, result: result))
    monkeypatch.setattr(PROMOTE, "_use_last_bytes", noting("last", lambda _, result, __: result))
    cases: list[tuple[str, dict[str, Any], list[Any], list[str]]] = [
        ("error", {"widths": (8, 16), "ram": 20}, [], ["heat", "formats"]),
        ("error", {"widths": (8, 12, 16), "ram": 20}, [], ["heat", "room", "formats"]),
        ("error", {"widths": (8, 12, 16)}, [], ["heat", "formats"]),
        ("margin", {"widths": (8, 16), "ram": 20}, [], ["heat", "scales", "formats"]),
        ("margin", {"widths": (8, 16)}, [], ["heat", "formats"]),
        ("margin", {"widths": (8, 16), "ram": 20}, [EIGHT], ["heat", "narrow", "scales", "formats"]),
        (
            "margin", {"widths": (8, 12, 16), "ram": 20}, [EIGHT],
            ["heat", "room", "narrow", "scales", "last", "scales", "formats"],
        ),
    ]  # fmt: skip
    for metric, options, others, expected in cases:
        called.clear()
        SearchPromotePass("", **options).search(JudgedSearch([1], missing_bits, metric=metric, others=others))
        assert called == expected


# SeeDot.


def test_the_greatest_of_equally_good_maxscales_is_taken(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(
        search_maxscale, "assign_scales", lambda _, __, maxscale: SimpleNamespace(zoom=lambda _: maxscale)
    )
    losses = by_zooms({(5,): 1.0, (6,): 1.0, (7,): 2.0, (0,): 1.5})
    search = JudgedSearch([1], losses)
    assert search_maxscale.explore_maxscale(search, EIGHT) == ([FormatChoice(EIGHT, 6)], 6, 1.0)
    assert len(search.judged.known) == 8
    found = SearchMaxscalePass("", widths=(8, 4)).search(search)
    assert found.choices == [FormatChoice(EIGHT, 6)]
    assert found.reasons == {"a": "maxscale 6"}


# Weights.


@pytest.fixture
def of_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a search compute the stored bits of tensors from the formats of choices."""
    stored = WEIGHTS.stored_bits
    monkeypatch.setattr(WEIGHTS, "stored_bits", lambda tensors, choice: stored(tensors, choice.prototype))


def weights(search: JudgedSearch, limit: float) -> Any:
    return WEIGHTS._Weights(search, search.uniform(SIXTEEN), limit)


@pytest.mark.usefixtures("of_choices")
def test_constants_of_several_elements_have_options_narrower_at_each_loss():
    """Only a constant of several elements, a, has options for narrower formats; b has one element, and c is not a
    constant. Each option has fewer bits and more loss than the option before it.
    """
    search = JudgedSearch(
        [3, 1, 2],
        by_widths({(16, 16, 16): 0.0, (8, 16, 16): 1.0, (6, 16, 16): 1.0, (4, 16, 16): 2.0}, 9.0),
        constants=[0, 1],
    )
    found = weights(search, 4.5)
    assert (found.constants, found.elements) == ([0], 3)
    found.evaluate_alone()
    options = [(one.choice.prototype.bits, one.bits, one.loss) for one in found.options[0]]
    assert options[:3] == [(16, 48, 0.0), (6, 18, 1.0), (4, 12, 2.0)]
    assert all(bits <= 8 for bits, _, _ in options[1:])


@pytest.mark.usefixtures("of_choices")
def test_each_constant_has_its_own_options():
    search = JudgedSearch(
        [3, 2], lambda choices: 3 * missing_bits(choices[:1]) + missing_bits(choices[1:]), constants=[0, 1]
    )
    found = weights(search, 4.5)
    found.evaluate_alone()
    for i, (elements, factor) in enumerate(((3, 3), (2, 1))):
        assert [one.loss for one in found.options[i]] == [
            factor * (16 - one.bits / elements) for one in found.options[i]
        ]


@pytest.mark.usefixtures("of_choices")
def test_what_makes_no_program_is_no_option():
    search = JudgedSearch([3, 1], missing_bits, constants=[0], refused=[(8, 16), (6, 16)])
    found = weights(search, 4.5)
    found.evaluate_alone()
    assert {8, 6}.isdisjoint(one.choice.prototype.bits for one in found.options[0])
    assert 4 in {one.choice.prototype.bits for one in found.options[0]}


def option(width: int, bits: float, loss: float) -> Any:
    return WEIGHTS._Option(FormatChoice(FixedType.of_width(width)), bits, loss)


def with_options(limit: float, loss: Callable[[Choices], float] = missing_bits) -> Any:
    """A search over two constants of two elements, each with options of 16, 8 and 4 bits per element.

    limit: the limit on the mean number of bits per element.
    loss: the loss of a candidate.
    """
    found = weights(JudgedSearch([2, 2], loss, constants=[0, 1]), limit)
    found.options = {
        0: [option(16, 32, 0.0), option(8, 16, 4.0), option(4, 8, 5.0)],
        1: [option(16, 32, 0.0), option(8, 16, 3.0), option(4, 8, 9.0)],
    }
    return found


@pytest.mark.parametrize(
    ("limit", "taken"),
    [
        (16.0, (16, 16)),
        # Of 16 bits saved b loses 3, of 24 a loses 5, and b 9.
        (15.9, (16, 8)),
        (12.0, (16, 8)),
        (11.9, (4, 8)),
        (6.0, (4, 8)),
        (5.9, (4, 4)),
        (4.0, (4, 4)),
    ],
)
def test_the_step_that_adds_least_loss_for_a_bit_is_taken(limit: float, taken: tuple[int, int]):
    found = with_options(limit)
    assert widths_of([one.choice for one in found.narrowed().values()]) == taken


def test_steps_count_from_what_is_lost_already():
    """Options are compared by the loss that they add. A narrower format increases the loss of a from 5 to 8, and that
    of b from 0 to 4, so that a is narrowed.
    """
    found = with_options(11.0)
    found.options[0] = [option(8, 16, 5.0), option(4, 8, 8.0)]
    found.options[1] = [option(16, 32, 0.0), option(8, 24, 4.0)]
    assert widths_of([one.choice for one in found.narrowed().values()]) == (4, 16)


def test_of_equal_steps_of_a_constant_the_first_is_taken():
    found = with_options(15.9)
    found.options[0] = [option(16, 32, 0.0), option(8, 16, 2.0), option(4, 8, 3.0)]
    found.options[1] = [option(16, 32, 0.0)]
    assert widths_of([one.choice for one in found.narrowed().values()]) == (8, 16)


def test_lists_are_made_by_the_weights_of_a_constant_once(monkeypatch: pytest.MonkeyPatch):
    asked: list[object] = []

    def weighted(_: object, constant: object) -> Any:
        asked.append(constant)
        return np.array([1.0, 4.0]), np.array([4.0, 16.0])

    monkeypatch.setattr(WEIGHTS, "weighted_reals", weighted)
    search = JudgedSearch([2], missing_bits, constants=[0])
    setattr(search.judged, "evaluator", None)  # noqa: B010
    search.classes[0].roots = ["constant", "other"]
    found = weights(search, 4.0)
    lists: Any = SimpleNamespace(made_for=lambda reals, weights: (tuple(reals), tuple(weights)))
    made = [[one.prototype for one in found._synthesised(0, lists)] for _ in range(2)]
    assert made[0] == made[1]
    assert made[0][0] == ((1.0, 4.0), (1.0, 1.0))
    assert made[0][2] == ((1.0, 4.0), (2.0, 4.0))
    assert asked == ["constant"]
    assert all(one.is_made for one in found._synthesised(0, lists))


def test_formats_that_may_be_asked_for():
    assert [*SearchWeightsPass("", formats=("posit",)).other_formats] == ["posit"]
    names = [*SearchWeightsPass("").other_formats]
    assert "codebook" in names
    assert "f32" not in names


def test_fewer_bits_than_the_least_are_refused():
    with pytest.raises(InputError, match=r"constants take 4.00 bits an element at least, more than 3.9"):
        with_options(3.9).narrowed()


def test_of_equal_steps_the_first_constants_is_taken():
    found = with_options(12.0)
    found.options[0][1:] = [option(8, 16, 3.0)]
    assert widths_of([one.choice for one in found.narrowed().values()]) == (8, 16)


def test_exchanges_of_one_or_two_within_the_limit():
    """From 8 bits for both constants, exchanges of one or both within the limit are tried. The result is 16 and 4 bits,
    whose loss is less than that of 8 bits for both.
    """
    found = with_options(10.0, by_widths({(8, 8): 5.0, (16, 4): 4.0, (4, 16): 4.5, (8, 4): 7.0}, 9.0))
    taken = {0: found.options[0][1], 1: found.options[1][1]}
    changes = [tuple(one.choice.prototype.bits for one in change.values()) for change in found._changes(taken)]
    assert changes == [(4, 8), (8, 4), (16, 4), (4, 16), (4, 4)]
    assert widths_of(found.exchanged(taken)) == (16, 4)


@pytest.mark.parametrize(("loss", "taken"), [(98.0, (8, 8)), (97.9, (16, 4))])
def test_an_exchange_has_to_save_a_fiftieth(loss: float, taken: tuple[int, int]):
    found = with_options(10.0, by_widths({(8, 8): 100.0, (16, 4): loss}, 200.0))
    assert widths_of(found.exchanged({0: found.options[0][1], 1: found.options[1][1]})) == taken


def test_only_the_best_sums_are_tried(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(search_weights, "TRIES", 2)
    found = with_options(10.0, by_widths({(8, 8): 100.0, (8, 4): 1.0}, 200.0))
    found.exchanged({0: found.options[0][1], 1: found.options[1][1]})
    # By sums of losses: (4, 16) 5, (4, 8) 8, (16, 4) 9, (8, 4) 13, (4, 4) 14.
    assert found.search.judged.tried == [(8, 8), (4, 16), (4, 8)]


def test_no_options_no_exchange():
    search = JudgedSearch([2], missing_bits)
    assert widths_of(weights(search, 4.0).exchanged({})) == (16,)
    assert weights(search, 4.0).narrowed() == {}


def test_formats_offered_to_a_constant(monkeypatch: pytest.MonkeyPatch):
    """A constant is offered the formats of its family of up to eight bits. If it has enough elements, it is also
    offered codebooks and lists of up to five bits.
    """
    monkeypatch.setattr(WEIGHTS._Weights, "_synthesised", lambda _, __, lists: [("made", lists.bits, lists.greatest)])
    stranger: Any = SimpleNamespace(FAMILY="of others")
    codebook = CodebookType.of_width(4)
    search = JudgedSearch([64, 63], missing_bits, constants=[0, 1], others=[stranger, codebook])
    offered = [list(weights(search, 4.0)._formats_of(i)) for i in (0, 1)]
    fixed_ones = [FormatChoice(format) for format in SIXTEEN.candidates if format.bits <= 8]
    assert offered[1] == [FormatChoice(SIXTEEN), *fixed_ones]
    listed = offered[0][len(offered[1]) :]
    assert [one for one in listed if isinstance(one, FormatChoice)] == [
        FormatChoice(format) for format in codebook.candidates if format.bits <= 8
    ]
    widths = [format.bits for format in codebook.candidates if format.bits <= 5]
    assert [one[1:] for one in listed if not isinstance(one, FormatChoice)] == [
        (bits, 2 ** (bits + 5) - 1) for bits in widths
    ]


def test_bits_as_stored():
    tensors: Any = SimpleNamespace(elements=10)
    assert WEIGHTS.stored_bits(tensors, CodebookType(3, 2, [-4, -1, 0, 2])) == 3 * 10 + 64


@pytest.mark.usefixtures("of_choices")
def test_weights_of_the_whole():
    """`search-weights` chooses a format for the constants within the limit of 6 bits per element, and the better of two
    widths for all other tensors. The reasons state the bits of constants.
    """
    search = JudgedSearch(
        [4, 1], lambda choices: (choices[1].prototype.bits != 12) + missing_bits(choices) / 100, constants=[0]
    )
    found = SearchWeightsPass("", widths=(8, 12), weight_bits=6).search(search)
    assert found.choices[1].prototype.bits == 12
    assert found.choices[0].prototype.bits == 6
    assert found.loss == pytest.approx(0.14)
    assert found.reasons == {
        "a": "6.00 bits an element, within 6 on average", "b": "all but weights have this format"
    }  # fmt: skip
    assert search.judged.phases == ["widths", "one by one", "within the limit"]
    assert SearchWeightsPass("").weight_bits == 4.5
    assert (search_weights.CONSTANT_BITS, search_weights.SYNTHESISED_BITS, search_weights.TRIES) == (8, 5, 24)

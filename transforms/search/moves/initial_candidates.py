"""What `search-pareto` begins with: uniform widths, also with wide registers, and what the papers' searches find; for
the second of two programs what was found for the first, in place of some of these."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tinyml.transforms.formats.assignment.format_assignment import Choice, with_choice
from tinyml.transforms.search.search_demote import cumulative, explore_scale_for_x, partial_demote
from tinyml.transforms.search.search_maxscale import explore_maxscale
from tinyml.transforms.search.search_promote import choose_pair, heat_map, promote, promote_in_order

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat
    from tinyml.transforms.search.engine.limits import LimitedSearch
    from tinyml.transforms.search.engine.search import Search


NEARLY = 1.05
"""By what factor the estimates of uniform programs may be beyond limits that they are within."""


def starts(search: LimitedSearch, offered: Sequence[NumberFormat]) -> Iterator[tuple[str, list[Sequence[Choice]]]]:
    """Candidates and where they come from. offered: formats of the widths that tensors may have.

    Where something was found for a program that computes the same, it takes the place of maxscale and of demotion.
    """
    search.evaluation.begin("uniform")
    for one in sorted(offered, key=lambda one: one.bits):
        _calibrate(search, one)
    yield "uniform", [search.uniform(one) for one in offered]
    search.evaluation.begin("registers")
    yield "registers", list(_with_wide_registers(search, offered))
    wide = max(offered, key=lambda one: one.bits)
    halves = [one for one in offered if 2 * one.bits <= wide.bits]
    narrow = max(halves, key=lambda one: one.bits) if halves else min(offered, key=lambda one: one.bits)
    demotions: list[Sequence[Choice]] = []
    if search.earlier:
        yield "the other program", _as_earlier(search, offered)
    else:
        search.evaluation.begin("maxscale")
        yield "maxscale", [explore_maxscale(search, one)[0] for one in offered]
        search.evaluation.begin("demotion")
        demotions = _demotions(search, narrow, wide)
        yield "demotion", demotions
    search.evaluation.begin("promotion")
    yield "promotion", list(_promotions(search, offered, (narrow, wide), demotions))


def widest_within(search: LimitedSearch, offered: Sequence[NumberFormat]) -> NumberFormat | None:
    """The format of the widest uniform program within the limits."""
    within = [one for one in offered if search.fits(search.uniform(one))]
    return max(within, key=lambda one: one.bits, default=None)


def _calibrate(search: LimitedSearch, format: NumberFormat) -> None:
    """See how far off the estimate of a uniform program is that may be within the limits."""
    choices = search.uniform(format)
    if search.may_fit(choices, NEARLY):
        search.keeps(choices)
        search.settle(choices)


def _with_wide_registers(search: LimitedSearch, offered: Sequence[NumberFormat]) -> Iterator[Sequence[Choice]]:
    """The widest uniform program within the limits, with each greater width for what takes no memory by it.

    Elementwise ops hand single numbers on in registers. Only many of them at once gain by precision, and tables of
    functions are shorter where these interpolate.
    """
    narrow = widest_within(search, offered)
    if narrow is None:
        return
    start = search.uniform(narrow)
    room = search.memory.of(search.formats(start))
    for wide in [one for one in offered if one.bits > narrow.bits]:
        choices = start
        for place, one in enumerate(search.classes):
            changed = with_choice(choices, place, Choice(wide))
            if not (one.is_constant and one.elements > 1) and search.unlimited.fits(changed, room):
                choices = changed
        yield choices


def _as_earlier(search: LimitedSearch, offered: Sequence[NumberFormat]) -> list[Sequence[Choice]]:
    """What was found for the other program, with each width for the tensors that it does not have."""
    return [[search.earlier.get(one.name, Choice(format)) for one in search.classes] for format in offered]


def _demotions(search: Search, narrow: NumberFormat, wide: NumberFormat) -> list[Sequence[Choice]]:
    """All programs of Shiftry's algorithm 14, whatever they lose."""
    choices = search.uniform(wide)
    choices[0] = explore_scale_for_x(search, choices)
    return list(cumulative(choices, partial_demote(search, choices, narrow)))


def _promotions(
    search: LimitedSearch,
    offered: Sequence[NumberFormat],
    halves: tuple[NumberFormat, NumberFormat],
    demotions: Sequence[Sequence[Choice]],
) -> Iterator[Sequence[Choice]]:
    """What MinUn's algorithms promote within the limits, and algorithm 8 in the RAM of each demotion (MinUn 7.5)."""
    pairs = [halves]
    if any(search.fits(search.uniform(one)) for one in offered):
        pairs.append(choose_pair(search, offered, math.inf))
    programs = [one for one in demotions if search.unlimited.fits(one, math.inf)]
    memory = {search.memory.of(formats) for formats in map(search.formats, programs)}
    for low, high in dict.fromkeys(pairs):
        heat = heat_map(search, low, high)
        if search.fits(search.uniform(low)):
            yield _promoted(search, low, high, heat)
        for ram in sorted(memory):
            if ram <= search.limits.ram and search.unlimited.fits(search.uniform(low), ram):
                yield promote(search.unlimited, low, high, heat, ram, 1.0).choices


def _promoted(search: LimitedSearch, low: NumberFormat, high: NumberFormat, heat: Sequence[float]) -> Sequence[Choice]:
    """What `search-promote` finds; what algorithm 7 does where more than RAM is limited, which takes long to tell."""
    if not search.is_limited_in_ram_only:
        return promote_in_order(search, low, high, heat, math.inf)
    return search.found(lambda: promote(search, low, high, heat, math.inf, 1.0), search.uniform(low)).choices

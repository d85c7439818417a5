"""The initial candidates of `search-pareto`: uniform widths, wide registers, and results of the published searches.

For a program that is equivalent to an earlier one, the earlier result replaces some of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice, with_choice
from tinyml.transforms.search.moves.demotion import cumulative_demotions, demote_each, explore_input_scale
from tinyml.transforms.search.moves.promotion import Promotion, choose_pair, heat_map
from tinyml.transforms.search.search_maxscale import explore_maxscale

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat
    from tinyml.transforms.search.engine.feasibility import Feasibility
    from tinyml.transforms.search.engine.search import Search


UNIFORM_SLACK = 1.05
"""The tolerance on the limits for estimates of uniform programs: one may keep a limit that its estimate exceeds by this
factor.
"""


def initial_candidates(
    feasibility: Feasibility, offered: Sequence[NumberFormat]
) -> Iterator[tuple[str, list[Sequence[FormatChoice]]]]:
    """Yield candidates with their origins. offered: formats of the widths that tensors may have.

    The result for an earlier program replaces maxscale and demotion.
    """
    search = feasibility.search
    search.evaluation.begin("uniform")
    _calibrate(feasibility, [search.uniform(format) for format in sorted(offered, key=lambda format: format.bits)])
    yield "uniform", [search.uniform(format) for format in offered]
    search.evaluation.begin("registers")
    yield "registers", list(_with_wide_registers(feasibility, offered))
    wide = max(offered, key=lambda format: format.bits)
    halves = [format for format in offered if 2 * format.bits <= wide.bits]
    narrow = max(halves, key=lambda format: format.bits) if halves else min(offered, key=lambda format: format.bits)
    demotions: list[Sequence[FormatChoice]] = []
    if search.earlier:
        yield "the other program", _as_earlier(search, offered)
    else:
        search.evaluation.begin("maxscale")
        yield "maxscale", [explore_maxscale(search, format)[0] for format in offered]
        search.evaluation.begin("demotion")
        demotions = _demotions(search, narrow, wide)
        yield "demotion", demotions
    search.evaluation.begin("promotion")
    yield "promotion", list(_promotions(feasibility, offered, (narrow, wide), demotions))


def widest_within(feasibility: Feasibility, offered: Sequence[NumberFormat]) -> NumberFormat | None:
    """The format of the widest uniform program within the limits; None if there is none."""
    within = [format for format in offered if feasibility.fits(feasibility.search.uniform(format))]
    return max(within, key=lambda format: format.bits, default=None)


def _calibrate(feasibility: Feasibility, programs: Sequence[Sequence[FormatChoice]]) -> None:
    """Correct estimates by the errors for uniform programs that may be within the limits, one after the other."""
    if feasibility.is_limited:
        feasibility.estimate_fitting(programs)
        feasibility.measure(choices for choices in programs if feasibility.may_fit(choices, UNIFORM_SLACK))
    for choices in programs:
        if feasibility.may_fit(choices, UNIFORM_SLACK):
            feasibility.is_feasible(choices)
            feasibility.calibrate(choices)


def _with_wide_registers(feasibility: Feasibility, offered: Sequence[NumberFormat]) -> Iterator[Sequence[FormatChoice]]:
    """Yield the widest uniform program within the limits with tensors widened to each greater width where that takes no
    RAM.

    Single numbers are passed between elementwise ops in registers. Precision pays off only if many of them are widened
    together, and function tables that interpolate are shorter.
    """
    narrow = widest_within(feasibility, offered)
    if narrow is None:
        return
    search = feasibility.search
    start = search.uniform(narrow)
    room = search.memory.of(search.formats(start))
    for wide in [format for format in offered if format.bits > narrow.bits]:
        choices = start
        for i, tensors in enumerate(search.classes):
            changed = with_choice(choices, i, FormatChoice(wide))
            if not (tensors.is_constant and tensors.elements > 1) and search.fits(changed, room):
                choices = changed
        yield choices


def _as_earlier(search: Search, offered: Sequence[NumberFormat]) -> list[Sequence[FormatChoice]]:
    """The choices made for an earlier program, for each width; tensors that it does not have get that width."""
    return [
        [search.earlier.get(tensors.name, FormatChoice(format)) for tensors in search.classes] for format in offered
    ]


def _demotions(search: Search, narrow: NumberFormat, wide: NumberFormat) -> list[Sequence[FormatChoice]]:
    """All programs of Shiftry's algorithm 14, whatever their loss."""
    start = search.uniform(wide)
    start[0] = explore_input_scale(search, start)
    return list(cumulative_demotions(start, demote_each(search, start, narrow)))


def _promotions(
    feasibility: Feasibility,
    offered: Sequence[NumberFormat],
    halves: tuple[NumberFormat, NumberFormat],
    demotions: Sequence[Sequence[FormatChoice]],
) -> Iterator[Sequence[FormatChoice]]:
    """Yield MinUn's promotions within the limits, then algorithm 8's result for the RAM of each demotion."""
    search = feasibility.search
    pairs = [halves]
    if any(feasibility.fits(search.uniform(format)) for format in offered):
        pair = choose_pair(search, offered, feasibility.fits)
        pairs += [] if pair is None else [pair]
    programs = [choices for choices in demotions if search.fits(choices)]
    memory = {search.memory.of(formats) for formats in map(search.formats, programs)}
    for low, high in dict.fromkeys(pairs):
        promotion = Promotion(search, low, high, heat_map(search, low, high))
        if feasibility.fits(search.uniform(low)):
            yield _promoted(feasibility, promotion, low)
        for ram in sorted(memory):
            if ram <= feasibility.limits.ram and search.fits(search.uniform(low), ram):
                yield promotion.best(partial(search.fits, ram=ram)).choices


def _promoted(feasibility: Feasibility, promotion: Promotion, low: NumberFormat) -> Sequence[FormatChoice]:
    """The result of `search-promote`, or of the faster algorithm 7 if more than RAM is limited."""
    if not feasibility.limits.on_ram_only:
        return promotion.in_order(feasibility.fits)
    least = feasibility.search.uniform(low)
    return feasibility.first_feasible(lambda: promotion.best(feasibility.fits), least).choices

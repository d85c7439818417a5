"""Retreats: from a candidate just beyond the limits back to what is known to be within them, tensor by tensor.

Registers spilled or saved make the stack a byte or two deeper, which no estimate can tell, and the byte that is missing
may keep a search from all programs with wide registers. What the scales of such a program can gain costs nothing, so
that they are made better first; then its tensors become narrow again, one on top of the other, those first that lose
least, until the program keeps the limits when it is built and run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from tinyml.transforms.formats.assignment.format_assignment import with_choice
from tinyml.transforms.search.moves.pairwise_moves import ZOOMS

if TYPE_CHECKING:
    from tinyml.transforms.formats.assignment.format_assignment import Choice
    from tinyml.transforms.search.engine.limits import LimitedSearch
    from tinyml.transforms.search.engine.search import Search

BUILDS = 16
"""How many programs are built on one way back."""

ROUNDS = 2
"""How often the scales of all tensors are looked at."""


def with_better_scales(search: Search, choices: Sequence[Choice]) -> Sequence[Choice]:
    """A candidate with scales half or twice as fine wherever it loses less by it: coordinate descent."""
    [least] = search.losses([choices])
    for _ in range(ROUNDS):
        before = choices
        places = [(place, zoom) for place in range(len(choices)) for zoom in ZOOMS]
        losses = search.losses([_zoomed(before, place, zoom) for place, zoom in places], least)
        ranked = sorted(zip(losses, places, strict=True))
        for place, zoom in [at for loss, at in ranked if loss < least]:
            joined = _zoomed(choices, place, zoom)
            [loss] = search.losses([joined], least)
            if loss < least:
                choices, least = joined, loss
        if choices is before:
            break
    return choices


def _zoomed(choices: Sequence[Choice], place: int, zoom: int) -> Sequence[Choice]:
    return with_choice(choices, place, replace(choices[place], zoom=choices[place].zoom + zoom))


def steps_back(
    search: Search, start: Sequence[Choice], goal: Sequence[Choice], at_most: float
) -> Iterator[Sequence[Choice]]:
    """Candidates from one to the widths of another, each with one more tensor in the width that it has there, the one
    with which least is lost. Ends where all lose more than `at_most`.
    """
    choices, places = start, _different(start, goal)
    while places:
        steps = [_as_goal(choices, goal, place) for place in places]
        losses = search.losses(steps, at_most)
        best = losses.index(min(losses))
        if losses[best] > at_most:
            return
        choices = steps[best]
        del places[best]
        yield choices


def straight_back(search: Search, start: Sequence[Choice], goal: Sequence[Choice]) -> Iterator[Sequence[Choice]]:
    """The same in the order of what each tensor loses alone."""
    choices, places = start, _different(start, goal)
    losses = search.losses([_as_goal(start, goal, place) for place in places])
    for _, place in sorted(zip(losses, places, strict=True)):
        choices = _as_goal(choices, goal, place)
        yield choices


def _different(start: Sequence[Choice], goal: Sequence[Choice]) -> list[int]:
    return [i for i, (one, other) in enumerate(zip(start, goal, strict=True)) if one.prototype != other.prototype]


def _as_goal(choices: Sequence[Choice], goal: Sequence[Choice], place: int) -> Sequence[Choice]:
    return with_choice(choices, place, replace(choices[place], prototype=goal[place].prototype))


def retreat(
    search: LimitedSearch, start: Sequence[Choice], goal: Sequence[Choice], at_most: float
) -> Sequence[Choice] | None:
    """The first of the candidates on these two ways that is within the limits when it is built and run."""
    return _first_kept(search, steps_back(search, start, goal, at_most)) or _first_kept(
        search, straight_back(search, start, goal)
    )


def _first_kept(search: LimitedSearch, way: Iterator[Sequence[Choice]]) -> Sequence[Choice] | None:
    steps = list(islice(way, BUILDS))
    size = search.evaluation.workers.size
    for part in (steps[i : i + size] for i in range(0, len(steps), size)):
        search.measure(part)
        if (found := next(filter(search.keeps, part), None)) is not None:
            return found
    return None

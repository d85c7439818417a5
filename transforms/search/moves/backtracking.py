"""Backtracking: from a candidate just beyond the limits to one that keeps them, tensor by tensor.

Spilled or saved registers make the stack a byte or two deeper, which no estimate can predict, and the missing byte may
exclude all programs with wide registers from a search. Better scales cost nothing, so that such a program first gets
these. Then its tensors are made narrow again one after the other, those with the least loss first, until the program
keeps the limits when built and run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from tinyml.transforms.formats.assignment.tensor_classes import with_choice
from tinyml.transforms.search.moves.pairwise_moves import ZOOMS

if TYPE_CHECKING:
    from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice
    from tinyml.transforms.search.engine.feasibility import Feasibility
    from tinyml.transforms.search.engine.search import Search

BUILDS = 16
"""The most programs that are built on one path."""

ROUNDS = 2
"""The number of rounds over the scales of all tensors."""


def with_better_scales(search: Search, choices: Sequence[FormatChoice]) -> Sequence[FormatChoice]:
    """A candidate with scales half or twice as fine wherever that lowers the loss: coordinate descent."""
    [least] = search.losses([choices])
    for _ in range(ROUNDS):
        before = choices
        changes = [(i, zoom) for i in range(len(choices)) for zoom in ZOOMS]
        losses = search.losses([_zoomed(before, i, zoom) for i, zoom in changes], least)
        ranked = sorted(zip(losses, changes, strict=True))
        for i, zoom in [change for loss, change in ranked if loss < least]:
            joined = _zoomed(choices, i, zoom)
            [loss] = search.losses([joined], least)
            if loss < least:
                choices, least = joined, loss
        if choices is before:
            break
    return choices


def _zoomed(choices: Sequence[FormatChoice], i: int, zoom: int) -> Sequence[FormatChoice]:
    return with_choice(choices, i, replace(choices[i], zoom=choices[i].zoom + zoom))


def greedy_steps(
    search: Search, start: Sequence[FormatChoice], goal: Sequence[FormatChoice], at_most: float
) -> Iterator[Sequence[FormatChoice]]:
    """Yield candidates from a start to a goal's widths; each step changes the tensor that costs least loss.

    The path ends if all next steps lose more than `at_most`.
    """
    choices, differing = start, _differing(start, goal)
    while differing:
        steps = [_as_goal(choices, goal, i) for i in differing]
        losses = search.losses(steps, at_most)
        best = losses.index(min(losses))
        if losses[best] > at_most:
            return
        choices = steps[best]
        del differing[best]
        yield choices


def ranked_steps(
    search: Search, start: Sequence[FormatChoice], goal: Sequence[FormatChoice]
) -> Iterator[Sequence[FormatChoice]]:
    """Yield the steps from a start to a goal in the order of the losses of single tensors."""
    choices, differing = start, _differing(start, goal)
    losses = search.losses([_as_goal(start, goal, i) for i in differing])
    for _, i in sorted(zip(losses, differing, strict=True)):
        choices = _as_goal(choices, goal, i)
        yield choices


def _differing(start: Sequence[FormatChoice], goal: Sequence[FormatChoice]) -> list[int]:
    pairs = enumerate(zip(start, goal, strict=True))
    return [i for i, (before, after) in pairs if before.prototype != after.prototype]


def _as_goal(choices: Sequence[FormatChoice], goal: Sequence[FormatChoice], i: int) -> Sequence[FormatChoice]:
    return with_choice(choices, i, replace(choices[i], prototype=goal[i].prototype))


def backtrack(
    feasibility: Feasibility, start: Sequence[FormatChoice], goal: Sequence[FormatChoice], at_most: float
) -> Sequence[FormatChoice] | None:
    """The first candidate on either path that keeps the limits when built and run; None if there is none."""
    search = feasibility.search
    return _first_feasible(feasibility, greedy_steps(search, start, goal, at_most)) or _first_feasible(
        feasibility, ranked_steps(search, start, goal)
    )


def _first_feasible(
    feasibility: Feasibility, candidates: Iterator[Sequence[FormatChoice]]
) -> Sequence[FormatChoice] | None:
    steps = list(islice(candidates, BUILDS))
    size = feasibility.search.evaluation.workers.size
    for part in (steps[i : i + size] for i in range(0, len(steps), size)):
        feasibility.measure(part)
        if (choices := next(filter(feasibility.is_feasible, part), None)) is not None:
            return choices
    return None

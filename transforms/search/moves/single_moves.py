"""Moves that change one tensor at a time, after a search has chosen the widths.

Improvement: each tensor is tried alone in each other format that offers its width (MinUn's first future work), or at
other scales; the changes that lower the loss are combined, the best first, as long as each still helps.

Backtracking: from a candidate just beyond the limits to one that keeps them. Spilled or saved registers make the stack
a byte or two deeper, which no estimate can predict, and the missing byte may exclude all programs with wide registers
from a search. Better scales cost nothing, so that such a program first gets these. Then its tensors are made narrow
again one after the other, those with the least loss first, until the program keeps the limits when built and run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice, with_choice
from tinyml.transforms.search.engine.search import STANDARD_ERROR
from tinyml.transforms.search.moves.pairwise_moves import ZOOMS

if TYPE_CHECKING:
    from tinyml.transforms.formats.assignment.tensor_classes import TensorClass
    from tinyml.transforms.search.engine.feasibility import Criterion, Feasibility
    from tinyml.transforms.search.engine.result import SearchResult
    from tinyml.transforms.search.engine.search import Search


def choose_formats(search: Search, result: SearchResult, accepts: Criterion) -> SearchResult:
    """A result with the changes of format that lower the loss.

    accepts: must hold for a candidate to be taken.
    """
    if not search.others:
        return result
    search.evaluation.begin("formats")
    others = [list(_of_same_width(search, *pair)) for pair in zip(search.classes, result.choices, strict=True)]
    return _changed(search, result, others, 0.0, "in this format", accepts)


def narrow_formats(search: Search, result: SearchResult) -> SearchResult:
    """A result with tensors in other formats of fewer bytes; the same object if there are none.

    A change is made if the program then needs less memory and loses nearly as little: numbers that take many bits in
    one format may take few in another.
    """
    search.evaluation.begin("narrower formats")
    choices, reasons = list(result.choices), dict(result.reasons)
    [least] = search.losses([choices])
    most = least + STANDARD_ERROR * abs(least)
    changes = [(i, narrower) for i, choice in enumerate(choices) for narrower in _narrower(search, i, choice)]
    candidates = [with_choice(choices, i, narrower) for i, narrower in changes]
    losses = search.losses(candidates, most)
    good = [
        (_memory(search, candidate), loss, change)
        for candidate, loss, change in zip(candidates, losses, changes, strict=True)
        if loss <= most
    ]
    for _, _, (i, narrower) in sorted(good, key=lambda ranked: ranked[:2]):
        joined = with_choice(choices, i, narrower)
        if choices[i] != result.choices[i] or _memory(search, joined) >= _memory(search, choices):
            continue
        [loss] = search.losses([joined], most)
        if loss <= most:
            choices = joined
            reasons[search.classes[i].name] += "; in this format nearly as good"
    return result if choices == list(result.choices) else replace(result, choices=choices, reasons=reasons)


def choose_scales(search: Search, result: SearchResult, accepts: Criterion) -> SearchResult:
    """A result with tensors at scales twice or half as fine where that lowers the loss.

    At a finer scale a tensor's greatest numbers saturate. accepts: must hold for a candidate to be taken.
    """
    search.evaluation.begin("scales")
    before = None
    while result != before:
        before = result
        others = [[replace(choice, zoom=choice.zoom + zoom) for zoom in ZOOMS] for choice in result.choices]
        result = _changed(search, result, others, STANDARD_ERROR, "at this scale", accepts)
    return result


def _changed(
    search: Search,
    result: SearchResult,
    others: Sequence[Sequence[FormatChoice]],
    gain: float,
    why: str,
    accepts: Criterion,
) -> SearchResult:
    """A result with the changes that lower the loss.

    others: the choices to try for each tensor. gain: the share of the loss that a change has to save.
    """
    choices, reasons, reason = list(result.choices), dict(result.reasons), f"; {why} the program loses less"
    [before] = search.losses([choices])
    least = before
    changes = [(i, with_choice(choices, i, other)) for i, several in enumerate(others) for other in several]
    losses = search.losses([candidate for _, candidate in changes], before)
    ranked = sorted(zip(losses, changes, strict=True), key=lambda pair: pair[0])
    for loss, (i, candidate) in ranked:
        if loss >= (1 - gain) * before or choices[i] != result.choices[i]:
            continue
        joined = with_choice(choices, i, candidate[i])
        [loss_of_joined] = search.losses([joined], least)
        if loss_of_joined < (1 - gain) * least and accepts(joined):
            choices, least = joined, loss_of_joined
            name = search.classes[i].name
            reasons[name] = f"{reasons.get(name, '').removesuffix(reason)}{reason}"
    return replace(result, choices=choices, reasons=reasons)


def _memory(search: Search, choices: Sequence[FormatChoice]) -> int:
    return search.memory.of(search.formats(choices))


def _narrower(search: Search, index: int, choice: FormatChoice) -> Iterator[FormatChoice]:
    """Yield other formats of at most a byte for a class that takes memory.

    Packed formats of more bits would save less: their readers often need memory to unpack them.
    """
    if not search.classes[index].is_constant:
        others = [prototype for prototype in search.others if prototype.CONSTANTS_FROM is None]
        offered = [format for prototype in others for format in prototype.candidates]
        narrower = [format for format in offered if format.bits < choice.prototype.bits]
        yield from (FormatChoice(format) for format in narrower if format.dtype.itemsize == 1)


def _of_same_width(search: Search, tensors: TensorClass, choice: FormatChoice) -> Iterator[FormatChoice]:
    """Yield the other formats of a choice's width that a class of tensors may have."""
    for prototype in search.others:
        least = prototype.CONSTANTS_FROM
        if least is not None and not (tensors.is_constant and tensors.elements >= least):
            continue
        if tensors.is_constant and prototype.FAMILY != search.prototype.FAMILY:
            continue
        same_width = [format for format in prototype.candidates if format.bits == choice.prototype.bits]
        yield from (replace(choice, prototype=format) for format in same_width if format != choice.prototype)


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

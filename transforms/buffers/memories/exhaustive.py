"""An independent check of a choice of memories: it enumerates all choices of a small problem that cost less than the
bound, in ascending order of cost.

Its algorithms differ from those of the search. It uses neither a relaxation nor an order of the items. Algorithm X,
instead of the packers, decides whether the buffers of a memory fit.
"""

from __future__ import annotations

from itertools import product
from math import prod

from tinyml.transforms.buffers.memories.choice import Choice, Problem
from tinyml.transforms.buffers.packing.bound_checks import Verdict, check_height
from tinyml.transforms.buffers.packing.rectangles import keep_numbers

CHOICES = 1 << 16
"""Limit on the number of choices of a problem, above which the judge leaves it undecided."""


def check_choice(problem: Problem, choice: Choice) -> Verdict:
    """Check the lower bound of a choice. REFUTED if some choice costs less than the bound, AGREED if no choice does.

    UNDECIDED if the problem has more than `CHOICES` choices, or if Algorithm X cannot decide whether the buffers of a
    cheaper choice fit.
    """
    every = [item.allowed for item in problem.items]
    if prod(map(len, every)) > CHOICES:
        return Verdict.UNDECIDED
    cheaper = [
        (cost, memories)
        for memories in product(*every)
        if (cost := sum(item.cost(m) for item, m in zip(problem.items, memories, strict=True))) < choice.bound
    ]
    verdict = Verdict.AGREED
    for _, memories in sorted(cheaper):
        fits = _fits(problem, memories)
        if fits is Verdict.AGREED:
            return Verdict.REFUTED
        if fits is Verdict.UNDECIDED:
            verdict = fits
    return verdict


def _fits(problem: Problem, memories: tuple[int, ...]) -> Verdict:
    verdict = Verdict.AGREED
    for memory in range(len(problem.capacities)):
        if (room := problem.room(memory, memories)) is None:
            continue
        held = problem.buffers_in(memory, memories)
        shapes = [shape for shape in keep_numbers(problem.rectangles, held) if shape.size]
        if room < 0:
            return Verdict.REFUTED
        if shapes and (found := check_height(shapes, room).verdict) is not Verdict.AGREED:
            if found is Verdict.REFUTED:
                return found
            verdict = found
    return verdict

"""Shiftry's demotion (section 6.2, algorithms 12 to 14): wide tensors become narrow, the cheapest first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.transforms.formats.assignment.choices import FormatChoice, with_choice
from tinyml.transforms.formats.evaluation.reference import Metric
from tinyml.transforms.search.engine.search import Search

SCALES = range(4)
"""The scales of a demoted tensor, in bits finer than the one that holds its whole range."""

UNITS: dict[Metric, str] = {
    "disagreement": "% differ",
    "accuracy": "points lost",
    "error": "mean error",
    "margin": "mean error of margins",
}


@dataclass(frozen=True)
class Demotion:
    """The demotion of one tensor alone: its choice, and the loss of the program."""

    choice: FormatChoice
    loss: float
    unit: str

    def reason(self, demoted: bool) -> str:
        scale = f" at a scale 2^{self.choice.zoom} times finer" if self.choice.zoom else ""
        return f"{'demoted' if demoted else 'kept'}: {self.loss:.3g} {self.unit} with it alone demoted{scale}"


def explore_input_scale(search: Search, choices: Sequence[FormatChoice]) -> FormatChoice:
    """Algorithm 12: the best choice for the input, among all scales from 0 to its width.

    Among equally good scales, the one nearest to the profile's is taken.
    """
    reach = max(map(abs, search.classes[0].range))
    exponent = math.frexp(reach)[1] if reach else 0
    widest = choices[0].prototype.bits
    zooms = sorted((exponent - e for e in range(-1, widest)), key=abs)
    first, *others = [with_choice(choices, 0, replace(choices[0], zoom=zoom)) for zoom in dict.fromkeys((0, *zooms))]
    [least] = search.losses([first])
    best = first
    for candidate, loss in zip(others, search.losses(others, math.nextafter(least, -math.inf)), strict=True):
        if loss < least:
            best, least = candidate, loss
    return best[0]


def demote_each(search: Search, choices: Sequence[FormatChoice], narrow: NumberFormat) -> list[Demotion]:
    """Algorithm 13: the demotion of each tensor alone, at the best of several scales."""
    unit = UNITS[search.evaluation.metric]
    losses = [math.inf] * len(choices)
    best = [replace(choice, prototype=narrow) for choice in choices]
    for scale in SCALES:
        demoted = [replace(choice, prototype=narrow, zoom=choice.zoom + scale) for choice in choices]
        candidates = [with_choice(choices, i, choice) for i, choice in enumerate(demoted)]
        for i, loss in enumerate(search.losses(candidates, [math.nextafter(loss, -math.inf) for loss in losses])):
            if loss < losses[i]:
                losses[i], best[i] = loss, demoted[i]
    return [Demotion(choice, loss, unit) for choice, loss in zip(best, losses, strict=True)]


def cumulative_demotions(
    choices: Sequence[FormatChoice], demotions: Sequence[Demotion]
) -> Iterator[list[FormatChoice]]:
    """Yield candidates that each demote one more tensor, in the order of the losses of single demotions."""
    demoted = list(choices)
    for i in sorted(range(len(demotions)), key=lambda i: demotions[i].loss):
        demoted[i] = demotions[i].choice
        yield list(demoted)


def demote_within_loss(
    search: Search, choices: Sequence[FormatChoice], demotions: Sequence[Demotion], loss: float, metric: Metric
) -> Sequence[FormatChoice]:
    """Algorithm 14: the candidate with as many tensors demoted as the permitted loss allows."""
    steps = [choices, *cumulative_demotions(choices, demotions)]
    programs = [search.formats(demoted) for demoted in steps[1:]]
    kept = 0
    # Batches of one candidate per process: candidates after the first excessive loss are evaluated in vain.
    size = search.evaluation.workers.size
    for part in (programs[i : i + size] for i in range(0, len(programs), size)):
        outcomes = search.evaluation.outcomes(part, loss, metric)
        good = [search.evaluation.loss(outcome, metric) <= loss for outcome in outcomes]
        kept += (*good, False).index(False)
        if not all(good):
            break
    return steps[kept]

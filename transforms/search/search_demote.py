"""`search-demote`: Shiftry's search for bit widths and scales (section 6.2, algorithms 10 to 14).

All tensors begin wide. One after the other alone is made narrow, which shows what each costs; then they are made narrow
one on top of the other, the cheapest first, as long as the loss is permitted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.transforms.formats.assignment.format_assignment import Choice, with_choice
from tinyml.transforms.formats.evaluation.outcomes import Metric
from tinyml.transforms.search.engine.limited_pass import LimitedPass
from tinyml.transforms.search.engine.limits import LimitedSearch
from tinyml.transforms.search.engine.result import Found
from tinyml.transforms.search.engine.search import Search

SCALES = range(4)
"""Scales of a demoted tensor beyond the one that holds its whole range, each twice as fine as the one before."""


@dataclass(frozen=True)
class SearchDemotePass(LimitedPass):
    """Searches as algorithm 11 of Shiftry does.

    widths: of demoted tensors and of others; half of the format's usual width and that by default. loss: how much may
    be lost against the program on reals, in points of accuracy; in the unit of the metric where this is `error`, or
    where the data have no labels. ram: with it, the first of Shiftry's two strategies (section 3): as few tensors as
    possible are demoted, until the program works in so many bytes; `loss` then counts for nothing.
    """

    name = "search-demote"
    widths: tuple[int, ...] = ()
    loss: float | int = 2.0

    def search(self, search: Search) -> Found:
        widths = self.widths or (search.prototype.bits // 2, search.prototype.bits)
        if len(widths) != 2 or widths[0] > widths[1]:
            raise InputError(f"expected the width of demoted tensors and that of others, got {list(widths)}")
        if self.loss < 0:
            raise InputError(f"loss must not be negative, got {self.loss}")
        narrow, wide = (search.prototype_of(width) for width in widths)
        choices = search.uniform(wide)
        search.evaluation.begin("scale of the input")
        choices[0] = explore_scale_for_x(search, choices)
        search.evaluation.begin("one by one")
        alone = partial_demote(search, choices, narrow)
        search.evaluation.begin("cumulative")

        def found(chosen: Sequence[Choice]) -> Found:
            pairs = zip(search.classes, alone, choices, chosen, strict=True)
            return Found(chosen, {one.name: demotion.reason(new != old) for one, demotion, old, new in pairs})

        if self.ram is None:
            metric = search.evaluation.metric_of_programs
            return found(cumulative_demote(search, choices, alone, self.loss, metric))
        limited = self.limited(search)
        steps = [choices, *cumulative(choices, alone), search.uniform(narrow)]
        fitting = limited.found(lambda: found(demote_to_fit(limited, steps)), steps[-1])
        return replace(fitting, loss=search.losses([fitting.choices])[0])


@dataclass(frozen=True)
class Demotion:
    """One tensor demoted alone: what it becomes, and what is lost."""

    choice: Choice
    loss: float
    unit: str

    def reason(self, demoted: bool) -> str:
        scale = f" at a scale 2^{self.choice.zoom} times finer" if self.choice.zoom else ""
        return f"{'demoted' if demoted else 'kept'}: {self.loss:.3g} {self.unit} with it alone demoted{scale}"


UNITS: dict[Metric, str] = {
    "disagreement": "% differ",
    "accuracy": "points lost",
    "error": "mean error",
    "margin": "mean error of margins",
}


def explore_scale_for_x(search: Search, choices: Sequence[Choice]) -> Choice:
    """Algorithm 12: the scale of the input among all from 0 to the width of the input.

    Among equally good ones the nearest to the scale of its profile wins.
    """
    reach = max(map(abs, search.classes[0].range))
    exponent = math.frexp(reach)[1] if reach else 0
    widest = choices[0].prototype.bits
    zooms = sorted((exponent - e for e in range(-1, widest)), key=abs)
    scales = [replace(choices[0], zoom=zoom) for zoom in dict.fromkeys((0, *zooms))]
    return _best_scale(search, [[scale, *choices[1:]] for scale in scales], 0)[0]


def partial_demote(search: Search, choices: Sequence[Choice], narrow: NumberFormat) -> list[Demotion]:
    """Algorithm 13: each tensor demoted alone, at the best of some scales."""
    unit = UNITS[search.evaluation.metric]
    losses = [math.inf] * len(choices)
    found = [replace(choice, prototype=narrow) for choice in choices]
    for scale in SCALES:
        demoted = [replace(choice, prototype=narrow, zoom=choice.zoom + scale) for choice in choices]
        candidates = [with_choice(choices, i, one) for i, one in enumerate(demoted)]
        for i, loss in enumerate(search.losses(candidates, [math.nextafter(loss, -math.inf) for loss in losses])):
            if loss < losses[i]:
                losses[i], found[i] = loss, demoted[i]
    return [Demotion(choice, loss, unit) for choice, loss in zip(found, losses, strict=True)]


def cumulative_demote(
    search: Search, choices: Sequence[Choice], alone: Sequence[Demotion], loss: float, metric: Metric
) -> Sequence[Choice]:
    """Algorithm 14: as many tensors demoted as may be, in the order of what they lose alone."""
    steps = [choices, *cumulative(choices, alone)]
    programs = [search.formats(demoted) for demoted in steps[1:]]
    kept = 0
    # As many at once as there are processes; what comes after the first that loses too much is for nothing.
    size = search.evaluation.workers.size
    for part in (programs[i : i + size] for i in range(0, len(programs), size)):
        outcomes = search.evaluation.outcomes(part, loss, metric)
        good = [search.evaluation.loss(outcome, metric) <= loss for outcome in outcomes]
        kept += (*good, False).index(False)
        if not all(good):
            break
    return steps[kept]


def demote_to_fit(search: LimitedSearch, steps: Iterable[Sequence[Choice]]) -> Sequence[Choice]:
    """The first of more and more demoted candidates that fits."""
    found = next(filter(search.fits, steps), None)
    if found is None:
        raise InputError(f"no program works in {search.limits.ram:.0f} bytes of RAM, even with all tensors demoted")
    return found


def cumulative(choices: Sequence[Choice], alone: Sequence[Demotion]) -> Iterator[list[Choice]]:
    """The candidates in which one more tensor after the other is demoted, first those that lose least alone."""
    demoted = list(choices)
    for i in sorted(range(len(alone)), key=lambda i: alone[i].loss):
        demoted[i] = alone[i].choice
        yield list(demoted)


def _best_scale(search: Search, candidates: Sequence[Sequence[Choice]], place: int) -> tuple[Choice, float]:
    """The first of the candidates that lose least: its choice for the tensor at a place, and what it loses."""
    first, *others = candidates
    [least] = search.losses([first])
    best = first
    for candidate, loss in zip(others, search.losses(others, math.nextafter(least, -math.inf)), strict=True):
        if loss < least:
            best, least = candidate, loss
    return best[place], least

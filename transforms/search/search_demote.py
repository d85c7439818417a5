"""`search-demote`: Shiftry's search for bit widths and scales (section 6.2, algorithms 10 to 14).

All tensors start wide. Each tensor is first narrowed alone, to measure the loss that its demotion causes. Then tensors
are narrowed one after the other, in the order of these losses, as long as the loss of the program is permitted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice, with_choice
from tinyml.transforms.formats.evaluation.metrics import metric_named
from tinyml.transforms.search.engine.result import SearchResult
from tinyml.transforms.search.engine.search import Feasibility, Limits, Search
from tinyml.transforms.search.engine.search_options import loss_option, widths_option
from tinyml.transforms.search.engine.search_pass import LimitedPass

_SCALES = range(4)
"""The scales of a demoted tensor, in bits finer than the scale of its whole range."""


@dataclass(frozen=True)
class Demotion:
    """The demotion of a single tensor.

    choice: the new choice for the tensor.
    loss: the loss of the program in which only this tensor is demoted.
    unit: a description of the unit of the loss, for messages.
    """

    choice: FormatChoice
    loss: float
    unit: str

    def reason(self, demoted: bool) -> str:
        scale = f" at a scale 2^{self.choice.zoom} times finer" if self.choice.zoom else ""
        return f"{'demoted' if demoted else 'kept'}: {self.loss:.3g} {self.unit} with it alone demoted{scale}"


def explore_input_scale(search: Search, choices: Sequence[FormatChoice]) -> FormatChoice:
    """Algorithm 12: the best choice for the input, among all scales from 0 to its width.

    Ties go to the scale that is nearest to the profile's scale.
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
    """Algorithm 13: for each tensor, its demotion in a program in which only this tensor is demoted, at the best of
    several scales.

    narrow: the format of demoted tensors.
    """
    unit = metric_named(search.evaluation.metric).unit
    losses = [math.inf] * len(choices)
    best = [replace(choice, prototype=narrow) for choice in choices]
    for scale in _SCALES:
        demoted = [replace(choice, prototype=narrow, zoom=choice.zoom + scale) for choice in choices]
        candidates = [with_choice(choices, i, choice) for i, choice in enumerate(demoted)]
        for i, loss in enumerate(search.losses(candidates, [math.nextafter(loss, -math.inf) for loss in losses])):
            if loss < losses[i]:
                losses[i], best[i] = loss, demoted[i]
    return [Demotion(choice, loss, unit) for choice, loss in zip(best, losses, strict=True)]


def cumulative_demotions(
    choices: Sequence[FormatChoice], demotions: Sequence[Demotion]
) -> Iterator[list[FormatChoice]]:
    order = sorted(range(len(demotions)), key=lambda i: demotions[i].loss)
    yield from one_after_the_other(choices, [demotion.choice for demotion in demotions], order)


def one_after_the_other(
    choices: Sequence[FormatChoice], others: Sequence[FormatChoice], order: Iterable[int]
) -> Iterator[list[FormatChoice]]:
    """Yield candidates. Each replaces the choice for one more tensor by its alternative in `others`, in the given
    order.
    """
    changed = list(choices)
    for i in order:
        changed[i] = others[i]
        yield list(changed)


def first_that_fits(feasibility: Feasibility, steps: Iterable[Sequence[FormatChoice]]) -> Sequence[FormatChoice]:
    """The first candidate of `steps` that fits the limits. Raises `InputError` if none fits."""
    tried: list[Sequence[FormatChoice]] = []
    for choices in steps:
        if feasibility.fits(choices):
            return choices
        tried.append(choices)
    raise feasibility.refusal(tried, ", even with all tensors demoted")


def better(search: Search, results: Sequence[SearchResult]) -> SearchResult:
    """The result with the least loss. Ties go to the first result."""
    losses = search.losses([result.choices for result in results])
    best = losses.index(min(losses))
    return replace(results[best], loss=losses[best])


def narrow_and_wide(search: Search, widths: Sequence[int]) -> tuple[NumberFormat, NumberFormat]:
    """Return the format of demoted tensors and the format of all other tensors.

    widths: the widths of both formats, in this order. Without widths, tensors that are not demoted have the usual
    width. Demoted tensors then have the widest of the format's `candidates` with at most half of its bits, or else
    the narrowest candidate. For a format with a single width, both have this width, which may be given once.

    Raises `InputError` for any other number of widths, and if the first width exceeds the second.
    """
    usual = search.prototype
    if not widths:
        narrower = [format for format in search.candidates if format.bits < usual.bits] or [usual]
        half = [format for format in narrower if 2 * format.bits <= usual.bits]
        narrow = max(half, key=lambda format: format.bits) if half else min(narrower, key=lambda format: format.bits)
        return narrow, search.prototype_of(usual.bits)
    if len(widths) == 1 and len(search.candidates) == 1:
        return search.prototype_of(widths[0]), search.prototype_of(widths[0])
    if len(widths) != 2 or widths[0] > widths[1]:
        raise InputError(
            f"expected the width of demoted tensors and that of others, got {list(widths)}; {search.offers}"
        )
    return search.prototype_of(widths[0]), search.prototype_of(widths[1])


def _demote_within_loss(
    search: Search, choices: Sequence[FormatChoice], demotions: Sequence[Demotion], loss: float, metric: str
) -> Sequence[FormatChoice]:
    """Algorithm 14: the candidate with as many tensors demoted as the permitted loss allows.

    loss: the permitted loss.
    metric: the metric of the loss.
    """
    steps = [choices, *cumulative_demotions(choices, demotions)]
    programs = [search.formats(demoted) for demoted in steps[1:]]
    kept = 0
    # One candidate per process in a batch: evaluations after the first excessive loss are wasted.
    size = search.evaluation.workers.size
    for part in (programs[i : i + size] for i in range(0, len(programs), size)):
        outcomes = search.evaluation.outcomes(part, loss, metric)
        good = [search.evaluation.loss(outcome, metric) <= loss for outcome in outcomes]
        kept += (*good, False).index(False)
        if not all(good):
            break
    return steps[kept]


@dataclass(frozen=True)
class SearchDemotePass(LimitedPass):
    """Assign a narrow or a wide format to each tensor by algorithm 11 of Shiftry.

    ram, flash: limits as in `LimitedPass`. With a limit the search is the first of Shiftry's two strategies (section
        3): as few tensors as possible are demoted until the program meets the limits, and `loss` is ignored.
    target: determines the stack, as for `select-kernels`.
    widths: the width of demoted tensors and the width of all other tensors. By default all other tensors have the
        format's usual width, and demoted tensors have the widest width that the format offers up to half of the usual
        width, or else the least width that it offers.
    loss: the permitted loss relative to the program on reals, in points of accuracy. It is in the unit of the metric if
        the metric is not `disagreement`, or if the data have no labels.

    Raises `InputError` for a negative loss, and if the program exceeds the limits even with all tensors demoted.
    """

    name = "search-demote"
    PAPER: ClassVar[str] = "Shiftry"
    widths: tuple[int, ...] = widths_option()
    loss: float | int = loss_option(2.0)

    @property
    def limits(self) -> Limits:
        return replace(super().limits, loss=self.loss)

    def search(self, search: Search) -> SearchResult:
        narrow, wide = narrow_and_wide(search, self.widths)
        if self.loss < 0:
            raise InputError(f"loss must not be negative, got {self.loss}")
        start = search.uniform(wide)
        search.evaluation.begin("scale of the input")
        start[0] = explore_input_scale(search, start)
        search.evaluation.begin("one by one")
        demotions = demote_each(search, start, narrow)
        search.evaluation.begin("cumulative")

        def result(choices: Sequence[FormatChoice]) -> SearchResult:
            pairs = zip(search.classes, demotions, start, choices, strict=True)
            return SearchResult(
                choices, {tensors.name: demotion.reason(new != old) for tensors, demotion, old, new in pairs}
            )

        limits = self.limits
        if not limits.on_cost:
            metric = search.evaluation.metric_of_programs
            return result(_demote_within_loss(search, start, demotions, limits.loss, metric))
        feasibility = Feasibility(search, limits)
        steps = [start, *cumulative_demotions(start, demotions), search.uniform(narrow)]
        fitting = feasibility.first_feasible(lambda: result(first_that_fits(feasibility, steps)), steps[-1])
        return replace(fitting, loss=search.losses([fitting.choices])[0])

"""Programs with one format for all tensors: the best variant of a width, and the losses of widths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat
    from tinyml.transforms.search.engine.feasibility import Criterion
    from tinyml.transforms.search.engine.search import Search


def uniform_losses(search: Search, offered: Sequence[NumberFormat]) -> list[float]:
    """The loss of the program in each format, by the metric that compares whole programs."""
    metric = search.evaluation.metric_of_programs
    programs = [search.formats(search.uniform(format)) for format in offered]
    return [search.evaluation.loss(outcome, metric) for outcome in search.evaluation.outcomes(programs, metric=metric)]


def best_variant(search: Search, prototype: NumberFormat, fits: Criterion) -> NumberFormat:
    """The first variant of a width with the least loss (MinUn's algorithm 4, for the es of posits).

    Only variants that fit are considered, unless none fits.
    """
    offered = prototype.variants
    if len(offered) == 1:
        return prototype
    possible = [format for format in offered if fits(search.uniform(format))] or offered[:1]
    losses = uniform_losses(search, possible)
    return possible[losses.index(min(losses))]

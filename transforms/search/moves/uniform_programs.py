"""Programs all of whose tensors have one format: which variant of a width, and which width, loses least."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat
    from tinyml.transforms.search.engine.search import Search


def uniform_losses(search: Search, offered: Sequence[NumberFormat]) -> list[float]:
    """What is lost with each, as whole programs are compared."""
    metric = search.evaluation.metric_of_programs
    outcomes = search.evaluation.outcomes([search.formats(search.uniform(one)) for one in offered], metric=metric)
    return [search.evaluation.loss(found, metric) for found in outcomes]


def best_variant(search: Search, prototype: NumberFormat) -> NumberFormat:
    """MinUn's algorithm 4, which chooses the es of posits of a width: the variant that loses least, the first of those.

    Variants without a program do not count, unless there is none with one.
    """
    offered = prototype.variants
    if len(offered) == 1:
        return prototype
    possible = [one for one in offered if search.fits(search.uniform(one), float("inf"))] or offered[:1]
    losses = uniform_losses(search, possible)
    return possible[losses.index(min(losses))]

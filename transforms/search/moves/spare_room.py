"""Widening of tensors into memory that a candidate leaves free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import compress, product
from typing import TYPE_CHECKING

from tinyml.transforms.formats.assignment.choices import FormatChoice, with_choice
from tinyml.transforms.search.engine.standard_error import STANDARD_ERROR
from tinyml.transforms.search.moves.backtracking import BUILDS

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat
    from tinyml.transforms.search.engine.feasibility import Criterion, Feasibility
    from tinyml.transforms.search.engine.result import SearchResult
    from tinyml.transforms.search.engine.search import Search


def use_room(
    search: Search, result: SearchResult, offered: Sequence[NumberFormat], heat: Sequence[float], fits: Criterion
) -> SearchResult:
    """A promotion's result with some tensors at further widths, where that lowers the loss.

    As in algorithm 7 of MinUn, tensors become wide in the order of promotability as long as the program fits, for one
    width after the other: from the widest down, so that few are as wide as possible, and from the narrowest up, so that
    many are a little wider. The same is tried starting from all-narrow tensors, whatever the pair. Tensors of other
    formats are unchanged.
    """
    narrowest = min(offered, key=lambda format: (not fits(search.uniform(format)), format.bits))
    own = [type(choice.prototype) is type(narrowest) for choice in result.choices]
    narrow = [FormatChoice(narrowest) if is_own else choice for is_own, choice in zip(own, result.choices, strict=True)]
    steps = [list(result.choices)]
    for choices, direction in product((steps[0], narrow), (-1, 1)):
        for wide in sorted(offered, key=lambda format: direction * format.bits):
            for i in sorted(compress(range(len(heat)), own), key=lambda i: -heat[i]):
                wider = with_choice(choices, i, FormatChoice(wide))
                if choices[i].prototype.bits < wide.bits and fits(wider):
                    choices = wider
            steps.append(choices)
    losses = search.losses(steps)
    best = steps[losses.index(min(losses))]
    return _with_reasons(search, result, best, "; made wider in the room that was left")


def use_last_bytes(feasibility: Feasibility, result: SearchResult, offered: Sequence[NumberFormat]) -> SearchResult:
    """A result with single tensors made wider, as long as that lowers the loss and keeps the limits.

    Estimates, which are a few bytes off, are not used here: candidates are built and run if possible.
    """
    search, choices, builds = feasibility.search, list(result.choices), BUILDS
    while True:
        wider = [
            with_choice(choices, i, replace(choice, prototype=wide))
            for i, choice in enumerate(choices)
            for wide in offered
            if type(choice.prototype) is type(wide) and choice.prototype.bits < wide.bits
        ]
        [least] = search.losses([choices])
        losses = search.losses(wider, least)
        ranked = sorted(zip(losses, wider, strict=True), key=lambda pair: pair[0])
        better = [
            candidate
            for loss, candidate in ranked
            if loss < (1 - STANDARD_ERROR) * least and search.fits(candidate, feasibility.limits.ram)
        ]
        feasible = (
            candidate
            for candidate in better[:builds]
            if feasibility.is_feasible(candidate) and feasibility.fits(candidate)
        )
        kept = next(feasible, None)
        if kept is None:
            return _with_reasons(search, result, choices, "; made wider in the last bytes")
        choices, builds = kept, builds - 1 - better.index(kept)


def _with_reasons(search: Search, result: SearchResult, choices: Sequence[FormatChoice], reason: str) -> SearchResult:
    """A result with other choices, and the reason for each that changed."""
    reasons = dict(result.reasons)
    for tensors, before, after in zip(search.classes, result.choices, choices, strict=True):
        if after != before:
            reasons[tensors.name] += reason
    return replace(result, choices=choices, reasons=reasons)

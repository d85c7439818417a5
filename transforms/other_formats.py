"""Tensors in other formats of their widths, after a search has chosen the widths (MinUn's first future work).

Each tensor is tried alone in each other format that offers its width; those with which the program loses less are
taken together, the best first, as long as each still helps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tinyml.transforms.format_assignment import with_choice
from tinyml.transforms.search import Found, Search

if TYPE_CHECKING:
    from tinyml.dialects.number_format import NumberFormat
    from tinyml.transforms.format_assignment import Choice
    from tinyml.transforms.tensor_classes import TensorClass


def choose_formats(search: Search, found: Found, ram: float, keeps: Callable[[Sequence[Choice]], bool]) -> Found:
    """What a search found, with tensors in those of its `formats` with which the program loses less.

    ram: bytes in which the arena and the input of all that is tried fit. keeps: is asked before a candidate is taken.
    """
    if not search.others:
        return found
    search.evaluation.begin("formats")
    choices, reasons = list(found.choices), dict(found.reasons)
    [least] = search.losses([choices])
    tried = [
        (i, with_choice(choices, i, other))
        for i, (one, choice) in enumerate(zip(search.classes, choices, strict=True))
        for other in _others(search, one, choice)
    ]
    fitting = [(i, candidate) for i, candidate in tried if search.fits(candidate, ram)]
    losses = search.losses([candidate for _, candidate in fitting], least)
    ranked = sorted(zip(losses, fitting, strict=True), key=lambda pair: pair[0])
    for loss, (i, candidate) in ranked:
        if loss >= least or choices[i] != found.choices[i]:
            continue
        joined = with_choice(choices, i, candidate[i])
        [now] = search.losses([joined], least)
        if now < least and search.fits(joined, ram) and keeps(joined):
            choices, least = joined, now
            name = search.classes[i].name
            reasons[name] = f"{reasons.get(name, '')}; in this format the program loses less"
    return replace(found, choices=choices, reasons=reasons)


def _others(search: Search, one: TensorClass, choice: Choice) -> Iterator[Choice]:
    """The formats of a choice's width that a class of tensors can have instead."""
    for prototype in search.others:
        if (least := prototype.CONSTANTS_FROM) is not None and not (one.is_constant and one.elements >= least):
            continue
        same = _of_width(prototype, choice.prototype.bits)
        yield from (replace(choice, prototype=other) for other in same if other != choice.prototype)


def _of_width(prototype: NumberFormat, bits: int) -> Sequence[NumberFormat]:
    return [one for one in prototype.candidates if one.bits == bits]

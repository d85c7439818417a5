"""Tensors in other formats of their widths, after a search has chosen the widths (MinUn's first future work).

Each tensor is tried alone in each other format that offers its width, or at other scales; those with which the program
loses less are taken together, the best first, as long as each still helps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from tinyml.transforms.formats.assignment.format_assignment import Choice, with_choice
from tinyml.transforms.search.engine.limited_pass import STANDARD_ERROR
from tinyml.transforms.search.engine.result import Found
from tinyml.transforms.search.engine.search import Search
from tinyml.transforms.search.moves.pairwise_moves import ZOOMS

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat
    from tinyml.transforms.formats.assignment.tensor_classes import TensorClass

Keeps: TypeAlias = Callable[[Sequence["Choice"]], bool]
"""What is asked before a candidate is taken."""


def choose_formats(search: Search, found: Found, ram: float, keeps: Keeps) -> Found:
    """What a search found, with tensors in those of its `formats` with which the program loses less.

    ram: bytes in which the arena and the input of all that is tried fit.
    """
    if not search.others:
        return found
    search.evaluation.begin("formats")
    others = [list(_others(search, *pair)) for pair in zip(search.classes, found.choices, strict=True)]
    return _changed(search, found, others, 0.0, "in this format", ram, keeps)


def narrow_formats(search: Search, found: Found) -> Found:
    """What a search found, with tensors in ones of its `formats` of fewer bytes where the program needs less memory and
    loses nearly as little: numbers that take many bits in one format may take few in another one.

    The same object where there are none.
    """
    search.evaluation.begin("narrower formats")
    choices, reasons = list(found.choices), dict(found.reasons)
    [least] = search.losses([choices])
    most = least + STANDARD_ERROR * abs(least)
    tried = [(i, other) for i, now in enumerate(choices) for other in _narrower(search, i, now)]
    candidates = [with_choice(choices, i, other) for i, other in tried]
    losses = search.losses(candidates, most)
    good = [
        (_memory(search, one), loss, at)
        for one, loss, at in zip(candidates, losses, tried, strict=True)
        if loss <= most
    ]
    for _, _, (i, other) in sorted(good, key=lambda one: one[:2]):
        joined = with_choice(choices, i, other)
        if choices[i] != found.choices[i] or _memory(search, joined) >= _memory(search, choices):
            continue
        [now] = search.losses([joined], most)
        if now <= most:
            choices = joined
            reasons[search.classes[i].name] += "; in this format nearly as good"
    return found if choices == list(found.choices) else replace(found, choices=choices, reasons=reasons)


def choose_scales(search: Search, found: Found, ram: float, keeps: Keeps) -> Found:
    """What a search found, with tensors at scales twice as fine, at which their greatest numbers saturate, or half as
    fine, where the program loses less; ram as for `choose_formats`."""
    search.evaluation.begin("scales")
    before = None
    while found != before:
        before = found
        others = [[replace(choice, zoom=choice.zoom + zoom) for zoom in ZOOMS] for choice in found.choices]
        found = _changed(search, found, others, STANDARD_ERROR, "at this scale", ram, keeps)
    return found


def _changed(
    search: Search,
    found: Found,
    others: Sequence[Sequence[Choice]],
    gain: float,
    why: str,
    ram: float,
    keeps: Keeps,
) -> Found:
    """others: for each tensor what it is tried as. gain: what part of the loss a change has to save."""
    choices, reasons, reason = list(found.choices), dict(found.reasons), f"; {why} the program loses less"
    [before] = search.losses([choices])
    least = before
    tried = [(i, with_choice(choices, i, other)) for i, several in enumerate(others) for other in several]
    losses = search.losses([candidate for _, candidate in tried], before)
    ranked = sorted(zip(losses, tried, strict=True), key=lambda pair: pair[0])
    for loss, (i, candidate) in ranked:
        if loss >= (1 - gain) * before or choices[i] != found.choices[i]:
            continue
        joined = with_choice(choices, i, candidate[i])
        [now] = search.losses([joined], least)
        if now < (1 - gain) * least and search.fits(joined, ram) and keeps(joined):
            choices, least = joined, now
            name = search.classes[i].name
            reasons[name] = f"{reasons.get(name, '').removesuffix(reason)}{reason}"
    return replace(found, choices=choices, reasons=reasons)


def _memory(search: Search, choices: Sequence[Choice]) -> int:
    return search.memory.of(search.formats(choices))


def _narrower(search: Search, place: int, choice: Choice) -> Iterator[Choice]:
    """Other formats of a byte at most, for a class that takes memory.

    More bits, packed, would save less: what reads them often needs room to unpack them.
    """
    if not search.classes[place].is_constant:
        others = [one for one in search.others if one.CONSTANTS_FROM is None]
        narrower = [one for prototype in others for one in prototype.candidates if one.bits < choice.prototype.bits]
        yield from (Choice(one) for one in narrower if one.dtype.itemsize == 1)


def _others(search: Search, one: TensorClass, choice: Choice) -> Iterator[Choice]:
    """The formats of a choice's width that a class of tensors can have instead."""
    for prototype in search.others:
        if (least := prototype.CONSTANTS_FROM) is not None and not (one.is_constant and one.elements >= least):
            continue
        if one.is_constant and prototype.FAMILY != search.prototype.FAMILY:
            continue
        same = _of_width(prototype, choice.prototype.bits)
        yield from (replace(choice, prototype=other) for other in same if other != choice.prototype)


def _of_width(prototype: NumberFormat, bits: int) -> Sequence[NumberFormat]:
    return [one for one in prototype.candidates if one.bits == bits]

"""Tensors in other formats of their widths, or at other scales, after a search has chosen the widths.

Each tensor is tried alone in each other format that offers its width (MinUn's first future work), or at other scales;
the changes that lower the loss are combined, the best first, as long as each still helps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice, with_choice
from tinyml.transforms.search.engine.search import STANDARD_ERROR
from tinyml.transforms.search.moves.pairwise_moves import ZOOMS

if TYPE_CHECKING:
    from tinyml.transforms.formats.assignment.tensor_classes import TensorClass
    from tinyml.transforms.search.engine.feasibility import Criterion
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

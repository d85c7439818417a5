"""`search-weights`: assigns to each constant as few bits as it needs, within a limit on the average of all constants.

Weights are most of a small program, and some of its matrices tolerate far fewer bits than others. Every constant has a
separate format of any width. The format may be a list of numbers that is fitted to the constant, or synthesised for it
by the errors of margins (`number_lists`). It may also be integers whose groups share a power of two, or fixed point.
The average includes bits that belong to several elements, such as a list of numbers or the exponents of groups. All
other tensors have one format.

1. **Alone**: each format of each constant is evaluated with all other tensors wide.
2. **Narrowing**: all constants start wide. Each step narrows the constant that adds the least loss for the bits that it
   saves, until the limit is met. The loss of a program is predicted as the sum of the losses of step 1.
3. **Exchange**: one or two constants are assigned other formats within the limit, for example a narrower and a wider
   format. The changes with the least predicted loss are evaluated. The best change is made if it lowers the loss. This
   step is repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.lookup import formats
from tinyml.dialects.options import OptionGroup, option
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice, with_choice
from tinyml.transforms.formats.constants.number_lists import EXTRA_BITS, POWERS, NumberLists, weighted_reals
from tinyml.transforms.search.engine.result import SearchResult
from tinyml.transforms.search.engine.search import MIN_GAIN, Search, stored_bits, worse_by
from tinyml.transforms.search.engine.search_options import formats_option, metric_option, widths_option
from tinyml.transforms.search.engine.search_pass import SearchPass

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Reals

CONSTANT_BITS = 8
"""Maximum bits of the formats of constants."""

SYNTHESISED_BITS = 5
"""Maximum bits of lists that are synthesised for a constant: wider lists of least squares lose hardly more."""

TRIES = 24
"""The number of changes evaluated in a step of the exchange."""


def _weight_bits_option() -> Any:
    return option(
        "limit on the average bits per element of the constants, including shared data (weights)",
        default=4.5,
        metavar="BITS",
        group=OptionGroup.SEARCH,
    )


@dataclass(frozen=True)
class SearchWeightsPass(SearchPass):
    """Assign a format to each constant so that the loss is least, within a limit on the bits of all constants.

    weight_bits: the limit, on average over the elements of all constants of more than one element.
    formats: the formats that constants may have in addition to the main format, by default all formats with
        `FOR_WEIGHTS = True`; only formats of the main family are used.
    widths: the candidate widths of all other tensors, of which the width with the least loss is used; the format's
        usual width by default.

    Raises `InputError` if no choice of formats is within the limit.
    """

    name = "search-weights"
    metric: str = metric_option("margin")
    weight_bits: float | int = _weight_bits_option()
    formats: tuple[str, ...] = formats_option()
    widths: tuple[int, ...] = widths_option()

    @property
    def other_formats(self) -> Sequence[str]:
        return self.formats or [name for name, format in formats().items() if format.FOR_WEIGHTS]

    def search(self, search: Search) -> SearchResult:
        search.evaluation.begin("widths")
        wide = [search.uniform(format) for format in search.offered(self.widths)]
        losses = search.losses(wide)
        weights = _Weights(search, wide[losses.index(min(losses))], self.weight_bits)
        search.evaluation.begin("one by one")
        weights.evaluate_alone()
        search.evaluation.begin("within the limit")
        choices = weights.exchanged(weights.narrowed())
        return SearchResult(choices, dict(weights.reasons(choices)), loss=search.losses([choices])[0])


@dataclass(frozen=True)
class _Option:
    """A possible format of a constant.

    choice: the choice of the format.
    bits: the number of bits that the constant occupies in this format, including bits that several elements
        share.
    loss: the loss of the program if only this constant has the format.
    """

    choice: FormatChoice
    bits: float
    loss: float


class _Weights:
    """The constants of several elements of a program, and the formats that each may have.

    wide: the choices of a program with a small loss.
    limit: in bits, on average over all elements.
    weighted: the numbers of each constant as reals, and their weights in margins, from which lists of all widths are
        synthesised.
    """

    def __init__(self, search: Search, wide: Sequence[FormatChoice], limit: float):
        self.search = search
        self.wide = list(wide)
        self.constants = [i for i, one in enumerate(search.classes) if one.is_constant and one.elements > 1]
        self.elements = sum(search.classes[i].elements for i in self.constants)
        self.limit = limit
        self.options: dict[int, list[_Option]] = {}
        self.weighted: dict[int, tuple[Reals, Reals]] = {}

    def evaluate_alone(self) -> None:
        """Compute the possible formats of each constant, the widest first, and store them in `options`.

        A format is omitted if another format has no more bits and no greater loss.
        """
        changes = [(i, choice) for i in self.constants for choice in self._formats_of(i)]
        found: list[tuple[int, FormatChoice, float]] = []
        for i, choice in changes:
            try:
                found.append((i, choice, self._bits(i, with_choice(self.wide, i, choice))))
            except InputError:
                continue
        losses = self.search.losses([with_choice(self.wide, i, choice) for i, choice, _ in found])
        for i in self.constants:
            own = [
                _Option(choice, bits, loss)
                for (index, choice, bits), loss in zip(found, losses, strict=True)
                if index == i
            ]
            kept: list[_Option] = []
            for one in sorted(own, key=lambda option: (option.bits, option.loss)):
                if not kept or one.loss < kept[-1].loss:
                    kept.append(one)
            self.options[i] = kept[::-1]

    def _formats_of(self, index: int) -> Iterator[FormatChoice]:
        """Yield the formats that a constant may have: its format in the wide program, all formats of the same family
        with at most `CONSTANT_BITS`, and lists of numbers of at most `SYNTHESISED_BITS` made for the constant.
        """
        yield self.wide[index]
        tensors, family = self.search.classes[index], self.search.prototype.FAMILY
        search = self.search
        own = [one for one in (search.choice(search.prototype), *search.others) if family == one.prototype.FAMILY]
        for choice in [choice for one in own if tensors.admits(one.prototype) for choice in one.candidates]:
            format = choice.prototype
            if format.bits <= CONSTANT_BITS:
                yield choice
            lists_its_numbers = format.of_integers(2, 0, [0, 1]) is not None and not choice.is_given
            if lists_its_numbers and format.bits <= SYNTHESISED_BITS:
                yield from self._synthesised(index, NumberLists(format, format.bits + EXTRA_BITS))

    def _synthesised(self, index: int, lists: NumberLists) -> Iterator[FormatChoice]:
        if index not in self.weighted:
            constant = self.search.classes[index].roots[0]
            self.weighted[index] = weighted_reals(self.search.evaluation.evaluator, constant)
        reals, weights = self.weighted[index]
        for power in POWERS:
            yield FormatChoice(lists.made_for(reals, weights**power), is_made=True)

    def _bits(self, index: int, choices: Sequence[FormatChoice]) -> int:
        return stored_bits(self.search.classes[index], self.search.formats(choices)[index])

    def _keeps(self, taken: dict[int, _Option]) -> bool:
        return sum(option.bits for option in taken.values()) <= self.limit * self.elements

    def narrowed(self) -> dict[int, _Option]:
        """For each constant, the option after the first step at which the program is within the limit. Raises
        `InputError` if no step leads to such a program.

        Options start wide. Each step narrows the constant that adds the least loss for the bits that it saves.
        """
        taken = {i: options[0] for i, options in self.options.items()}
        while not self._keeps(taken):
            steps = [
                ((other.loss - taken[i].loss) / (taken[i].bits - other.bits), i, other)
                for i, options in self.options.items()
                for other in options
                if other.bits < taken[i].bits
            ]
            if not steps:
                least = sum(option.bits for option in taken.values()) / max(self.elements, 1)
                raise InputError(f"constants take {least:.2f} bits an element at least, more than {self.limit:g}")
            _, i, other = min(steps, key=lambda step: step[:2])
            taken[i] = other
        return taken

    def exchanged(self, taken: dict[int, _Option]) -> list[FormatChoice]:
        """Exchange options while this lowers the loss by at least the fraction `MIN_GAIN`, and return the choices of
        the program.

        taken: the option of each constant at the start.
        """
        [least] = self.search.losses([self._choices(taken)])
        while True:
            changed = sorted(self._changes(taken), key=_sum_of_losses)[:TRIES]
            losses = self.search.losses([self._choices(one) for one in changed], least)
            best = min(losses, default=least)
            if best >= worse_by(-MIN_GAIN, least):
                return self._choices(taken)
            taken, least = changed[losses.index(best)], best

    def _changes(self, taken: dict[int, _Option]) -> Iterator[dict[int, _Option]]:
        single = [(i, other) for i, options in self.options.items() for other in options if other is not taken[i]]
        for i, other in single:
            if self._keeps(changed := {**taken, i: other}):
                yield changed
        for (i, one), (j, other) in combinations(single, 2):
            if i != j and self._keeps(changed := {**taken, i: one, j: other}):
                yield changed

    def _choices(self, taken: dict[int, _Option]) -> list[FormatChoice]:
        choices = list(self.wide)
        for i, one in taken.items():
            choices[i] = one.choice
        return choices

    def reasons(self, choices: Sequence[FormatChoice]) -> Iterator[tuple[str, str]]:
        formats = self.search.formats(choices)
        for i, (tensors, format) in enumerate(zip(self.search.classes, formats, strict=True)):
            if i not in self.options:
                yield tensors.name, "all but weights have this format"
                continue
            each = stored_bits(tensors, format) / tensors.elements
            yield tensors.name, f"{each:.2f} bits an element, within {self.limit:g} on average"


def _sum_of_losses(taken: dict[int, _Option]) -> float:
    return sum(option.loss for option in taken.values())

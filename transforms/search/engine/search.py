"""The candidates of one program, with their formats, losses, memory and costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.targets.registry import USUAL
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice
from tinyml.transforms.formats.evaluation.candidates import Formats
from tinyml.transforms.search.costs.candidate_costs import CandidateCosts, Platform, costs_on
from tinyml.transforms.search.engine.evaluation import Evaluation

STANDARD_ERROR = 0.03
"""The relative standard error of losses by margins on some thousand samples: a candidate that is better by less may be
worse on other data.
"""


def nearly_least(losses: Sequence[float]) -> list[bool]:
    """A mask of the losses within one standard error of the least."""
    least = min(losses)
    return [loss <= least + STANDARD_ERROR * abs(least) for loss in losses]


class Search:
    """The candidates of one program. Choices, formats and losses are in the order of `classes`, one for each.

    A candidate is a `FormatChoice` for each class of tensors; the code of searches is independent of the number format.
    prototype: a format of the family that is searched. others: formats that tensors may have instead, of any width.
    pack_buffers: true if buffers are packed. earlier: choices for an equivalent program, by the names of its tensors.
    target: the board whose programs' memory counts, as for `select-kernels`.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        prototype: NumberFormat,
        others: Sequence[NumberFormat] = (),
        pack_buffers: bool = False,
        earlier: Mapping[str, FormatChoice] = MappingProxyType({}),
        target: str = USUAL,
    ):
        self.evaluation = evaluation
        self.prototype = prototype
        self.others = others
        self.evaluator = evaluation.evaluator
        self.assignment = self.evaluator.candidates.assignment
        self.classes = self.assignment.classes
        self.pack_buffers = pack_buffers
        self.earlier = earlier
        self.memory = self.costs(target).memory

    def uniform(self, prototype: NumberFormat) -> list[FormatChoice]:
        """The same choice for all tensors."""
        return [FormatChoice(prototype)] * len(self.classes)

    def formats(self, choices: Sequence[FormatChoice]) -> Formats:
        """The formats of a candidate."""
        return tuple(self.assignment.formats(choices))

    def losses(
        self, candidates: Iterable[Sequence[FormatChoice]], at_most: float | Sequence[float] = float("inf")
    ) -> list[float]:
        """The losses of candidates; a lower bound for each that loses more than `at_most`."""
        return self.evaluation.losses([self.formats(choices) for choices in candidates], at_most)

    def fits(self, choices: Sequence[FormatChoice], ram: float = float("inf")) -> bool:
        """True if a candidate makes a program whose arena and input take at most `ram` bytes."""
        try:
            return self.memory.of(self.formats(choices)) <= ram
        except InputError:
            return False

    def costs(self, target: str, flash: int | None = None) -> CandidateCosts:
        """The costs of candidates on a target, as for `select-kernels`; the same object each time.

        flash: the bytes that `spend-flash` may fill.
        """
        return costs_on(self.evaluator.candidates, Platform(target, self.pack_buffers, flash))

    def offered(self, widths: Sequence[int], usual: Sequence[int] = ()) -> list[NumberFormat]:
        """The formats of the requested widths.

        If none or the usual ones are requested, the usual widths that the family has, or else its usual format. Raises
        `InputError` for other widths that the family does not have.
        """
        if widths and tuple(widths) != tuple(usual):
            return [self.prototype_of(width) for width in widths]
        return [format for format in self.prototype.candidates if format.bits in usual] or [self.prototype]

    def prototype_of(self, bits: int) -> NumberFormat:
        """The format of a width; raises `InputError` if the family has none."""
        formats = (format for format in self.prototype.candidates if format.bits == bits)
        return next(formats, type(self.prototype).of_width(bits))

"""A linear model of errors: predicts the loss of candidates from one evaluation of each choice alone.

Roundings are small and nearly independent: the error of a candidate's scores is about the sum, on each sample, of the
errors that each of its choices causes alone. Signs are kept, so that mean errors can cancel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.formats.assignment.choices import with_choice

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.transforms.formats.assignment.choices import FormatChoice
    from tinyml.transforms.search.engine.search import Search

SAMPLES = 512
"""The number of samples that are evaluated, those nearest to the border between two classes."""


@dataclass(frozen=True)
class Change:
    """Another choice for one class of tensors, by its index."""

    index: int
    choice: FormatChoice

    def applied(self, choices: Sequence[FormatChoice]) -> list[FormatChoice]:
        """The choices of a candidate with this change applied."""
        return with_choice(choices, self.index, self.choice)


class LinearErrors:
    """The model for one program. Errors are weighted errors of margins, as in `MarginModel`, of shape (samples,).

    search: of a program with scores. base: choices whose errors are small compared with those of others.
    """

    def __init__(self, search: Search, base: Sequence[FormatChoice]):
        self.search = search
        self.base = list(base)
        self._known: dict[tuple[int, FormatChoice], NDArray[Any] | None] = {}

    @cached_property
    def _base_errors(self) -> NDArray[np.float64]:
        errors = self.true_errors(self.base)
        assert errors is not None
        return errors

    def true_errors(self, choices: Sequence[FormatChoice]) -> NDArray[np.float64] | None:
        """The errors of a candidate by evaluation; None if there is no program."""
        evaluator = self.search.evaluator
        margin_model = evaluator.reference.margin_model
        assert margin_model is not None
        try:
            program = evaluator.shared.prepare(evaluator.candidates.program(self.search.formats(choices)))
        except InputError:
            return None
        parts: list[NDArray[np.float64]] = []
        start = 0
        for chunk, inputs in enumerate(evaluator.shared.chunks[: max(SAMPLES // evaluator.shared.chunk, 1)]):
            part = slice(start, start := start + len(inputs))
            scores = program.compared(chunk)
            assert scores is not None
            parts.append(margin_model.weighted_errors(scores, part))
        return np.concatenate(parts)

    def of_choice(self, index: int, choice: FormatChoice) -> NDArray[np.float64] | None:
        """The errors that one choice adds to those of the base; None if there is no program."""
        if choice == self.base[index]:
            return np.zeros_like(self._base_errors)
        key = index, choice
        if key not in self._known:
            errors = self.true_errors(Change(index, choice).applied(self.base))
            self._known[key] = None if errors is None else errors - self._base_errors
        return self._known[key]

    def difference(self, index: int, before: FormatChoice, after: FormatChoice) -> NDArray[np.float64]:
        """The errors that are added if one choice replaces another; both must make programs."""
        old, new = self.of_choice(index, before), self.of_choice(index, after)
        assert old is not None
        assert new is not None
        return new - old

    def predicted(self, choices: Sequence[FormatChoice]) -> NDArray[np.float64]:
        """The predicted errors of a candidate, all of whose choices must make programs."""
        errors = self._base_errors.copy()
        for index, choice in enumerate(choices):
            errors += self.difference(index, self.base[index], choice)
        return errors

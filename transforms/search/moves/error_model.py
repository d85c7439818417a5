"""What candidates will lose, from what each tensor alone loses: one evaluation for each of its choices.

Roundings are small and nearly independent: the error of a candidate's scores is as great as the sum, on each sample, of
the errors that each of its choices makes alone. Signs count, so that a mean error, which may cancel another, stays one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.transforms.formats.assignment.format_assignment import with_choice

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tinyml.transforms.formats.assignment.format_assignment import Choice
    from tinyml.transforms.search.engine.search import Search

CHUNKS = 1
"""Parts of the data that are looked at, those nearest to the border between two classes."""


@dataclass(frozen=True)
class Change:
    """Another choice for one class of tensors, by its place."""

    place: int
    choice: Choice

    def applied(self, choices: Sequence[Choice]) -> list[Choice]:
        return with_choice(choices, self.place, self.choice)


class LinearErrors:
    """search: of a program with scores. base: choices whose errors are small beside those of others.

    Errors are those of margins, as in `Border`.
    """

    def __init__(self, search: Search, base: Sequence[Choice]):
        self.search = search
        self.base = list(base)
        self._known: dict[tuple[int, Choice], NDArray[Any] | None] = {}

    @cached_property
    def _of_base(self) -> NDArray[np.float64]:
        found = self.errors(self.base)
        assert found is not None
        return found

    def errors(self, choices: Sequence[Choice]) -> NDArray[np.float64] | None:
        """What a candidate really adds to the margins of the samples, times their weights; None without a program."""
        import numpy as np

        judge = self.search.judge
        border = judge.yardstick.border
        assert border is not None
        try:
            program = judge.evaluator.prepare(judge.candidates.program(self.search.formats(choices)))
        except InputError:
            return None
        parts: list[NDArray[np.float64]] = []
        start = 0
        for chunk, inputs in enumerate(judge.evaluator.chunks[:CHUNKS]):
            part = slice(start, start := start + len(inputs))
            scores = program.compared(chunk)
            assert scores is not None
            parts.append(border.errors(scores, part))
        return np.concatenate(parts)

    def of(self, place: int, choice: Choice) -> NDArray[np.float64] | None:
        """What one choice adds; None where there is no program."""
        import numpy as np

        if choice == self.base[place]:
            return np.zeros_like(self._of_base)
        key = place, choice
        if key not in self._known:
            found = self.errors(Change(place, choice).applied(self.base))
            self._known[key] = None if found is None else found - self._of_base
        return self._known[key]

    def difference(self, place: int, before: Choice, after: Choice) -> NDArray[np.float64]:
        """What is added where one choice takes the place of another; there is a program with each."""
        old, new = self.of(place, before), self.of(place, after)
        assert old is not None
        assert new is not None
        return new - old

    def sum(self, choices: Sequence[Choice]) -> NDArray[np.float64]:
        """What a candidate adds as the model has it; there is a program with each of its choices."""
        found = self._of_base.copy()
        for place, choice in enumerate(choices):
            found += self.difference(place, self.base[place], choice)
        return found

"""Pairwise moves: some tensors become wide and others narrow at the same time, within limits.

At the limits no single tensor can become wider, and where errors cancel no single tensor should. Pairs of changes lead
further. There are thousands, which only a model of errors and one of costs can rank.

The model of errors is linear: it predicts the loss of candidates from one evaluation of each choice alone. Roundings
are small and nearly independent: the error of a candidate's scores is about the sum, on each sample, of the errors that
each of its choices causes alone. Signs are kept, so that mean errors can cancel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.formats.assignment.tensor_classes import with_choice
from tinyml.transforms.search.costs.pipelines_below import ProgramCost

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import NumberFormat
    from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice
    from tinyml.transforms.search.engine.feasibility import Feasibility
    from tinyml.transforms.search.engine.search import Search


SAMPLES = 512
"""The number of samples that are evaluated, those nearest to the border between two classes."""


@dataclass(frozen=True)
class _Change:
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
            errors = self.true_errors(_Change(index, choice).applied(self.base))
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


TRIES = 16
"""The number of proposals in a step."""

GAIN = 0.02
"""The share of the error that a move has to save: smaller savings may vanish on other data."""

ZOOMS = (-1, 1)
"""The scales that are tried relative to another: half and twice as fine."""


class PairwiseMoves:
    """Moves from one candidate to others.

    model: of errors. start: a candidate within the limits. options: changes of the start that make programs.
    """

    def __init__(
        self,
        feasibility: Feasibility,
        model: LinearErrors,
        start: Sequence[FormatChoice],
        options: Sequence[_Change],
    ):
        self.feasibility = feasibility
        self.model = model
        self.start = start
        self.cost = feasibility.costs.estimated(feasibility.search.formats(start))
        self._known: dict[_Change, ProgramCost | None] = {}
        known = [change for change in options if model.of_choice(change.index, change.choice) is not None]
        feasibility.estimate(self._unscaled(change).applied(start) for change in known)
        self.options = [change for change in known if self._added(change)]

    def _unscaled(self, change: _Change) -> _Change:
        """The change at the scale of the start, which has the same cost."""
        return replace(change, choice=replace(change.choice, zoom=self.start[change.index].zoom))

    def _added(self, change: _Change) -> ProgramCost | None:
        """The cost that a change adds to that of the start, whatever the scale; None if there is no program."""
        if change.choice.prototype == self.start[change.index].prototype:
            return ProgramCost(0, 0, 0)
        key = self._unscaled(change)
        if key not in self._known:
            try:
                formats = self.feasibility.search.formats(key.applied(self.start))
                self._known[key] = self.feasibility.costs.estimated(formats).minus(self.cost)
            except InputError:
                self._known[key] = None
        return self._known[key]

    def proposals(self, current: Sequence[FormatChoice]) -> list[list[FormatChoice]]:
        """The candidates one or two changes away with the least predicted errors, of those predicted to fit.

        Checking whether they fit takes longer than evaluating them.
        """
        moves = [change for change in self.options if current[change.index] != change.choice]
        if not moves:
            return []
        errors = self.model.predicted(current)
        indices = np.array([change.index for change in moves])
        added = np.array(
            [self.model.difference(change.index, current[change.index], change.choice) for change in moves]
        )
        costs = np.array([self._difference(current, change) for change in moves])
        cost = self.feasibility.cost(self.feasibility.search.formats(current))
        room = np.array(self.feasibility.limits.cost.minus(cost).numbers)
        most = (1 - GAIN) * float(np.abs(errors).sum())
        ranked: list[tuple[float, int, int]] = []
        for i in range(len(moves)):
            # A change by itself, or together with a later one.
            alone = np.arange(i, len(moves)) == i
            fits = (costs[i] + np.where(alone[:, None], 0, costs[i:]) <= room).all(1) & (
                alone | (indices[i:] != indices[i])
            )
            losses = np.abs(errors + added[i] + np.where(alone[:, None], 0, added[i:])[fits]).sum(1)
            pairs = zip(losses.tolist(), (i + np.flatnonzero(fits)).tolist(), strict=True)
            ranked += [(loss, i, j) for loss, j in pairs if loss < most]
        return [moves[j].applied(moves[i].applied(current)) for _, i, j in sorted(ranked)[:TRIES]]

    def _difference(self, current: Sequence[FormatChoice], change: _Change) -> tuple[float, float, float]:
        """The predicted cost that a change adds to another candidate."""
        after, before = self._added(change), self._added(_Change(change.index, current[change.index]))
        assert after is not None
        assert before is not None
        return after.minus(before).numbers


def possible_changes(search: Search, start: Sequence[FormatChoice], offered: Sequence[NumberFormat]) -> list[_Change]:
    """The changes of single tensors: a constant gets each width, other tensors only widths that differ in memory.

    Scales matter at small widths, so that they are tried at half of the greatest width.
    """
    changes: list[_Change] = []
    most = max(format.bits for format in offered)
    for index, (tensors, now) in enumerate(zip(search.classes, start, strict=True)):
        best: dict[object, NumberFormat] = {}
        for format in sorted(offered, key=lambda format: format.bits):
            best[format.bits if tensors.is_constant and tensors.elements > 1 else format.dtype.itemsize] = format
        widths = [replace(now, prototype=format, zoom=0) for format in best.values()]
        halves = [choice for choice in widths if 2 * choice.prototype.bits == most]
        zooms = [replace(choice, zoom=zoom) for choice in halves for zoom in ZOOMS]
        changes += [_Change(index, choice) for choice in (*widths, *zooms) if choice != now]
    return changes

"""Rounding the constants of a program in formats once more, so that its scores are right, on real data.

`round_weights` keeps the sums right that a constant's products are added to. What counts in the end are the margins
between the two best scores of inputs near the border between classes. To first order the error of a margin is the sum
of the errors of all numbers, each times the margin's derivative by it: the loss of "Up or Down? Adaptive Rounding for
Post-Training Quantization" (Nagel et al., 2020, section 3.1) where only margins matter.

First the errors of constants are made to cancel, of which all is known. Then what else goes wrong with the margins, as
the program itself shows, is made up for where that is no chance. It costs nothing on the device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tinyml.dialects import tdsl
from tinyml.transforms.formats.constants.input_moments import Moments, snapped
from tinyml.transforms.formats.constants.round_weights import worth_moving
from tinyml.transforms.formats.evaluation.evaluator import NEAREST, evaluator_of

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat, Raws, Reals
    from tinyml.transforms.formats.evaluation.candidates import Formats
    from tinyml.transforms.formats.evaluation.evaluator import CandidateEvaluator
    from tinyml.transforms.formats.evaluation.problem import SearchProblem

CERTAIN = 1.5
"""By how many standard errors margins are to depend on a number before it makes up for more than other constants do."""

NEGLIGIBLE = 1e-3
"""Of what the error of a row's most important number costs by itself: others that cost less stay as they are."""


def refine_constants(evaluator: CandidateEvaluator, formats: Formats) -> dict[int, Raws]:
    """Other raws for constants of a candidate, with which its margins are better, by their places in the program.

    Each number stays next to the real one, numbers of sparse matrices that are zero stay so, and no row of a matrix
    comes to have a greater sum of magnitudes than any had. Formats as published stay as they are, and so do programs
    without scores.
    """
    if evaluator.reference.margin_model is None or any(one.AS_PUBLISHED for one in formats):
        return {}
    found = _Refinement(evaluator, formats)
    for own in (True, False):
        for place in range(len(found.constants)):
            found.refine(place, own)
    return found.raws


def refinements_of(problem: SearchProblem, candidates: Sequence[Formats]) -> list[dict[int, Raws]]:
    """The same of candidates of a problem, worked out in this process."""
    return [refine_constants(evaluator_of(problem), formats) for formats in candidates]


class _Refinement:
    """Constants of a candidate, better and better ones.

    raws: of those that have changed. errors: of the margins. own: what the errors of all constants make of the margins,
    to first order.
    """

    def __init__(self, evaluator: CandidateEvaluator, formats: Formats):
        self.candidates = evaluator.candidates
        self.formats = formats
        self.shared = evaluator.shared
        margin_model = evaluator.reference.margin_model
        assert margin_model is not None
        self.margin_model = margin_model
        self.weights = margin_model.weights[:NEAREST]
        self.gradients = evaluator.gradients
        self.constants = evaluator.candidates.constants.constants
        self.raws: dict[int, Raws] = {}
        self.loss, self.errors = self._tried({})
        self.own = self._own_errors()

    def refine(self, place: int, own: bool) -> None:
        """Move numbers of a constant to their other neighbours where that helps. own: against the errors of constants
        alone?"""
        import numpy as np

        constant, format = self.constants[place], self._format(place)
        reals, before = self._reals(place), self._raws(place)
        nearest, away = format.encode(reals), format.encode_away(reals)
        after = np.where(before == nearest, away, nearest)
        if _is_sparse(constant):
            after = np.where(format.decode(before).astype(bool) == format.decode(after).astype(bool), after, before)
        now, other, near = (format.decode(one).reshape(-1) for one in (before, after, nearest))
        errors = self.own if own else self.errors
        moved = np.zeros(now.shape, bool)
        for row, slopes in self.gradients.rows(constant):
            alone = self.weights @ slopes**2 * (other[row] - now[row]) ** 2
            live = row.start + np.flatnonzero(alone > NEGLIGIBLE * alone.max())
            if len(live):
                slopes = slopes[:, live - row.start]
                most = np.abs(near).reshape(-1, row.stop - row.start).sum(1).max()
                most -= np.abs(now[row]).sum() - np.abs(now[live]).sum()
                found = self._moves(now[live], other[live], slopes, errors, most, own)
                errors = errors + slopes @ np.where(found, other[live] - now[live], 0.0)
                moved[live] = found
        if not moved.any():
            return
        raws = {**self.raws, place: np.where(moved.reshape(before.shape), after, before)}
        loss, margins = self._tried(raws)
        if loss < self.loss:
            self.raws, self.loss, self.errors = raws, loss, margins
            if own:
                self.own = snapped(errors)

    def _moves(self, now: Reals, other: Reals, slopes: Reals, errors: Reals, most: float, own: bool) -> Reals:
        """Which numbers of a row to move."""
        import numpy as np

        weighted = slopes * self.weights[:, None]
        total = self.weights.sum()
        doubts = None
        if not own:
            doubts = CERTAIN * np.sqrt(snapped((weighted**2).T @ errors**2))[None] / total
        mean = snapped(weighted.T @ errors)[None] / total
        moments = Moments.of(slopes, slopes, self.weights).rounded
        return worth_moving(now[None], other[None], mean, moments, most, doubts)[0]

    def _tried(self, raws: dict[int, Raws]) -> tuple[float, Reals]:
        """What a program loses with other constants, and the errors of its margins."""
        import numpy as np

        from tinyml.runtime.evaluator.evaluator import CHUNK

        program = self.shared.prepare(self.candidates.program(self.formats, raws))
        chunks = range(min(len(self.shared.chunks), NEAREST // CHUNK))
        scores = [program.compared(chunk) for chunk in chunks]
        errors = self.margin_model.errors(np.concatenate([one for one in scores if one is not None]), slice(NEAREST))
        return float((self.weights * np.abs(errors)).sum()), errors

    def _own_errors(self) -> Reals:
        import numpy as np

        total = np.zeros(len(self.errors))
        for place, constant in enumerate(self.constants):
            errors = (self._format(place).decode(self._raws(place)) - self._reals(place)).reshape(-1)
            for row, slopes in self.gradients.rows(constant):
                total += slopes @ errors[row]
        return snapped(total)

    def _reals(self, place: int) -> Reals:
        constant = self.constants[place]
        return tdsl.format_of(constant.result).decode(constant.raws)

    def _raws(self, place: int) -> Raws:
        return self.candidates.constants.raws(self.formats, self.raws)[self.constants[place].result]

    def _format(self, place: int) -> NumberFormat:
        one = self.candidates.assignment.class_of[self.constants[place].result]
        return self.formats[self.candidates.constants.place[one]]


def _is_sparse(constant: tdsl.ConstOp) -> bool:
    return isinstance(constant.result.type.encoding, tdsl.Csr)

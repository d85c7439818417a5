"""Second rounding of the constants of a program in formats, which reduces the errors of its scores on real data.

The first rounding, `round_weights`, reduces the errors of the sums of a constant's products. The accuracy of a
classifier, however, depends on the margins between the two best scores of inputs near the border between classes. To
first order, the error of a margin is a sum over all numbers: the error of each number times the derivative of the
margin with respect to the number. This is the loss of "Up or Down? Adaptive Rounding for Post-Training Quantization"
(Nagel et al., 2020, section 3.1), applied to margins only.

The errors of constants are fully known. First, constants are rounded so that these errors cancel each other. An
evaluation of the program then measures the remaining errors of the margins. If these errors are statistically
significant, constants are rounded to compensate for them. The refinement has no cost on the device.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.formats.constants.input_moments import second_moments, snapped
from tinyml.transforms.formats.constants.rounded_constants import worth_moving
from tinyml.transforms.formats.evaluation.candidates import (
    CandidateEvaluator,
    Formats,
    SearchProblem,
    evaluator_of,
    spelled,
)
from tinyml.transforms.programs.kept_facts import kept

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import NumberFormat, Raws, Reals

MIN_STANDARD_ERRORS = 1.5
"""A number compensates for other errors only if margins depend on it by at least this many standard errors."""

MAX_MOMENTS = 1 << 24
"""Maximum stored moments of rows for the second refinement, 8 bytes each."""

MAX_OPS = 1 << 15
"""Maximum total ops of the programs tried in one of the two refinements: some seconds."""

NEGLIGIBLE_SHARE = 1e-3
"""Numbers are unchanged if their errors cost less than this share of the error of their row's most important number."""

NEGLIGIBLE_EFFECT = 2.0**-90
"""Numbers are unchanged if the square of their effect on margins is below this share of the margins' squared errors.
The margins then do not depend on these numbers, as they do not on a term that is added to all scores: the computed
derivatives are only rounding errors, which differ between processors.
"""


def refine_constants(evaluator: CandidateEvaluator, formats: Formats) -> dict[int, Raws]:
    """Refine the constants of a candidate so that its margins improve. Return the new raws by the indices of the
    constants.

    Each number stays one of the two neighbours of the real number. Zeros of sparse matrices stay zeros. In each
    constant, no row's sum of magnitudes exceeds the previous maximum over all rows. The result is empty for formats
    with `AS_PUBLISHED`, for programs without scores, and for programs with loops that have too many steps to
    record. If trying each constant would exceed `MAX_OPS` ops, only the constants with the most costly rounding
    errors are refined.
    """
    if any(format.AS_PUBLISHED for format in formats) or not evaluator.has_gradients:
        return {}
    return kept(
        lambda: ("refined constants", evaluator.digest, spelled(formats)),
        lambda: _refined(evaluator, formats),
        _of_json,
        _as_json,
    )


def _of_json(answer: Mapping[str, Any]) -> dict[int, Raws]:
    return {
        int(index): np.frombuffer(base64.b64decode(each["raws"]), each["dtype"]).reshape(each["shape"]).copy()
        for index, each in answer.items()
    }


def _as_json(raws: Mapping[int, Raws]) -> dict[str, Any]:
    return {
        str(index): {"dtype": each.dtype.name, "shape": each.shape, "raws": base64.b64encode(each.tobytes()).decode()}
        for index, each in raws.items()
    }


def _refined(evaluator: CandidateEvaluator, formats: Formats) -> dict[int, Raws]:
    refinement = _Refinement(evaluator, formats)
    indices = refinement.most_costly(MAX_OPS // sum(1 for _ in evaluator.candidates.function.walk()))
    for own in (True, False):
        for index in indices:
            refinement.refine(index, own)
    return refinement.raws


def refinements_of(problem: SearchProblem, candidates: Sequence[Formats]) -> list[dict[int, Raws]]:
    return [refine_constants(evaluator_of(problem), formats) for formats in candidates]


class _Refinement:
    """The constants of a candidate during refinement.

    raws: the raws of changed constants, by index.
    errors: the errors of the margins, of shape (samples,).
    own: the part of these errors that the rounding of constants causes, to first order.
    moments: cached second moments of the margins' derivatives, by the constant's index and the numbers.
    room: the number of further moments that may be cached.
    """

    def __init__(self, evaluator: CandidateEvaluator, formats: Formats):
        self.candidates = evaluator.candidates
        self.formats = formats
        self.shared = evaluator.shared
        margin_model = evaluator.reference.margin_model
        assert margin_model is not None
        self.margin_model = margin_model
        self.nearest = evaluator.nearest
        self.weights = margin_model.weights[: self.nearest]
        self.gradients = evaluator.gradients
        self.constants = evaluator.candidates.constants.constants
        self.raws: dict[int, Raws] = {}
        self.moments: dict[tuple[int, bytes], NDArray[np.float64]] = {}
        self.room = MAX_MOMENTS
        self.loss, self.errors = self._tried({})
        self.own = self._own_errors()

    def most_costly(self, count: int) -> Sequence[int]:
        """The indices of the `count` constants whose rounding errors increase the loss most, in program order.
        At least one index.
        """
        if count >= len(self.constants):
            return range(len(self.constants))

        def cost(index: int) -> float:
            errors = self._error(index) ** 2
            rows = self.gradients.rows(self.constants[index])
            return sum(float(self.weights @ slopes**2 @ errors[row]) for row, slopes in rows)

        costs = [cost(index) for index in range(len(self.constants))]
        order = sorted(range(len(costs)), key=lambda index: costs[index], reverse=True)
        return sorted(order[: max(count, 1)])

    def refine(self, index: int, own: bool) -> None:
        """Round numbers of a constant to their other neighbours where this is expected to reduce the loss. The changes
        are kept only if an evaluation confirms a lower loss.

        own: true to reduce only the errors that the rounding of constants causes, false to reduce all errors.
        """
        constant, format = self.constants[index], self._format(index)
        reals, before = self._reals(index), self._raws(index)
        nearest, away = format.encode(reals), format.encode_away(reals)
        after = np.where(before == nearest, away, nearest)
        if _is_sparse(constant):
            after = np.where(format.decode(before).astype(bool) == format.decode(after).astype(bool), after, before)
        now, other, near = (format.decode(raws).reshape(-1) for raws in (before, after, nearest))
        errors = self.own if own else self.errors
        moved = np.zeros(now.shape, bool)
        bound: float | None = None
        for row, slopes in self.gradients.rows(constant):
            alone = self.weights @ slopes**2 * (other[row] - now[row]) ** 2
            least = max(NEGLIGIBLE_SHARE * alone.max(), NEGLIGIBLE_EFFECT * (self.weights @ errors**2))
            live = row.start + np.flatnonzero(alone > least)
            if len(live):
                slopes = slopes[:, live - row.start]
                if bound is None:  # All rows have the same length.
                    bound = float(np.abs(near).reshape(-1, row.stop - row.start).sum(1).max())
                most = bound - (np.abs(now[row]).sum() - np.abs(now[live]).sum())
                moments = self._moments_of(index, live, slopes)
                moves = self._moves(now[live], other[live], slopes, errors, moments, most, own)
                errors = errors + slopes @ np.where(moves, other[live] - now[live], 0.0)
                moved[live] = moves
        if not moved.any():
            return
        raws = {**self.raws, index: np.where(moved.reshape(before.shape), after, before)}
        loss, margins = self._tried(raws)
        if loss < self.loss:
            self.raws, self.loss, self.errors = raws, loss, margins
            if own:
                self.own = snapped(errors)

    def _moments_of(self, index: int, live: NDArray[np.intp], slopes: Reals) -> NDArray[np.float64]:
        """The second moments of `slopes`, the derivatives of the margins with respect to the numbers `live`.
        They are cached, because refinements of a constant do not change them.

        index: the index of the constant.
        """
        key = index, live.tobytes()
        if (known := self.moments.get(key)) is None:
            known = second_moments(slopes, self.weights)
            self.room -= known.size
            if self.room >= 0:
                self.moments[key] = known
        return known

    def _moves(
        self,
        now: Reals,
        other: Reals,
        slopes: Reals,
        errors: Reals,
        moments: NDArray[np.float64],
        most: float,
        own: bool,
    ) -> Reals:
        weighted = slopes * self.weights[:, None]
        total = self.weights.sum()
        doubts = None
        if not own:
            doubts = MIN_STANDARD_ERRORS * np.sqrt(snapped((weighted**2).T @ errors**2))[None] / total
        mean = snapped(weighted.T @ errors)[None] / total
        return worth_moving(now[None], other[None], mean, moments, most, doubts)[0]

    def _tried(self, raws: dict[int, Raws]) -> tuple[float, Reals]:
        """Evaluate the program with the given raws of constants. Return its loss and the errors of its margins."""
        program = self.shared.prepare(self.candidates.program(self.formats, raws))
        chunks = range(min(len(self.shared.chunks), self.nearest // self.shared.chunk))
        scores = [program.compared(chunk) for chunk in chunks]
        errors = self.margin_model.errors(
            np.concatenate([part for part in scores if part is not None]), slice(self.nearest)
        )
        return float((self.weights * np.abs(errors)).sum()), errors

    def _own_errors(self) -> Reals:
        total = np.zeros(len(self.errors))
        for index, constant in enumerate(self.constants):
            errors = self._error(index)
            for row, slopes in self.gradients.rows(constant):
                total += slopes @ errors[row]
        return snapped(total)

    def _error(self, index: int) -> Reals:
        return (self._format(index).decode(self._raws(index)) - self._reals(index)).reshape(-1)

    def _reals(self, index: int) -> Reals:
        constant = self.constants[index]
        return tdsl.format_of(constant.result).decode(constant.raws)

    def _raws(self, index: int) -> Raws:
        return self.raws[index] if index in self.raws else self.candidates.constants.rounded(index, self.formats)

    def _format(self, index: int) -> NumberFormat:
        tensors = self.candidates.assignment.class_of[self.constants[index].result]
        return self.formats[self.candidates.constants.index[tensors]]


def _is_sparse(constant: tdsl.ConstOp) -> bool:
    return isinstance(constant.result.type.encoding, tdsl.Csr)

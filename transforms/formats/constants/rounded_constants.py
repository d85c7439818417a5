"""The constants of a program in any formats, rounded to minimise the errors of the sums of their products on real data.

With rounding to nearest, the errors of a row of weights w do not cancel if the inputs x have a nonzero mean or depend
on each other. Here each weight is rounded to one of its two neighbours w' such that E[(w' y - w x)^2] is small, where y
is the rounded x. The method is described in "Up or Down? Adaptive Rounding for Post-Training Quantization" (Nagel et
al., 2020, section 3), with coordinate descent. If only the mean of x were used, the method would be the bias correction
of the same authors (2019, section 4.2). The rounding has no cost on the device.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.formats.assignment.tensor_classes import P, retype
from tinyml.transforms.formats.constants.input_moments import Moments, snapped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import NumberFormat, Raws, Reals
    from tinyml.transforms.formats.assignment.format_assignment import FormatAssignment


def narrowed_raws(raws: Raws, source: NumberFormat, narrower: NumberFormat) -> Raws:
    """Convert raws to a narrower format, and return them in the same shape. Ties are rounded towards zero.

    Arithmetic on the device rounds ties up. In constants this would bias sums: if one bit is dropped, every second
    number that is already rounded is a tie.
    """
    reals = source.decode(raws)
    nearest, away = narrower.encode(reals), narrower.encode_away(reals)
    near, far = narrower.decode(nearest), narrower.decode(away)
    halves = (np.abs(near - reals) == np.abs(far - reals)) & (np.abs(far) < np.abs(near))
    return np.where(halves, away, nearest)


MIN_GAIN = 1e-9
"""The least relevant gain, as a share of the cost of rounding a single weight."""


def round_weights(weights: Reals, format: NumberFormat, inputs: Moments) -> Raws:
    """Round each weight of a constant to one of its two neighbours in a format, and return the raws.

    In each row, the weight with the greatest gain is moved to its other neighbour, until no move reduces the error. No
    row's sum of magnitudes exceeds the greatest such sum after rounding to nearest, so that proofs about sums of
    products remain valid.

    weights: reals of any shape, whose products are summed along `inputs.axes`.
    inputs: the second moments of the factors.
    """
    last = tuple(range(-len(inputs.axes), 0))
    by_rows = np.moveaxis(weights, inputs.axes, last)
    groups = [inputs, *inputs.further]
    rows = _round_rows(by_rows.reshape(-1, len(inputs.rounded)), format, groups)
    return np.moveaxis(rows.reshape(by_rows.shape), last, inputs.axes)


def _round_rows(weights: Reals, format: NumberFormat, groups: Sequence[Moments]) -> Raws:
    """Round rows of weights, and return the raws. The rows form groups of equal size.

    groups: the moments of each group's inputs.
    """
    raws, other = format.encode(weights), format.encode_away(weights)
    near, far = format.decode(raws), format.decode(other)
    most, each = float(np.abs(near).sum(1).max(initial=0.0)), len(weights) // len(groups)
    moved = np.zeros(weights.shape, bool)
    for number, inputs in enumerate(groups):
        rows = slice(number * each, (number + 1) * each)
        slopes = snapped(near[rows] @ inputs.rounded - inputs.crossed)
        moved[rows] = worth_moving(near[rows], far[rows], slopes, inputs.rounded, most)
    return np.where(moved, other, raws)


def worth_moving(
    now: Reals, other: Reals, slopes: Reals, moments: NDArray[np.float64], most: float, doubts: Reals | None = None
) -> NDArray[np.bool_]:
    """A mask of the numbers of each row that should be moved from `now` to `other` to reduce the cost of the row.

    In each row, the number with the greatest gain is moved until no move reduces the cost; moved numbers may be moved
    back. Moving row r by d costs 2 d slopes[r] + d moments d. No row's sum of magnitudes exceeds `most`.

    now, other: the current value of each number and the value to which it may be moved, of shape (rows, numbers).
    moments: of shape (numbers, numbers).
    doubts: the uncertainty of the slopes, in their shape; a gain must exceed it. None for no uncertainty.
    """
    steps, growths, sizes = other - now, np.abs(other) - np.abs(now), np.abs(now).sum(1)
    alone = steps**2 * np.diag(moments)
    least, most = MIN_GAIN * alone.max(1, initial=0.0), most * (1 + 1e-12)
    chance = np.zeros(now.shape) if doubts is None else 2 * np.abs(steps) * doubts
    moved = np.zeros(now.shape, bool)
    rows, slopes = np.arange(len(now) if now.size else 0), slopes.copy()
    while len(rows):
        at, gains = np.arange(len(rows)), -2 * steps * slopes - alone - chance
        best = gains.argmax(1)
        if len(full := np.flatnonzero(sizes + growths[at, best] > most)):
            # Only these rows need the limit on each number.
            gains[full] = np.where(sizes[full, None] + growths[full] > most, 0.0, gains[full])
            best[full] = gains[full].argmax(1)
        helps = gains[at, best] > least
        if not helps.all():
            state = (rows, best, least, alone, chance, steps, growths, sizes, slopes)
            left: list[NDArray[Any]] = [part[helps] for part in state]
            rows, best, least, alone, chance, steps, growths, sizes, slopes = left
            at = at[: len(rows)]
        slopes += steps[at, best, None] * moments[best]
        sizes += growths[at, best]
        moved[rows, best] ^= True
        for changed in (steps, growths, chance):
            changed[at, best] *= -1
    return moved


class RoundedConstants:
    """The raws of a program's constants in any formats. Each constant is rounded once for each format in use.

    All constants are rounded to nearest if the assignment has no inputs.
    """

    def __init__(self, assignment: FormatAssignment):
        self.assignment = assignment
        self.index = {tensors: i for i, tensors in enumerate(assignment.classes)}
        constants = [op for op in assignment.function.walk() if isinstance(op, tdsl.ConstOp)]
        self.constants = [op for op in constants if op.result in assignment.class_of]
        self.known: dict[object, Raws] = {}
        self._ops: dict[object, tdsl.ConstOp] = {}

    def raws(self, formats: Sequence[NumberFormat], refined: Mapping[int, Raws] | None = None) -> dict[SSAValue, Raws]:
        """The raws of all constants, by the tensors that the constants define.

        formats: the format of each class.
        refined: raws that replace the computed raws of some constants, by the constants' indices in the program.
        """
        refined = refined or {}
        return {
            op.result: refined[index] if index in refined else self.rounded(index, formats)
            for index, op in enumerate(self.constants)
        }

    def rounded(self, index: int, formats: Sequence[NumberFormat]) -> Raws:
        """The raws of a constant in the format of its class.

        index: the index of the constant in the program.
        formats: the format of each class.
        """

        def format_of(value: SSAValue) -> NumberFormat:
            return formats[self.index[self.assignment.class_of[value]]]

        return self._raws(self.constants[index], format_of)

    def ops(
        self, formats: Sequence[NumberFormat], refined: Mapping[int, Raws] | None = None
    ) -> dict[SSAValue, tdsl.ConstOp]:
        """New constant ops with the raws of `raws`, by the tensors that they replace. They are not inserted
        into a block.

        formats, refined: as in `raws`.
        """
        made: dict[SSAValue, tdsl.ConstOp] = {}
        for index, (op, raws) in enumerate(zip(self.constants, self.raws(formats, refined).values(), strict=True)):
            format = formats[self.index[self.assignment.class_of[op.result]]]
            if index in (refined or {}):
                made[op.result] = _in_format(op, raws, format)
                continue
            # Raws without refined constants are cached permanently.
            key = op, format.type, id(raws)
            if key not in self._ops:
                self._ops[key] = _in_format(op, raws, format)
            made[op.result] = self._ops[key].clone()
        return made

    def retyped(
        self, program: P, formats: Sequence[NumberFormat], refined: Mapping[int, Raws] | None, scheme: str | None
    ) -> tuple[P, dict[SSAValue, SSAValue]]:
        """Copy the function of the constants, or the module around it, with formats for its tensors, rounded constants,
        and the cuts of its forests. Return the copy and, for each tensor on reals, the tensor that replaces it.

        formats, refined: as in `raws`.
        scheme: the scheme of exp, tanh and sigmoid; None for the default.
        """
        assignment = self.assignment
        copy, tensors = retype(
            program,
            assignment.formats_of_values(formats),
            self.ops(formats, refined),
            assignment.compute_formats_of_values(formats),
            scheme,
        )
        assignment.cuts.place(program, copy)
        return copy, tensors

    def _raws(self, constant: tdsl.ConstOp, format_of: Callable[[SSAValue], NumberFormat]) -> Raws:
        format = format_of(constant.result)
        cuts = self.assignment.cuts
        if constant in cuts.constants and format_of(cuts.constants[constant].compared) == format:
            key = constant, format.type, "cuts"
            if key not in self.known and (raws := cuts.raws(constant, format)) is not None:
                self.known[key] = raws
            if key in self.known:
                return self.known[key]
        moments = self.assignment.moments and self.assignment.moments.of(constant, format_of)
        key = constant, format.type, id(moments)
        if key not in self.known:
            reals = tdsl.format_of(constant.result).decode(constant.raws)
            self.known[key] = format.encode(reals) if moments is None else round_weights(reals, format, moments)
        return self.known[key]


def _in_format(constant: tdsl.ConstOp, raws: Raws, format: NumberFormat) -> tdsl.ConstOp:
    new = constant.with_raws(raws, format)
    new.attributes.pop(tdsl.NUMBERS, None)
    return new


def give_formats(
    constants: RoundedConstants,
    formats: Sequence[NumberFormat],
    refined: Mapping[int, Raws] | None,
    scheme: str | None,
) -> None:
    """Replace the function of `constants` by a copy whose tensors have formats.

    formats: the format of each class.
    refined: as in `RoundedConstants.raws`.
    scheme: the scheme of exp, tanh and sigmoid; None for the default.
    """
    function = constants.assignment.function
    new, _ = constants.retyped(function, formats, refined, scheme)
    Rewriter.replace_op(function, new, ())

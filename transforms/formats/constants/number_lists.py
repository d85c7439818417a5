"""Lists of numbers that represent a constant, found by descent on a model of the errors of a program's margins.

To first order, the error of a margin is a sum over all numbers: the error of each number times the derivative of the
margin with respect to the number (`refine_constants`). If numbers are rounded one by one, their errors are nearly
independent. The mean square of a margin's error is therefore a weighted sum of squared errors. The weight of each
number is the mean square of its derivative. These weights are the diagonal of the Hessian. They also weight k-means in
"Towards the Limit of Network Quantization" (Choi, El-Khamy and Lee, 2017, section 3.3).

The more the derivatives of the numbers differ, the less reliably derivatives on some samples predict those on other
samples. The weights are therefore raised to a power of at most one, which makes them more uniform.

The descent is Lloyd's iteration on reals, followed by single steps of integers. The number of bits of the integers is
limited, because it determines the width of products and sums on the device. The descent starts from the numbers of
every format of the family.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.least_squares import settled
from tinyml.dialects.formats.lookup import formats
from tinyml.dialects.formats.number_format import NumberFormat, Reals
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import limits
from tinyml.dialects.machine.numpy_machine import NumpyMachine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.transforms.formats.evaluation.candidates import CandidateEvaluator

POWERS = (0.0, 0.25, 0.5, 0.75)
"""Powers of the weights of numbers: with 0 all weights are equal, with 1 they are those of the margins on the data."""

EXTRA_BITS = 6
"""The default bits of integers in excess of a code's, including the sign."""

MIN_WEIGHT = 1e-3
"""The minimum weight of a number, as a share of the mean weight, whether margins depend on the number or not."""

SCALES_TRIED = 2
"""The number of tried scales of narrow integers, from the one at which the greatest number fits."""

SWEEPS = 8
"""Limit on the sweeps of single steps through the integers of a list."""

SHARED_ROUNDS = 4
"""Rounds in which constants that share a list choose their powers of two, and the list follows."""


def weighted_reals(evaluator: CandidateEvaluator, constant: tdsl.ConstOp) -> tuple[Reals, Reals]:
    """The n numbers of a constant as reals, and the weights of their errors (`margin_weights`). Both have the shape
    (n,).
    """
    reals = tdsl.format_of(constant.result).decode(constant.raws).ravel()
    return reals, margin_weights(evaluator, constant)


def margin_weights(evaluator: CandidateEvaluator, constant: tdsl.ConstOp) -> Reals:
    """An array of shape (n,): for each of the n numbers of a constant, the mean square of the derivative of margins
    with respect to the number. The mean of the weights is about one.

    Only samples near the border between two classes are used. If margins have no derivatives, the weights are the mean
    squares of the factors. If the factors have no mean squares either, all weights are one.
    """
    weights = np.zeros(constant.raws.size)
    model = evaluator.reference.margin_model
    if model is not None and evaluator.has_gradients:
        of_samples = model.weights[: evaluator.nearest]
        for row, slopes in evaluator.gradients.rows(constant):
            weights[row] = of_samples @ slopes**2
    moments = evaluator.candidates.assignment.moments
    if not weights.any() and moments is not None and (squares := moments.mean_squares(constant)) is not None:
        weights = np.broadcast_to(squares, constant.raws.shape).ravel().astype(np.float64)
    return weights / weights.mean() + MIN_WEIGHT if weights.any() else np.ones(weights.shape)


class NumberLists:
    """The search for the list of numbers, in a format of a given width (`NumberFormat.of_integers`), that represents
    constants with the least error.

    prototype: any format of the family and width.
    most_bits: the maximum number of bits of the integers, including the sign.
    """

    def __init__(self, prototype: NumberFormat, most_bits: int):
        self.prototype, self.bits = prototype, prototype.bits
        self.greatest = limits(most_bits)[1]

    def made_for(self, reals: Reals, weights: Reals) -> NumberFormat:
        """The format whose list has the least weighted squared error for reals of shape (n,)."""
        return self.made_for_all([(reals, weights)])[0]

    def made_for_all(self, constants: Sequence[tuple[Reals, Reals]]) -> list[NumberFormat]:
        """The formats for several constants. All formats have the same list of numbers, which each format multiplies by
        a separate power of two.

        constants: for each constant, its numbers as reals and their weights.
        """
        exponents = [math.frexp(float(np.abs(reals).max(initial=0)) or 1.0)[1] for reals, _ in constants]
        best: tuple[float, Reals, list[int]] | None = None
        for start in self._starts(constants, exponents):
            found = self._descended(start, constants, exponents)
            if best is None or found[0] < best[0]:
                best = found
        assert best is not None
        _, numbers, exponents = best
        pooled = _pooled(constants, exponents)
        scale, integers = self._integers(numbers, *pooled)
        made = [self.prototype.of_integers(self.bits, scale - exponent, integers) for exponent in exponents]
        return cast("list[NumberFormat]", made)

    def _starts(self, constants: Sequence[tuple[Reals, Reals]], exponents: Sequence[int]) -> Iterator[Reals]:
        """Yield initial lists: the numbers of each format that has the same family and width, fitted to the constants.
        Formats without a list of their numbers are left out.

        exponents: for each constant, the exponent of the power of two by which it is divided.
        """
        reals, weights = _pooled(constants, exponents)
        for format in formats().values():
            if format.FAMILY != self.prototype.FAMILY or format.AS_PUBLISHED:
                continue
            try:
                prototype = format.of_width(self.bits)
            except InputError:
                continue
            fitted = prototype.for_range(float(reals[0]), float(reals[-1])).fitted_to(reals, weights, rows=False)
            ranked = fitted.ranked(NumpyMachine(), np.zeros(1, fitted.dtype))
            if ranked is not None and len(numbers := self._permitted(fitted.decode(ranked[1]))) > 1:
                yield numbers

    def _permitted(self, numbers: Reals) -> Reals:
        low, high = limits(self.bits)
        numbers = np.unique(np.append(numbers, 0.0))
        below, above = numbers[numbers < 0][low:], numbers[numbers > 0][:high]
        return np.concatenate([below, [0.0], above])

    def _descended(
        self, numbers: Reals, constants: Sequence[tuple[Reals, Reals]], exponents: Sequence[int]
    ) -> tuple[float, Reals, list[int]]:
        """Optimise the numbers of a list and the exponents of the constants alternately. Return the weighted
        error, numbers and exponents.
        """
        exponents = list(exponents)
        for _ in range(SHARED_ROUNDS if len(constants) > 1 else 1):
            numbers = self._completed(settled(numbers, *_pooled(constants, exponents)), *_pooled(constants, exponents))
            if len(constants) > 1:
                exponents = [
                    min(
                        (exponent - 1, exponent, exponent + 1),
                        key=lambda tried, one=one: weighted_error(numbers, *_pooled([one], [tried])),
                    )
                    for one, exponent in zip(constants, exponents, strict=True)
                ]
        return weighted_error(numbers, *_pooled(constants, exponents)), numbers, exponents

    def _completed(self, numbers: Reals, reals: Reals, weights: Reals) -> Reals:
        low, high = limits(self.bits)
        while any(rooms := [int((numbers < 0).sum()) < -low, int((numbers > 0).sum()) < high]):
            nearest = np.searchsorted((numbers[:-1] + numbers[1:]) / 2, reals)
            side = ((reals < 0) & rooms[0]) | ((reals > 0) & rooms[1])
            errors = np.bincount(nearest[side], (weights * (reals - numbers[nearest]) ** 2)[side], len(numbers))
            cell = (nearest == errors.argmax()) & side
            if errors.max(initial=0) <= 0:
                break
            ends = np.setdiff1d([reals[cell].min(), reals[cell].max()], numbers)
            tried = [settled(np.sort(np.append(numbers, end)), reals, weights) for end in ends]
            numbers = min(tried, key=lambda each: weighted_error(each, reals, weights))
        return numbers

    def _integers(self, numbers: Reals, reals: Reals, weights: Reals) -> tuple[int, list[int]]:
        """Return a scale s and integers n such that n 2^-s approximate a list of numbers. Single integers are changed
        by one as long as this reduces the error.

        reals, weights: the numbers to be represented by the list, and the weights of their errors.
        """
        most = math.floor(math.log2(self.greatest / float(np.abs(numbers).max())))
        found: list[tuple[float, int, list[int]]] = []
        for scale in range(most, most + SCALES_TRIED):
            rounded = np.clip(np.rint(np.ldexp(numbers, scale)), -self.greatest, self.greatest)
            integers = self._permitted(np.append(rounded, [0.0, 1.0] if not rounded.any() else 0.0))
            integers = self._stepped(integers, np.ldexp(reals, scale), weights)
            error = weighted_error(np.ldexp(integers, -scale), reals, weights)
            found.append((error, scale, integers.astype(int).tolist()))
        _, scale, integers = min(found, key=lambda each: each[0])
        return scale, integers

    def _stepped(self, integers: Reals, reals: Reals, weights: Reals) -> Reals:
        """The integers, changed by steps of one until no single step reduces the error, in at most `SWEEPS` sweeps.
        Zero is unchanged, no two integers become equal, and no magnitude exceeds `greatest`.

        reals: the numbers to be approximated, in units of the integers.
        weights: the weights of their errors.
        """
        least = weighted_error(integers, reals, weights)
        for _ in range(SWEEPS):
            before = least
            for index in np.flatnonzero(integers):
                for step in (-1.0, 1.0):
                    tried = integers.copy()
                    tried[index] += step
                    if len(np.unique(tried)) < len(tried) or abs(tried[index]) > self.greatest:
                        continue
                    if (error := weighted_error(tried, reals, weights)) < least:
                        integers, least = tried, error
            if least == before:
                break
        return integers


def _pooled(constants: Sequence[tuple[Reals, Reals]], exponents: Sequence[int]) -> tuple[Reals, Reals]:
    """Return the numbers of all constants, each times 2^-exponent, in ascending order. Also return the weights of their
    errors, which are scaled so that errors of different constants are comparable.

    exponents: the exponent of each constant.
    """
    reals = np.concatenate(
        [np.ldexp(reals, -exponent) for (reals, _), exponent in zip(constants, exponents, strict=True)]
    )
    weights = np.concatenate(
        [np.ldexp(weights, 2 * exponent) for (_, weights), exponent in zip(constants, exponents, strict=True)]
    )
    order = np.argsort(reals, kind="stable")
    return reals[order], weights[order]


def weighted_error(numbers: Reals, reals: Reals, weights: NDArray[np.float64]) -> float:
    """The weighted sum of squared distances from each real to the nearest number in `numbers`. `numbers` and `reals`
    must be in ascending order.
    """
    nearest = numbers[np.searchsorted((numbers[:-1] + numbers[1:]) / 2, reals)]
    return float(weights @ (nearest - reals) ** 2)

"""The numbers of a format on which its operations are tested, and the comparison of results with reals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tinyml.dialects.formats.number_format import NumberFormat, Raws, Reals
from tinyml.dialects.machine.numpy_machine import NumpyMachine

RANGES = ((-1.0, 1.0), (-7.5, 6.0), (0.0, 0.1), (-100.0, 90.0))
"""The ranges for which formats are created: their scales differ if formats have scales."""

OUT_OF_RANGE = (-3.0e38, 3.0e38)
"""Reals outside the range of all formats except floats."""

NUMBERS, PAIRED = 1024, 60
"""Maximum numbers of a format that are tested alone and in pairs."""

DOUBLE, SINGLE = 2.0**-51, 2.0**-23

M = NumpyMachine()

Given: TypeAlias = "Mapping[str, NDArray[Any]]"


@dataclass(frozen=True, eq=False)
class Numbers:
    """The numbers of a format in ascending order: all numbers of a format of up to 16 bits, and otherwise a sample of
    numbers of all magnitudes.
    """

    format: NumberFormat

    @cached_property
    def raws(self) -> Raws:
        bits = 8 * self.format.dtype.itemsize
        if bits <= 16:
            raws = np.arange(1 << bits).astype(f"u{bits // 8}").view(self.format.dtype)
        else:
            reals = np.linspace(*self.ends, 301)
            raws = self.format.encode(np.concatenate([reals, reals * 2.0**-10, reals * 2.0**-20, np.arange(-20.5, 20)]))
        reals = self.format.decode(raws)
        legal = np.isfinite(reals) & (self.format.encode(np.nan_to_num(reals)) == raws)
        assert legal.any(), f"of no raw of {self.format.type} is `encode` the inverse of `decode`"
        raws = np.unique(raws[legal])
        return raws[np.argsort(self.format.decode(raws), kind="stable")]

    @cached_property
    def reals(self) -> Reals:
        return self.format.decode(self.raws)

    @property
    def ends(self) -> tuple[float, float]:
        """Return the least and the greatest number to which reals are rounded."""
        low, high = self.format.decode(self.format.encode(np.array(OUT_OF_RANGE))).tolist()
        return low, high

    @property
    def is_complete(self) -> bool:
        return self.format.dtype.itemsize <= 2

    def some(self, most: int) -> Raws:
        """All raws if there are at most `most`. Otherwise about `most` raws: the ends, zero and its neighbours, and
        raws at equal and at increasing distances.
        """
        if len(self.raws) <= most:
            return self.raws
        middle, last = int(np.searchsorted(self.reals, 0.0)), len(self.raws) - 1
        steps = np.unique(np.geomspace(1, last, most // 4).astype(int))
        indices = [np.linspace(0, last, most // 2).astype(int), middle + steps, middle - steps, [0, 1, middle, last]]
        return self.raws[np.unique(np.clip(np.concatenate(indices), 0, last))]

    def place(self, reals: Reals) -> Reals:
        """For each real, the distance between the greatest number below it and the next number. For reals that are at
        most the least number, it is the distance between the two least numbers; for reals above the greatest number,
        between the two greatest.

        For a format of more than 16 bits, an estimate: 2^-15 times the magnitude of the real, but at least 2^-30 times
        the greatest number.
        """
        if not self.is_complete:
            return 2.0**-15 * np.maximum(np.abs(reals), 2.0**-15 * abs(self.ends[1]))
        above = np.clip(np.searchsorted(self.reals, reals), 1, len(self.reals) - 1)
        return self.reals[above] - self.reals[above - 1]


def require(right: NDArray[Any], what: str, got: NDArray[Any], expected: NDArray[Any], given: Given) -> None:
    """Raise `AssertionError` unless `right` is true everywhere. The message contains the first wrong number.

    what: the name of the test, for the message.
    got, expected: the computed and the expected numbers.
    given: the operands by name, for the message.
    """
    right, got, expected, *values = np.broadcast_arrays(right, got, expected, *given.values())
    wrong = np.flatnonzero(~right.ravel())
    if not len(wrong):
        return
    at = wrong[0]
    of = ", ".join(f"{name} {value.flat[at]:g}" for name, value in zip(given, values, strict=True))
    raise AssertionError(
        f"{what} of {of}: got {got.flat[at]:.9g} for {expected.flat[at]:.9g}; {len(wrong)} of {right.size} are wrong"
    )


def check_result(result: Numbers, what: str, computed: Any, exact: Reals, apart: Reals | float, given: Given) -> None:
    """Check that a result is the exact result, rounded and clamped.

    In a format with `ROUNDS_ONCE = False`, it may differ from the clamped result by one and a half units of the result
    plus one and a half units of the operands, and by a small relative error.

    what: the name of the operation, for messages.
    apart: the distance of adjacent numbers in the formats of the operands, as a real.
    given: the operands by name, for messages.
    """
    format, what = result.format, f"{what} in {result.format.type}"
    raws = np.broadcast_to(computed, exact.shape)
    got, nearest = format.decode(raws), format.decode(format.encode(exact))
    if not format.ROUNDS_ONCE:
        limited = np.clip(exact, *result.ends)
        greatest = sum((np.abs(each) for each in given.values()), np.zeros(()))
        slack = 1.5 * (result.place(limited) + apart) + 2.0**-17 * (np.abs(limited) + greatest)
        require(np.abs(got - limited) <= slack, what, got, limited, given)
    elif result.is_complete:
        require(got == nearest, f"{what}, with ROUNDS_ONCE = True,", got, nearest, given)
    else:
        slack = np.abs(nearest - exact) + DOUBLE * np.abs(exact)
        right = (np.abs(got - exact) <= slack) | (got == nearest) | ~np.isfinite(nearest)
        require(right, f"{what}, with ROUNDS_ONCE = True,", got, nearest, given)

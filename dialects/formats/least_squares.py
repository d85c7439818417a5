"""Lists of numbers that minimise the weighted squared error when the reals of a constant are rounded to them.

Lloyd, "Least Squares Quantization in PCM", 1982; Max, "Quantizing for Minimum Distortion", 1960.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import limits

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Reals

ROUNDS = 60
"""The maximum number of Lloyd's iterations, which end earlier at a fixed point."""

BINS = 64
"""Bins of the histogram that estimates the density of a constant."""


def lloyd_max(reals: Reals, weights: Reals, bits: int) -> Reals:
    """At most 2^bits numbers, including 0, that nearly minimise the weighted sum of squared distances from `reals`
    to the nearest number.

    reals, weights: the n reals in any order, and the weight of each of them.

    At most 2^(bits - 1) of the numbers are negative, and fewer than 2^(bits - 1) are positive.
    """
    low, high = limits(bits)
    order = np.argsort(reals, kind="stable")
    x, w = reals[order], weights[order]
    below, above = (
        _initial_magnitudes(-x[x < 0][::-1], w[x < 0][::-1], -low),
        _initial_magnitudes(x[x > 0], w[x > 0], high),
    )
    return settled(np.concatenate([-below[::-1], [0.0], above]), x, w)


def settled(numbers: Reals, x: Reals, w: Reals) -> Reals:
    """The numbers after Lloyd's iteration has converged, or after `ROUNDS` steps. A step moves each number except 0 to
    the centroid of the reals that are nearest to it.

    numbers: the initial numbers in ascending order.
    x: the reals in ascending order, shape (n,).
    w: the weights of the reals, shape (n,).
    """
    sums, moments = (np.concatenate([[0.0], np.cumsum(part)]) for part in (w, w * x))
    for _ in range(ROUNDS):
        ends = np.concatenate([[0], np.searchsorted(x, (numbers[:-1] + numbers[1:]) / 2), [len(x)]])
        mass, moment = np.diff(sums[ends]), np.diff(moments[ends])
        centres = np.where(mass > 0, moment / np.where(mass > 0, mass, 1.0), numbers)
        centres[numbers == 0] = 0.0
        if np.array_equal(centres, numbers):
            break
        numbers = np.sort(centres)
    return numbers


def _initial_magnitudes(x: Reals, w: Reals, count: int) -> Reals:
    """At most `count` magnitudes as initial values of Lloyd's iteration.

    If x has at most `count` different values, they are these values. Otherwise their density is proportional to the
    cube root of the density of x. This density is optimal in the limit of many magnitudes (Panter and Dite,
    "Quantization Distortion in Pulse-Count Modulation", 1951).
    """
    distinct = np.unique(x)
    if len(distinct) <= count:
        return distinct
    edges: Reals = np.linspace(float(x.min()), float(x.max()), BINS + 1)
    mass: Reals = np.histogram(x, edges, weights=w)[0]
    share: Reals = np.concatenate([[0.0], np.cumsum(np.cbrt(mass + 1.0e-9 * mass.sum()))])
    ranks = (np.arange(count) + 0.75) / (count + 0.25)
    magnitudes: Reals = np.interp(ranks * float(share[-1]), share, edges)
    return magnitudes

"""Sums of products in numpy, for any accumulator: in order, or as a tree, level by level over all products at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tinyml.dialects.machine.numpy_machine import NumpyMachine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.accumulator import Accumulator
    from tinyml.dialects.formats.number_format import NumberFormat

    Raws = NDArray[Any]


def sum_of_products(
    accumulator: Accumulator, factors: tuple[Raws, Raws], formats: tuple[NumberFormat, NumberFormat], start: Raws | None
) -> Raws:
    """As `Accumulator.matmul`."""
    if accumulator.below is not None:
        return _tree_sum(accumulator, factors, formats, start)
    m, (lhs, rhs) = NumpyMachine(), factors
    shape = max(len(lhs), len(rhs)), lhs.shape[-2], rhs.shape[-1]
    sum: Raws = np.broadcast_to(accumulator.zero(m), shape) if start is None else start
    for k in range(lhs.shape[-1]):
        sum = accumulator.mac(m, sum, lhs[..., :, k, None], formats[0], rhs[..., k, None, :], formats[1])
    return sum


def _tree_sum(
    accumulator: Accumulator, factors: Sequence[Raws], formats: Sequence[NumberFormat], start: Raws | None
) -> Raws:
    m = NumpyMachine()
    levels = [accumulator]
    while (below := levels[-1].below) is not None:
        levels.append(below)
    lhs, rhs = factors[0][..., :, :, None], factors[1][..., None, :, :]
    sums = levels[-1].mac(m, levels[-1].zero(m), lhs, formats[0], rhs, formats[1])
    for level, below in zip(reversed(levels[:-1]), reversed(levels), strict=False):
        if sums.shape[-2] % 2:
            sums = np.concatenate([sums, np.zeros_like(sums[..., :1, :])], axis=-2)
        left = level.join(m, level.zero(m), sums[..., 0::2, :], below)
        sums = level.join(m, left, sums[..., 1::2, :], below)
    total = np.broadcast_to(accumulator.zero(m), (*sums.shape[:-2], sums.shape[-1])) if start is None else start
    for k in range(sums.shape[-2]):
        total = accumulator.join(m, total, sums[..., k, :], accumulator)
    return total

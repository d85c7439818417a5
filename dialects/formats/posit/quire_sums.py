"""Sums in a quire on the host, as arrays of Python integers. A float NaN in an array represents the sum NaR."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from tinyml.dialects.formats.posit.arithmetic import Posit, pack
from tinyml.dialects.formats.posit.layout import ROUNDING_BITS
from tinyml.dialects.formats.posit.parts import Parts
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import width_for
from tinyml.dialects.machine.numpy_machine import stacked_matmul

if TYPE_CHECKING:
    from numpy.typing import NDArray

Objects: TypeAlias = "NDArray[Any]"

NAR = math.nan

FLOAT64_BITS = 53
"""The width of integers whose sums float64 represents exactly."""


def integers(parts: Parts, raws: NDArray[Any], least: int) -> Objects:
    """The numbers that raws represent in the format described by `parts`, as Python integers in units of 2^least. All
    numbers must be multiples of this unit.
    """
    significands, exponents, undefined = parts.split(raws)
    shifts = np.where(significands == 0, 0, exponents - least)
    shifted = significands.astype(object) << shifts.astype(object)
    return np.where(undefined, NAR, np.asarray(shifted, object))


def odd_integers(sums: NDArray[Any], left: int, low: int, high: int) -> NDArray[np.signedinteger[Any]]:
    """The integers sums * 2^left, truncated and clamped to [low, high], in 32 or 64 bits; `low` for NaR.

    Before it is clamped, an integer is odd if a bit that truncation removes is 1.
    """
    objects = np.asarray(sums, object)
    undefined = objects != objects
    values = np.where(undefined, 0, objects)
    cut = values << left if left >= 0 else (values >> -left) | ((values >> -left << -left) != values)
    return np.where(undefined, low, np.clip(cut, low, high)).astype(f"i{width_for(low, high, (32, 64)) // 8}")


def products_of_matrices(lhs: Parts, lhs_raws: NDArray[Any], rhs: Parts, rhs_raws: NDArray[Any], frac: int) -> Objects:
    """Sums of products for two stacks of matrices, as `Accumulator.matmul` defines them, in units of 2^-frac.

    Magnitudes are split into digits that are short enough for float64 to sum their products exactly. Matrices of digits
    that are all zero are skipped.
    """
    length = lhs_raws.shape[-1]
    bits = (FLOAT64_BITS - length.bit_length()) // 2
    digits = [list(_digits(parts, raws, bits)) for parts, raws in ((lhs, lhs_raws), (rhs, rhs_raws))]
    shape = max(len(lhs_raws), len(rhs_raws)), lhs_raws.shape[-2], rhs_raws.shape[-1]
    total: Objects = np.full(shape, 0, object)
    for place_a, a in digits[0]:
        for place_b, b in digits[1]:
            total = total + (stacked_matmul(a, b).astype(np.int64).astype(object) << (place_a + place_b) * bits)
    # Weights have no digits below the quire's unit.
    finer = frac + lhs.least + rhs.least
    total = total << finer if finer >= 0 else total >> -finer
    rows, columns = np.any(lhs.split(lhs_raws)[2], axis=-1), np.any(rhs.split(rhs_raws)[2], axis=-2)
    undefined = np.logical_or(rows[..., :, None], columns[..., None, :])
    return np.where(undefined, NAR, total)


def _digits(parts: Parts, raws: NDArray[Any], bits: int) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield a pair (position, digits) for each digit position of the numbers that raws represent. Positions at which
    all digits are zero are skipped.

    digits: the signed digits of all numbers at this position, in units of 2^(least + position * bits), where least is
        the least exponent of `parts`.

    bits: the number of bits of a digit.
    """
    significands, exponents, _ = parts.split(raws)
    sizes, shifts = np.abs(significands), exponents - parts.least
    for place in range(-(-(parts.bits + parts.greatest - parts.least) // bits)):
        left = shifts - place * bits
        raised = np.where(left < bits, sizes << np.clip(left, 0, bits), 0)
        digits = np.where(left >= 0, raised, sizes >> np.clip(-left, 0, 62)) & ((1 << bits) - 1)
        if digits.any():
            yield place, np.sign(significands) * digits.astype(np.float64)


def rounded(sums: Objects, scale: int, posit: Posit) -> NDArray[np.int64]:
    """The raws of the posits nearest to sums in units of 2^-scale. A NaN becomes NaR; for bounded posits, which have no
    NaR, it becomes 0.
    """
    undefined = sums != sums
    values = np.where(undefined, 0, sums)
    bits = np.frompyfunc(lambda value: abs(value).bit_length(), 1, 1)(values)
    spare = np.maximum(np.asarray(bits, np.int64) - ROUNDING_BITS[64], 0)
    lost = spare.astype(object)
    kept = values >> lost
    kept = (kept << 1) | np.asarray((kept << lost) != values, object)
    raws = pack(kept.astype(np.int64), spare - 1 - scale, posit)
    return np.where(undefined, posit.nar if posit.low is None else 0, raws)

"""Results of SoftPosit (S. H. Leong), stored in `softposit/`, and the operands for which they were computed.

Its last release was in 2019. The stored tables are complete for dot products. For the other operations, whose results
would take tens of megabytes, they have a checksum of each block of `BLOCK` results.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

RESULTS = Path(__file__).with_name("softposit") / "results.npz"

SORTS = [(8, 0), (8, 2), *((n, 2) for n in range(9, 17)), (16, 1), (32, 2)]
"""Pairs (n, es) of the posits of SoftPosit."""

DOTS = [(8, 0, 64), (16, 1, 2000), (8, 2, 40), (16, 2, 9000), (32, 2, 1 << 29)]
"""Posits with a quire in SoftPosit: n, es, and the greatest distance of the raws of factors from that of 1."""

OPERATIONS = ("add", "sub", "mul", "lt")
PAIRS = 300_000
BLOCK = 256


def pairs(n: int) -> tuple[Array, Array]:
    """Pairs of raws: all pairs for 8 bits, otherwise `PAIRS` pairs, including close magnitudes and all special
    values.
    """
    greatest = (1 << (n - 1)) - 1
    dtype = "i1" if n == 8 else "i2" if n <= 16 else "i4"
    if n == 8:
        raws = np.arange(-128, 128).astype(dtype)
        return np.repeat(raws, 256), np.tile(raws, 256)
    a, b = _drawn(n, (2, PAIRS), -greatest - 1, greatest)
    near = PAIRS // 4
    b[:near] = np.clip(-a[:near] + _drawn(n + 100, (near,), -3, 3), -greatest - 1, greatest)
    special = np.array([0, -greatest - 1, greatest, -greatest, 1, -1])
    a[:36], b[:36] = np.repeat(special, 6), np.tile(special, 6)
    return a.astype(dtype), b.astype(dtype)


def reals(n: int, es: int) -> Array:
    """Reals near posits and near the midpoints between them, reals of all sizes, 0, and what becomes NaR."""
    half = PAIRS // 2
    bits = _drawn(n + 200, (half,), 1, n)
    significands = (1 << bits) | (_drawn(n + 300, (half,), 0, (1 << n) - 1) & ((1 << bits) - 1))
    reach = (n - 2) << es
    near = np.ldexp(significands.astype(float), _drawn(n + 400, (half,), -reach - 2, reach + 2) - bits)
    near *= 1 + np.ldexp(_drawn(n + 500, (half,), -3, 3).astype(float), -_drawn(n + 600, (half,), 2, 40))
    near *= 2 * _drawn(n + 700, (half,), 0, 1) - 1
    whole = _drawn(n + 800, (half,), -(1 << 53), 1 << 53).astype(float)
    any_size = np.ldexp(whole, _drawn(n + 900, (half,), -200, 100))
    return np.concatenate([near, any_size, [0.0, np.nan, np.inf, -np.inf]])


def factors(n: int, spread: int) -> tuple[Array, Array]:
    """The factors of 1,000 dot products of 20 terms, as raws."""
    one = 1 << (n - 2)
    shape = 2, 1_000, 20
    a, b = _drawn(n, shape, one - spread + 1, one + spread - 1) * (2 * _drawn(n + 100, shape, 0, 1) - 1)
    return a, b


def dots_of(n: int, es: int) -> Array:
    """The dot products of `factors`, computed in SoftPosit's quire, as raws."""
    with np.load(RESULTS) as tables:
        return tables[f"dots {n} {es}"].astype(np.int64)


def assert_are_those_of_softposit(found: Array, name: str, n: int, es: int) -> None:
    """Check the results of an operation of `OPERATIONS` for `pairs`, or those of `of reals` for `reals`."""
    with np.load(RESULTS) as tables:
        wrong = np.flatnonzero(checksums(found) != tables[f"{name} {n} {es}"])
    if len(wrong):
        first = int(wrong[0]) * BLOCK
        raise AssertionError(f"{name} of <{n}, {es}>: SoftPosit has other results among {first} to {first + BLOCK - 1}")


def checksums(results: Array) -> Array:
    """The CRC-32 of each block of `BLOCK` results, as integers of 32 bits."""
    whole = np.ascontiguousarray(results).astype("<i4")
    return np.array([zlib.crc32(whole[i : i + BLOCK].tobytes()) for i in range(0, len(whole), BLOCK)], np.uint32)


def _drawn(seed: int, shape: tuple[int, ...], low: int, high: int) -> Array:
    """Integers between two limits, both included, from the generator splitmix64, which is the same in every numpy."""
    steps = np.arange(1, int(np.prod(shape)) + 1, dtype=np.uint64) + np.uint64(seed << 32)
    z = steps * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return (z % np.uint64(high - low + 1)).astype(np.int64).reshape(shape) + low

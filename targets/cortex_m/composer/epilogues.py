"""Epilogues: what becomes of complete sums."""

from __future__ import annotations

from tinyml.targets.composer.lines import Lines


def requantised(sum: str, multiplier: str, right: str, zero: int) -> Lines:
    """A sum as TensorFlow Lite requantises it, saturated to a byte.

    multiplier: a register with `doubled` of it. SMMLAR adds the sum, times 2^32, to the product, so that its rounded
    high word is that of (x * multiplier + 2^30) / 2^31. right: a register with the shift to the right less 1, of which
    the last place is rounded, halves away from zero; the zero point is added before that place goes.
    """
    return (
        f"smmlar {sum}, {sum}, {multiplier}, {sum}",
        f"add {sum}, {sum}, {sum}, asr #31",
        f"asr {sum}, {sum}, {right}",
        f"{'add' if zero >= 0 else 'sub'} {sum}, {sum}, #{abs(2 * zero + 1)}",
        f"ssat {sum}, #8, {sum}, asr #1",
    )

"""Epilogues: what becomes of complete sums."""

from __future__ import annotations

from tinyml.targets.cortex_m.composer.assembly import Lines


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


def doubled(multiplier: int) -> int:
    """Twice a multiplier of 31 bits less 2^32, which is a signed integer of 32 bits."""
    return 2 * multiplier - (1 << 32)


def requantised_in_c(indent: str, zero: int, out: str) -> str:
    """The same in C: the statements that store `sum`, by the numbers `multiplier` and `right`, in `out`."""
    lines = (
        "sum += (int32_t)(((int64_t)sum * multiplier + (1LL << 31)) >> 32);",
        f"sum = (((sum - (sum < 0)) >> right) + ({2 * zero + 1})) >> 1;",
        f"{out} = (int8_t)(sum < -128 ? -128 : sum > 127 ? 127 : sum);",
    )
    return "\n".join(indent + line for line in lines)

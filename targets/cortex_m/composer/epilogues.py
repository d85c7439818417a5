"""Epilogues: what becomes of complete sums."""

from __future__ import annotations

from tinyml.targets.cortex_m.composer.assembly import Lines


def requantised(sum: str, multiplier: str, right: str, zero: str) -> Lines:
    """A sum as TensorFlow Lite requantises it, saturated to a byte.

    The rounded high word of the doubled product is that of (x * multiplier + 2^30) / 2^31. right: a register with the
    shift to the right less 1, of which the last place is rounded, halves away from zero.
    """
    return (
        f"lsls {sum}, {sum}, #1",
        f"smmulr {sum}, {sum}, {multiplier}",
        f"add {sum}, {sum}, {sum}, asr #31",
        f"asrs {sum}, {right}",
        f"adds {sum}, #1",
        f"add {sum}, {zero}, {sum}, asr #1",
        f"ssat {sum}, #8, {sum}",
    )


def requantised_in_c(indent: str, index: str, out: str) -> str:
    """The same in C: the statements that store `sum`, by multiplier and shift number `index`, in `out`."""
    lines = (
        f"sum = (int32_t)(((int64_t)sum * multipliers[{index}] + (1L << 30)) >> 31);",
        f"sum = (((sum - (sum < 0)) >> (-shifts[{index}] - 1)) + 1) >> 1;",
        "sum += zero;",
        f"{out} = (int8_t)(sum < -128 ? -128 : sum > 127 ? 127 : sum);",
    )
    return "\n".join(indent + line for line in lines)

"""Epilogues: what becomes of complete sums."""

from __future__ import annotations

from tinyml.targets.composer.lines import Lines

SATURATED = 2
"""The instructions of `requantised` that only results beyond a byte take.

The cost model counts them for half of all results, as an activation makes about half of a network's the least byte.
"""


def requantised(sum: str, multiplier: str, right: str, zero: int, spare: str, target: str) -> Lines:
    """A sum as TensorFlow Lite requantises it, saturated and stored as a byte.

    multiplier: a register with twice the multiplier, an unsigned number. right: one with the shift to the right less 1,
    of which the last place is rounded, halves away from zero; the zero point is added before that place goes. target:
    the operand of the store.
    """
    return (
        # The high word of the product, plus the highest bit of the low one, is rounded.
        f"mul {spare}, {sum}, {multiplier}",
        f"mulhsu {sum}, {sum}, {multiplier}",
        f"srli {spare}, {spare}, 31",
        f"add {sum}, {sum}, {spare}",
        # A negative number less 1, so that its halves round away from zero.
        f"srai {spare}, {sum}, 31",
        f"add {sum}, {sum}, {spare}",
        f"sra {sum}, {sum}, {right}",
        f"addi {sum}, {sum}, {2 * zero + 1}",
        f"srai {sum}, {sum}, 1",
        f"slli {spare}, {sum}, 24",
        f"srai {spare}, {spare}, 24",
        f"beq {spare}, {sum}, 9f",
        f"srai {sum}, {sum}, 31",
        f"xori {sum}, {sum}, 127",
        "9:",
        f"sb {sum}, {target}",
    )

"""Multiply-accumulates into sums of one or two registers.

r6, r7, r12 and lr are assigned by hand, like all registers of the kernels that use these products.
"""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.composer.instructions import Code, Line
from tinyml.targets.cortex_m.assembly import thumb as t
from tinyml.targets.cortex_m.composer.fetch import words


def is_power_of_two(weight: int) -> bool:
    """True if the magnitude of a weight is a power of two, so that a shift replaces the product."""
    return abs(weight).bit_count() == 1


def single(sum: Sequence[str], weight: str, element: str) -> Code:
    """Adds a product of words to a sum."""
    if len(sum) == 2:
        return (t.smlal(*sum, weight, element),)
    return (t.mla(sum[0], weight, element, sum[0]),)


def halfwords(sum: Sequence[str], weights: str, vector: str) -> Code:
    """Adds two products of halfwords to a sum."""
    if len(sum) == 2:
        return (t.smlald(*sum, weights, vector),)
    return (t.smlad(sum[0], weights, vector, sum[0]),)


def first_halfwords(sum: Sequence[str], weights: str, vector: str) -> Code:
    """Sets a sum of one register to two products of halfwords."""
    return (t.smuad(sum[0], weights, vector),)


def rows_of_halfwords(
    stream: str, sums: Sequence[Sequence[str]], windows: Sequence[str], *, first: bool = False
) -> Code:
    """Adds two products to each sum. Each row has a sum per window; its two weights are the next word of the stream.

    first: the products replace the contents of the sums' registers. Clobbers r12 and lr.
    """
    lines: list[Line] = []
    product = first_halfwords if first else halfwords
    for number in range(0, len(sums), 2):
        rows, weights = sums[number : number + 2], ("r12", "lr")
        lines += words(stream, weights[: len(rows)])
        for row, word in zip(rows, weights, strict=False):
            lines += [line for sum, window in zip(row, windows, strict=True) for line in product((sum,), word, window)]
    return tuple(lines)


def half(sum: str, element: str, weights: str, *, top: bool) -> Code:
    """Adds the product of a low halfword and the top or bottom half of a register to a sum."""
    return ((t.smlabt if top else t.smlabb)(sum, element, weights, sum),)


def low(sum: str) -> Code:
    """Adds the product of r6 and r7 to a sum, on ARMv6-M; clobbers r7."""
    return t.muls("r7", "r6", "r7"), t.add(sum, sum, "r7")


def low_wide(low_sum: str, high_sum: str) -> Code:
    """Adds the product of r6 and r7 to a sum of 64 bits, on ARMv6-M; clobbers r6 and r7."""
    return (
        t.muls("r7", "r6", "r7"),
        t.asrs("r6", "r7", 31),
        t.adds(low_sum, low_sum, "r7"),
        t.adcs(high_sum, high_sum, "r6"),
    )

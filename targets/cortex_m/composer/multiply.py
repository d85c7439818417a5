"""Multiplications of fetched elements, added to sums of one register or of two, and those that are shifts."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.composer.lines import Lines
from tinyml.targets.cortex_m.composer.fetch import words


def is_power_of_two(weight: int) -> bool:
    """True if the magnitude of a weight is a power of two, so that a shift multiplies by it."""
    return abs(weight).bit_count() == 1


def single(sum: Sequence[str], weight: str, element: str) -> Lines:
    """A product of words."""
    if len(sum) == 2:
        return (f"smlal {', '.join(sum)}, {weight}, {element}",)
    return (f"mla {sum[0]}, {weight}, {element}, {sum[0]}",)


def halfwords(sum: Sequence[str], weights: str, vector: str) -> Lines:
    """Two products of halfwords, added to the same sum."""
    if len(sum) == 2:
        return (f"smlald {', '.join(sum)}, {weights}, {vector}",)
    return (f"smlad {sum[0]}, {weights}, {vector}, {sum[0]}",)


def first_halfwords(sum: Sequence[str], weights: str, vector: str) -> Lines:
    """Two products of halfwords, with which a sum of one register begins."""
    return (f"smuad {sum[0]}, {weights}, {vector}",)


def rows_of_halfwords(
    stream: str, sums: Sequence[Sequence[str]], windows: Sequence[str], *, first: bool = False
) -> Lines:
    """Two products for each sum; each row has a sum for each window, and its two weights are the next word of a stream.

    first: the products replace what the sums' registers hold. r12 and lr change.
    """
    lines: list[str] = []
    product = first_halfwords if first else halfwords
    for number in range(0, len(sums), 2):
        rows, weights = sums[number : number + 2], ("r12", "lr")
        lines += words(stream, weights[: len(rows)])
        for row, word in zip(rows, weights, strict=False):
            lines += [line for sum, window in zip(row, windows, strict=True) for line in product((sum,), word, window)]
    return tuple(lines)


def half(sum: str, element: str, weights: str, *, top: bool) -> Lines:
    """A product of a low halfword and one of the halves of a register."""
    return (f"smlab{'t' if top else 'b'} {sum}, {element}, {weights}, {sum}",)


def low(sum: str) -> Lines:
    """Adds the product of r6 and r7 to a sum, on ARMv6-M; r7 changes."""
    return "muls r7, r6, r7", f"add {sum}, {sum}, r7"


def low_wide(low_sum: str, high_sum: str) -> Lines:
    """The same for a sum of 64 bits; it also changes r6."""
    return (
        "muls r7, r6, r7",
        "asrs r6, r7, #31",
        f"adds {low_sum}, {low_sum}, r7",
        f"adcs {high_sum}, {high_sum}, r6",
    )

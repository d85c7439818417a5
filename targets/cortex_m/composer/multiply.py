"""Multiplications of fetched elements, added to sums of one register or of two."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.composer.lines import Lines


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
    """The same for the first products of a sum of one register."""
    return (f"smuad {sum[0]}, {weights}, {vector}",)


def half(sum: str, element: str, weights: str, *, top: bool) -> Lines:
    """A product of a low halfword and one of the halves of a register."""
    return (f"smlab{'t' if top else 'b'} {sum}, {element}, {weights}, {sum}",)


def low(sum: str) -> Lines:
    """The product of r6 and r7, which it leaves in r7, on ARMv6-M."""
    return "muls r7, r6, r7", f"add {sum}, {sum}, r7"


def low_wide(low_sum: str, high_sum: str) -> Lines:
    """The same for a sum of 64 bits; it also changes r6."""
    return (
        "muls r7, r6, r7",
        "asrs r6, r7, #31",
        f"adds {low_sum}, {low_sum}, r7",
        f"adcs {high_sum}, {high_sum}, r6",
    )

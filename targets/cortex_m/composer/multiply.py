"""Multiplications of fetched elements, added to sums."""

from __future__ import annotations

from tinyml.targets.cortex_m.composer.assembly import Lines


def halfwords(sum: str, weights: str, vector: str) -> Lines:
    """Two products of halfwords, added to a sum of 32 bits."""
    return (f"smlad {sum}, {weights}, {vector}, {sum}",)


def halves(low_sum: str, high_sum: str, weights: str, vector: str) -> Lines:
    """A product of the low halfwords, added to one sum, and one of the high halfwords, added to another."""
    return (
        f"smlabb {low_sum}, {weights}, {vector}, {low_sum}",
        f"smlatt {high_sum}, {weights}, {vector}, {high_sum}",
    )

"""Multiplications of fetched elements, added to sums."""

from __future__ import annotations

from tinyml.targets.cortex_m.composer.assembly import Lines


def halfwords(sum: str, weights: str, vector: str) -> Lines:
    """Two products of halfwords, added to a sum of 32 bits."""
    return (f"smlad {sum}, {weights}, {vector}, {sum}",)

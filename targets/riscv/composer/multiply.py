"""Multiplications of fetched elements, added to sums."""

from __future__ import annotations

from tinyml.targets.composer.lines import Lines


def added(sum: str, weight: str, element: str, product: str, start: str | None = None) -> Lines:
    """A product, left in a register that may be that of a factor, and added to the sum, or to where it starts."""
    return f"mul {product}, {element}, {weight}", f"add {sum}, {start or sum}, {product}"

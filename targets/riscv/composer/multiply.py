"""Multiplications of fetched elements, added to sums."""

from __future__ import annotations

from tinyml.targets.composer.lines import Lines


def added(sum: str, weight: str, element: str, product: str, start: str | None = None) -> Lines:
    """A product, left in a register that may be that of a factor, and added to the sum, or to where it starts."""
    return f"mul {product}, {element}, {weight}", f"add {sum}, {start or sum}, {product}"


def added_wide(low: str, high: str, weight: str, element: str) -> Lines:
    """A product of 32 bits, added to a sum of two registers; both factors change."""
    return (
        f"mul {element}, {element}, {weight}",
        f"add {low}, {low}, {element}",
        f"sltu {weight}, {low}, {element}",
        f"add {high}, {high}, {weight}",
        f"srai {element}, {element}, 31",
        f"add {high}, {high}, {element}",
    )

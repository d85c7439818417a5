"""Requantisation as in TensorFlow Lite: its numbers in a stream, and its C code."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from tinyml.targets.tiles import Numbers

Multiplier = TypeVar("Multiplier", int, "Numbers")


def doubled(multiplier: Multiplier) -> Multiplier:
    """Twice a 31-bit multiplier, minus 2^32: a signed 32-bit integer."""
    return 2 * multiplier - (1 << 32)


def requantised_in_c(indent: str, zero: int, out: str) -> str:
    """Statements that store the requantised `sum` in `out`, given `multiplier`, doubled, and `right`, minus 1."""
    lines = (
        "sum += (int32_t)(((int64_t)sum * multiplier + (1LL << 31)) >> 32);",
        f"sum = (((sum - (sum < 0)) >> right) + ({2 * zero + 1})) >> 1;",
        f"{out} = (int8_t)(sum < -128 ? -128 : sum > 127 ? 127 : sum);",
    )
    return "\n".join(indent + line for line in lines)

"""Requantisation as TensorFlow Lite does it: its numbers in a stream, and in C."""

from __future__ import annotations

from dataclasses import dataclass


def doubled(multiplier: int) -> int:
    """Twice a multiplier of 31 bits less 2^32, which is a signed integer of 32 bits."""
    return 2 * multiplier - (1 << 32)


@dataclass(frozen=True)
class Factors:
    """How a row's factor stands in a stream.

    is_doubled: is the multiplier a `doubled` one? less: what the shift to the right is less by.
    """

    is_doubled: bool
    less: int

    def multiplier(self, multiplier: int) -> int:
        return doubled(multiplier) if self.is_doubled else multiplier

    def right(self, shift: int) -> int:
        """The number for a shift to the left, which is negative."""
        return -shift - self.less

    def multiplier_in_c(self, number: str) -> str:
        """The doubled multiplier, for `requantised_in_c`."""
        return number if self.is_doubled else f"(int32_t)((uint32_t){number} << 1)"

    def right_in_c(self, number: str) -> str:
        return number if self.less else f"{number} - 1"


def requantised_in_c(indent: str, zero: int, out: str) -> str:
    """Statements that store `sum`, by the numbers `multiplier`, which is doubled, and `right`, less 1, in `out`."""
    lines = (
        "sum += (int32_t)(((int64_t)sum * multiplier + (1LL << 31)) >> 32);",
        f"sum = (((sum - (sum < 0)) >> right) + ({2 * zero + 1})) >> 1;",
        f"{out} = (int8_t)(sum < -128 ? -128 : sum > 127 ? 127 : sum);",
    )
    return "\n".join(indent + line for line in lines)

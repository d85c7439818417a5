"""Division by constants without a division."""

from __future__ import annotations


def reciprocal(divisor: int, most: int) -> tuple[int, int] | None:
    """A factor and a shift amount with floor(x / divisor) = x * factor >> amount for x from 0 to `most`, in 32 bits.

    None if there are none. Exact because x times the excess of divisor * factor over 2^amount stays below 2^amount
    (Granlund and Montgomery, "Division by Invariant Integers using Multiplication", 1994, theorem 4.2).
    """
    for amount in (8, 16, 24):  # Whole bytes, which an 8-bit chip shifts by for nothing.
        factor = -(-(1 << amount) // divisor)
        if most * (factor * divisor - (1 << amount)) < 1 << amount:
            return (factor, amount) if most * factor < 1 << 31 else None
    return None

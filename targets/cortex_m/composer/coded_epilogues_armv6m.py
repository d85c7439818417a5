"""Epilogues of kernels on ARMv6-M whose code contains the multipliers: these may be divided into three parts."""

from __future__ import annotations

from tinyml.targets.composer.instructions import Code
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.epilogues_armv6m import requantised_by_halves, stored
from tinyml.targets.cortex_m.thumb import Address, at

THIRDS_LIMIT = 1 << 20
"""The magnitude below which sums are requantised by thirds."""

_THIRD = 10
_RIGHT_AT = 6
"""The byte offset of the shift amount in the words of a factor."""


def thirds(multiplier: int) -> tuple[int, int, int]:
    """The multiplier, divided into three integers: its lowest 10 bits, the next 10 bits, and the highest 11 bits."""
    least = (1 << _THIRD) - 1
    return multiplier & least, multiplier >> _THIRD & least, multiplier >> 2 * _THIRD


def requantised_by_thirds(factors: str, multiplier: int, right: str, nothing: str, zero: str, target: Address) -> Code:
    """Code that requantises the sum in r0, whose magnitude is below `THIRDS_LIMIT`, on ARMv6-M with three products
    instead of four, saturates it and stores it as a byte.

    factors: the base register of the addresses of multiplier and shift.
    multiplier: the byte offset from the base register of the multiplier's `thirds`, as halfwords.
    right, nothing: registers that contain the right shift and 0.
    zero: a register that contains the zero point.
    target: the address of the store.

    The code clobbers r1 and r2.
    """
    return (
        t.ldrh("r1", at(factors, multiplier)),
        t.muls("r1", "r0", "r1"),
        t.asrs("r1", "r1", _THIRD),
        t.ldrh("r2", at(factors, multiplier + 2)),
        t.muls("r2", "r0", "r2"),
        t.adds("r1", "r1", "r2"),
        t.asrs("r1", "r1", _THIRD),
        t.ldrh("r2", at(factors, multiplier + 4)),
        t.muls("r0", "r2", "r0"),
        t.adds("r0", "r0", "r1"),
        t.asrs("r0", "r0", _THIRD + 1),
        t.adcs("r0", "r0", nothing),
        t.asrs("r1", "r0", 31),
        t.adds("r0", "r0", "r1"),
        t.asrs("r0", "r0", right),
        t.adcs("r0", "r0", zero),
        *stored(target),
    )


def factor_words(multiplier: int, right: int, *, by_thirds: bool) -> tuple[int, int]:
    """Two words that contain a multiplier and a right shift, in the layout that `requantised_from_words` requires.

    by_thirds: true to store the multiplier in the form of `thirds`.
    """
    low, middle, high = thirds(multiplier) if by_thirds else (multiplier & 0xFFFF, multiplier >> 16, 0)
    return low | middle << 16, high | right << 16


def requantised_from_words(place: int, target: Address, *, by_thirds: bool) -> Code:
    """Code that requantises the sum in r0 by `requantised_by_thirds` if `by_thirds` is true, and otherwise by
    `requantised_by_halves`.

    place: the byte offset of the `factor_words` from r5.
    target: the address of the store.

    r4 contains the zero point and, by thirds, r3 contains 0. The code clobbers r0 to r2, and also r6 by thirds or r3 by
    halves.
    """
    if not by_thirds:
        return requantised_by_halves("r5", place, place + _RIGHT_AT, "r4", target, load=t.ldrh)
    epilogue = requantised_by_thirds("r5", place, "r6", "r3", "r4", target)
    return t.ldrh("r6", at("r5", place + _RIGHT_AT)), *epilogue

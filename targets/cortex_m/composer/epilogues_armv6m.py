"""Epilogues of kernels on ARMv6-M: code that requantises a sum with products of 32 bits, saturates it and stores it.

ARMv6-M has no products of 64 bits. The multiplier is therefore divided into two parts.
"""

from __future__ import annotations

from tinyml.targets.composer.instructions import Code
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.thumb import Address, Opcode, at

SATURATED = 3
"""The instructions of `requantised_by_halves` and of `shifted` that only results outside a byte's range execute.

The cost model counts them for half of all results: activations clamp about half of a network's results to the minimum.
"""


def requantised_by_halves(
    factors: str, multiplier: int, right: int, zero: str, target: Address, *, load: Opcode = t.ldrb, to_even: int = 0
) -> Code:
    """Code that requantises the sum in r0 on ARMv6-M with four products, saturates it and stores it as a byte.

    The magnitude of the sum must be below 2^30.

    * factors: the base register of the addresses of multiplier and shift.
    * multiplier, right: the byte offsets from the base register of the multiplier, which has 31 bits, and of the right
      shift.
    * zero: a register that contains the zero point.
    * target: the address of the store.
    * load: the instruction that loads the shift.
    * to_even: as in `Tile`.

    The code clobbers r1 to r3. The sum and the multiplier are split into halfwords, and the halfwords of the sum
    are signed, so that no partial sum overflows. A shift leaves the last dropped bit in the carry. The carry is
    added to round the result. For sums that are rounded once, only the carry of the last shift is added.
    """
    # Negative numbers are decremented, so that halves round away from zero.
    away = () if to_even else (t.asrs("r1", "r0", 31), t.adds("r0", "r0", "r1"))
    return (
        t.sxth("r1", "r0"),
        t.subs("r0", "r0", "r1"),
        t.asrs("r0", "r0", 16),
        t.ldrh("r2", at(factors, multiplier)),
        t.mov("r3", "r2"),
        t.muls("r3", "r1", "r3"),
        t.muls("r2", "r0", "r2"),
        t.asrs("r3", "r3", 16),
        t.adds("r2", "r2", "r3"),
        t.ldrh("r3", at(factors, multiplier + 2)),
        t.muls("r1", "r3", "r1"),
        t.muls("r0", "r3", "r0"),
        t.adds("r1", "r1", "r2"),
        t.lsls("r0", "r0", 1),
        t.asrs("r1", "r1", 15),
        (t.adds if to_even else t.adcs)("r0", "r0", "r1"),
        *away,
        load("r1", at(factors, right)),
        t.asrs("r0", "r0", "r1"),
        t.adcs("r0", "r0", zero),
        *stored(target),
    )


GREATEST = 127
"""The greatest raw of one byte in fixed point. The least raw is its negative."""


def shifted(right: int, greatest: str, target: Address) -> Code:
    """Code that shifts the sum in r0 right by a constant, saturates it to a byte in fixed point and stores it.

    greatest: a register that contains `GREATEST`.

    The code clobbers r1. It adds `GREATEST`, so that a comparison without sign finds both limits exceeded.
    """
    return (
        t.asrs("r0", "r0", right),
        t.adds("r1", "r0", greatest),
        t.cmp("r1", 2 * GREATEST),
        t.bls(ahead=9),
        t.lsrs("r0", "r0", 31),
        t.lsls("r0", "r0", 1),
        t.adds("r0", GREATEST),
        t.label(9),
        t.strb("r0", target),
    )


def stored(target: Address) -> Code:
    """Code that saturates r0 and stores it as a byte. It clobbers r1."""
    return (
        t.sxtb("r1", "r0"),
        t.cmp("r0", "r1"),
        t.beq(ahead=9),
        t.asrs("r0", "r0", 31),
        t.movs("r1", 127),
        t.eors("r0", "r0", "r1"),
        t.label(9),
        t.strb("r0", target),
    )

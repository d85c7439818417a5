"""Epilogues: the requantisation of complete sums.

Registers of the epilogues for ARMv6-M are assigned by hand: products and shifts take low ones only.
"""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.composer.instructions import Code, joined
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.cortex_m.assembly import thumb as t
from tinyml.targets.cortex_m.assembly.opcode import Opcode
from tinyml.targets.cortex_m.assembly.operands import Address, at, post
from tinyml.targets.cortex_m.composer.assembly import moved


def requantised(sum: str, multiplier: str, right: str, zero: int) -> Code:
    """A sum as TensorFlow Lite requantises it, saturated to a byte.

    multiplier: a register with `doubled` of it. SMMLAR adds the sum, times 2^32, to the product, so that its rounded
    high word is that of (x * multiplier + 2^30) / 2^31. right: a register with the shift to the right less 1, of which
    the last place is rounded, halves away from zero; the zero point is added before that place goes.
    """
    return (
        t.smmlar(sum, sum, multiplier, sum),
        t.add(sum, sum, sum, asr=31),
        t.asr(sum, sum, right),
        (t.add if zero >= 0 else t.sub)(sum, sum, abs(2 * zero + 1)),
        t.ssat(sum, 8, sum, asr=1),
    )


def requantised_rows(stream: WeightStream, sums: Sequence[Sequence[str]], targets: Sequence[Sequence[Address]]) -> Code:
    """Sums of the rows of a block, requantised and stored as bytes, by multipliers that r0 points to, and shifts.

    sums, targets: of each row some registers, and the addresses of as many stores. r0 moves behind the shifts; r12
    and lr change.
    """
    rows, lines = len(sums), list[Code]()
    for row, (own, stores) in enumerate(zip(sums, targets, strict=True)):
        # The address is that of the next multiplier.
        right = stream.offset("right", rows, row) - stream.offset("multiplier", rows, row + 1)
        lines += [(t.ldr("r12", post("r0", 4)), t.ldrb("lr", at("r0", right)))]
        for sum, target in zip(own, stores, strict=True):
            lines += [(*requantised(sum, "r12", "lr", stream.tile.zero), t.strb(sum, target))]
    return joined(*lines, moved("r0", stream.end("right", rows) - stream.offset("multiplier", rows, rows)))


def requantised_by_constants(sum: str, multiplier: str, right: int, zero: int, reach: int) -> Code:
    """The requantisation by a known shift to the right, at least 1, of a sum whose magnitude does not exceed `reach`.

    What is added behind the shift is added in front of it where that fits, so that SSAT does the whole shift.
    """
    added = (2 * zero + 1) << right - 1
    name, magnitude = (t.add, added) if added > 0 else (t.sub, -added)
    begin = t.smmlar(sum, sum, multiplier, sum), t.add(sum, sum, sum, asr=31)
    if reach + 1 + magnitude < 1 << 31:
        return *begin, name(sum, sum, magnitude), t.ssat(sum, 8, sum, asr=right)
    shift = t.asr(sum, sum, right - 1), name(sum, sum, abs(2 * zero + 1))
    return *begin, *shift, t.ssat(sum, 8, sum, asr=1)


SATURATED = 3
"""The instructions of `requantised_by_halves` that only results beyond a byte take.

The cost model counts them for half of all results, as an activation makes about half of a network's the least byte.
"""


def requantised_by_halves(
    factors: str, multiplier: int, right: int, zero: str, target: Address, *, load: Opcode = t.ldrb
) -> Code:
    """The requantisation on ARMv6-M, with four products: the sum in r0 is saturated and stored as a byte.

    Its magnitude is below 2^30. factors: a register, from which the multiplier, a number of 31 bits, and the shift to
    the right stand some bytes away; zero: one with the zero point. target: the address of the store. load: of the
    shift. r1 to r3 change. Both factors are parted into halfwords, the sum into signed ones, so that no partial sum
    overflows. The bit that a shift drops last is the carry, which rounds.
    """
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
        t.adcs("r0", "r0", "r1"),
        # A negative number less 1, so that its halves round away from zero.
        t.asrs("r1", "r0", 31),
        t.adds("r0", "r0", "r1"),
        load("r1", at(factors, right)),
        t.asrs("r0", "r0", "r1"),
        t.adcs("r0", "r0", zero),
        *_stored(target),
    )


THIRDS_LIMIT = 1 << 20
"""The magnitude below which sums are requantised by thirds."""

_THIRD = 10
_RIGHT_AT = 6
"""The byte offset of the shift amount in the words of a factor."""


def thirds(multiplier: int) -> tuple[int, int, int]:
    """The lowest 10 bits of a multiplier, those above, and the highest 11."""
    least = (1 << _THIRD) - 1
    return multiplier & least, multiplier >> _THIRD & least, multiplier >> 2 * _THIRD


def requantised_by_thirds(factors: str, multiplier: int, right: str, nothing: str, zero: str, target: Address) -> Code:
    """The requantisation of a magnitude below `THIRDS_LIMIT`, with three products instead of four; r1 and r2 change.

    factors: a register, from which the `thirds` of the multiplier stand some bytes away, as halfwords. right, nothing:
    registers with the shift to the right, and with 0.
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
        *_stored(target),
    )


def factor_words(multiplier: int, right: int, *, by_thirds: bool) -> tuple[int, int]:
    """The words of a factor, as `requantised_from_words` takes it."""
    low, middle, high = thirds(multiplier) if by_thirds else (multiplier & 0xFFFF, multiplier >> 16, 0)
    return low | middle << 16, high | right << 16


def requantised_from_words(place: int, target: Address, *, by_thirds: bool) -> Code:
    """The requantisation by thirds or by halves, with a factor's words some bytes behind r5 and the zero point in r4.

    r3 holds 0, which `requantised_by_halves` changes; r6 changes.
    """
    if not by_thirds:
        return requantised_by_halves("r5", place, place + _RIGHT_AT, "r4", target, load=t.ldrh)
    epilogue = requantised_by_thirds("r5", place, "r6", "r3", "r4", target)
    return t.ldrh("r6", at("r5", place + _RIGHT_AT)), *epilogue


def _stored(target: Address) -> Code:
    """Saturates r0 and stores it as a byte; r1 changes."""
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

"""Epilogues: the requantisation of complete sums.

Registers of the epilogues for ARMv6-M are assigned by hand, because products and shifts take low registers only.
"""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.composer.instructions import Code, joined
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.fragments import moved
from tinyml.targets.cortex_m.thumb import Address, Opcode, at, post


def requantised(sum: str, multiplier: str, right: str, zero: int) -> Code:
    """The requantisation of a sum as in TensorFlow Lite, saturated to a byte.

    multiplier: a register with the multiplier after `doubled`. SMMLAR adds the sum, times 2^32, to the product, so that
    its rounded high word is that of (x * multiplier + 2^30) / 2^31. right: a register with the amount of the right
    shift minus 1. The remaining bit is rounded, halves away from zero; the zero point is added before it is dropped.
    """
    return (
        t.smmlar(sum, sum, multiplier, sum),
        t.add(sum, sum, sum, asr=31),
        t.asr(sum, sum, right),
        (t.add if zero >= 0 else t.sub)(sum, sum, abs(2 * zero + 1)),
        t.ssat(sum, 8, sum, asr=1),
    )


def requantised_rows(stream: WeightStream, sums: Sequence[Sequence[str]], targets: Sequence[Sequence[Address]]) -> Code:
    """Requantise the sums of the rows of a block and store them as bytes.

    r0 points to the multipliers of the rows, which the shift amounts follow in the stream, and ends up behind these.
    sums, targets: the registers of each row, and the address at which each is stored. Clobbers r12 and lr.
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
    """The requantisation by a constant right shift, at least 1, of a sum whose magnitude does not exceed `reach`.

    Rounding bias and zero point are added before the shift if that cannot overflow, so that SSAT does the whole shift.
    """
    added = (2 * zero + 1) << right - 1
    name, magnitude = (t.add, added) if added > 0 else (t.sub, -added)
    begin = t.smmlar(sum, sum, multiplier, sum), t.add(sum, sum, sum, asr=31)
    if reach + 1 + magnitude < 1 << 31:
        return *begin, name(sum, sum, magnitude), t.ssat(sum, 8, sum, asr=right)
    shift = t.asr(sum, sum, right - 1), name(sum, sum, abs(2 * zero + 1))
    return *begin, *shift, t.ssat(sum, 8, sum, asr=1)


SATURATED = 3
"""The instructions of `requantised_by_halves` that only results outside a byte's range execute.

The cost model counts them for half of all results: activations clamp about half of a network's results to the minimum.
"""


def requantised_by_halves(
    factors: str, multiplier: int, right: int, zero: str, target: Address, *, load: Opcode = t.ldrb
) -> Code:
    """The requantisation on ARMv6-M, with four products: saturates the sum in r0 and stores it as a byte.

    The magnitude of the sum is below 2^30. factors: a base register. multiplier, right: the byte offsets from it of the
    multiplier, which has 31 bits, and of the right shift's amount. zero: a register with the zero point. target: the
    address of the store. load: the instruction that loads the shift amount. Clobbers r1 to r3. Both factors are split
    into halfwords, signed ones of the sum, so that no partial sum overflows. A shift leaves the last bit that it drops
    in the carry, which rounds.
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
        # Negative numbers are decremented, so that halves round away from zero.
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
    """The lowest 10 bits of a multiplier, the next 10, and the highest 11."""
    least = (1 << _THIRD) - 1
    return multiplier & least, multiplier >> _THIRD & least, multiplier >> 2 * _THIRD


def requantised_by_thirds(factors: str, multiplier: int, right: str, nothing: str, zero: str, target: Address) -> Code:
    """The requantisation of a magnitude below `THIRDS_LIMIT`, with three products instead of four.

    factors: a base register. multiplier: the byte offset from it of the multiplier's `thirds`, as halfwords. right,
    nothing: registers with the amount of the right shift and with 0. Clobbers r1 and r2.
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
    """A multiplier and a right shift as two words, in the layout of `requantised_from_words`."""
    low, middle, high = thirds(multiplier) if by_thirds else (multiplier & 0xFFFF, multiplier >> 16, 0)
    return low | middle << 16, high | right << 16


def requantised_from_words(place: int, target: Address, *, by_thirds: bool) -> Code:
    """The requantisation by thirds or by halves, with the zero point in r4 and 0 in r3.

    place: the byte offset of the `factor_words` from r5. Clobbers r6; by halves, r3 too.
    """
    if not by_thirds:
        return requantised_by_halves("r5", place, place + _RIGHT_AT, "r4", target, load=t.ldrh)
    epilogue = requantised_by_thirds("r5", place, "r6", "r3", "r4", target)
    return t.ldrh("r6", at("r5", place + _RIGHT_AT)), *epilogue


def _stored(target: Address) -> Code:
    """Saturate r0 and store it as a byte; clobbers r1."""
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

"""Additions of a product in r1:r0 to sums, and of gathered partial sums to others."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.composer.lines import Lines, joined

BIAS = 1 << 15
"""The bias that `begin_high_byte` adds to turn a signed 16-bit number into an unsigned one."""


def two_bytes(sum: Sequence[str]) -> Lines:
    """Add a product to a 16-bit sum."""
    return f"add {sum[0]},r0", f"adc {sum[1]},r1"


def three_bytes(sum: Sequence[str], zero: str) -> Lines:
    """Add a signed product, whose multiplication left its sign in the carry, to a 24-bit sum."""
    return joined(f"sbc {sum[2]},{zero}", two_bytes(sum), f"adc {sum[2]},{zero}")


def four_bytes(sum: Sequence[str], zero: str) -> Lines:
    """Add a signed product, whose multiplication left its sign in the carry, to a 32-bit sum."""
    return joined(
        (f"sbc {sum[2]},{zero}", f"sbc {sum[3]},{zero}"),
        two_bytes(sum),
        (f"adc {sum[2]},{zero}", f"adc {sum[3]},{zero}"),
    )


def begin_high_byte(low: str, high: str) -> Lines:
    """Add a product's low byte to a sum's, and set a register to the high byte plus carry plus `BIAS`.

    The product is the first of a few whose sum fits 16 bits, so that their high bytes need no third one. The bias makes
    them unsigned; without it their sign would have to be extended.
    """
    return f"add {low},r0", f"ldi {high},{BIAS >> 8}", f"adc {high},r1"


def high_byte(sum: Sequence[str], high: str) -> Lines:
    """Add the high bytes of products to the bytes of a sum above the lowest one; r1 becomes zero."""
    return joined((f"add {sum[1]},{high}", "clr r1"), [f"adc {byte},r1" for byte in sum[2:]])


def pair_of_words(sum: Sequence[str], low: Sequence[str], high: Sequence[str]) -> Lines:
    """Add a 32-bit number in two pairs of registers to a sum."""
    return tuple(
        f"{'adc' if number else 'add'} {byte},{other}"
        for number, (byte, other) in enumerate(zip(sum, (*low, *high), strict=True))
    )


def flush_third_byte(sum: Sequence[str], third: str, zero: str) -> Lines:
    """Add the signed third byte of a 24-bit partial sum to the upper bytes of a sum, and clear it.

    The sum of 256 products of bytes fits 24 bits.
    """
    return f"add {sum[2]},{third}", f"adc {sum[3]},{zero}", f"sbrc {third},7", f"dec {sum[3]}", f"clr {third}"


def flush_low_bytes(sum: Sequence[str], gathered: Sequence[str]) -> Lines:
    """Add the upper two bytes of a signed 24-bit partial sum to a sum whose lowest byte it shares."""
    low, high = gathered
    return (
        *(f"mov r0,{high}", "lsl r0", "sbc r0,r0"),
        *(f"add {sum[1]},{low}", f"adc {sum[2]},{high}", f"adc {sum[3]},r0"),
        *(f"clr {low}", f"clr {high}"),
    )

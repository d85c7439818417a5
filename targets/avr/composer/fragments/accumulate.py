"""Additions of a product in r1:r0 to sums, and of sums that were gathered to others."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.composer.lines import Lines, joined

BIAS = 1 << 15
"""The offset that `begin_high_byte` adds so that a signed number of 16 bits becomes unsigned."""


def two_bytes(sum: Sequence[str]) -> Lines:
    """A product, added to 16 bits."""
    return f"add {sum[0]},r0", f"adc {sum[1]},r1"


def three_bytes(sum: Sequence[str], zero: str) -> Lines:
    """A signed product whose multiplication left its sign in the carry, added to 24 bits."""
    return joined(f"sbc {sum[2]},{zero}", two_bytes(sum), f"adc {sum[2]},{zero}")


def four_bytes(sum: Sequence[str], zero: str) -> Lines:
    """A signed product whose multiplication left its sign in the carry, added to 32 bits."""
    return joined(
        (f"sbc {sum[2]},{zero}", f"sbc {sum[3]},{zero}"),
        two_bytes(sum),
        (f"adc {sum[2]},{zero}", f"adc {sum[3]},{zero}"),
    )


def begin_high_byte(low: str, high: str) -> Lines:
    """The low byte of a product, added to that of a sum, and with the carry the high byte, which is `BIAS` too much.

    The product begins a few that fit 16 bits together, so that their high bytes need no third one. The bias makes them
    unsigned; without it their sign would have to be extended.
    """
    return f"add {low},r0", f"ldi {high},{BIAS >> 8}", f"adc {high},r1"


def high_byte(sum: Sequence[str], high: str) -> Lines:
    """High bytes of products, added to the bytes of a sum above the lowest one; r1 becomes zero."""
    return joined((f"add {sum[1]},{high}", "clr r1"), [f"adc {byte},r1" for byte in sum[2:]])


def pair_of_words(sum: Sequence[str], low: Sequence[str], high: Sequence[str]) -> Lines:
    """A number of 32 bits, in two pairs of registers, added to a sum."""
    return tuple(
        f"{'adc' if number else 'add'} {byte},{other}"
        for number, (byte, other) in enumerate(zip(sum, (*low, *high), strict=True))
    )


def flush_third_byte(sum: Sequence[str], third: str, zero: str) -> Lines:
    """Adds a signed byte that was the third one of a sum, and clears it.

    256 products of bytes stay within the 24 bits of which it was the highest.
    """
    return f"add {sum[2]},{third}", f"adc {sum[3]},{zero}", f"sbrc {third},7", f"dec {sum[3]}", f"clr {third}"


def flush_low_bytes(sum: Sequence[str], gathered: Sequence[str]) -> Lines:
    """Adds the upper two bytes of a signed sum of 24 bits above the lowest one, which the sums share."""
    low, high = gathered
    return (
        *(f"mov r0,{high}", "lsl r0", "sbc r0,r0"),
        *(f"add {sum[1]},{low}", f"adc {sum[2]},{high}", f"adc {sum[3]},r0"),
        *(f"clr {low}", f"clr {high}"),
    )

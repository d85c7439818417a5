"""The format of a sensor's integers."""

from __future__ import annotations

from tinyml.dialects.formats.fixed.byte_type import WIDTH, ByteType
from tinyml.dialects.formats.fixed.signed_type import SignedType
from tinyml.dialects.formats.fixed.unsigned_type import UNSIGNED_WIDTHS, UnsignedType


def sensor_format(bits: int, is_signed: bool, frac: int | None) -> SignedType | UnsignedType | ByteType:
    """The format of integers of some bits, at a scale 2^-frac, or with numbers between -1 and 1.

    Bytes always have numbers between -1 and 1, with the integer 128 at 0; integers of other types have 0 there.
    """
    if not is_signed and bits == WIDTH:
        return ByteType(WIDTH, WIDTH - 1)
    frac = bits - is_signed if frac is None else frac
    if is_signed:
        return SignedType(bits, frac)
    return UnsignedType(bits, frac) if bits in UNSIGNED_WIDTHS else SignedType(bits + 1, frac)

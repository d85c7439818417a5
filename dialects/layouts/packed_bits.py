"""Integers of 1 to 15 bits packed in bytes, in a layout that a sequential reader decodes with few instructions.

Integers with few possible values may be packed as digits instead (`dialects/layouts/digits.py`).

A group consists of the fewest elements that fill whole bytes. An element consists of fields of 8, 4, 2 and 1 bits,
according to the binary digits of its width. The 8-bit field contains the lowest bits of the element. The other fields
follow above it, the smallest first.

A byte contains the same field of one, two, four or eight consecutive elements. The first of these elements is in the
low bits. The bytes of a group are in the order of their first elements. Of two bytes with the same first element, the
byte with more elements comes first. For 11 bits, the order of a group is: a byte with one bit of eight elements, a byte
with two bits of the first four elements, their four low bytes, a byte with two bits of the next four elements, and
their four low bytes. The sign bit is stored inverted, so that decoding only subtracts.

If an element has 6 or 7 bits above its whole bytes, these bits are at the top of a separate byte, so that an arithmetic
shift decodes them. The last element of a group has no such byte. Its bits are in the low bits of the separate bytes,
from the lowest bit of the first byte on. No sign is inverted.

In sparse rows, each pair of entries also has a byte with both gaps, two fields of 4 bits. This byte precedes other
bytes of 4-bit fields.
"""

from __future__ import annotations

from functools import cache
from math import gcd
from typing import TYPE_CHECKING, Any, NamedTuple

from tinyml.dialects.layouts.digits import DIGITS, Digits, Width
from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.signedinteger[Any]]

WIDTHS = (*range(1, 8), *range(9, 16))
"""The widths in bits of packed elements."""

GAP_BITS = 4


class Byte(NamedTuple):
    """A byte of a group. It contains one field of each of several elements.

    * element: the index of the first of these elements in the group.
    * bits: the width of the field. A byte contains the fields of 8 / bits elements; for 6 or 7 bits, it contains the
      field of one element.
    * at: the lowest bit of the field in the element. For the field of a gap, which follows the element, the width of an
      element.
    """

    element: int
    bits: int
    at: int

    @property
    def elements(self) -> int:
        return 8 // self.bits


def group_length(width: Width) -> int:
    """The number of elements that are packed as one group."""
    if isinstance(width, Digits):
        return width.length
    return 8 // gcd(width, 8)


def group_bytes(width: Width) -> int:
    """The number of bytes into which a group of elements is packed."""
    if isinstance(width, Digits):
        return width.bytes
    return group_length(width) * width // 8


def packed_bytes(count: int, width: Width) -> int:
    return -(-count // group_length(width)) * group_bytes(width)


def touched_bytes(count: int, width: Width) -> int:
    """The number of bytes from the start of the stream up to the last byte that contains bits of the first `count`
    elements.
    """
    if isinstance(width, Digits):
        return packed_bytes(count, width)
    groups, rest = divmod(count, group_length(width))
    within = int(bit_positions(width, gaps=False)[:rest].max()) // 8 + 1 if rest else 0
    return groups * group_bytes(width) + within


def packed_widths(raws: Integers) -> list[int]:
    """The widths in bits, in ascending order, in which all raws can be packed. Only widths below that of the raws' type
    are included.
    """
    low, high = int(raws.min(initial=0)), int(raws.max(initial=0))
    needed = max(high, ~low).bit_length() + 1
    return [width for width in WIDTHS if needed <= width < raws.itemsize * 8]


def packings(raws: Integers) -> list[Width]:
    """All packings of the raws in fewer bits than the type of the raws. Packings as digits come last."""
    return [*packed_widths(raws), *(digits for digits in DIGITS if raws.itemsize == 1 and digits.holds(raws))]


def has_inverted_sign(width: int) -> bool:
    """True if elements of this width are stored with an inverted sign bit, that is, plus half of their range."""
    return width % 8 in range(1, 6)


@cache
def group_layout(width: int, gaps: bool = False) -> tuple[Byte, ...]:
    """The bytes of a group, in order.

    width: the width of an element in bits.
    gaps: true for groups of sparse rows, which also contain gaps. The elements then have at most 16 bits, and a group
        has at least 4 entries.
    """
    length, rest, low = group_length(width), width % 8, width // 8 * 8
    if gaps:
        length = max(4, length)
    bytes = [Byte(element, 8, at) for element in range(length) for at in range(0, low, 8)]
    if rest > 5:
        own = (element for element in range(length) if (element + 1) % group_length(width))
        bytes += [Byte(element, rest, low) for element in own]
    else:
        for bits in (1, 2, 4):
            if rest & bits:
                bytes += [Byte(element, bits, low) for element in range(0, length, 8 // bits)]
                low += bits
    if gaps:
        bytes += [Byte(element, GAP_BITS, width) for element in range(0, length, 8 // GAP_BITS)]
    return tuple(sorted(bytes, key=lambda byte: (byte.element, -byte.elements, byte.at != width, byte.at)))


@cache
def bit_positions(width: int, gaps: bool) -> NDArray[np.int64]:
    """The positions within a group, in bits, of each bit of each element, followed by those of each bit of its gap.

    The result has the shape (elements, bits).
    """
    length = max(4, group_length(width)) if gaps else group_length(width)
    positions = np.zeros((length, width + gaps * GAP_BITS), np.int64)
    for number, (element, bits, at) in enumerate(group_layout(width, gaps)):
        first, spare = 8 * number + 8 % bits, 8 % bits
        for turn in range(8 // bits):
            positions[element + turn, at : at + bits] = first + turn * bits + np.arange(bits)
        last = at + spare * (element % group_length(width))
        positions[element | group_length(width) - 1, last : last + spare] = 8 * number + np.arange(spare)
    return positions


def pack_bits(values: Integers, width: Width, gaps: NDArray[np.integer[Any]] | None = None) -> NDArray[np.uint8]:
    """Pack `values`, integers of `width` bits, in groups and return the bytes.

    The last group is padded with zeros, or with ones if `width` is `Digits`.

    gaps: the gaps of sparse rows, which are packed into the same groups; None without gaps.

    Raises `ValueError` for an integer that does not fit in `width` bits.
    """
    if isinstance(width, Digits):
        return width.pack(values)
    flat = np.asarray(values, np.int64).reshape(-1)
    if ((flat < -1 << width - 1) | (flat >= 1 << width - 1)).any():
        raise ValueError(f"not all elements have {width} bits")
    positions = bit_positions(width, gaps is not None)
    length = len(positions)
    shape = -(-flat.size // length), length
    elements = np.zeros(shape, np.int64)
    elements.reshape(-1)[: flat.size] = flat
    elements = elements + _offset(width) & (1 << width) - 1
    if gaps is not None:
        elements += np.asarray(gaps, np.int64).reshape(shape) << width
    bits = np.zeros((len(elements), positions.size), np.uint8)
    for bit in range(width + GAP_BITS * (gaps is not None)):
        bits[:, positions[:, bit]] = elements >> bit & 1
    return np.packbits(bits, bitorder="little")


def unpack_bits(stream: NDArray[np.uint8], width: Width) -> NDArray[np.int64]:
    """Unpack the whole groups of bytes in `stream` and return all elements, including those that pad the last group."""
    if isinstance(width, Digits):
        return width.unpack(stream)
    positions = bit_positions(width, gaps=False)
    bits = np.unpackbits(stream, bitorder="little").reshape(-1, positions.size)[:, positions.reshape(-1)]
    weights = 1 << np.arange(width, dtype=np.int64)
    weights[-1] *= 1 if has_inverted_sign(width) else -1
    return (bits.reshape(-1, width) * weights).sum(1) - _offset(width)


def _offset(width: int) -> int:
    """The bias that is added to elements before they are stored: half of their range, or 0 if the sign is not
    inverted.
    """
    return 1 << width - 1 if has_inverted_sign(width) else 0

"""Integers of 4, 5, 6, 9, 10 and 12 bits packed in bytes.

A group is the fewest elements that fill whole bytes: 2 of 4 bits in 1 byte, 4 of 6 in 3, 8 of 5 in 5, 2 of 12 in 3,
4 of 10 in 5, 8 of 9 in 9. It begins with the `width % 8` high bits of its elements; the low byte of each element, if
the width is above 8, follows in order. High parts of r bits are laid out in whichever of two ways decodes faster:

* r = 1, 2 or 4: as many as fit in a byte, the first in its low bits, each with its sign bit inverted, so that
  decoding only subtracts 2^(r - 1).
* r = 5 or 6: the first r elements take the high bits of a byte each, so that an arithmetic shift by 8 - r decodes
  them. The low bits of these bytes, concatenated from the lowest, hold the remaining elements.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, Any

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.signedinteger[Any]]

WIDTHS = (4, 5, 6, 9, 10, 12)


def group_length(width: int) -> int:
    """Elements per group."""
    return 8 // gcd(width, 8)


def group_bytes(width: int) -> int:
    """Bytes per group."""
    return group_length(width) * width // 8


def packed_bytes(count: int, width: int) -> int:
    """Bytes of `count` elements; the last group is padded."""
    return -(-count // group_length(width)) * group_bytes(width)


def packed_widths(raws: Integers) -> list[int]:
    """Widths that hold all raws in fewer bits than their own type, in ascending order."""
    low, high = int(raws.min(initial=0)), int(raws.max(initial=0))
    needed = max(high, ~low).bit_length() + 1
    return [width for width in WIDTHS if needed <= width < raws.itemsize * 8]


def pack_bits(values: Integers, width: int) -> NDArray[np.uint8]:
    """Packs integers of `width` bits in groups; the last group is padded with zeros.

    Raises `ValueError` for an integer that does not fit.
    """
    flat = np.asarray(values, np.int64).reshape(-1)
    if ((flat < -1 << width - 1) | (flat >= 1 << width - 1)).any():
        raise ValueError(f"not all elements have {width} bits")
    length = group_length(width)
    groups = np.zeros((-(-flat.size // length), length), np.int64)
    groups.reshape(-1)[: flat.size] = flat
    low = groups & 255 if width > 8 else groups[:, :0]
    high = _pack_high(groups >> 8 * (width // 8), width % 8)
    return np.hstack([high, low]).astype(np.uint8).reshape(-1)


def unpack_bits(stream: NDArray[np.uint8], width: int) -> NDArray[np.int64]:
    """Unpacks all elements of whole groups, padding included."""
    groups = stream.reshape(-1, group_bytes(width)).astype(np.int64)
    rest = group_length(width) * (width % 8) // 8
    high = _unpack_high(groups[:, :rest], width % 8)
    return (high << 8 | groups[:, rest:] if width > 8 else high).reshape(-1)


def _pack_high(high: NDArray[Any], bits: int) -> NDArray[Any]:
    """Signed integers of `bits` bits (groups, elements) as (groups, bytes)."""
    groups, length = high.shape
    bytes, below = length * bits // 8, 8 - bits
    if 8 % bits == 0:
        fields = (high + (1 << bits - 1)).reshape(groups * bytes, 8 // bits)
        return _joined(fields, bits).reshape(groups, bytes)
    pieces = _split(_joined(high[:, bytes:], bits), below, bytes)
    return (high[:, :bytes] << below | pieces) & 255


def _unpack_high(stored: NDArray[Any], bits: int) -> NDArray[Any]:
    """The inverse of `_pack_high`."""
    groups, bytes = stored.shape
    length, below, sign = bytes * 8 // bits, 8 - bits, 1 << bits - 1
    if 8 % bits == 0:
        return _split(stored.reshape(-1), bits, 8 // bits).reshape(groups, length) - sign
    others = _split(_joined(stored, below), bits, length - bytes)
    return (np.hstack([stored >> below, others]) ^ sign) - sign


def _joined(parts: NDArray[Any], bits: int) -> NDArray[Any]:
    """Numbers from the low `bits` bits of their parts (numbers, parts), the lowest part first."""
    numbers = np.zeros(len(parts), np.int64)
    for i in range(parts.shape[1]):
        numbers |= (parts[:, i] & (1 << bits) - 1) << bits * i
    return numbers


def _split(numbers: NDArray[Any], bits: int, count: int) -> NDArray[Any]:
    """The inverse of `_joined`: (numbers, parts)."""
    return numbers[:, np.newaxis] >> bits * np.arange(count) & (1 << bits) - 1

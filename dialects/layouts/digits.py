"""Packed integers with few possible values: planes of signs, five ternary integers per byte, and pairs of halfwords.

* `odd` of n bits, 1 to 4: each odd integer from 1 - 2^n to 2^n - 1 is a sum of 2^k or -2^k for k from 0 to n - 1. A
  group consists of 8 elements in n bytes. Byte k has one bit for each element, in ascending order from the lowest bit.
  A bit is set if 2^k is added, and clear if it is subtracted.
* `trits`: the integers -1, 0 and 1 are the digits 0, 1 and 2 of a number in base 3. The first element is the highest
  digit. Five digits form a number up to 242. The byte is this number times 256 / 243, rounded up. If the byte is
  multiplied by 3, the upper byte of the product is the first digit, and the lower byte encodes the remaining digits in
  the same way.
* `pairs` of n bits, 1, 2 or 4: a group is a word of 32 bits. Its halves have the fields of the elements 0 and 2, then 1
  and 3, 4 and 6, 5 and 7 and so on, so that a shift and a mask yield two weights as halfwords. A field is the integer
  plus half of the range; in 1 bit, -1 is 0 and 1 is 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.signedinteger[Any]]

ODD, TRITS, PAIRS = "odd", "trits", "pairs"
AT_ONCE, TRITS_IN_BYTE, WORD = 8, 5, 32
ODD_WIDTHS = range(1, 5)


@dataclass(frozen=True)
class Digits:
    """A packing of integers as digits.

    name: `SIGNED`, `TRITS` or `PAIRED`.
    bits: the number of bits of an integer; 2 for ternary integers.
    """

    SIGNED: ClassVar[str] = ODD
    PAIRED: ClassVar[str] = PAIRS

    name: str
    bits: int

    def __str__(self) -> str:
        return "-1, 0 or 1" if self.name == TRITS else f"{'odd ' * self.is_odd}integers of {self.bits} bits"

    @property
    def is_odd(self) -> bool:
        return self.name == ODD or self.bits == 1

    @property
    def length(self) -> int:
        return {ODD: AT_ONCE, TRITS: TRITS_IN_BYTE, PAIRS: WORD // self.bits}[self.name]

    @property
    def bytes(self) -> int:
        return {ODD: self.bits, TRITS: 1, PAIRS: WORD // 8}[self.name]

    @property
    def places(self) -> NDArray[np.int64]:
        """The lowest bit of each element of a group of `PAIRS` in its word."""
        element = np.arange(self.length)
        return self.bits * (element // 4 * 2 + element % 2) + WORD // 2 * (element // 2 % 2)

    def holds(self, raws: Integers) -> bool:
        """True if each of the integers can be packed as digits of this kind."""
        if self.name == TRITS:
            return bool(((raws >= -1) & (raws <= 1)).all())
        if not self.is_odd:
            return bool(((raws >= -1 << self.bits - 1) & (raws < 1 << self.bits - 1)).all())
        return bool((raws & 1).all() and (np.abs(raws) < 1 << self.bits).all())

    def pack(self, values: Integers) -> NDArray[np.uint8]:
        """Pack integers in groups and return the bytes. The last group is padded with ones.

        Raises `ValueError` for an integer that cannot be packed.
        """
        flat = np.asarray(values, np.int64).reshape(-1)
        if not self.holds(flat):
            raise ValueError(f"not all elements are {self}")
        groups = np.ones((-(-flat.size // self.length), self.length), np.int64)
        groups.reshape(-1)[: flat.size] = flat
        if self.name == TRITS:
            number = (groups + 1) @ 3 ** np.arange(self.length)[::-1]
            return (-(-number * 256 // 243)).astype(np.uint8)
        if self.name == PAIRS:
            fields = (groups + 1) // 2 if self.is_odd else groups + (1 << self.bits - 1)
            return (fields << self.places).sum(1).astype("<u4").view(np.uint8)
        signs = (groups[:, None] + (1 << self.bits) - 1 >> 1 + np.arange(self.bits)[:, None]) & 1
        return np.packbits(signs.astype(np.uint8), axis=-1, bitorder="little").reshape(-1)

    def unpack(self, stream: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Unpack the whole groups in `stream` and return all elements, including those that pad the last group."""
        if self.name == TRITS:
            rest, digits = stream.astype(np.int64), list[Any]()
            for _ in range(self.length):
                digits.append((3 * rest >> 8) - 1)
                rest = 3 * rest & 255
            return np.stack(digits, -1).reshape(-1)
        if self.name == PAIRS:
            fields = np.ascontiguousarray(stream).view("<u4").astype(np.int64)[:, None] >> self.places
            fields &= (1 << self.bits) - 1
            return (2 * fields - 1 if self.is_odd else fields - (1 << self.bits - 1)).reshape(-1)
        signs = np.unpackbits(stream.reshape(-1, self.bits, 1), axis=-1, bitorder="little").astype(np.int64)
        return ((2 * signs - 1) << np.arange(self.bits)[:, None]).sum(1).reshape(-1)


TERNARY = Digits(TRITS, 2)
DIGITS = (TERNARY, *(Digits(ODD, bits) for bits in ODD_WIDTHS), *(Digits(PAIRS, bits) for bits in (1, 2, 4)))
"""All packings as digits."""

Width: TypeAlias = "int | Digits"
"""The packing of elements: a number of bits, or digits."""

"""Words of bit-packed weights as pairs of halfwords, whose products with pairs of factors SMLAD adds to a sum.

A factor is an element of the vector, or a combination of elements. Those of a word are computed once for all rows.

2 and 4 bits: a shift and a mask of the word give weights k and k + n / 2 of n as a pair. 5 bits: the same of the byte
of low bits and of the fields above them, which come from two words and have the same factors. Weights of 3 bits are
packed with 4, which saves more time than it takes bytes.

6 and 7 bits: a byte is a weight above a field of the group's last weight. The byte counts as it is, as the weight
shifted to the left, and its field, with a factor that takes off what the byte adds by the field: the last element of
the group, shifted to the place of the field, less the element of the byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tinyml.dialects.layouts.packed_bits import group_bytes, group_length
from tinyml.targets.composer.instructions import Code, Instruction, Line, joined
from tinyml.targets.cortex_m.assembly import thumb as t
from tinyml.targets.cortex_m.assembly.opcode import Opcode
from tinyml.targets.cortex_m.assembly.operands import at, slot
from tinyml.targets.cortex_m.composer import multiply

FACTORS = ("r12", "lr", "r10", "r11")
"""The registers of a word's pairs of factors."""

VECTOR_SUM = slot(0)
"""The stack slot of the sum of the elements that `Block.bias` counts."""


@dataclass(frozen=True)
class PackedWord:
    """Four pairs of weights, or of parts of them, that a row has in up to four bytes.

    factors: computes `FACTORS` from the vector at r1; empty if they are those of the word before. mask: what r3 holds.
    load: of the bytes into r8; step: their number, 0 if the next word is the same. arranged: prepares r8. pairs: make
    one pair after the other in r9.
    """

    factors: Code
    mask: int
    load: Opcode
    step: int
    arranged: Code
    pairs: tuple[Instruction, ...]


@dataclass(frozen=True)
class Block:
    """The words of some columns.

    shift: the power of two by which sums are too large. bias: what they are too large by for each unit of `VECTOR_SUM`,
    modulo 2**32.
    """

    columns: int
    words: tuple[PackedWord, ...]
    shift: int = 0
    bias: int = 0

    @property
    def bytes(self) -> int:
        """The bytes of a row."""
        return sum(word.step for word in self.words)

    @property
    def mask(self) -> int | None:
        """The mask of all words; None if they differ."""
        masks = {word.mask for word in self.words}
        return masks.pop() if len(masks) == 1 else None


class FieldFactor(NamedTuple):
    """The factor of a field in the low bits of a byte: an element of the vector, shifted to the left."""

    element: int
    shift: int
    negative: bool

    @property
    def source(self) -> tuple[int, bool]:
        """The element and its sign."""
        return self.element, self.negative


def block_of(bits: int) -> Block:
    """The block of weights of 2 or 4 to 7 bits."""
    if bits in (2, 4):
        return _fields(bits)
    return _digits() if bits == 5 else _bytes(bits)


def _fields(bits: int) -> Block:
    columns, mask = 32 // bits, _both((1 << bits) - 1)
    words = tuple(
        PackedWord(
            joined(_halves(4 * number, columns // 2 + 4 * number), _counted(FACTORS)),
            mask,
            t.ldr,
            4 * (8 * (number + 1) == columns),
            (),
            tuple(_masked(bits * (4 * number + k)) for k in range(4)),
        )
        for number in range(columns // 8)
    )
    return Block(columns, words, bias=_counts(bits, (1 << bits) - 1))


def _digits() -> Block:
    """Weights of 5 bits: a byte with the low bits of eight of them, and fields of 4 bits above these."""
    low = PackedWord(
        joined(_halves(0, 4), _counted(FACTORS)),
        _both(1),
        t.ldrb,
        1,
        (t.orr("r8", "r8", "r8", lsl=12),),
        tuple(_masked(k) for k in range(4)),
    )
    # Fields are shifted by a bit less, to their place above the low bit.
    high = PackedWord((), _both(0xF << 1), t.ldr, 4, (), tuple(_masked(4 * k - 1) for k in range(4)))
    return Block(8, (low, high), bias=_counts(5, 1))


def _bytes(bits: int) -> Block:
    """Weights of 6 and 7 bits at the top of bytes, whose low bits are those of the last weight of the group."""
    spare, group, length = 8 - bits, group_length(bits), group_bytes(bits)
    words: list[PackedWord] = []
    for number in range(length):
        places = [divmod(byte, length) for byte in range(4 * number, 4 * number + 4)]
        elements = [group * index + byte for index, byte in places]
        last = [group * (index + 1) - 1 for index, _ in places]
        # The sign of a field of one bit is that of its factor; one of two bits is inverted.
        signed = [spare == 1 and byte == length - 1 for _, byte in places]
        signs = [1 << 8 * k + 1 for k, (_, byte) in enumerate(places) if spare == 2 and byte == length - 1]
        fields = [
            FieldFactor(*field) for field in zip(last, (spare * (byte + 1) for _, byte in places), signed, strict=True)
        ]
        factors = joined(
            _consecutive(elements),
            _field_factors(fields),
            _counted_elements(range(group - 1, 4 * group, group)) if signs and number == length - 1 else (),
        )
        pairs = t.sxtb16("r9", "r8"), t.sxtb16("r9", "r8", ror=8), _masked(0), _masked(8)
        inverted = tuple(t.eors("r8", "r8", sign) for sign in signs)
        words.append(PackedWord(factors, _both((1 << spare) - 1), t.ldr, 4, inverted, pairs))
    return Block(4 * group, tuple(words), spare, 1 << bits - 1 + spare if spare == 2 else 0)


def _both(mask: int) -> int:
    """A mask of both halfwords."""
    return mask << 16 | mask


def _counts(bits: int, mask: int) -> int:
    """Half of the range of weights, for elements that are counted as products with a mask.

    Halves of the mask are odd, and thus have an inverse modulo 2**32.
    """
    return (1 << bits - 1) * pow(mask, -1, 1 << 32) % (1 << 32)


def _masked(shift: int) -> Instruction:
    """The bits of the mask from r8 shifted to the right, or to the left for negative shifts."""
    if not shift:
        return t.and_("r9", "r3", "r8")
    return t.and_("r9", "r3", "r8", **({"lsr": shift} if shift > 0 else {"lsl": -shift}))


def _halves(low: int, high: int) -> Code:
    """Pairs of elements low + k and high + k, for four k."""
    lines: list[Line] = [t.ldr("r8", at("r1", low)), t.ldr("r10", at("r1", high))]
    lines += [t.sxtb16("r9", "r8", ror=8), t.sxtb16("r8", "r8"), t.sxtb16("r11", "r10", ror=8), t.sxtb16("r10", "r10")]
    for even, odd, pair, other in (("r8", "r10", "r12", "r10"), ("r9", "r11", "lr", "r11")):
        lines += [t.pkhbt(pair, even, odd, lsl=16), t.pkhtb(other, odd, even, asr=16)]
    return tuple(lines)


def _counted(pairs: tuple[str, ...]) -> Code:
    """Adds elements, times the mask, to the sum of the vector."""
    products = (multiply.halfwords(("r8",), pair, "r3") for pair in pairs)
    return joined(t.ldr("r8", VECTOR_SUM), *products, t.str_("r8", VECTOR_SUM))


def _counted_elements(elements: range) -> Code:
    """Adds single elements to the sum of the vector."""
    added = ((t.ldrsb("r9", at("r1", element)), t.add("r8", "r8", "r9")) for element in elements)
    return joined(t.ldr("r8", VECTOR_SUM), *added, t.str_("r8", VECTOR_SUM))


def _consecutive(elements: list[int]) -> Code:
    """The elements of a word's bytes, 0 and 2 in the first register and 1 and 3 in the second one.

    They follow each other, but for the last one of a group.
    """
    first = sum(element < elements[3] - 3 + k for k, element in enumerate(elements))
    lines: list[Line] = [t.ldr("r9", at("r1", elements[3] - 3))]
    if first:
        lines += [t.ldr("r8", at("r1", elements[0])), t.bfi("r9", "r8", 0, 8 * first)]
    return (*lines, t.sxtb16(FACTORS[0], "r9"), t.sxtb16(FACTORS[1], "r9", ror=8))


def _field_factors(fields: Sequence[FieldFactor]) -> Code:
    """The factors of four fields, of which 0 and 2 make a pair and 1 and 3: each less the factor of its byte."""
    lines: list[Line] = []
    held: dict[str, tuple[int, bool]] = {}
    for result, byte, pair in zip(FACTORS[2:], FACTORS[:2], (fields[::2], fields[1::2]), strict=True):
        swapped = held.get("r9") == pair[0].source or held.get("r8") == pair[1].source
        registers = ["r9", "r8"] if swapped else ["r8", "r9"]
        if pair[0].source == pair[1].source:
            registers = registers[:1] * 2
        for register, field in zip(registers, pair, strict=True):
            if held.get(register) != field.source:
                held[register] = field.source
                lines += [t.ldrsb(register, at("r1", field.element))]
                lines += [t.rsb(register, register, 0)] if field.negative else []
        low, high = registers
        lines += [t.lsl(result, low, pair[0].shift), t.pkhbt(result, result, high, lsl=16 + pair[1].shift)]
        lines += [t.ssub16(result, result, byte)]
    return tuple(lines)

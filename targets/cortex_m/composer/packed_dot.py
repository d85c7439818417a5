"""Dot products with four rows of bit-packed weights of 5 to 7 bits, for the DSP extension.

A word of packed weights is split into pairs of halfwords. SMLAD multiplies each pair by a pair of factors and adds both
products to a sum. A factor is an element of the vector, or a combination of elements. The factors for a word are
computed once for all rows.

5 bits: the byte of low bits and the word of fields above them have the same factors. Each is shifted and masked, which
yields pairs of weights with the indices k and k + 4.

6 and 7 bits: each byte contains a weight in its upper bits and, below, a field of the group's last weight. The whole
byte is multiplied: it is the weight shifted left plus the field. The factor of the field cancels the contribution of
the field to this product. It is the last element of the group, shifted to the position of the field, minus the element
of the byte.

Stored signs are inverted, so fields are weights plus half of their range. This bias adds a multiple of the sum of the
vector to the sums. The multiple is subtracted at the end.

Columns are processed in blocks of whole words. The remaining weights of each row and the corresponding elements of the
vector are copied to the stack and padded with zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tinyml.dialects.layouts.packed_bits import group_bytes, group_length
from tinyml.targets.composer.instructions import Code, Instruction, Line, joined, stack_of
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.boards import DSP
from tinyml.targets.cortex_m.composer.fragments import SAVED, halfwords, restored, saved, statement
from tinyml.targets.cortex_m.thumb import Address, Opcode, at, post, slot
from tinyml.targets.kernel import Composed, Kernel

FACTORS = ("r12", "lr", "r10", "r11")
"""The registers of a word's pairs of factors."""

_VECTOR_SUM = slot(0)
"""The stack slot of the sum of the elements that `Block.bias` multiplies."""


@dataclass(frozen=True)
class _PackedWord:
    """Four pairs of weights, or of parts of weights, in up to four bytes of a row, and the code that extracts them.

    * factors: the code that computes `FACTORS` from the vector at address r1; empty if the factors of the previous word
      are used.
    * mask: the value of r3.
    * load: the code that loads the bytes to r8.
    * step: the number of these bytes, 0 if the next word consists of the same bytes.
    * arranged: the code that prepares r8.
    * pairs: for each pair, the code that extracts it to r9.
    """

    factors: Code
    mask: int
    load: Opcode
    step: int
    arranged: Code
    pairs: tuple[Instruction, ...]


@dataclass(frozen=True)
class Block:
    """The words of a block of columns, and the scaling of the sums that they add to.

    columns: the number of columns of the block.
    words: the words of a row.
    shift: log2 of the factor by which the sums are scaled.
    bias: the amount, modulo 2**32, by which sums are too large for each unit of the sum of the vector (`_VECTOR_SUM`).
    """

    columns: int
    words: tuple[_PackedWord, ...]
    shift: int = 0
    bias: int = 0

    @property
    def bytes(self) -> int:
        return sum(word.step for word in self.words)

    @property
    def mask(self) -> int | None:
        """The mask that all words use; None if they differ."""
        masks = {word.mask for word in self.words}
        return masks.pop() if len(masks) == 1 else None


class _FieldFactor(NamedTuple):
    """The factor of a field in the low bits of a byte: vector element `element`, shifted left by `shift`, and negated
    if `negative` is true.
    """

    element: int
    shift: int
    negative: bool

    @property
    def source(self) -> tuple[int, bool]:
        """The index of the vector element that the factor multiplies, and whether the element is negated."""
        return self.element, self.negative


def _digits() -> Block:
    """The words of a block of 5-bit weights: bytes with the low bits of eight weights, and fields of 4 bits above the
    low bits.
    """
    low = _PackedWord(
        joined(_halves(0, 4), _counted(FACTORS)),
        _both(1),
        t.ldrb,
        1,
        (t.orr("r8", "r8", "r8", lsl=12),),
        tuple(_masked(k) for k in range(4)),
    )
    # Fields are shifted by one bit less, to their position above the low bit.
    high = _PackedWord((), _both(0xF << 1), t.ldr, 4, (), tuple(_masked(4 * k - 1) for k in range(4)))
    return Block(8, (low, high), bias=_counts(5, 1))


def _bytes(bits: int) -> Block:
    """The words of a block of 6-bit or 7-bit weights, which are in the upper bits of bytes.

    The low bits of these bytes contain the last weight of the group.
    """
    spare, group, length = 8 - bits, group_length(bits), group_bytes(bits)
    words: list[_PackedWord] = []
    for number in range(length):
        places = [divmod(byte, length) for byte in range(4 * number, 4 * number + 4)]
        elements = [group * index + byte for index, byte in places]
        last = [group * (index + 1) - 1 for index, _ in places]
        # The sign of a field of one bit is that of its factor; one of two bits is inverted.
        signed = [spare == 1 and byte == length - 1 for _, byte in places]
        signs = [1 << 8 * k + 1 for k, (_, byte) in enumerate(places) if spare == 2 and byte == length - 1]
        fields = [
            _FieldFactor(*field) for field in zip(last, (spare * (byte + 1) for _, byte in places), signed, strict=True)
        ]
        factors = joined(
            _consecutive(elements),
            _field_factors(fields),
            _counted_elements(range(group - 1, 4 * group, group)) if signs and number == length - 1 else (),
        )
        pairs = t.sxtb16("r9", "r8"), t.sxtb16("r9", "r8", ror=8), _masked(0), _masked(8)
        inverted = tuple(t.eors("r8", "r8", sign) for sign in signs)
        words.append(_PackedWord(factors, _both((1 << spare) - 1), t.ldr, 4, inverted, pairs))
    return Block(4 * group, tuple(words), spare, 1 << bits - 1 + spare if spare == 2 else 0)


def _both(mask: int) -> int:
    return mask << 16 | mask


def _counts(bits: int, mask: int) -> int:
    """Half of the range of weights, divided modulo 2**32 by the mask by which elements are multiplied when they are
    added to the sum of the vector.

    Each half of the mask is odd and therefore has an inverse modulo 2**32.
    """
    return (1 << bits - 1) * pow(mask, -1, 1 << 32) % (1 << 32)


def _masked(shift: int) -> Instruction:
    """The instruction that masks r8 after a right shift by `shift` bits, or a left shift if `shift` is negative."""
    if not shift:
        return t.and_("r9", "r3", "r8")
    return t.and_("r9", "r3", "r8", **({"lsr": shift} if shift > 0 else {"lsl": -shift}))


def _halves(low: int, high: int) -> Code:
    """Code that forms pairs of the elements low + k and high + k of the vector, for k from 0 to 3."""
    lines: list[Line] = [t.ldr("r8", at("r1", low)), t.ldr("r10", at("r1", high))]
    lines += [t.sxtb16("r9", "r8", ror=8), t.sxtb16("r8", "r8"), t.sxtb16("r11", "r10", ror=8), t.sxtb16("r10", "r10")]
    for even, odd, pair, other in (("r8", "r10", "r12", "r10"), ("r9", "r11", "lr", "r11")):
        lines += [t.pkhbt(pair, even, odd, lsl=16), t.pkhtb(other, odd, even, asr=16)]
    return tuple(lines)


def _counted(pairs: tuple[str, ...]) -> Code:
    products = (halfwords(("r8",), pair, "r3") for pair in pairs)
    return joined(t.ldr("r8", _VECTOR_SUM), *products, t.str_("r8", _VECTOR_SUM))


def _counted_elements(elements: range) -> Code:
    added = ((t.ldrsb("r9", at("r1", element)), t.add("r8", "r8", "r9")) for element in elements)
    return joined(t.ldr("r8", _VECTOR_SUM), *added, t.str_("r8", _VECTOR_SUM))


def _consecutive(elements: list[int]) -> Code:
    """Code that loads the elements by which the bytes of a word are multiplied.

    Elements 0 and 2 are loaded to the first register, elements 1 and 3 to the second register. The elements are
    consecutive, except across groups: the last element of a group is skipped.
    """
    first = sum(element < elements[3] - 3 + k for k, element in enumerate(elements))
    lines: list[Line] = [t.ldr("r9", at("r1", elements[3] - 3))]
    if first:
        lines += [t.ldr("r8", at("r1", elements[0])), t.bfi("r9", "r8", 0, 8 * first)]
    return (*lines, t.sxtb16(FACTORS[0], "r9"), t.sxtb16(FACTORS[1], "r9", ror=8))


def _field_factors(fields: Sequence[_FieldFactor]) -> Code:
    """Code that computes the factors of four fields. The factor of the byte that contains a field is subtracted from
    the field's factor.

    Fields 0 and 2 come first, then fields 1 and 3.
    """
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


_END, _REST, _START, _WEIGHTS = slot(4), slot(8), slot(12), 16
"""Stack slots: the end of the columns that fill blocks; the number of columns behind it; the argument in r3; the
weights of these columns, row after row, which the columns themselves follow."""

_SUMS = "r4", "r5", "r6", "r7"


def packed_rows(weights: int, step: float, code: int) -> Kernel:
    """The kernel for the dot products of four rows of weights, of 5 to 7 bits, and a vector of bytes.

    weights: the width of the weights in bits.
    step: the measured time per product.
    code: the bytes of flash.
    """
    symbol, reader = f"tm_cm_dot4_p{weights}_s8_s32", f"tm_packed_s{weights}"
    signature = f"void {symbol}(const int8_t *w, const int8_t *x, int n, const int32_t *start, int32_t *sums)"
    portable = f"""\
    for (int row = 0; row < 4; row++, w += (n + {group_length(weights) - 1}) / {group_length(weights)} * \
{group_bytes(weights)}) {{
        int32_t sum = start[row];
        for (int16_t i = 0; i < n; i++)
            sum += (int32_t){reader}(w, i) * x[i];
        sums[row] = sum;
    }}"""
    body = _body(weights)
    statements = {(DSP,): statement(body, DSP)}
    composed = Composed("tinyml/cores.h", signature, statements, portable, stack=stack_of(body), functions=(reader,))
    kernel = Kernel(symbol, weights, 8, 32, op="num.dot_rows", flash=None, rows=4, step=step, code=code, needs="dsp")
    return replace(kernel, composed=composed)


def _body(bits: int) -> Code:
    block = _digits() if bits == 5 else _bytes(bits)
    pitch = block.bytes + -block.bytes % 4
    columns = _WEIGHTS + 4 * pitch
    frame = columns + block.columns
    return joined(
        saved(frame),
        (t.str_("r3", _START), *(t.mov(sum, 0) for sum in _SUMS)) if block.shift else t.ldmia("r3", _SUMS),
        (t.and_("r8", "r2", block.columns - 1), t.str_("r8", _REST)),
        (t.sub("r9", "r2", "r8"), t.add("r9", "r1", "r9"), t.str_("r9", _END)),
        _packed_bytes("r2", bits, "r2", "r8"),
        () if block.mask is None else _mask(block.mask),
        (t.mov("r8", 0), t.str_("r8", _VECTOR_SUM)),
        (t.cmp("r1", "r9"), t.beq(ahead=2)),
        t.label(1),
        *(_products(word, block.mask is None) for word in block.words),
        t.add("r1", "r1", block.columns),
        (t.ldr("r8", _END), t.cmp("r1", "r8"), t.bne(back=1)),
        t.label(2),
        (t.ldr("r9", _REST), t.cmp("r9", 0), t.beq(ahead=4)),
        _copied_rest(bits, pitch, columns, block.columns),
        t.b(back=1),
        t.label(4),
        _end(block),
        (t.ldr("r3", slot(frame + 4 * len((*SAVED, "lr")))), t.stmia("r3", _SUMS)),
        restored(frame),
    )


def _mask(mask: int) -> Code:
    return (t.movw("r3", mask & 0xFFFF), t.movt("r3", mask >> 16))


def _end(block: Block) -> Code:
    """Code that subtracts the bias from the sums and shifts them right. If there is a shift, the start values are added
    afterwards.
    """
    lines: list[Line] = []
    if block.bias:
        lines += [t.ldr("r8", _VECTOR_SUM), t.movw("r9", block.bias & 0xFFFF), t.movt("r9", block.bias >> 16)]
        lines += [t.mls(sum, "r8", "r9", sum) for sum in _SUMS]
    if block.shift:
        lines += [t.ldr("r9", _START)]
        for sum in _SUMS:
            lines += [t.ldr("r8", post("r9", 4)), t.add(sum, "r8", sum, asr=block.shift)]
    return tuple(lines)


def _products(word: _PackedWord, masked: bool) -> Code:
    """Code that adds the products of one word of each row to the sums.

    masked: true if the mask of the word differs from that of the previous word.
    """
    lines: list[Line] = [*(_mask(word.mask) if masked else ()), *word.factors]
    for sum, row in zip(reversed(_SUMS), _rows(word.step), strict=True):
        lines += [t.add("r9", "r2", "r2", lsl=1)] if "r9" in row.registers else []
        lines += [word.load("r8", row), *word.arranged]
        for pair, factors in zip(word.pairs, FACTORS, strict=True):
            lines += [pair, *halfwords((sum,), "r9", factors)]
    return tuple(lines)


def _rows(step: int) -> list[Address]:
    """The addresses of the words of the rows, the last row first.

    r2 contains the number of bytes of a row, r9 three times this number.

    step: the number of bytes by which r0, the pointer to the first row, advances after the last access.
    """
    return [at("r0", "r9"), at("r0", "r2", 1), at("r0", "r2"), post("r0", step) if step else at("r0")]


def _packed_bytes(result: str, bits: int, elements: str, free: str) -> Code:
    """Code that computes the number of bytes of the whole groups that contain the given number of elements.

    result: the register for the number of bytes.
    bits: the width of an element.
    elements: the register with the number of elements.
    free: a scratch register.
    """
    group, bytes = group_length(bits), group_bytes(bits)
    lines: list[Line] = [t.add(result, elements, group - 1), t.lsr(result, result, group.bit_length() - 1)]
    if bytes > 1:
        lines += [t.mov(free, bytes), t.mul(result, result, free)]
    return tuple(lines)


def _copied_rest(bits: int, pitch: int, columns: int, count: int) -> Code:
    """Code that copies the remaining columns of rows and vector to the stack, where they form the last block.

    bits: the width of a weight.
    pitch: the number of bytes from row to row on the stack.
    columns: the byte offset of the vector's elements on the stack.
    count: the number of columns of a block.

    r9 contains the number of the remaining columns.
    """
    return joined(
        t.mov("r8", 0),
        tuple(t.str_("r8", slot(place)) for place in range(_WEIGHTS, columns + count, 4)),
        (t.str_("r8", _REST), t.add("r10", "sp", columns)),
        _packed_bytes("r11", bits, "r9", "r8"),
        _bytes_copied("r1", many=pitch > 8),
        (t.add("r10", "sp", _WEIGHTS), t.mov("r12", 4)),
        t.label(3),
        t.mov("r9", "r11"),
        _bytes_copied("r0", many=pitch > 8),
        (t.sub("r9", "r2", "r11"), t.add("r0", "r0", "r9"), t.sub("r10", "r10", "r11"), t.add("r10", "r10", pitch)),
        (t.subs("r12", "r12", 1), t.bne(back=3)),
        (t.add("r0", "sp", _WEIGHTS), t.mov("r2", pitch)),
        (t.add("r1", "sp", columns), t.add("r8", "r1", count), t.str_("r8", _END)),
    )


def _bytes_copied(source: str, *, many: bool) -> Code:
    """Code that copies r9 bytes, at least one, from the address in the register `source` to the address in r10.

    many: true to copy words first, then the remaining bytes.
    """
    bytes = t.ldrb("r8", post(source, 1)), t.strb("r8", post("r10", 1)), t.subs("r9", "r9", 1)
    if not many:
        return joined(t.label(5), *bytes, t.bne(back=5))
    words = t.ldr("r8", post(source, 4)), t.str_("r8", post("r10", 4)), t.subs("r9", "r9", 4)
    return joined(
        (t.subs("r9", "r9", 4), t.blt(ahead=7)),
        (t.label(6), *words, t.bge(back=6)),
        (t.label(7), t.adds("r9", "r9", 4), t.beq(ahead=9)),
        (t.label(8), *bytes, t.bne(back=8)),
        t.label(9),
    )

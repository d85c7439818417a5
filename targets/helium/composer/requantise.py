"""Epilogues of Helium kernels for a block of four rows: sums, one row per lane, are requantised or shifted to bytes."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.composer.instructions import Code, Instruction, joined
from tinyml.targets.composer.weight_streams import MULTIPLIER, START, WORD, Field, Number, RowNumbers, word
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.helium.mve import VECTOR, access, integer, multiply

LANES = 4
"""The rows of a block, sums of 32 bits in the lanes of a vector."""

LEFT_SHIFT = Number(
    "right", WORD, lambda sums: sums.shifts, lambda pointer, offset: f"(int)(-{word(pointer, offset)} - 1)"
)
"""A right shift amount, stored as a left shift, negative. The C expression's value is the amount minus 1."""

_NUMBERS = {"starts": START, "multipliers": MULTIPLIER, "shifts": LEFT_SHIFT}


def in_blocks(blocks: int, few: int) -> Sequence[tuple[int, int]]:
    """The groups of a weight stream, as pairs (number of blocks, rows of each block).

    blocks: the number of blocks of four rows.
    few: the number of remaining rows, which form one more block.
    """
    return [group for group in ((blocks, LANES), (1 if few else 0, few)) if group[0]]


def finish(aligned: int) -> Sequence[Field]:
    """The last fields of a block of a weight stream, which the epilogue reads, one vector per field.

    aligned: the alignment of fields in bytes; `VECTOR` if a block may have fewer than four rows.
    """
    return [RowNumbers(name, aligned, content=(number,)) for name, number in _NUMBERS.items()]


def zero_in(register: str, zero: int) -> Code:
    """Code that moves the raw of 0 to a register; empty if the raw is 0."""
    return ((t.mov(register, zero) if zero > 0 else t.mvn(register, -zero - 1)),) if zero else ()


def requantised(
    sums: Sequence[str], stream: str, numbers: str, spare: str, zero: str | None, *, to_even: int = 0
) -> Code:
    """Code that requantises vectors of sums to bytes.

    As in TensorFlow Lite, there are two roundings. VQRDMULH performs the first rounding. VRSHL performs the second
    rounding and rounds ties upwards. Negative sums are decremented first, so that ties round away from zero. For sums
    that are rounded once, VQDMULH rounds down, so that only VRSHL rounds. Every shift is at least 1. Afterwards, each
    byte is in the lowest byte of its lane.

    * sums: the vectors, which have the same rows.
    * stream: the register that points to the fields of `finish`, and afterwards to the first byte after them.
    * numbers, spare: vectors that are overwritten.
    * zero: a register that contains the raw of 0; None if the raw is 0.
    * to_even: as in `Tile`.
    """
    load = access("vldrw.u32", numbers, stream, VECTOR)
    lines = [load, *(integer("vadd.i32", sum, sum, numbers) for sum in sums)]
    lines += [load, *_high_words(sums, numbers, to_even), load, *_decremented(sums, spare, to_even)]
    lines += [integer("vrshl.s32", sum, sum, numbers) for sum in sums]
    for first, *others in _pairs(sums):
        lines += list(_halfwords((first, *others)))
        lines += [integer("vqadd.s16", first, first, zero)] if zero else []
        lines += [integer("vqmovnb.s16", first, first), *_second(first, others)]
    return joined(lines)


def requantised_equally(
    sums: Sequence[str], spare: str, start: str, multiplier: str, shift: str, zero: str | None, *, to_even: int = 0
) -> Code:
    """Code that requantises vectors of sums of the same row, as `requantised` does for sums of different rows.

    * sums: one vector or two.
    * spare: a vector that is overwritten.
    * start, multiplier, shift: the registers that contain the row's integers.
    * zero: a register that contains the raw of 0; None if the raw is 0.
    * to_even: as in `Tile`.
    """
    lines = [*(integer("vadd.i32", sum, sum, start) for sum in sums), *_high_words(sums, multiplier, to_even)]
    lines += _decremented(sums, spare, to_even)
    first, *others = sums
    lines += [*(integer("vrshl.s32", sum, shift) for sum in sums), *_halfwords(sums)]
    lines += [integer("vqadd.s16", first, first, zero)] if zero else []
    return joined(lines, integer("vqmovnb.s16", first, first), _second(first, others))


def _high_words(sums: Sequence[str], multiplier: str, to_even: int) -> list[Instruction]:
    """Code that replaces sums by the high words of twice their products with a multiplier. The high words are rounded,
    or rounded down if `to_even` is not 0.
    """
    return [multiply("vqdmulh.s32" if to_even else "vqrdmulh.s32", sum, sum, multiplier) for sum in sums]


def _decremented(sums: Sequence[str], spare: str, to_even: int) -> list[Instruction]:
    """Code that decrements negative high words, so that ties are rounded away from zero; empty if `to_even` is not
    0.
    """
    rounded = () if to_even else sums
    return [
        line for sum in rounded for line in (integer("vshr.s32", spare, sum, 31), integer("vadd.i32", sum, sum, spare))
    ]


def shifted_equally(sums: Sequence[str], start: str, right: int, one: str) -> Code:
    """Code that shifts vectors of sums of one row, as `shifted` does for sums of different rows.

    sums: one vector or two.
    start: the register that contains the row's start value.
    right, one: as in `shifted`.
    """
    first, *others = sums
    lines = [integer("vadd.i32", sum, sum, start) for sum in sums]
    lines += [*(integer("vshr.s32", sum, sum, right) for sum in sums), *_halfwords(sums)]
    lines += [integer("vqmovnb.s16", first, first)]
    lines += [integer(f"vq{name}.s8", first, first, one) for name in ("sub", "add")]
    return joined(lines, _second(first, others))


def shifted(sums: Sequence[str], stream: str, numbers: str, right: int, one: str) -> Code:
    """Code that shifts vectors of sums right and saturates them to bytes of fixed point, which has no raw -128.

    sums, stream, numbers: as in `requantised`.
    right: the amount of the shift. The start values include the rounding bias.
    one: a register with 1, which is subtracted from a byte and added again.
    """
    lines = [access("vldrw.u32", numbers, stream, VECTOR)]
    lines += [integer("vadd.i32", sum, sum, numbers) for sum in sums]
    lines += [integer("vshr.s32", sum, sum, right) for sum in sums]
    for first, *others in _pairs(sums):
        lines += [*_halfwords((first, *others)), integer("vqmovnb.s16", first, first)]
        lines += [integer(f"vq{name}.s8", first, first, one) for name in ("sub", "add")]
        lines += _second(first, others)
    return joined(lines)


def _pairs(sums: Sequence[str]) -> Sequence[Sequence[str]]:
    """The vectors, grouped in pairs. The first vector of a pair is the one that will contain the halfwords of both
    vectors.
    """
    return [sums[number : number + 2] for number in range(0, len(sums), 2)]


def _second(first: str, others: Sequence[str]) -> Code:
    """Code that moves the bytes of the second vector of a pair to the lowest bytes of its lanes."""
    return tuple(integer("vshr.u32", second, first, 16) for second in others)


def _halfwords(pair: Sequence[str]) -> Code:
    return tuple(integer(f"vqmovn{part}.s32", pair[0], sum) for part, sum in zip("bt", pair, strict=False))

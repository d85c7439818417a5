"""Loads of elements into registers, one at a time, or four at a time as two words of two signed halfwords each.

SXTB16 widens bytes 0 and 2 of a word, or bytes 1 and 3 once it is rotated, and both factors of a product need the same
order of elements. Single words may be loaded from any address, pairs of words from multiples of 4 only.
"""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.composer.instructions import Code, Instruction, Line
from tinyml.targets.cortex_m.assembly import thumb as t
from tinyml.targets.cortex_m.assembly.operands import at, post, slot

QUAD = 4
"""The number of elements that are loaded at a time."""

_LOADS = {8: t.ldrsb, 16: t.ldrsh}


def next_one(bits: int, pointer: str, to: str) -> Code:
    """Loads the element at a pointer and advances the pointer."""
    return (_LOADS[bits](to, post(pointer, bits // 8)),)


def element_at(bits: int, base: str, offset: str, to: str) -> Code:
    """Loads the element at a byte offset."""
    return (_LOADS[bits](to, at(base, offset)),)


def words(pointer: str, registers: Sequence[str]) -> Code:
    """Loads consecutive words at a pointer and advances the pointer."""
    if len(registers) > 1:
        return (t.ldm(pointer, (*registers,), update=True),)
    return (t.ldr(registers[0], post(pointer, 4)),)


def parted_bytes(load: Instruction, even: str, odd: str) -> Code:
    """Loads four bytes into `odd`, and widens elements 0 and 2 into `even`, elements 1 and 3 into `odd`."""
    return load, t.sxtb16(even, odd), t.sxtb16(odd, odd, ror=8)


def halfwords_in_order(pointer: str, first: str, second: str) -> Code:
    """Loads four halfwords: elements 0 and 1, then 2 and 3."""
    return tuple(t.ldr(register, post(pointer, 4)) for register in (first, second))


def halfword_pair(pointer: str, first: str, second: str) -> Code:
    """Loads four halfwords in order from a multiple of 4."""
    return (t.ldrd(first, second, post(pointer, 8)),)


def parted_halfwords(pointer: str, even: str, odd: str, spare: str) -> Code:
    """Loads four halfwords in the order of `parted_bytes`."""
    return (
        *halfwords_in_order(pointer, odd, spare),
        t.pkhbt(even, odd, spare, lsl=16),
        t.pkhtb(odd, spare, odd, asr=16),
    )


def widened_windows(tile: str, registers: Sequence[str]) -> Code:
    """Loads four widened elements of each window: even and odd ones of the first, then those of the second."""
    return (t.ldm(tile, (*registers,), update=True),)


def next_four(pointer: str, apart: int, registers: Sequence[str]) -> Code:
    """Loads four bytes at a pointer, and four more `apart` bytes further on, each as in `parted_bytes`."""
    even, odd, second_even, second_odd = registers
    second = t.ldr(second_odd, at(pointer, apart))
    return (*parted_bytes(second, second_even, second_odd), *parted_bytes(t.ldr(odd, post(pointer, 4)), even, odd))


def last_few(pointer: str, places: Sequence[int], registers: Sequence[str], count: int) -> Code:
    """Loads the last one to three bytes of one or two windows, followed by zeros.

    The bytes before them are read, too. places: byte offsets of the windows.
    """
    more = QUAD - count
    lines: list[Line] = []
    for number, place in enumerate(places):
        even, odd = registers[2 * number : 2 * number + 2]
        lines += [t.ldr(odd, at(pointer, place - more)), *parted_bytes(t.lsr(odd, odd, 8 * more), even, odd)]
    return tuple(lines)


def widened_elements(length: int, run: int, pitch: int, apart: Sequence[int], together: int) -> Code:
    """Widens a run of each of several windows to halfwords in the stack frame, the windows interleaved.

    lr points to the first window. run: the number of the run among those that are joined. pitch: bytes from one run to
    the next. apart: bytes from the first window to each window. together: the number of consecutive elements of one
    window before those of the next.
    """
    lines: list[Line] = []
    for column in range(max(apart) + length):
        takers = [(column - place, number) for number, place in enumerate(apart) if 0 <= column - place < length]
        if takers:
            lines += [t.ldrsb("r3", at("lr", run * pitch + column))]
        for element, window in takers:
            group, place = divmod(run * length + element, together)
            lines += [t.strh("r3", slot(2 * (together * (len(apart) * group + window) + place)))]
    return tuple(lines)

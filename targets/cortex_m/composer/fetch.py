"""Fetches of elements into registers: single ones, and four at a time as two words of two signed halfwords each.

Bytes come apart into elements 0 and 2 and elements 1 and 3, as SXTB16 takes them. Both factors of a product need the
same order. Single words may be loaded from any address, pairs of them from multiples of 4 only.
"""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.composer.instructions import Code, Instruction, Line
from tinyml.targets.cortex_m.assembly import thumb as t
from tinyml.targets.cortex_m.assembly.operands import at, post, slot

QUAD = 4
"""The elements of a fetch."""

_LOADS = {8: t.ldrsb, 16: t.ldrsh}


def next_one(bits: int, pointer: str, to: str) -> Code:
    """The element at a pointer, which moves on."""
    return (_LOADS[bits](to, post(pointer, bits // 8)),)


def element_at(bits: int, base: str, offset: str, to: str) -> Code:
    """The element at an offset in bytes."""
    return (_LOADS[bits](to, at(base, offset)),)


def words(pointer: str, registers: Sequence[str]) -> Code:
    """Consecutive words at a pointer, which moves on."""
    if len(registers) > 1:
        return (t.ldm(pointer, (*registers,), update=True),)
    return (t.ldr(registers[0], post(pointer, 4)),)


def parted_bytes(load: Instruction, even: str, odd: str) -> Code:
    """Four bytes that `load` brings into `odd`: elements 0 and 2 into `even`, 1 and 3 into `odd`."""
    return load, t.sxtb16(even, odd), t.sxtb16(odd, odd, ror=8)


def halfwords_in_order(pointer: str, first: str, second: str) -> Code:
    """Four halfwords: elements 0 and 1, then 2 and 3."""
    return tuple(t.ldr(register, post(pointer, 4)) for register in (first, second))


def halfword_pair(pointer: str, first: str, second: str) -> Code:
    """The same from a multiple of 4."""
    return (t.ldrd(first, second, post(pointer, 8)),)


def parted_halfwords(pointer: str, even: str, odd: str, spare: str) -> Code:
    """Four halfwords in the order of parted bytes."""
    return (
        *halfwords_in_order(pointer, odd, spare),
        t.pkhbt(even, odd, spare, lsl=16),
        t.pkhtb(odd, spare, odd, asr=16),
    )


def widened_windows(tile: str, registers: Sequence[str]) -> Code:
    """Four widened elements of one or two windows: even and odd ones of the first, then of the second."""
    return (t.ldm(tile, (*registers,), update=True),)


def next_four(pointer: str, apart: int, registers: Sequence[str]) -> Code:
    """Four bytes, then those some bytes behind them, each as in `parted_bytes`, in four registers."""
    even, odd, second_even, second_odd = registers
    second = t.ldr(second_odd, at(pointer, apart))
    return (*parted_bytes(second, second_even, second_odd), *parted_bytes(t.ldr(odd, post(pointer, 4)), even, odd))


def last_few(pointer: str, places: Sequence[int], registers: Sequence[str], count: int) -> Code:
    """The last one to three bytes of one or two windows, in front of zeros; the bytes before them are read, too.

    places: byte offsets of the windows.
    """
    more = QUAD - count
    lines: list[Line] = []
    for number, place in enumerate(places):
        even, odd = registers[2 * number : 2 * number + 2]
        lines += [t.ldr(odd, at(pointer, place - more)), *parted_bytes(t.lsr(odd, odd, 8 * more), even, odd)]
    return tuple(lines)


def widened_elements(length: int, run: int, pitch: int, apart: Sequence[int], together: int) -> Code:
    """A run of bytes from lr on as halfwords in the frame, for several windows, some elements of each by turns.

    run: its number among those that are put together; pitch: bytes from a run to the next. apart: bytes from the first
    window to each. together: the elements of a window that stand before those of the next one.
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

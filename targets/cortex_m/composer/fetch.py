"""Fetches of elements into registers: single ones, and four at a time as two words of two signed halfwords each.

Bytes come apart into elements 0 and 2 and elements 1 and 3, as SXTB16 takes them. Both factors of a product need the
same order. Single words may be loaded from any address, pairs of them from multiples of 4 only.
"""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.composer.lines import Lines

QUAD = 4
"""The elements of a fetch."""

_LOADS = {8: "ldrsb", 16: "ldrsh"}


def next_one(bits: int, pointer: str, to: str) -> Lines:
    """The element at a pointer, which moves on."""
    return (f"{_LOADS[bits]} {to}, [{pointer}], #{bits // 8}",)


def at(bits: int, base: str, offset: str, to: str) -> Lines:
    """The element at an offset in bytes."""
    return (f"{_LOADS[bits]} {to}, [{base}, {offset}]",)


def words(pointer: str, registers: Sequence[str]) -> Lines:
    """Consecutive words at a pointer, which moves on."""
    if len(registers) > 1:
        return (f"ldm {pointer}!, {{{', '.join(registers)}}}",)
    return (f"ldr {registers[0]}, [{pointer}], #4",)


def parted_bytes(load: str, even: str, odd: str) -> Lines:
    """Four bytes that `load` brings into `odd`: elements 0 and 2 into `even`, 1 and 3 into `odd`."""
    return load, f"sxtb16 {even}, {odd}", f"sxtb16 {odd}, {odd}, ror #8"


def halfwords_in_order(pointer: str, first: str, second: str) -> Lines:
    """Four halfwords: elements 0 and 1, then 2 and 3."""
    return tuple(f"ldr {register}, [{pointer}], #4" for register in (first, second))


def halfword_pair(pointer: str, first: str, second: str) -> Lines:
    """The same from a multiple of 4."""
    return (f"ldrd {first}, {second}, [{pointer}], #8",)


def parted_halfwords(pointer: str, even: str, odd: str, spare: str) -> Lines:
    """Four halfwords in the order of parted bytes."""
    return (
        *halfwords_in_order(pointer, odd, spare),
        f"pkhbt {even}, {odd}, {spare}, lsl #16",
        f"pkhtb {odd}, {spare}, {odd}, asr #16",
    )


def widened_windows(tile: str, registers: str) -> Lines:
    """Four widened elements of one or two windows: even and odd ones of the first, then of the second."""
    return (f"ldm {tile}!, {{{registers}}}",)


def next_four(pointer: str, apart: int, registers: str) -> Lines:
    """Four bytes, then those some bytes behind them, each as in `parted_bytes`, in four registers."""
    even, odd, second_even, second_odd = registers.split(", ")
    second = f"ldr {second_odd}, [{pointer}, #{apart}]"
    return (*parted_bytes(second, second_even, second_odd), *parted_bytes(f"ldr {odd}, [{pointer}], #4", even, odd))


def last_few(pointer: str, places: Sequence[int], registers: str, count: int) -> Lines:
    """The last one to three bytes of one or two windows, in front of zeros; the bytes before them are read, too.

    places: byte offsets of the windows.
    """
    names, more = registers.split(", "), QUAD - count
    lines: list[str] = []
    for number, place in enumerate(places):
        even, odd = names[2 * number : 2 * number + 2]
        lines += [
            f"ldr {odd}, [{pointer}, #{place - more}]",
            *parted_bytes(f"lsr {odd}, {odd}, #{8 * more}", even, odd),
        ]
    return tuple(lines)


def widened_elements(length: int, run: int, pitch: int, apart: Sequence[int], together: int) -> Lines:
    """A run of bytes from lr on as halfwords in the frame, for several windows, some elements of each by turns.

    run: its number among those that are put together; pitch: bytes from a run to the next. apart: bytes from the first
    window to each. together: the elements of a window that stand before those of the next one.
    """
    lines: list[str] = []
    for at in range(max(apart) + length):
        takers = [(at - place, number) for number, place in enumerate(apart) if 0 <= at - place < length]
        if takers:
            lines += [f"ldrsb r3, [lr, #{run * pitch + at}]"]
        for element, window in takers:
            group, place = divmod(run * length + element, together)
            lines += [f"strh r3, [sp, #{2 * (together * (len(apart) * group + window) + place)}]"]
    return tuple(lines)

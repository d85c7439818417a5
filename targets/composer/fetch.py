"""Fetches in plain C: the integer that an element of a packed group, or the entry of a table, stands for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from tinyml.dialects.layouts.packed_bits import GAP_BITS, Byte, group_layout, group_length

ByteAt: TypeAlias = Callable[[str], str]
"""The expression of an unsigned byte of a group, by the expression of its number."""

ALONE = 6
"""The fewest bits above whole bytes that lie in a byte of their own."""


def of_group(group: str) -> ByteAt:
    """The bytes from a pointer to `int8_t` on."""
    return lambda number: f"(uint8_t){group}[{number}]"


def packed(width: int, element: int, byte: ByteAt, *, gaps: bool = False) -> str:
    """The element with a known number in its group; gaps: in a group of a sparse row."""
    layout = group_layout(width, gaps)

    def field(bits: int, at: int) -> str:
        covers = (number for number, each in enumerate(layout) if _holds(each, element, bits, at))
        return _bits_of(byte(str(next(covers))), bits * (element % (8 // bits)), bits)

    if width % 8 < ALONE:
        return _joined(width, field)
    last, (group, place) = group_length(width) - 1, divmod(element, group_length(width))
    every = [byte(str(number)) for number, each in enumerate(layout) if each.bits == width % 8]
    own = every[group * last : (group + 1) * last]
    high = _in_low_bits(width, own) if place == last else f"(int8_t)({own[place]}) >> {8 - width % 8}"
    return high if width < 8 else f"({high}) * 256 + {field(8, 0)}"


def gap(width: int, entry: int, byte: ByteAt) -> str:
    """The gap before an entry of a group of a sparse row."""
    layout = group_layout(width, gaps=True)
    [number] = (number for number, each in enumerate(layout) if _holds(each, entry, GAP_BITS, width))
    return _bits_of(byte(str(number)), GAP_BITS * (entry % 2), GAP_BITS)


def packed_at(width: int, byte: ByteAt) -> str:
    """The element with the number `j` in its group."""

    def field(bits: int, at: int) -> str:
        return _bits_at(byte(position(width, bits)), bits)

    if width % 8 < ALONE:
        return _joined(width, field)
    last = group_length(width) - 1
    own = [str(1 + 2 * number if width > 8 else number) for number in range(last)]
    high = f"j < {last} ? (int8_t)({byte('2 * j + 1' if width > 8 else 'j')}) >> {8 % (width % 8)}"
    high += f" : {_in_low_bits(width, [byte(number) for number in own])}"
    return high if width < 8 else f"({high}) * 256 + {byte('2 * j')}"


def position(width: int, bits: int) -> str:
    """The number of the byte with a field of element `j` in its group; not of fields of 6 and 7 bits."""
    own, length = 8 // bits, group_length(width)
    before = [] if own == length else [_quotient("j", own)]
    for other in sorted({8 // each.bits for each in group_layout(width)} - {own}):
        if other > own:
            before += ["1"] if other == length else [_quotient("j", other), "1"]
        elif own < length:
            before.append(_quotient(f"(j & {length - own})", other))
    return " + ".join(before) or "0"


def _joined(width: int, field: Callable[[int, int], str]) -> str:
    """An element made of fields."""
    high = [(each.bits, each.at) for each in group_layout(width) if each.element == 0 and each.bits < 8]
    parts = [f"{field(bits, at)}{f' << {at % 8}' if at % 8 else ''}" for bits, at in high]
    value = f"({' | '.join(parts)}) - {1 << width % 8 - 1}" if high else ""
    whole = [field(8, at) for at in range(0, width // 8 * 8, 8)]
    if len(whole) > 1:
        return f"(int8_t){whole[1]} * 256 + {whole[0]}"
    if not whole:
        return value
    return f"({value}) * 256 + {whole[0]}" if high else f"(int8_t){whole[0]}"


def _holds(byte: Byte, element: int, bits: int, at: int) -> bool:
    return (byte.bits, byte.at) == (bits, at) and byte.element == element - element % byte.elements


def _in_low_bits(width: int, bytes: list[str]) -> str:
    """The last element of a group whose others have bytes of their own."""
    spare = 8 - width % 8
    parts = [
        f"({byte} & {(1 << spare) - 1}) << {spare * (number + 1)}" for number, byte in reversed([*enumerate(bytes)])
    ]
    return f"(int8_t)({' | '.join(parts)}) >> {spare}"


def _bits_of(byte: str, place: int, bits: int) -> str:
    """Some bits of a byte from a known place on."""
    if bits == 8:
        return byte
    shifted = f"{byte} >> {place}" if place else byte
    return f"({shifted})" if place + bits == 8 else f"({shifted} & {(1 << bits) - 1})"


def _bits_at(byte: str, bits: int) -> str:
    """The field of element j."""
    if bits == 8:
        return byte
    if bits == 4:
        # Chips that shift bit by bit choose faster than they shift.
        return f"(j & 1 ? {byte} >> 4 : {byte} & 15)"
    place = f"(j & {8 // bits - 1})"
    return f"({byte} >> {place if bits == 1 else f'{bits} * {place}'} & {(1 << bits) - 1})"


def _quotient(number: str, divisor: int) -> str:
    return number if divisor == 1 else f"({number} >> {divisor.bit_length() - 1})"

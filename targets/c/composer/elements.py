"""Packed elements in plain C: the expressions that load them, and the functions that read, write and unpack them.

The module also defines sums of products of elements with a regime, an exponent and a fraction, such as posits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from tinyml.dialects.layouts.digits import PAIRS, TRITS, Digits, Width
from tinyml.dialects.layouts.packed_bits import GAP_BITS, Byte, group_bytes, group_layout, group_length
from tinyml.targets.kernel import ElementFunction

_ByteAt: TypeAlias = Callable[[str], str]
"""A function from the C expression of an index in a group of bytes to the C expression of the byte at this index."""

ALONE = 6
"""The fewest bits above whole bytes that are stored in a separate byte."""


def of_group(group: str) -> _ByteAt:
    return lambda number: f"{group}[{number}]"


def packed(width: int, element: int, byte: _ByteAt, *, gaps: bool = False) -> str:
    """The C expression of the element whose index in its group is the constant `element`.

    width: the width of an element in bits.
    byte: a function that maps an index to the C expression of this byte of the group.
    gaps: true if the group is part of a sparse row.
    """
    layout = group_layout(width, gaps)

    def holding(bits: int, at: int) -> str:
        return byte(str(next(number for number, stored in enumerate(layout) if _holds(stored, element, bits, at))))

    rest, whole = width % 8, [f"(uint8_t){holding(8, at)}" for at in range(0, width // 8 * 8, 8)]
    if rest >= ALONE:
        last, (group, place) = group_length(width) - 1, divmod(element, group_length(width))
        every = [byte(str(number)) for number, stored in enumerate(layout) if stored.bits == rest]
        high_bytes = every[group * last : (group + 1) * last]
        high = _in_low_bits(width, high_bytes) if place == last else f"(int8_t){high_bytes[place]} >> {8 - rest}"
    elif rest:
        *low, (bits, at) = _fields(width)
        high = _signed(holding(bits, at), bits * (element % (8 // bits)), bits)
        for bits, at in low:
            high = f"({high}) * 2 + {_bits_of(holding(bits, at), element, bits)}"
    else:
        high = f"(int8_t){holding(8, width - 8)}"
        whole.pop()
    return f"({high}) * 256 + {whole[0]}" if whole else high


def gap(width: int, entry: int, byte: _ByteAt) -> str:
    layout = group_layout(width, gaps=True)
    [number] = (number for number, stored in enumerate(layout) if _holds(stored, entry, GAP_BITS, width))
    return _bits_of(byte(str(number)), GAP_BITS * (entry % 2), GAP_BITS)


def packed_at(width: int, byte: _ByteAt) -> str:
    """The C expression of the element whose index in its group is the C variable `j`.

    width: the width of an element in bits.
    byte: a function that maps an index to the C expression of this byte of the group.
    """
    rest = width % 8
    if rest < ALONE:
        fields = [(_bits_at(byte(position(width, bits)), bits), at % 8) for bits, at in _fields(width)]
        bits = " | ".join(f"{field} << {at}" if at else field for field, at in fields)
        high = f"({bits}) - {1 << rest - 1}"
        low = position(width, 8) if width > 8 else ""
    else:
        last = group_length(width) - 1
        high_bytes = [byte(str(1 + 2 * number if width > 8 else number)) for number in range(last)]
        high = f"j < {last} ? (int8_t){byte('2 * j + 1' if width > 8 else 'j')} >> {8 - rest}"
        high, low = f"{high} : {_in_low_bits(width, high_bytes)}", "2 * j"
    return high if width < 8 else f"({high}) * 256 + (uint8_t){byte(low)}"


def position(width: int, bits: int) -> str:
    """A C expression for the byte offset in the group at which the `bits`-bit field of element `j` starts.

    Fields of 6 and 7 bits are not supported.
    """
    per_byte, length = 8 // bits, group_length(width)
    before = [] if per_byte == length else [_quotient("j", per_byte)]
    for other in sorted({8 // stored.bits for stored in group_layout(width)} - {per_byte}):
        if other > per_byte:
            before += ["1"] if other == length else [_quotient("j", other), "1"]
        elif per_byte < length:
            before.append(_quotient(f"(j & {length - per_byte})", other))
    return " + ".join(before) or "0"


def _fields(width: int) -> list[tuple[int, int]]:
    """The width and the position in the element of each field above whole bytes, the lowest field first."""
    return [(stored.bits, stored.at) for stored in group_layout(width) if stored.element == 0 and stored.bits < 8]


def _holds(byte: Byte, element: int, bits: int, at: int) -> bool:
    return (byte.bits, byte.at) == (bits, at) and byte.element == element - element % byte.elements


def _in_low_bits(width: int, bytes: list[str]) -> str:
    """A C expression for the upper 6 or 7 bits of a group's last element, those above whole bytes, as a signed integer.

    The other elements of the group have these bits in bytes of their own. The bits of the last element are assembled
    from the unused low bits of these bytes.

    width: the width of an element in bits; `width % 8` is 6 or 7.
    bytes: the C expressions of these bytes, in the order of their elements.
    """
    spare = 8 - width % 8
    terms = [
        f"({byte} & {(1 << spare) - 1}) << {spare * (number + 1)}" for number, byte in reversed([*enumerate(bytes)])
    ]
    return f"(int8_t)({' | '.join(terms)}) >> {spare}"


def _bits_of(byte: str, place: int, bits: int) -> str:
    return f"({f'{byte} >> {place}' if place else byte} & {(1 << bits) - 1})"


def _signed(byte: str, place: int, bits: int) -> str:
    """The C expression of a signed integer that consists of `bits` bits of a byte, starting at bit `place`.

    The stored sign is inverted. If a byte contains four or more elements, an XOR restores the sign.
    """
    if bits == 4:
        return f"{_bits_of(byte, place, bits)} - 8"
    signs = sum(1 << end for end in range(bits - 1, 8, bits))
    turned, up = f"({byte} ^ {signs})", 8 - bits - place
    return f"(int8_t){f'((uint8_t){turned} << {up})' if up else turned} >> {8 - bits}"


def _bits_at(byte: str, bits: int) -> str:
    if bits == 4:
        # On chips that shift bit by bit, a selection is faster than a shift.
        return f"((j & 1 ? {byte} >> 4 : {byte}) & 15)"
    place = f"(j & {8 // bits - 1})"
    return f"({byte} >> {place if bits == 1 else f'{bits} * {place}'} & {(1 << bits) - 1})"


def _quotient(number: str, divisor: int) -> str:
    return number if divisor == 1 else f"({number} >> {divisor.bit_length() - 1})"


HEADER = "tinyml/packed.h"


def element_function(function: ElementFunction) -> str:
    """The text of a C function that reads, writes or unpacks packed elements."""
    name, width = function.symbol, function.bits
    if isinstance(width, Digits):
        return _digits_reader(name, width)
    match function.kind:
        case "read":
            return _reader(name, width, flash=function.flash)
        case "write":
            return _writer(name, width)
        case "unpack":
            return _copier(name, width, signed=function.signed)


def _ctype(width: int) -> str:
    return "int8_t" if width < 8 else "int16_t"


def _function(attribute: str, head: str, lines: Sequence[str]) -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return f"static {attribute} {head}\n{{\n{body}\n}}\n"


def _of_number(width: Width) -> Sequence[str]:
    """C statements that set `p` to the address of the group of element `i`, and `j` to the index of the element in this
    group.
    """
    length, bytes = group_length(width), group_bytes(width)
    return [
        "const uint16_t number = (uint16_t)i;",
        f"const uint8_t j = number & {length - 1};",
        f"p += {f'{bytes} * ' if bytes > 1 else ''}(number >> {length.bit_length() - 1});",
    ]


def _reader(name: str, width: int, *, flash: bool) -> str:
    element = packed_at(width, lambda number: f"tm_packed_byte(p + {number}, {int(flash)})")
    head = f"{_ctype(width)} {name}(const int8_t *p, int16_t i)"
    return _function("TM_PACKED", head, [*_of_number(width), f"return ({_ctype(width)})({element});"])


def _digits_reader(name: str, digits: Digits) -> str:
    if digits.name == TRITS:
        lines = [
            f"const uint16_t number = (uint16_t)i / {digits.length};",
            "uint8_t rest = tm_packed_byte(p + number, 1);",
            f"for (uint8_t j = (uint8_t)((uint16_t)i - {digits.length} * number); j > 0; j--)",
            "    rest = (uint8_t)(3 * rest);",
            "return (int8_t)((int16_t)(3 * rest >> 8) - 1);",
        ]
    elif digits.name == PAIRS:
        less = "* 2 - 1" if digits.is_odd else f"- {1 << digits.bits - 1}"
        lines = [
            *_of_number(digits),
            f"const uint8_t place = (uint8_t)({digits.bits} * (j / 4 * 2 + j % 2) + 16 * (j / 2 % 2));",
            f"return (int8_t)((tm_packed_byte(p + place / 8, 1) >> place % 8 & {(1 << digits.bits) - 1}) {less});",
        ]
    else:
        signs = [f"(tm_packed_byte(p + {place}, 1) >> j & 1) << {place + 1}" for place in range(digits.bits)]
        lines = [*_of_number(digits), f"return (int8_t)(({' | '.join(signs)}) - {(1 << digits.bits) - 1});"]
    return _function("TM_PACKED", f"int8_t {name}(const int8_t *p, int16_t i)", lines)


def _writer(name: str, width: int) -> str:
    lines = [*_of_number(width), f"const uint16_t bits = (uint16_t)(value + {_offset(width)});"]
    rest, low = width % 8, width // 8 * 8
    if low:
        place = "2 * j" if rest >= ALONE else position(width, 8)
        lines.append(f"p[{place}] = (int8_t)value;")
    if rest < ALONE:
        fields = {(byte.bits, byte.at) for byte in group_layout(width) if byte.bits < 8}
        for bits, at in sorted(fields):
            shift = "0" if bits == 8 else f"{bits} * (j & {8 // bits - 1})"
            value = f"(uint8_t)(bits >> {at})"
            lines.append(f"tm_pack_field(p + {position(width, bits)}, {(1 << bits) - 1}, {value}, (uint8_t)({shift}));")
    else:
        spare, last = 8 - rest, group_length(width) - 1
        index = "2 * {} + 1" if low else "{}"
        lines += [
            f"if (j < {last}) {{",
            f"    tm_pack_field(p + {index.format('j')}, {(1 << rest) - 1}, (uint8_t)(bits >> {low}), {spare});",
            "    return;",
            "}",
            f"for (uint8_t k = 0; k < {last}; k++)",
            f"    tm_pack_field(p + {index.format('k')}, {(1 << spare) - 1}, "
            f"(uint8_t)(bits >> ({low} + {spare} * k)), 0);",
        ]
    return _function("TM_PACKED", f"void {name}(int8_t *p, int16_t i, {_ctype(width)} value)", lines)


def _copier(name: str, width: int, *, signed: bool) -> str:
    length = group_length(width)
    elements = [packed(width, element, of_group("x")) for element in range(length)]
    if not signed:
        elements = [f"({element}) + {_offset(width)}" for element in elements]
    lines = [f"for (; groups > 0; groups--, x += {group_bytes(width)}, to += {length}) {{"]
    lines += [f"    to[{number}] = ({_ctype(width)})({element});" for number, element in enumerate(elements)]
    return _function("TM_UNPACK", copier_head(name, width), [*lines, "}"])


def copier_head(name: str, width: int) -> str:
    return f"void {name}({_ctype(width)} *to, const int8_t *x, uint8_t groups)"


def _offset(width: int) -> int:
    """The bias that is added to an element before it is stored: half of the range, or 0 if the sign is not inverted."""
    return 1 << width - 1 if width % 8 < ALONE else 0

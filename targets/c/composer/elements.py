"""Functions in plain C that read, write and unpack packed elements."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.dialects.layouts.packed_bits import group_bytes, group_layout, group_length
from tinyml.targets.c.composer.fetch import ALONE, of_group, packed, packed_at, position
from tinyml.targets.kernel import ElementFunction

HEADER = "tinyml/packed.h"


def element_function(function: ElementFunction) -> str:
    """The text of a function."""
    name, width = function.symbol, function.bits
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


def _of_number(width: int) -> Sequence[str]:
    """Statements that set p to the group of element i, and j to its index in the group."""
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


def _writer(name: str, width: int) -> str:
    lines = [*_of_number(width), f"const uint16_t bits = (uint16_t)(value + {_offset(width)});"]
    rest, low = width % 8, width // 8 * 8
    if low:
        place = "2 * j" if rest >= ALONE else position(width, 8)
        lines.append(f"p[{place}] = (int8_t)value;")
    if rest < ALONE:
        fields = {(byte.bits, byte.at) for byte in group_layout(width) if byte.bits < 8}
        for bits, at in sorted(fields):
            where = "0" if bits == 8 else f"{bits} * (j & {8 // bits - 1})"
            value = f"(uint8_t)(bits >> {at})"
            lines.append(f"tm_pack_field(p + {position(width, bits)}, {(1 << bits) - 1}, {value}, (uint8_t)({where}));")
    else:
        spare, last = 8 - rest, group_length(width) - 1
        own = "2 * {} + 1" if low else "{}"
        lines += [
            f"if (j < {last}) {{",
            f"    tm_pack_field(p + {own.format('j')}, {(1 << rest) - 1}, (uint8_t)(bits >> {low}), {spare});",
            "    return;",
            "}",
            f"for (uint8_t k = 0; k < {last}; k++)",
            f"    tm_pack_field(p + {own.format('k')}, {(1 << spare) - 1}, "
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
    """The head of a function that unpacks groups."""
    return f"void {name}({_ctype(width)} *to, const int8_t *x, uint8_t groups)"


def _offset(width: int) -> int:
    """The bias of the stored bits relative to the element."""
    return 1 << width - 1 if width % 8 < ALONE else 0

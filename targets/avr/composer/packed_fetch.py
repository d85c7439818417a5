"""Fetches of packed elements, laid out by `dialects/layouts/packed_bits.py`, and of the entries of a table.

Bytes that several elements share are kept in registers. The last element of such a byte is extracted in that register.
Raws of up to 8 bits are decoded by a table in flash; a register pair holds the address of its middle, the entry of raw
0. Z is overwritten, and saved in another pair.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tinyml.dialects.layouts.delta_row_stream import entries_of_group
from tinyml.dialects.layouts.packed_bits import Byte, group_layout, group_length
from tinyml.targets.avr.assembly import pair
from tinyml.targets.avr.composer.fragments import Fetch, next_byte
from tinyml.targets.composer.lines import Lines, joined

ALONE = 6
"""The fewest bits above whole bytes that are stored in a separate byte."""


@dataclass(frozen=True)
class Group:
    """The elements of a group.

    width: in bits. next: fetches the next byte of the group. keep: registers for shared bytes, the first in r16 to r31;
    the second is for single bits in addition to wider fields. gap: advances over the gap of an entry, the first or the
    second of its byte, in a group of a sparse row; None without gaps. signed: false for elements without the sign bit,
    which is stored inverted.
    """

    width: int
    next: Fetch
    keep: Sequence[str]
    gap: Callable[[int], Lines] | None = None
    signed: bool = True

    @property
    def layout(self) -> Sequence[Byte]:
        return group_layout(self.width, self.gap is not None)

    @property
    def length(self) -> int:
        """The number of elements."""
        return group_length(self.width) if self.gap is None else entries_of_group(self.width)

    def shared(self, element: int) -> Lines:
        """The instructions before an element's own bytes: shared bytes, and the advance to the vector's element."""
        lines: list[str] = []
        for byte in self.layout:
            if byte.element <= element < byte.element + byte.elements and byte.at == self.width:
                lines += self.gap(element % 2) if self.gap is not None else ()
            elif byte.element == element and byte.elements > 1:
                lines += self.next(self._keeper(byte.bits))
        return tuple(lines)

    def stays(self, element: int) -> bool:
        """True if the most significant byte of an element ends up in the first register of `keep`."""
        rest = self.width % 8
        if rest >= ALONE:
            return (element + 1) % group_length(self.width) == 0
        return rest > 1 and (element + 1) % (8 // self._top) == 0

    def fetches(self, element: int) -> Sequence[Fetch]:
        """Fetches of the bytes of an element, the low one first."""
        whole = [self.next] * (self.width // 8)
        return [*whole, self._above(element)] if self.width % 8 else whole

    @property
    def _top(self) -> int:
        """The width of the uppermost field in bits."""
        return max(byte.bits for byte in self.layout if byte.bits < 8 and byte.at != self.width)

    def _keeper(self, bits: int) -> str:
        return self.keep[0 if bits == self._top else 1]

    def _above(self, element: int) -> Fetch:
        """The fetch of an element's bits above whole bytes."""
        rest, kept = self.width % 8, self.keep[0]
        if rest == 1:
            # The carry minus 1, as the sign is stored inverted.
            return lambda to: (f"lsr {kept}", f"sbc {to},{to}", f"com {to}")
        if rest < ALONE:
            return lambda to: self._fields(element, to)
        spare = 8 - rest
        if self.stays(element):
            return lambda to: joined(() if to == kept else (f"mov {to},{kept}",), [f"asr {to}"] * spare)
        return lambda to: joined(self.next(to), [f"asr {to}", f"ror {kept}"] * spare)

    def _fields(self, element: int, to: str) -> Lines:
        bits, kept, lines = self._top, self.keep[0], list[str]()
        position = element % (8 // bits)
        if position:
            lines += [f"swap {kept}"] if bits == 4 else [f"lsr {kept}"] * bits
        if to != kept:
            lines.append(f"mov {to},{kept}")
        if bits == 4 or not self.stays(element):
            lines.append(f"andi {to},{(1 << bits) - 1}")
        if self.width % 8 > bits:
            lines += [f"lsr {self.keep[1]}", f"rol {to}"]
        return (*lines, f"subi {to},{1 << self.width % 8 - 1}") if self.signed else tuple(lines)


FETCHED = (1, 2, 4, 6, 9, 10, 12)
"""The widths of elements that can be fetched from RAM by their index."""
NUMBER, FIRST = "r10", "r8"
"""Register pairs: the index of an element, and the address of the first byte, plus 1 for more than 8 bits."""


def numbered(width: int, zero: str) -> Sequence[Fetch]:
    """Fetches of an indexed element's bytes in RAM, the low one first; they change X, and for 6 bits r4, r5 and r0."""
    if width % 8 == 6:
        return [_six]
    bits = width % 8
    halvings = {1: 3, 2: 2, 4: 1}[bits]
    shift = {
        1: ("sbrc r10,2", "swap {}", *("sbrc r10,1", "lsr {}") * 2, "sbrc r10,0", "lsr {}"),
        2: ("sbrc r10,1", "swap {}", *("sbrc r10,0", "lsr {}") * 2),
        4: ("sbrc r10,0", "swap {}"),
    }[bits]
    value = (*shift, f"andi {{}},{(1 << bits) - 1}", f"subi {{}},{1 << bits - 1}")
    group = joined(f"movw r26,{NUMBER}", ("lsr r27", "ror r26") * halvings)
    from_first = (f"add r26,{FIRST}", "adc r27,r9")
    if width < 8:
        return [lambda to: joined(group, from_first, f"ld {to},X", _with(value, to))]
    # A group has one byte more than elements, which comes first.
    address = joined(group, "add r26,r10", "adc r27,r11", from_first)
    back = ("mov {},r10", f"andi {{}},{(8 // bits) - 1}", "sub r26,{}", f"sbc r27,{zero}", "ld {},-X")
    return [lambda to: joined(address, f"ld {to},X"), lambda to: _with((*back, *value), to)]


def shorter(width: int) -> float:
    """The cycles by which fetching an indexed element is on average shorter than all of its instructions."""
    return 16.5 if width == 6 else 0


def _with(lines: Sequence[str], register: str) -> Lines:
    return tuple(line.format(register) for line in lines)


def _six(to: str) -> Lines:
    """Element i starts i / 4 bytes before byte i; the last of a group consists of the spare bits of the three bytes
    before it.
    """
    quarter = ("movw r26,r10", "movw r4,r10", *("lsr r5", "ror r4") * 2, "sub r26,r4", "sbc r27,r5")
    last = [("ld {},-X", to), ("ld {},-X", "r4"), ("ld {},-X", "r5")]
    left = (
        f"{shift} {register}" for byte in ("r5", "r4", to) for shift, register in (("lsr", byte), ("ror", "r0")) * 2
    )
    return joined(
        quarter,
        (f"add r26,{FIRST}", "adc r27,r9", "sbrc r10,0", "sbrs r10,1", "rjmp 23f"),
        (line.format(register) for line, register in last),
        left,
        (f"mov {to},r0", "rjmp 24f", "23:", f"ld {to},X", "24:", f"asr {to}", f"asr {to}"),
    )


SAVED = "r12"
"""The first of two registers in which Z is saved."""
SAVE, RESTORE = f"movw {SAVED},r30", f"movw r30,{SAVED}"


def entry(raw: str, table: str) -> Sequence[Fetch]:
    """Fetches of the entry for a signed byte in a register, the low byte first. table: the first of two registers."""
    low, high = pair(table)
    address = (f"lsl {raw}", "sbc r31,r31", f"mov r30,{raw}", f"add r30,{low}", f"adc r31,{high}")
    return [lambda to: joined(address, f"lpm {to},Z+"), _upper]


def entries(table: str) -> Sequence[Fetch]:
    """Fetches of the entry for the next raw of a run in RAM, the low byte first."""
    return [lambda to: joined(next_byte("ram", "X")(to), entry(to, table)[0](to)), _upper]


def _upper(to: str) -> Lines:
    return (f"lpm {to},Z",)

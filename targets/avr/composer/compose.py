"""The composed kernels of AVR: products of packed and coded weights, group by group, for dense and for sparse rows.

Elements are fetched in the order in which `dialects/layouts/packed_bits.py` lays them out. Bytes that several elements
share are kept in registers, and the last element of such a byte is extracted in that register. Raws of up to 8 bits are
decoded by a table in flash; a register pair holds the address of its middle, the entry of raw 0. Z is overwritten, and
saved in another pair.

Gaps of sparse rows have 4 bits. Functions that unpack groups in RAM into a plain array are assembly loops, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from tinyml.dialects.formats.number_format import INTEGER, TABLE
from tinyml.dialects.layouts.packed_bits import GAP_BITS, WIDTHS, Byte, group_layout, group_length
from tinyml.dialects.layouts.sparse_rows import AT_ONCE, entries_of_group
from tinyml.targets.avr.assembly import (
    END,
    Loop,
    Variable,
    bytes_of,
    counted_in_byte,
    cycles,
    entered,
    number_of_steps,
    pair,
    registers,
    statement,
)
from tinyml.targets.avr.boards import MUL
from tinyml.targets.avr.composer.fragments import FLASH, RAM, AvrArithmetic, Fetch, arithmetic, next_byte, run
from tinyml.targets.c.composer.compose import body, name_of, signature
from tinyml.targets.c.composer.elements import copier_head, element_function
from tinyml.targets.composer.lines import Lines, joined
from tinyml.targets.kernel import ElementFunction, Kernel, packed_reader

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


_FETCHED = (1, 2, 4, 6, 9, 10, 12)
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
_SAVE, _RESTORE = f"movw {SAVED},r30", f"movw r30,{SAVED}"


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


_SPARE = ("r21", "r19", "r20", "r17", "r16", "r14", "r13", "r12")
"""Registers for shared bytes and gaps, call-clobbered ones first; immediates can be loaded into the first five."""
_COUNTERS = ("r13", "r12")
_TABLE, _OTHER = "r10", "r8"
"""Register pairs: the addresses of the tables of weights and vector."""
_IN_BYTE = 255
"""The maximum number of iterations that a byte can count."""
_LARGE = 8
"""The number of elements in an iteration, unless their code is long."""


@dataclass(frozen=True)
class _GroupProducts:
    """The products of the elements of a group and a vector.

    weights: the width of the multiplied integers. first: true if the weights are loaded first. vector: fetches its next
    element. coded: true if each raw is decoded by a table.
    """

    arithmetic: AvrArithmetic
    weights: int
    first: bool
    vector: Sequence[Fetch]
    coded: bool

    @classmethod
    def of(cls, wanted: Kernel) -> _GroupProducts:
        first, second = (coding == TABLE for coding in wanted.codings)
        weights, vector = (
            16 if coded or width > 8 else 8 for coded, width in ((first, wanted.weights), (second, wanted.vector))
        )
        chosen = arithmetic(min(weights, vector), max(weights, vector), wanted.sum)
        elements = numbered(wanted.vector, chosen.zero) if wanted.fetches else run(vector, RAM, "X")
        bits = 16 if first else wanted.weights
        return cls(chosen, bits, weights <= vector, entries(_OTHER) if second else elements, first)

    @property
    def most(self) -> int:
        """The maximum number of products gathered before they are added to the sum."""
        if not self.arithmetic.flush:
            return 1 << 15
        # The signed bits of one factor times a byte of the other; the two lowest bytes of the sum are shared.
        return (1 << 23) - (1 << 16) >> self.weights + 5 + len(self.vector) if self.first else 255

    def product(self, group: Group, element: int) -> Lines:
        """The product of an element of the group."""
        chosen, shared, weights = self.arithmetic, group.shared(element), group.fetches(element)
        into, kept = list(chosen.first), group.keep[0]
        if self.coded:
            raw = kept if group.stays(element) else chosen.first[0] if self.first else "r19"
            begins = any(byte.element == element for byte in group.layout)
            restored = (_RESTORE,) if begins and element else ()
            shared = joined(restored, shared, weights[0](raw), (_SAVE,) if begins else ())
            weights = entry(raw, _TABLE)
        elif self.first and group.stays(element):
            into[-1] = kept
        if not self.first:
            return joined(shared, chosen.step(self.vector, weights))
        fetched = joined(*(fetch(register) for fetch, register in zip(weights, into, strict=True)))
        return joined(shared, fetched, chosen.meet(into, self.vector))

    def spare(self, *taken: str) -> Sequence[str]:
        """The registers that are not in use."""
        chosen, bytes = self.arithmetic, [next_byte(RAM, "X")] * 2
        step = joined(chosen.step(bytes[: len(chosen.first)], bytes), *(fetch("r0") for fetch in self.vector))
        used = {f"r{number}" for number in registers(step)} | {chosen.zero, *chosen.sum, *chosen.gathered, *taken}
        return [register for register in _SPARE if register not in used]


def _dense_dot(wanted: Kernel) -> Kernel:
    """The kernel for rows of packed or coded weights."""
    products, length = _GroupProducts.of(wanted), group_length(wanted.weights)
    chosen = products.arithmetic
    taken = pair(SAVED) if products.coded else ()
    memory = FLASH if wanted.flash else RAM
    group = Group(wanted.weights, next_byte(memory, "Z"), products.spare(chosen.count, *taken))
    step = joined(
        *(products.product(group, element) for element in range(length)), (_RESTORE,) if products.coded else ()
    )
    at_once = 1 if products.coded else max(1, _LARGE // length // (1 if wanted.weights < 8 else 2))
    loop = counted_in_byte(step, at_once, chosen.count, chosen.flush)
    tables = [
        Variable("const int16_t *", name, register, table, 2, changed=False)
        for coding, name, register, table in zip(
            wanted.codings, ("t", "u"), (_TABLE, _OTHER), ("table", "other"), strict=True
        )
        if coding == TABLE
    ]
    symbol = name_of(wanted, "tm_") + ("" if wanted.flash else "_ram")
    composed = entered(
        symbol,
        signature(wanted, symbol),
        body(wanted),
        chosen,
        loop,
        bits=wanted.sum,
        counter=number_of_steps(chosen.count, loop),
        others=tables,
        of=length,
        most=min(products.most // length // at_once, _IN_BYTE) * at_once,
        element=loop.step / length,
    )
    code, time = bytes_of(loop.lines), loop.step / length
    return replace(wanted, symbol=symbol, step=time, code=code, composed=composed)


def _near_dot(wanted: Kernel) -> Kernel:
    """The kernel for a sparse row with 4-bit gaps."""
    products = _GroupProducts.of(wanted)
    chosen = products.arithmetic
    gaps, *keep = products.spare(*_COUNTERS)
    scaled = () if wanted.fetches else ("lsl {}",) * (wanted.vector // 8 - 1)
    pointer = NUMBER if wanted.fetches else "r26"
    counted = "inc {}" if wanted.fetches else ""
    move = (counted, f"add {pointer},{{}}", f"adc {pair(pointer)[1]},{chosen.zero}")

    def gap(second: int) -> Lines:
        at = gaps if second else chosen.first[-1]
        ready = (f"swap {gaps}",) if second else (*next_byte(FLASH, "Z")(gaps), f"mov {at},{gaps}")
        return joined(ready, (line.format(at) for line in ("andi {},15", *scaled, *move) if line))

    group = Group(wanted.weights, next_byte(FLASH, "Z"), keep, gap)
    step = joined(*(products.product(group, element) for element in range(group.length)))
    loop = _counted_by_row(step, gaps, chosen.flush)
    numbering = (
        Variable("uint16_t", "before", NUMBER, "0xFFFF", 2),
        Variable("const int8_t *", "first", FIRST, "x + 1" if wanted.vector > 8 else "x", 2, changed=False),
    )
    time = loop.step / group.length - shorter(wanted.vector)
    symbol = name_of(wanted, "tm_")
    composed = entered(
        symbol,
        signature(wanted, symbol),
        body(wanted),
        chosen,
        loop,
        bits=wanted.sum,
        counter=None,
        row="row",
        others=numbering if wanted.fetches else (),
        functions=[packed_reader(wanted.vector, flash=False)] if wanted.fetches else [],
        element=time,
    )
    code = bytes_of(loop.lines)
    return replace(wanted, symbol=symbol, gaps=GAP_BITS, flash=True, step=time, code=code, composed=composed)


def _counted_by_row(group: Lines, spare: str, flush: Lines) -> Loop:
    """A loop over the groups of a row, which starts with their number."""
    few, many = _COUNTERS
    head = (f"lpm {few},Z+", f"lpm {many},Z+", f"tst {few}", "brne 1f", "rjmp 2f")
    back = (f"dec {few}", "breq 2f", "rjmp 1b")
    again = (f"dec {many}", "brmi 9f", f"ldi {spare},{AT_ONCE}", f"mov {few},{spare}", "rjmp 1b", "9:")
    lines = joined(head, "1:", group, back, "2:", flush, again, END)
    return Loop(lines, True, 1, (), cycles(group) + 4, cycles(head) + cycles(flush) + 3 + cycles(END))


_INTO = "r19"


def _unpacking(width: int, *, signed: bool) -> Lines:
    """The instructions that unpack a group at X to Z. signed: false for elements without a sign."""
    group = Group(width, next_byte(RAM, "X"), ("r18", "r20"), signed=signed)
    lines: list[str] = []
    for element in range(group_length(width)):
        *low, last = group.fetches(element)
        into = group.keep[0] if group.stays(element) else _INTO
        lines += joined(group.shared(element), *(joined(fetch(_INTO), f"st Z+,{_INTO}") for fetch in low))
        lines += joined(last(into), f"st Z+,{into}")
    return tuple(lines)


def _unpacker(name: str, width: int, *, signed: bool) -> str:
    """The function that unpacks groups, for AVR."""
    lines = joined("1:", _unpacking(width, signed=signed), "dec %0", "breq 2f", "rjmp 1b", "2:")
    operands = ' : "+r"(groups), "+x"(x), "+z"(to) : : "r18", "r19", "r20", "memory");'
    body = statement(lines).removesuffix(");") + operands
    return f"static TM_UNPACK {copier_head(name, width)}\n{{\n    if (groups == 0)\n        return;\n{body}\n}}\n"


@cache
def compose(wanted: Kernel) -> Kernel | None:
    """The kernel for an unnamed description; None if there is none."""
    # Kernels of the list take elements of whole bytes in RAM; others are decoded first.
    if (wanted.flash is False and wanted.weights % 8 == 0) or not {*wanted.codings} <= {INTEGER, TABLE}:
        return None
    coded = TABLE in wanted.codings
    bytes = wanted.weights <= 8 and wanted.vector == 8 and not coded
    if wanted.sum not in ((16, 24, 32) if bytes else (32,)):
        return None
    whole = wanted.vector in (8, 16)
    if wanted.op == "num.dot" and whole and (_has_tables(wanted) if coded else wanted.weights in WIDTHS):
        return replace(_dense_dot(replace(wanted, gaps=0)), needs=MUL)
    near = wanted.op == "num.sparse_dot" and not coded and wanted.weights in (*WIDTHS, 8, 16)
    if near and wanted.flash and (whole or wanted.vector in _FETCHED):
        return replace(_near_dot(replace(wanted, gaps=GAP_BITS)), needs=MUL)
    return None


def _has_tables(wanted: Kernel) -> bool:
    """True if the raws of weights, and those of a coded vector, have at most 8 bits."""
    return wanted.codings[0] == TABLE and wanted.weights <= 8 and (wanted.codings[1] == INTEGER or wanted.vector == 8)


def functions(function: ElementFunction) -> str:
    """The text of a function of packed elements; on AVR, functions that unpack groups are assembly loops."""
    text = element_function(function)
    if function.kind != "unpack":
        return text
    loop = _unpacker(function.symbol, function.bits, signed=function.signed)
    return f"#ifdef __AVR__\n{loop}#else\n{text}#endif\n"

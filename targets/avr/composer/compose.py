"""The composed kernels of AVR for products of packed and coded weights, group by group, for dense and for sparse rows.

Elements are fetched in the order in which `dialects/layouts/packed_bits.py` stores them. A byte that several elements
share remains in a register; the last of these elements is extracted in that register. A table in flash decodes raws of
up to 8 bits. A register pair contains the address of the middle of the table, which is the entry of raw 0. Z is saved
in another pair, because table look-ups overwrite it.

Gaps of sparse rows have 4 bits. Functions that unpack groups to a plain array in RAM are also assembly loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from tinyml.dialects.formats.number_format import INTEGER, TABLE
from tinyml.dialects.layouts.digits import Digits
from tinyml.dialects.layouts.packed_bits import GAP_BITS, WIDTHS, Byte, group_layout, group_length
from tinyml.dialects.layouts.sparse_rows import AT_ONCE, entries_of_group
from tinyml.targets.avr import isa as a
from tinyml.targets.avr.assembly import (
    END,
    FAR_FLASH,
    FLASH,
    RAM,
    Loop,
    Row,
    Variable,
    bytes_of,
    counted_in_byte,
    cycles,
    entered,
    number_of_steps,
    registers,
    statement,
)
from tinyml.targets.avr.boards import MUL
from tinyml.targets.avr.composer.fragments import AvrArithmetic, Fetch, arithmetic, next_byte, run
from tinyml.targets.c.composer.compose import body, name_of, signature
from tinyml.targets.c.composer.elements import copier_head, element_function
from tinyml.targets.composer.instructions import Code, Line, joined
from tinyml.targets.kernel import ElementFunction, Kernel, packed_reader

ALONE = 6
"""The fewest bits above whole bytes that are stored in a separate byte."""


@dataclass(frozen=True)
class Group:
    """The layout of a group's elements, and the code that fetches them.

    * width: the width of an element in bits.
    * next: the code that fetches the next byte of the group.
    * keep: two registers for bytes that several elements share. The first, one of r16 to r31, is for the uppermost
      field of the elements. The second is for a lower field of a single bit, if there is one.
    * gap: for a sparse row, a function that returns the code that advances over the gap of an entry, given its index (0
      or 1) in a byte of gaps; None without gaps.
    * signed: false for elements without a sign bit. A sign bit is stored inverted.
    """

    width: int
    next: Fetch
    keep: Sequence[str]
    gap: Callable[[int], Code] | None = None
    signed: bool = True

    @property
    def layout(self) -> Sequence[Byte]:
        return group_layout(self.width, self.gap is not None)

    @property
    def length(self) -> int:
        """The number of elements per group."""
        if self.gap is None:
            return group_length(self.width)
        return entries_of_group(self.width)

    def shared(self, element: int) -> Code:
        """The instructions that precede the loads of an element's bytes.

        They load bytes that the element shares with later elements, and advance to the corresponding element of the
        vector.
        """
        lines: list[Line] = []
        for byte in self.layout:
            if byte.element <= element < byte.element + byte.elements and byte.at == self.width:
                lines += self.gap(element % 2) if self.gap is not None else ()
            elif byte.element == element and byte.elements > 1:
                lines += self.next(self._keeper(byte.bits))
        return tuple(lines)

    def stays(self, element: int) -> bool:
        """True if the most significant byte of an element is extracted in the first register of `keep` and stays
        there.
        """
        rest = self.width % 8
        if rest >= ALONE:
            return (element + 1) % group_length(self.width) == 0
        return rest > 1 and (element + 1) % (8 // self._top) == 0

    def fetches(self, element: int) -> Sequence[Fetch]:
        """The code that fetches each byte of an element, the low byte first."""
        whole = [self.next] * (self.width // 8)
        return [*whole, self._above(element)] if self.width % 8 else whole

    @property
    def _top(self) -> int:
        return max(byte.bits for byte in self.layout if byte.bits < 8 and byte.at != self.width)

    def _keeper(self, bits: int) -> str:
        return self.keep[0 if bits == self._top else 1]

    def _above(self, element: int) -> Fetch:
        rest, kept = self.width % 8, self.keep[0]
        if rest == 1:
            # The carry minus 1, as the sign is stored inverted.
            return lambda to: (a.lsr(kept), a.sbc(to, to), a.com(to))
        if rest < ALONE:
            return lambda to: self._fields(element, to)
        spare = 8 - rest
        if self.stays(element):
            return lambda to: joined(() if to == kept else (a.mov(to, kept),), [a.asr(to)] * spare)
        return lambda to: joined(self.next(to), [a.asr(to), a.ror(kept)] * spare)

    def _fields(self, element: int, to: str) -> Code:
        bits, kept, lines = self._top, self.keep[0], list[Line]()
        position = element % (8 // bits)
        if position:
            lines += [a.swap(kept)] if bits == 4 else [a.lsr(kept)] * bits
        if to != kept:
            lines.append(a.mov(to, kept))
        if bits == 4 or not self.stays(element):
            lines.append(a.andi(to, (1 << bits) - 1))
        if self.width % 8 > bits:
            lines += [a.lsr(self.keep[1]), a.rol(to)]
        return (*lines, a.subi(to, 1 << self.width % 8 - 1)) if self.signed else tuple(lines)


NUMBER, FIRST = "r10", "r8"
"""Register pairs: the index of an element, and the address of the first byte, plus 1 for more than 8 bits."""


def numbered(width: int, zero: str) -> Sequence[Fetch]:
    """For each byte of an element of packed elements in RAM, the code that fetches the byte, the low byte first. The
    code computes the address from the index of the element.

    width: the width of the element in bits.
    zero: a register that contains zero.

    The code changes X, and for 6 bits also r4, r5 and r0.
    """
    if width % 8 == 6:
        return [_six]
    bits = width % 8
    halvings = {1: 3, 2: 2, 4: 1}[bits]

    def value(to: str) -> Code:
        shift = {
            1: (a.sbrc("r10", 2), a.swap(to), *(a.sbrc("r10", 1), a.lsr(to)) * 2, a.sbrc("r10", 0), a.lsr(to)),
            2: (a.sbrc("r10", 1), a.swap(to), *(a.sbrc("r10", 0), a.lsr(to)) * 2),
            4: (a.sbrc("r10", 0), a.swap(to)),
        }[bits]
        return (*shift, a.andi(to, (1 << bits) - 1), a.subi(to, 1 << bits - 1))

    group = joined(a.movw("r26", NUMBER), (a.lsr("r27"), a.ror("r26")) * halvings)
    from_first = (a.add("r26", FIRST), a.adc("r27", "r9"))
    if width < 8:
        return [lambda to: joined(group, from_first, a.ld(to, "X"), value(to))]
    # A group has one byte more than elements, which comes first.
    address = joined(group, a.add("r26", "r10"), a.adc("r27", "r11"), from_first)

    def upper(to: str) -> Code:
        back = (a.mov(to, "r10"), a.andi(to, (8 // bits) - 1), a.sub("r26", to), a.sbc("r27", zero))
        return (*back, a.ld(to, "-X"), *value(to))

    return [lambda to: joined(address, a.ld(to, "X")), upper]


def shorter(width: int) -> float:
    """The mean number of cycles that the code for an indexed element saves by skipping instructions.

    width: the width of the element in bits.
    """
    return 16.5 if width == 6 else 0


def _six(to: str) -> Code:
    """Code that fetches an indexed 6-bit element to the register `to`.

    Element i starts i / 4 bytes before byte i. The last element of a group consists of the spare bits of the three
    bytes before it.
    """
    quarter = joined((a.movw("r26", "r10"), a.movw("r4", "r10")), (a.lsr("r5"), a.ror("r4")) * 2)
    last = (a.ld(register, "-X") for register in (to, "r4", "r5"))
    left = joined(*((a.lsr(byte), a.ror("r0")) * 2 for byte in ("r5", "r4", to)))
    return joined(
        quarter,
        (a.sub("r26", "r4"), a.sbc("r27", "r5")),
        (a.add("r26", FIRST), a.adc("r27", "r9"), a.sbrc("r10", 0), a.sbrs("r10", 1), a.rjmp(ahead=23)),
        last,
        left,
        (a.mov(to, "r0"), a.rjmp(ahead=24), a.label(23), a.ld(to, "X"), a.label(24), a.asr(to), a.asr(to)),
    )


SAVED = "r12"
"""The first of two registers in which Z is saved."""
_SAVE, _RESTORE = a.movw(SAVED, "r30"), a.movw("r30", SAVED)


def entry(raw: str, table: str) -> Sequence[Fetch]:
    """For each byte of a table entry, the low byte first, the code that fetches the byte. The index is a signed byte in
    a register.

    raw: the register that contains the signed byte.
    table: the first of two registers with the address of entry 0.
    """
    low, high = a.pair(table)
    address = (a.lsl(raw), a.sbc("r31", "r31"), a.mov("r30", raw), a.add("r30", low), a.adc("r31", high))
    return [lambda to: joined(address, a.lpm(to, "Z+")), _upper]


def entries(table: str) -> Sequence[Fetch]:
    """For each byte of a table entry, the low byte first, the code that fetches the byte. The index is the next raw in
    RAM.

    table: the first of two registers with the address of entry 0.
    """
    return [lambda to: joined(next_byte("ram", "X")(to), entry(to, table)[0](to)), _upper]


def _upper(to: str) -> Code:
    return (a.lpm(to, "Z"),)


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
    """The code for the products of a group's elements and a vector.

    * arithmetic: the registers of products and sum, and the code that adds a product.
    * weights: the width of the multiplied integers.
    * first: true if the weights are loaded before the elements of the vector.
    * vector: the code that fetches each byte of the next element of the vector.
    * coded: true if a table decodes each raw.
    * saves: true if tables of either factor overwrite Z, which also points to the weights.
    """

    arithmetic: AvrArithmetic
    weights: int
    first: bool
    vector: Sequence[Fetch]
    coded: bool
    saves: bool

    @classmethod
    def of(cls, wanted: Kernel) -> _GroupProducts:
        first, second = (coding == TABLE for coding in wanted.codings)
        weights, vector = (
            16 if coded or width > 8 else 8 for coded, width in ((first, wanted.weights), (second, wanted.vector))
        )
        chosen = arithmetic(min(weights, vector), max(weights, vector), wanted.sum)
        elements = numbered(wanted.vector, chosen.zero) if wanted.fetches else run(vector, RAM, "X")
        bits = 16 if first else wanted.weights
        return cls(chosen, bits, weights <= vector, entries(_OTHER) if second else elements, first, first or second)

    @property
    def most(self) -> int:
        """The maximum number of products that are accumulated in 16 bits before they are added to the sum. If products
        are added directly to the sum, it is 2^15.
        """
        if not self.arithmetic.flush:
            return 1 << 15
        # The signed bits of one factor times a byte of the other; the two lowest bytes of the sum are shared.
        return (1 << 23) - (1 << 16) >> self.weights + 5 + len(self.vector) if self.first else 255

    def product(self, group: Group, element: int) -> Code:
        chosen, shared, weights = self.arithmetic, group.shared(element), group.fetches(element)
        into, kept = list(chosen.first), group.keep[0]
        begins = any(byte.element == element for byte in group.layout)
        restored, saved = (_RESTORE,) if begins and element else (), (_SAVE,) if begins else ()
        if self.coded:
            raw = kept if group.stays(element) else chosen.first[0] if self.first else "r19"
            shared = joined(restored, shared, weights[0](raw), saved)
            weights = entry(raw, _TABLE)
        elif self.first and group.stays(element):
            into[-1] = kept
        if self.saves and not self.coded:
            [weight] = into
            fetched = joined(restored, shared, weights[0](weight), saved)
            return joined(fetched, chosen.meet(into, self.vector))
        if not self.first:
            return joined(shared, chosen.step(self.vector, weights))
        fetched = joined(*(fetch(register) for fetch, register in zip(weights, into, strict=True)))
        return joined(shared, fetched, chosen.meet(into, self.vector))

    def spare(self, *taken: str) -> Sequence[str]:
        chosen, bytes = self.arithmetic, [next_byte(RAM, "X")] * 2
        step = chosen.step(bytes[: len(chosen.first)], self.vector) if self.first else chosen.step(self.vector, bytes)
        used = {f"r{number}" for number in registers(step)} | {chosen.zero, *chosen.sum, *chosen.gathered, *taken}
        return [register for register in _SPARE if register not in used]


def dense_dot(wanted: Kernel, memory: str) -> Kernel:
    """The kernel for rows of packed or coded weights.

    wanted: the description of the kernel.
    memory: the memory of the weights.
    """
    products, length = _GroupProducts.of(wanted), group_length(wanted.weights)
    chosen = products.arithmetic
    taken = a.pair(SAVED) if products.saves else ()
    group = Group(wanted.weights, next_byte(memory, "Z"), products.spare(chosen.count, *taken))
    step = joined(
        *(products.product(group, element) for element in range(length)), (_RESTORE,) if products.saves else ()
    )
    at_once = 1 if products.saves else max(1, _LARGE // length // (1 if wanted.weights < 8 else 2))
    loop = counted_in_byte(step, at_once, chosen.count, chosen.flush)
    tables = [
        Variable("const int16_t *", name, register, table, 2, changed=False)
        for coding, name, register, table in zip(
            wanted.codings, ("t", "u"), (_TABLE, _OTHER), ("table", "other"), strict=True
        )
        if coding == TABLE
    ]
    row = Row("int8_t", memory)
    symbol = name_of(wanted, "tm_") + row.end
    composed = entered(
        symbol,
        signature(wanted, symbol, row.parameter),
        row,
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


def near_dot(wanted: Kernel, memory: str) -> Kernel:
    """The kernel for a sparse row with 4-bit gaps.

    wanted: the description of the kernel.
    memory: the memory of the weights.
    """
    products = _GroupProducts.of(wanted)
    chosen = products.arithmetic
    gaps, *keep = products.spare(*_COUNTERS)
    low, high = a.pair(NUMBER if wanted.fetches else "r26")

    def gap(second: int) -> Code:
        at = gaps if second else chosen.first[-1]
        ready = (a.swap(gaps),) if second else (*fetch(gaps), a.mov(at, gaps))
        step = (a.inc(at),) if wanted.fetches else (a.lsl(at),) * (wanted.vector // 8 - 1)
        return (*ready, a.andi(at, 15), *step, a.add(low, at), a.adc(high, chosen.zero))

    fetch = next_byte(memory, "Z")
    group = Group(wanted.weights, fetch, keep, gap)
    step = joined(*(products.product(group, element) for element in range(group.length)))
    loop = _counted_by_row(step, fetch, gaps, chosen.flush)
    numbering = (
        Variable("uint16_t", "before", NUMBER, "0xFFFF", 2),
        Variable("const int8_t *", "first", FIRST, "x + 1" if wanted.vector > 8 else "x", 2, changed=False),
    )
    time = loop.step / group.length - shorter(wanted.vector)
    row = Row("int8_t", memory, "row")
    symbol = name_of(wanted, "tm_") + row.end
    composed = entered(
        symbol,
        signature(wanted, symbol, row.parameter),
        row,
        body(wanted),
        chosen,
        loop,
        bits=wanted.sum,
        counter=None,
        others=numbering if wanted.fetches else (),
        functions=[packed_reader(wanted.vector, flash=False)] if wanted.fetches else [],
        element=time,
    )
    code = bytes_of(loop.lines)
    return replace(wanted, symbol=symbol, gaps=GAP_BITS, flash=True, step=time, code=code, composed=composed)


def _counted_by_row(group: Code, fetch: Fetch, spare: str, flush: Code) -> Loop:
    """A loop over the groups of a row. The row starts with the number of its groups.

    group: the code for a group.
    fetch: the code that fetches a byte of the row.
    spare: a scratch register, r16 or above.
    flush: code that is executed at least once in `AT_ONCE` groups, and at the end.
    """
    few, many = _COUNTERS
    head = (*fetch(few), *fetch(many), a.tst(few), a.brne(ahead=1), a.rjmp(ahead=2))
    back = (a.dec(few), a.breq(ahead=2), a.rjmp(back=1))
    again = (a.dec(many), a.brmi(ahead=9), a.ldi(spare, AT_ONCE), a.mov(few, spare), a.rjmp(back=1), a.label(9))
    lines = joined(head, a.label(1), group, back, a.label(2), flush, again, END)
    return Loop(lines, True, 1, (), cycles(group) + 4, cycles(head) + cycles(flush) + 3 + cycles(END))


_FETCHED = (1, 2, 4, 6, 9, 10, 12)
"""The widths of elements that can be fetched from RAM by their index."""


@cache
def compose(wanted: Kernel) -> Kernel | None:
    return _composed(wanted, FLASH if wanted.flash else RAM)


@cache
def compose_far(wanted: Kernel) -> Kernel | None:
    """The kernel that computes the sums described by `wanted` with weights anywhere in flash; None if AVR has no such
    kernel.

    There are no kernels with tables, because LPM reads the tables and overwrites Z.
    """
    return _composed(wanted, FAR_FLASH) if wanted.flash and TABLE not in wanted.codings else None


def _composed(wanted: Kernel, memory: str) -> Kernel | None:
    # Kernels of the list take elements of whole bytes in RAM; others are decoded first.
    if (wanted.flash is False and wanted.weights % 8 == 0) or not {*wanted.codings} <= {INTEGER, TABLE}:
        return None
    coded = TABLE in wanted.codings
    bytes = wanted.weights <= 8 and wanted.vector == 8 and not coded
    if wanted.sum not in ((16, 24, 32) if bytes else (32,)):
        return None
    whole = wanted.vector in (8, 16)
    if wanted.op == "num.dot" and whole and (_has_tables(wanted) if coded else wanted.weights in WIDTHS):
        return replace(dense_dot(replace(wanted, gaps=0), memory), needs=MUL)
    near = wanted.op == "num.sparse_dot" and not coded and wanted.weights in (*WIDTHS, 8, 16)
    if near and wanted.flash and (whole or wanted.vector in _FETCHED):
        return replace(near_dot(replace(wanted, gaps=GAP_BITS), memory), needs=MUL)
    return None


def _has_tables(wanted: Kernel) -> bool:
    return wanted.weights <= 8 and (wanted.codings[1] == INTEGER or wanted.vector == 8)


_INTO = "r19"


def _unpacking(width: int, *, signed: bool) -> Code:
    """The instructions that unpack the group of `width`-bit elements at address X to the address in Z.

    signed: false for elements without a sign bit.
    """
    group = Group(width, next_byte(RAM, "X"), ("r18", "r20"), signed=signed)
    lines: list[Line] = []
    for element in range(group_length(width)):
        *low, last = group.fetches(element)
        into = group.keep[0] if group.stays(element) else _INTO
        lines += joined(group.shared(element), *(joined(fetch(_INTO), a.st("Z+", _INTO)) for fetch in low))
        lines += joined(last(into), a.st("Z+", into))
    return tuple(lines)


def _unpacker(name: str, width: int, *, signed: bool) -> str:
    back = (a.dec("%0"), a.breq(ahead=2), a.rjmp(back=1))
    lines = joined(a.label(1), _unpacking(width, signed=signed), back, a.label(2))
    body = statement(lines, ' : "+r"(groups), "+x"(x), "+z"(to) : : "r18", "r19", "r20", "memory"')
    return f"static TM_UNPACK {copier_head(name, width)}\n{{\n    if (groups == 0)\n        return;\n{body}\n}}\n"


def functions(function: ElementFunction) -> str:
    """The text of a C function on packed elements. On AVR, functions that unpack groups are assembly loops."""
    text = element_function(function)
    if function.kind != "unpack" or isinstance(function.bits, Digits):
        return text
    loop = _unpacker(function.symbol, function.bits, signed=function.signed)
    return f"#ifdef __AVR__\n{loop}#else\n{text}#endif\n"

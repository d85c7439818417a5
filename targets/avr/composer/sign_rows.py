"""AVR kernels that multiply several rows of signs, weights of one bit, by one vector of bytes.

Four rows are processed at a time. Each element of the vector is loaded once for all four, and their sums remain in
registers of 16 bits. A byte of eight signs of each row is shifted right through the carry, which selects whether the
element is added. The sum of a row is twice the sum of the selected elements, minus the sum of the vector. The code
returns after any column, so that it reads no element behind the end of the vector.

Each part of a row, so short that its sum fits in 16 bits, is added to sums of 16, 24 or 32 bits in RAM.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from tinyml.dialects.layouts.digits import Digits
from tinyml.targets.avr import isa as a
from tinyml.targets.avr.assembly import C_SUMS, CALLEES, HEADER, again, bytes_of, cycles, registers, statement
from tinyml.targets.composer.instructions import Code, Line, joined
from tinyml.targets.kernel import Inlined, Kernel, SharedFunction, packed_reader

QUAD, USUAL_ROWS, MAX_ROWS = 4, 16, 31
"""The rows that are processed at a time, and the most rows of a call, whose sums are in RAM meanwhile; without a usual
number that leaves no rows over, a call has up to 31.
"""

AT_ONCE = 8
"""The signs in a byte."""

PART = 248
"""The most columns of a part, whole bytes of signs. Its sum is at most 248 * 128."""

FRAME = 16
"""The bytes of the C function's frame and of the register that points to it (avr-gcc 5.4, `-fstack-usage`)."""

_X, _UPPER = "r19", "r18"
"""The registers of an element and of its sign extension."""
_SIGNS, _SUMS, _ALL = ("r20", "r21", "r22", "r23"), ("r8", "r10", "r12", "r14"), "r16"
"""The signs of the four rows; the lower registers of their sums, and of the sum of the vector."""
_COLUMNS, _LEFT, _BIT = "r2", "r3", "r24"
"""The number of columns, of those left, and of those left in a byte."""
_BACK, _STEP = "r4", "r6"
"""Pairs: three times the distance of rows, and this distance minus one."""
_RESULTS, _QUADS = "r24", "r16"
"""The arguments that are moved first: the address of the sums, and the number of groups of four rows."""
_POINTERS = {26, 27, 28, 29, 30, 31}
_ARGUMENTS = {2, 4, 5, 6, 7, 16, 24, 25}


@cache
def sign_rows(wanted: Kernel) -> Kernel | None:
    """The kernel that computes the sums described by `wanted`; None if there is none.

    wanted: a sum over at least four rows of signs in near flash and a vector of bytes.
    """
    if wanted.sum not in (16, 24, 32):
        return None
    whole = next((rows for rows in range(USUAL_ROWS, 0, -QUAD) if wanted.rows % rows == 0), wanted.rows)
    return _kernel(replace(wanted, rows=whole if whole <= MAX_ROWS else whole // -(-whole // USUAL_ROWS)))


def _kernel(wanted: Kernel) -> Kernel:
    """The kernel that calls a function, which all numbers of rows share.

    If the number of rows is not a multiple of four, the last four rows are computed by a call of their own. Those of
    their sums that are already known are restored.
    """
    rows, rest, ctype = wanted.rows, wanted.rows % QUAD, C_SUMS[wanted.sum]
    rows_code, reader = _Rows(wanted.sum), packed_reader(Digits(wanted.codings[0], 1))
    shared = rows_code.shared(reader)
    symbol = f"tm_dot{rows}_odd1_s8_s{wanted.sum}"
    lines = [
        "if (sums != starts)",
        f"    for (uint8_t i = 0; i < {rows}; i++)",
        "        sums[i] = starts[i];",
        f"{shared.symbol}(w, x, (uint16_t)n, sums, {rows // QUAD});",
    ]
    if rest:
        known, first = QUAD - rest, rows - QUAD
        lines += [
            f"{ctype} known[{known}];",
            f"for (uint8_t i = 0; i < {known}; i++)",
            f"    known[i] = sums[{first} + i];",
            f"{shared.symbol}(w + (n + {AT_ONCE - 1}) / {AT_ONCE} * {first}, x, (uint16_t)n, sums + {first}, 1);",
            f"for (uint8_t i = 0; i < {known}; i++)",
            f"    sums[{first} + i] = known[i];",
        ]
    computed = (rows + QUAD - 1) // QUAD * QUAD
    time = (rows_code.element + rows_code.row / PART) * computed / rows
    signature = f"void {symbol}(const int8_t *w, const int8_t *x, int n,\n    const {ctype} *starts, {ctype} *sums)"
    composed = Inlined(
        HEADER,
        signature,
        {},
        "\n".join(f"    {line}" for line in lines),
        {"": 110 + rows_code.row * computed, "element": time},
        24,
        stack=rows_code.stack + bool(rest) * QUAD * wanted.sum // 8,
        functions=[reader],
        shared=(shared,),
    )
    return replace(wanted, symbol=symbol, step=time, code=0, composed=composed)


@dataclass(frozen=True)
class _Rows:
    """The code for rows of signs.

    sum: the width of the sums in RAM.
    """

    sum: int

    @property
    def element(self) -> float:
        """The cycles of a product, if half of the elements are selected."""
        column, branch = cycles(self._column()) - QUAD / 2, 2
        return (column + branch + cycles(self._load()) / AT_ONCE) / QUAD

    @property
    def row(self) -> float:
        return cycles((*self._begin(), *self._end())) / QUAD

    @property
    def stack(self) -> int:
        """The bytes of stack: two return addresses, saved registers, the frame of the C function, and five bytes
        that the code pushes.
        """
        return 4 + len(registers(self._code()) & CALLEES - _POINTERS) + FRAME + 5

    def shared(self, reader: str) -> SharedFunction:
        """The function that adds the products of the vector and of groups of four rows to sums in RAM.

        reader: the function that reads a sign.
        """
        ctype, lines, name = C_SUMS[self.sum], self._code(), f"tm_add_odd1_s8_s{self.sum}"
        clobbers = sorted(registers(lines) - {0, 1} - _POINTERS - _ARGUMENTS)
        text = f"""\
#ifdef __AVR__
TM_KERNEL {name}_rows(void)
{{
{statement(lines)}
}}
#endif
/* Adds the products of a vector and of {QUAD} * quads rows to sums. */
static TM_SHARED void {name}(const int8_t *w, const int8_t *x, uint16_t n, {ctype} *sums, uint8_t quads)
{{
    const uint16_t pitch = (uint16_t)((n + {AT_ONCE - 1}) / {AT_ONCE});
#ifdef __AVR__
    const uint16_t thrice = (uint16_t)(pitch + pitch + pitch), less = (uint16_t)(pitch - 1);
    for (; n > 0; w += {PART // AT_ONCE}, x += {PART}) {{
        const uint8_t part = n < {PART} ? (uint8_t)n : {PART};
        register uint8_t columns __asm__("{_COLUMNS}") = part;
        register uint16_t back __asm__("{_BACK}") = thrice;
        register uint16_t step __asm__("{_STEP}") = less;
        register {ctype} *to __asm__("{_RESULTS}") = sums;
        register uint8_t count __asm__("{_QUADS}") = quads;
        const int8_t *row = w, *from = x;
        TM_ENTER("0", "+r"(to), "+r"(count), "+z"(row), "+x"(from)
            : [kernel] "i"({name}_rows), "r"(columns), "r"(back), "r"(step)
            : {", ".join(f'"r{number}"' for number in clobbers)}, "memory");
        n = (uint16_t)(n - part);
    }}
#else
    for (uint8_t i = 0; i < {QUAD} * quads; i++, w += pitch)
        for (uint16_t j = 0; j < n; j++)
            sums[i] = ({ctype})({reader}(w, (int16_t)j) < 0 ? sums[i] - x[j] : sums[i] + x[j]);
#endif
}}
"""
        return SharedFunction(name, text, bytes_of(lines) + 90)

    def _code(self) -> Code:
        """The function. Z points to the rows, X to the vector."""
        column = self._column()
        return joined(
            (a.push("r28"), a.push("r29"), a.movw("r28", _RESULTS), a.mov("r0", _QUADS), a.push("r0")),
            a.label(9),
            self._begin(),
            (a.label(1), *self._load(), a.label(4), *column, *again(4, bytes_of(column)), a.rjmp(back=1)),
            a.label(2),
            self._end(),
            (a.pop("r0"), a.dec("r0"), a.breq(ahead=8), a.push("r0"), a.rjmp(back=9), a.label(8)),
            (a.pop("r29"), a.pop("r28"), a.ret()),
        )

    def _begin(self) -> Code:
        zero = (a.clr(register) for pair in (*_SUMS, _ALL) for register in a.pair(pair))
        return joined((a.push("r30"), a.push("r31"), a.mov(_LEFT, _COLUMNS)), zero)

    def _load(self) -> Code:
        lines = list[Line]()
        for signs in _SIGNS:
            lines += [a.lpm(signs, "Z+"), a.add("r30", _STEP), a.adc("r31", a.pair(_STEP)[1])]
        # Behind the last row, Z moves to the next byte of the first row.
        lines[-2:] = [a.sub("r30", _BACK), a.sbc("r31", a.pair(_BACK)[1])]
        return (*lines, a.ldi(_BIT, AT_ONCE))

    def _column(self) -> Code:
        low, high = a.pair(_ALL)
        element = (a.ld(_X, "X+"), a.mov(_UPPER, _X), a.lsl(_UPPER), a.sbc(_UPPER, _UPPER))
        rows = (
            (a.lsr(signs), a.brcc(ahead=5), a.add(sum, _X), a.adc(a.pair(sum)[1], _UPPER), a.label(5))
            for signs, sum in zip(_SIGNS, _SUMS, strict=True)
        )
        counted = (a.dec(_LEFT), a.breq(ahead=2), a.dec(_BIT))
        return joined(element, a.add(low, _X), a.adc(high, _UPPER), *rows, counted)

    def _end(self) -> Code:
        lines = list[Line]()
        for low, high in map(a.pair, _SUMS):
            lines += [a.lsl(low), a.rol(high), a.sub(low, _ALL), a.sbc(high, a.pair(_ALL)[1])]
            lines += [a.mov("r0", high), a.lsl("r0"), a.sbc("r0", "r0")] if self.sum > 16 else []
            for at, byte in enumerate((low, high, "r0", "r0")[: self.sum // 8]):
                lines += [a.ld(_UPPER, "Y"), (a.adc if at else a.add)(_UPPER, byte), a.st("Y+", _UPPER)]
        (back, further), (step, more) = a.pair(_BACK), a.pair(_STEP)
        lines += [a.clr("r1"), a.sub("r26", _COLUMNS), a.sbc("r27", "r1"), a.pop("r31"), a.pop("r30")]
        return (
            *lines,
            a.add("r30", back),
            a.adc("r31", further),
            a.add("r30", step),
            a.adc("r31", more),
            a.adiw("r30", 1),
        )

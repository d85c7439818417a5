"""Sums of products with weights that are packed as digits, computed without multiplications, in plain C for every chip.

* An odd weight adds or subtracts its element once for each plane of signs. The sum is doubled from plane to plane
  (Horner's scheme).
* Several rows share tables. A table contains the sums of four elements for all sixteen patterns of signs, and is
  computed once for each four elements. For each nibble of a plane, a row adds one entry (Wei et al., "T-MAC: CPU
  Renaissance via Table Lookup for Low-Bit LLM Deployment on Edge", 2024, section 3).
* A ternary weight is the upper byte, 0, 1 or 2, of three times the byte that encodes the remaining weights.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from tinyml.dialects.formats.number_format import INTEGER
from tinyml.dialects.layouts.digits import AT_ONCE, ODD, TRITS, TRITS_IN_BYTE
from tinyml.targets.c.composer.elements import HEADER
from tinyml.targets.kernel import Composed, Kernel, SharedFunction

NIBBLE = 4

DOT, ROWS = "num.dot", "num.dot_rows"

MAX_ROWS = 64
"""The most rows that share a table, whose sums are in RAM meanwhile."""


@dataclass(frozen=True)
class DigitTimes:
    """The times per element of the kernels for weights packed as digits on a chip.

    * sign, trit: without a shared table, the time per plane of signs, and the time per ternary element.
    * lookup, row: with a shared table, the time per plane of a row, and the remaining time of the row.
    * table: the time to compute the tables, once for all rows.
    """

    sign: float
    trit: float
    lookup: float
    row: float
    table: float


@dataclass(frozen=True)
class _Plain(Composed):
    @property
    def text(self) -> str:
        return f"static TM_PACKED {self.signature}\n{{\n{self.portable}\n}}\n"


_TABLE = """\
/* The sums of four numbers, those from n on zero, each with the sign of a bit: of all patterns of bits. */
static TM_PACKED void {name}({entry} *table, const {vector} *x, int n)
{{
    const {entry} a = n > 0 ? x[0] : 0, b = n > 1 ? x[1] : 0, c = n > 2 ? x[2] : 0, d = n > 3 ? x[3] : 0;
    const {entry} sums[4] = {{({entry})(a + b), ({entry})(a - b), ({entry})(c + d), ({entry})(c - d)}};
{entries}
}}
"""


def _table(name: str, entry: str, vector: str) -> str:
    """The C function that computes a table. If all signs of a pattern are inverted, the sum is negated, so only half of
    the sums are computed.
    """
    lines: list[str] = []
    for pattern in range(8, 16):
        a, b, c, d = (1 if pattern >> place & 1 else -1 for place in range(4))
        first, second = f"sums[{int(a != b)}]", f"sums[{2 + int(c != d)}]"
        sum = f"{'' if a > 0 else '-'}{first} {'+' if c > 0 else '-'} {second}"
        lines.append(f"    table[{15 - pattern}] = ({entry})-(table[{pattern}] = ({entry})({sum}));")
    return _TABLE.format(name=name, entry=entry, vector=vector, entries="\n".join(lines))


def _byte(wanted: Kernel, pointer: str) -> str:
    return f"tm_packed_byte({pointer}, {int(wanted.flash is not False)})"


def dot(times: DigitTimes, wanted: Kernel) -> Kernel:
    bits, symbol = wanted.weights, f"tm_c_dot_{wanted.codings[0]}{wanted.weights}_s{wanted.vector}_s32"
    signature = f"int32_t {symbol}(const int8_t *w, const int{wanted.vector}_t *x, uint16_t n, int32_t sum)"
    if wanted.codings[0] == TRITS:
        length, pitch, time = TRITS_IN_BYTE, 1, times.trit
        lines = [
            f"uint8_t rest = {_byte(wanted, 'w')};",
            "for (uint8_t i = 0; i < count; i++) {",
            "    const uint16_t digit = (uint16_t)(3 * rest);",
            "    rest = (uint8_t)digit;",
            "    if (digit >> 8 == 2)",
            "        sum += x[i];",
            "    else if (digit >> 8 == 0)",
            "        sum -= x[i];",
            "}",
        ]
    else:
        length, pitch, time = AT_ONCE, bits, bits * times.sign
        lines = [
            "int32_t part = 0;",
            f"for (uint8_t plane = {bits}; plane-- > 0;) {{",
            f"    uint8_t signs = {_byte(wanted, 'w + plane')};",
            "    part += part;",
            "    for (uint8_t i = 0; i < count; i++, signs >>= 1)",
            "        part += signs & 1 ? x[i] : -(int32_t)x[i];",
            "}",
            "sum += part;",
        ]
    body = [
        f"for (; n > 0; w += {pitch}, x += {length}) {{",
        f"    const uint8_t count = n < {length} ? (uint8_t)n : {length};",
        *(f"    {line}" for line in lines),
        "    n = (uint16_t)(n - count);",
        "}",
        "return sum;",
    ]
    portable = "\n".join(f"    {line}" for line in body)
    composed = _Plain(HEADER, signature, {}, portable, {"": 6, "element": time}, 20)
    return replace(wanted, symbol=symbol, step=time, code=110, composed=composed)


_LOOKUP = """\
/* Adds the products of eight numbers and each row to its sum. pitch: bytes from one row to the next. */
static __attribute__((__noinline__, __unused__)) void {name}(const {entry} *table, const int8_t *w, int pitch,
                                                           int32_t *sums, uint8_t rows)
{{
    for (; rows > 0; rows--, w += pitch) {{
{planes}
        *sums++ += part;
    }}
}}
"""


def _lookup(wanted: Kernel, name: str, entry: str) -> str:
    bits = wanted.weights
    # int has 16 bits on small chips, which hold eight elements of a byte times up to 15.
    part = "int" if wanted.vector == 8 else "int32_t"
    planes: list[str] = []
    for plane in reversed(range(bits)):
        entries = "table[signs & 15] + table[16 + (signs >> 4)]"
        first = plane == bits - 1
        planes += [
            f"{'uint_fast8_t ' if first else ''}signs = {_byte(wanted, f'w + {plane}' if plane else 'w')};",
            f"{part} part = {entries};" if first else f"part += part + {entries};",
        ]
    return _LOOKUP.format(name=name, entry=entry, planes="\n".join(f"        {line}" for line in planes))


def rows(times: DigitTimes, wanted: Kernel) -> Kernel:
    bits, rows = wanted.weights, wanted.rows
    memory = "" if wanted.flash is not False else "_ram"
    symbol = f"tm_c_dot{rows}_odd{bits}_s{wanted.vector}_s32{memory}"
    vector, entry = f"int{wanted.vector}_t", f"int{2 * wanted.vector}_t"
    table, lookup = f"tm_signed_sums_s{wanted.vector}", f"tm_add_odd{bits}_s{wanted.vector}{memory}"
    signature = f"void {symbol}(const int8_t *w, const {vector} *x, int n,\n    const int32_t *starts, int32_t *sums)"
    lines = [
        f"const int pitch = (n + {AT_ONCE - 1}) / {AT_ONCE} * {bits};",
        f"for (uint8_t i = 0; i < {rows}; i++)",
        "    sums[i] = starts[i];",
        f"for (; n > 0; n -= {AT_ONCE}, w += {bits}, x += {AT_ONCE}) {{",
        f"    {entry} table[32];",
        f"    {table}(table, x, n);",
        f"    {table}(table + 16, x + {NIBBLE}, n - {NIBBLE});",
        f"    {lookup}(table, w, pitch, sums, {rows});",
        "}",
    ]
    portable = "\n".join(f"    {line}" for line in lines)
    time = times.row + bits * times.lookup + times.table / rows
    shared = (
        SharedFunction(table, _table(table, entry, vector), 220),
        SharedFunction(lookup, _lookup(wanted, lookup, entry), 40 + 36 * bits),
    )
    composed = _Plain(
        HEADER,
        signature,
        {},
        portable,
        {"": 12 + 6 * rows, "element": time},
        24,
        stack=64 * wanted.vector // 8 + 48,
        shared=shared,
    )
    return replace(wanted, symbol=symbol, step=time, code=110, composed=composed)


@cache
def digit_sum(times: DigitTimes, wanted: Kernel) -> Kernel | None:
    """The kernel that computes the sums described by `wanted`; None if there is none.

    times: the times on the chip.
    """
    digits, vector = wanted.codings
    if digits not in (ODD, TRITS) or vector != INTEGER or wanted.vector not in (8, 16) or wanted.sum != 32:
        return None
    if wanted.op == DOT:
        return dot(times, wanted)
    if wanted.op == ROWS and digits == ODD and wanted.rows > 1:
        blocks = -(-wanted.rows // MAX_ROWS)
        return rows(times, replace(wanted, rows=wanted.rows // blocks))
    return None

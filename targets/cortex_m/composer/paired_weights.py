"""Dot products of weights of 1, 2 or 4 bits that are packed as pairs of halfwords, for the DSP extension.

Eight columns of the vector are widened to four pairs of halfwords, in the order in which a word of weights contains its
pairs (`Digits.PAIRED`). A mask and a shift, one instruction, extract a pair of weights, and SMLAD adds both products.
The kernel for several rows processes four rows at a time.

Fields of 2 and 4 bits are weights plus half of their range, which adds a multiple of the sum of the vector. Fields of 1
bit are 0 or 1 for the weights -1 and 1: twice the sum of the selected elements, less the sum of the vector. The sum of
the vector is computed beside the products, times the mask, and is exact modulo 2^32.

Two to seven last columns are copied to the stack and padded with zeros. They are processed four at a time, with weights
that are shifted by a register. The weights themselves are padded in flash. A single last column, as in windows of 3 x 3
or 5 x 5 elements, is read where it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from tinyml.dialects.formats.number_format import INTEGER
from tinyml.dialects.layouts.digits import Digits
from tinyml.targets.composer.instructions import Code, Instruction, Line, joined, stack_of
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.boards import DSP
from tinyml.targets.cortex_m.composer.fragments import (
    SAVED,
    halfwords,
    parted_bytes,
    parted_halfwords,
    restored,
    saved,
    statement,
)
from tinyml.targets.cortex_m.thumb import Address, at, post, slot
from tinyml.targets.kernel import Composed, Inlined, Kernel, SharedFunction, packed_reader

QUAD, USUAL_ROWS, MAX_ROWS = 4, (8, 12, 4), 15
"""The rows that are processed at a time; the usual numbers of rows of a call, the best first, and the most rows: their
sums are on the stack.
"""

WORD = 32

COLUMNS = 8
"""The columns of a step."""

_REST_OF_A_ROW = 7.0, 2.2
"""Instructions for each column behind the whole steps, beside those of any column: of a single row, and of each of
several rows, as means over the numbers of such columns.
"""

_SUMS = "r4", "r5", "r6", "r7"
_FACTORS = "r10", "r11", "r12", "lr"
_TOTAL, _END, _X, _WHOLE, _STARTS, _ROWS_AT, _REST, _SHIFT = (slot(place) for place in range(0, 32, 4))
"""Stack slots: the sum of the vector and the end of the whole steps; the start of the vector, this end again, the start
values and weights of the next rows; the number of columns behind the whole steps, and the shift of their weights.
"""

_BUFFER = 32
"""The byte offset of the last columns on the stack."""


@cache
def paired_sum(wanted: Kernel) -> Kernel | None:
    """The kernel that computes the sums described by `wanted`; None if there is none."""
    if wanted.codings != (Digits.PAIRED, INTEGER) or wanted.vector not in (8, 16) or wanted.sum != 32:
        return None
    if wanted.op == "num.dot":
        return _one(wanted)
    if wanted.op != "num.dot_rows" or wanted.rows < QUAD:
        return None
    blocks = -(-wanted.rows // MAX_ROWS)
    rows = next((rows for rows in USUAL_ROWS if wanted.rows % rows == 0), wanted.rows // blocks)
    return _several(replace(wanted, rows=rows))


def _one(wanted: Kernel) -> Kernel:
    weights = _Weights(wanted.weights, wanted.vector, 1)
    symbol = f"tm_cm_dot_pairs{wanted.weights}_s{wanted.vector}_s32"
    signature = f"int32_t {symbol}(const int8_t *w, const int{wanted.vector}_t *x, int n, int32_t sum)"
    portable = f"{weights.portable}\n    return sum;"
    body = weights.code
    text = _composed(signature, weights, body, portable, {"": 42.0, "element": 2.63, "rest": _REST_OF_A_ROW[0]})
    return replace(wanted, symbol=symbol, step=3.3, code=_bytes(body), composed=text)


def _several(wanted: Kernel) -> Kernel:
    """The kernel for at least four rows: calls of a function that all numbers of rows share.

    If the number of rows is not a multiple of four, the last four rows are computed by a call of their own, whose first
    sums are already known.
    """
    weights, rows = _Weights(wanted.weights, wanted.vector, QUAD), wanted.rows
    shared = f"tm_cm_dots_pairs{wanted.weights}_s{wanted.vector}_s32"
    runs = f"const int8_t *w, const int{wanted.vector}_t *x, int n, const int32_t *starts, int32_t *sums"
    symbol = shared.replace("dots", f"dot{rows}")
    pitch = f"(n + {weights.length - 1}) / {weights.length} * {WORD // 8}"
    portable = f"""\
    for (; rows > 0; rows--, w += {pitch}) {{
        int32_t sum = *starts++;
    {weights.portable}
        *sums++ = sum;
    }}"""
    body, costs = weights.code, {"": 33 + 7.3 * rows, "element": 1.6, "rest": _REST_OF_A_ROW[1] * rows}
    text = _composed(f"void {shared}({runs}, int rows)", weights, body, portable, costs)
    function = SharedFunction(shared, text.text, _bytes(body))
    whole, rest = rows - rows % QUAD, rows % QUAD
    call = f"    {shared}(w, x, n, starts, sums, {whole});"
    if rest:
        more = rows - QUAD
        known = "\n".join(f"    sums[{rows - rest + k}] = last[{QUAD - rest + k}];" for k in range(rest))
        first = f"w + {pitch} * {more}"
        call = (
            f"    int32_t last[{QUAD}];\n{call}\n    {shared}({first}, x, n, starts + {more}, last, {QUAD});\n{known}"
        )
    outer = Inlined(
        "tinyml/cores.h",
        f"void {symbol}({runs})",
        {},
        call,
        costs,
        24,
        stack=stack_of(body) + 8 + (bool(rest) * QUAD * WORD // 8),
        block=COLUMNS,
        functions=text.functions,
        shared=(function,),
    )
    return replace(wanted, symbol=symbol, step=2.0, code=0, composed=outer)


def _composed(signature: str, weights: _Weights, body: Code, portable: str, costs: dict[str, float]) -> Composed:
    reader = packed_reader(Digits(Digits.PAIRED, weights.bits))
    statements = {(DSP,): statement(body, DSP)}
    return Composed(
        "tinyml/cores.h",
        signature,
        statements,
        portable,
        costs,
        16,
        stack=stack_of(body),
        functions=(reader,),
        block=COLUMNS,
    )


def _bytes(body: Code) -> int:
    return 4 * sum(isinstance(line, Instruction) for line in body)


@dataclass(frozen=True)
class _Weights:
    """The code for rows of packed weights.

    bits: the width of a weight.
    vector: the width of an element of the vector.
    rows: the number of rows that are processed at a time.
    """

    bits: int
    vector: int
    rows: int

    @property
    def length(self) -> int:
        return WORD // self.bits

    @property
    def sums(self) -> tuple[str, ...]:
        return _SUMS[: self.rows]

    @property
    def total(self) -> str:
        """The register of the sum of the vector, which is on the stack meanwhile if there are several rows."""
        return "r8" if self.rows > 1 else "r5"

    @property
    def end(self) -> str:
        """The register of the end of the whole steps, which is on the stack if there are several rows."""
        return "r9" if self.rows > 1 else "r6"

    @property
    def portable(self) -> str:
        reader = packed_reader(Digits(Digits.PAIRED, self.bits))
        return f"    for (int16_t i = 0; i < n; i++)\n        sum += (int32_t){reader}(w, i) * x[i];"

    @property
    def code(self) -> Code:
        """The function.

        r0 points to the weights of the first row, r1 to the vector, and r2 is the distance of rows in bytes. r3 is the
        mask.
        """
        frame, steps = _BUFFER + self.vector // 8 * COLUMNS, self.length // COLUMNS
        arguments = frame + 4 * len((*SAVED, "lr"))
        several = self.rows > 1
        return joined(
            saved(frame),
            self._begin(),
            t.label(1) if several else (),
            self._begin_rows(),
            (t.cmp("r1", self.end), t.beq(ahead=3)),
            t.label(2),
            *(self._step(number, last=number == steps - 1) for number in range(steps)),
            t.label(3),
            self._last_columns(),
            t.label(5),
            self._finish(),
            self._next_rows(slot(arguments), slot(arguments + 4)) if several else t.mov("r0", "r4"),
            restored(frame),
        )

    def _begin(self) -> Code:
        bytes, mask = self.vector // 8, (1 << self.bits) - 1
        load, store = (t.ldrb, t.strb) if bytes == 1 else (t.ldrh, t.strh)
        scaled = {"lsl": 1} if bytes == 2 else {}
        # The columns of the last word's whole steps, from which the shift follows.
        turn, halved = self.length - COLUMNS, (t.lsr("r8", "r8", 1),) if self.bits == 1 else ()
        return joined(
            (t.str_("r3", _STARTS), t.str_("r1", _X), t.and_("r9", "r2", COLUMNS - 1), t.str_("r9", _REST)),
            (t.sub("r10", "r2", "r9"), t.add("r10", "r1", "r10", **scaled), t.str_("r10", _WHOLE)),
            () if not turn else (t.and_("r8", "r2", turn), *halved, t.str_("r8", _SHIFT)),
            (t.add("r2", "r2", self.length - 1), t.lsr("r2", "r2", self.length.bit_length() - 1)),
            (t.lsl("r2", "r2", 2), t.movw("r3", mask), t.movt("r3", mask)),
            (t.cmp("r9", 1), t.bls(ahead=7), t.mov("r8", 0), t.add("r11", "sp", _BUFFER)),
            tuple(t.str_("r8", slot(_BUFFER + place)) for place in range(0, bytes * COLUMNS, 4)),
            (t.label(6), load("r8", post("r10", bytes)), store("r8", post("r11", bytes))),
            (t.subs("r9", "r9", 1), t.bne(back=6), t.label(7)),
        )

    def _begin_rows(self) -> Code:
        lines: list[Line] = []
        if self.bits == 1:
            lines += [t.mov(sum, 0) for sum in self.sums]
        elif self.rows == 1:
            lines += [t.ldr("r4", _STARTS)]
        else:
            lines += [t.ldr("r8", _STARTS), t.ldmia("r8", self.sums, update=True), t.str_("r8", _STARTS)]
        if self.rows > 1:
            lines += [t.str_("r0", _ROWS_AT)]
        lines += [t.ldr("r1", _X), t.ldr(self.end, _WHOLE), t.mov(self.total, 0)]
        return (*lines, *([t.strd(self.total, self.end, _TOTAL)] if self.rows > 1 else []))

    def _elements(self, even: str, odd: str) -> Code:
        """Code that widens four elements: 0 and 2 to the register `even`, 1 and 3 to `odd`."""
        if self.vector == 16:
            return parted_halfwords("r1", even, odd, "r9")
        return parted_bytes(t.ldr(odd, post("r1", 4)), even, odd)

    def _step(self, number: int, *, last: bool) -> Code:
        return joined(
            self._elements(*_FACTORS[:2]),
            self._elements(*_FACTORS[2:]),
            t.ldrd(self.total, self.end, _TOTAL) if self.rows > 1 else (),
            *(halfwords((self.total,), factor, "r3") for factor in _FACTORS),
            t.str_(self.total, _TOTAL) if self.rows > 1 else (),
            t.cmp("r1", self.end),
            *(
                joined(
                    load,
                    *(
                        joined(self._field(4 * number + turn), halfwords((sum,), "r9", factor))
                        for turn, factor in enumerate(_FACTORS)
                    ),
                )
                for sum, load in zip(reversed(self.sums), self._words(4 if last else 0), strict=True)
            ),
            t.bne(back=2) if last else t.beq(ahead=3),
        )

    def _field(self, place: int) -> Instruction:
        """The instruction that extracts the pair of weights with the index `place` of r8 to r9."""
        return t.and_("r9", "r3", "r8", **({"lsr": self.bits * place} if place else {}))

    def _words(self, step: int) -> list[Code]:
        """Code that loads the words of the rows to r8, the last row first. Then r0 is advanced by `step` bytes."""
        first = (t.ldr("r8", post("r0", step) if step else at("r0")),)
        if self.rows == 1:
            return [first]
        thrice = t.add("r9", "r2", "r2", lsl=1), t.ldr("r8", at("r0", "r9"))
        return [thrice, (t.ldr("r8", at("r0", "r2", 1)),), (t.ldr("r8", at("r0", "r2")),), first]

    def _last_columns(self) -> Code:
        shifted, shift = self.length > COLUMNS, t.lsr("r8", "r8", "r10")
        load = t.ldrsb if self.vector == 8 else t.ldrsh

        def products(even: str, odd: str = "") -> Code:
            total = self.total
            added = joined(*(halfwords((total,), pair, "r3") for pair in (even, odd) if odd))
            lines: list[Line] = [*(added if odd else [t.smlabb(total, even, "r3", total)])]
            if self.rows > 1:
                lines = [t.ldr(total, _TOTAL), *lines, t.str_(total, _TOTAL)]
            for sum, row in zip(reversed(self.sums), self._words(0), strict=True):
                lines += [*row, *([shift] if odd or shifted else []), self._field(0)]
                if odd:
                    lines += [*halfwords((sum,), "r9", even), self._field(1), *halfwords((sum,), "r9", odd)]
                else:
                    lines += [t.smlabb(sum, "r9", even, sum)]
            return tuple(lines)

        return joined(
            (t.ldr("r12", _REST), t.ldr("r10", _SHIFT) if shifted else t.mov("r10", 0)),
            (t.subs("r12", "r12", 1), t.blt(ahead=5), t.bne(ahead=8)),
            (load("lr", at("r1")), *products("lr"), t.b(ahead=5)),
            (t.label(8), t.add("r1", "sp", _BUFFER), t.label(4)),
            (*self._elements("lr", "r11"), *products("lr", "r11")),
            (t.add("r10", "r10", 2 * self.bits), t.subs("r12", "r12", QUAD), t.bge(back=4)),
        )

    def _next_rows(self, to_sums: Address, rows_left: Address) -> Code:
        return joined(
            (t.ldr("r8", to_sums), t.stmia("r8", self.sums, update=True), t.str_("r8", to_sums)),
            (t.ldr("r0", _ROWS_AT), t.add("r0", "r0", "r2", lsl=2)),
            (t.ldr("r8", rows_left), t.subs("r8", "r8", QUAD), t.str_("r8", rows_left), t.bne(back=1)),
        )

    def _finish(self) -> Code:
        total = (t.ldr("r8", _TOTAL),) if self.rows > 1 else ()
        if self.bits > 1:
            half, mask = 1 << self.bits - 1, (1 << self.bits) - 1
            # The mask is odd and has an inverse modulo 2^32.
            bias = half * pow(mask, -1, 1 << 32) % (1 << 32)
            constant = t.movw("r9", bias & 0xFFFF), t.movt("r9", bias >> 16)
            return joined(total, constant, *(t.mls(sum, self.total, "r9", sum) for sum in self.sums))
        if self.rows == 1:
            return (t.ldr("r9", _STARTS), t.sub("r9", "r9", self.total), t.add("r4", "r9", "r4", lsl=1))
        starts = ("r10", "r11", "r12", "lr")
        lines: list[Line] = [t.ldr("r9", _STARTS), t.ldmia("r9", starts, update=True), t.str_("r9", _STARTS), *total]
        for start, sum in zip(starts, self.sums, strict=True):
            lines += [t.sub(start, start, "r8"), t.add(sum, start, sum, lsl=1)]
        return tuple(lines)

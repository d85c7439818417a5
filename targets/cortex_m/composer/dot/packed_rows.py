"""Dense products of bit-packed weights of 2 and 4 bits, of a row or of four at a time, with the DSP extension.

A word holds n weights, and shifts and masks of it give pairs of them as halfwords: weights k and k + n / 2. Elements of
the vector are brought into the same order once for all rows. Stored signs are inverted, so that fields are weights plus
half of their range: the sums are too large by that half times the sum of the vector, which is subtracted at the end. It
is counted as products with the mask, whose halves are odd and thus have an inverse modulo 2**32.

The rest of each row is copied to the stack, where zeros follow it, as are the elements of the vector that it meets.
"""

from __future__ import annotations

from dataclasses import replace

from tinyml.dialects.layouts.packed_bits import group_layout, group_length
from tinyml.targets.composer.instructions import Code, Line, joined, stack_of
from tinyml.targets.cortex_m.assembly import thumb as t
from tinyml.targets.cortex_m.assembly.operands import Address, at, post, slot
from tinyml.targets.cortex_m.composer import multiply
from tinyml.targets.cortex_m.composer.assembly import DSP, SAVED, restored, saved, statement
from tinyml.targets.kernel import Composed, Kernel

_WORD = 32
_PAIRS = ("r12", "lr", "r10", "r11")
"""Elements k and k + n / 2 of the vector, for four k."""

_VECTOR_SUM, _END, _REST, _WEIGHTS, _COLUMNS = slot(0), slot(4), slot(8), 12, 28
"""Stack slots: the sum of the vector; the end of the columns whose weights fill words; the number of columns behind it,
their weights, a word for each row, and the columns themselves."""

_LOADED = (t.ldmia("r3", ("r4", "r5", "r6", "r7")),)
_BEGIN, _SUMS = {1: (t.mov("r4", "r3"),), 4: _LOADED}, {1: ("r4",), 4: ("r4", "r5", "r6", "r7")}


def packed_dot(weights: int, step: float, code: int) -> Kernel:
    """The kernel for a row of weights of 2 or 4 bits and a vector of bytes.

    step: measured time per product; code: bytes of flash.
    """
    symbol = f"tm_cm_dot_p{weights}_s8_s32"
    signature = f"int32_t {symbol}(const int8_t *w, const int8_t *x, int n, int32_t sum)"
    return _kernel(symbol, weights, 1, step, code, signature, f"{_portable(weights)}\n    return sum;")


def packed_rows(weights: int, step: float, code: int) -> Kernel:
    """The kernel for four rows of weights of 2 or 4 bits and a vector of bytes. As `packed_dot`."""
    symbol, group = f"tm_cm_dot4_p{weights}_s8_s32", group_length(weights)
    signature = f"void {symbol}(const int8_t *w, const int8_t *x, int n, const int32_t *start, int32_t *sums)"
    portable = f"""\
    for (int row = 0; row < 4; row++, w += (n + {group - 1}) / {group}) {{
        int32_t sum = start[row];
    {_portable(weights)}
        sums[row] = sum;
    }}"""
    return _kernel(symbol, weights, 4, step, code, signature, portable)


def _kernel(symbol: str, weights: int, rows: int, step: float, code: int, signature: str, portable: str) -> Kernel:
    body = _body(weights, rows)
    statements = {(DSP,): statement(body, DSP)}
    composed = Composed("tinyml/cores.h", signature, statements, portable, stack=stack_of(body))
    op = "num.dot_rows" if rows > 1 else "num.dot"
    kernel = Kernel(symbol, weights, 8, 32, op=op, flash=None, rows=rows, step=step, code=code, needs="dsp")
    return replace(kernel, composed=composed)


def _body(bits: int, rows: int) -> Code:
    columns, group, mask, sums = _WORD // bits, group_length(bits), (1 << bits) - 1, _SUMS[rows]
    frame = _COLUMNS + columns
    half = (1 << bits - 1) * pow(mask, -1, 1 << _WORD) % (1 << _WORD)
    end = t.ldr("r3", slot(frame + 4 * len((*SAVED, "lr")))), t.stmia("r3", sums)
    return joined(
        saved(frame),
        _BEGIN[rows],
        (t.and_("r8", "r2", columns - 1), t.str_("r8", _REST)),
        (t.sub("r9", "r2", "r8"), t.add("r9", "r1", "r9"), t.str_("r9", _END)),
        (t.add("r2", "r2", group - 1), t.lsr("r2", "r2", group.bit_length() - 1)),
        (t.movw("r3", mask), t.movt("r3", mask)),
        (t.mov("r8", 0), t.str_("r8", _VECTOR_SUM)),
        (t.cmp("r1", "r9"), t.beq(ahead=2)),
        t.label(1),
        *(_phase(bits, number, sums) for number in range(columns // 8)),
        t.add("r1", "r1", columns),
        (t.ldr("r8", _END), t.cmp("r1", "r8"), t.bne(back=1)),
        t.label(2),
        (t.ldr("r9", _REST), t.cmp("r9", 0), t.beq(ahead=4)),
        _copied_rest(bits, rows),
        t.b(back=1),
        t.label(4),
        (t.ldr("r8", _VECTOR_SUM), t.movw("r9", half & 0xFFFF), t.movt("r9", half >> 16)),
        tuple(t.mls(sum, "r8", "r9", sum) for sum in sums),
        end if rows > 1 else t.mov("r0", "r4"),
        restored(frame),
    )


def _phase(bits: int, number: int, sums: tuple[str, ...]) -> Code:
    """The products of eight columns of a word. number: of the phase among those of the word."""
    columns = _WORD // bits
    lines: list[Line] = [t.ldr("r8", at("r1", 4 * number)), t.ldr("r10", at("r1", columns // 2 + 4 * number))]
    lines += [t.sxtb16("r9", "r8", ror=8), t.sxtb16("r8", "r8"), t.sxtb16("r11", "r10", ror=8), t.sxtb16("r10", "r10")]
    for even, odd, pair, other in (("r8", "r10", "r12", "r10"), ("r9", "r11", "lr", "r11")):
        lines += [t.pkhbt(pair, even, odd, lsl=16), t.pkhtb(other, odd, even, asr=16)]
    lines += [t.ldr("r8", _VECTOR_SUM)]
    for pair in _PAIRS:
        lines += multiply.halfwords(("r8",), pair, "r3")
    lines += [t.str_("r8", _VECTOR_SUM)]
    rows = _rows(len(sums), last=8 * (number + 1) == columns)
    for sum, row in zip(reversed(sums), rows, strict=True):
        lines += [t.add("r9", "r2", "r2", lsl=1)] if "r9" in row.registers else []
        lines += [t.ldr("r8", row)]
        for k, pair in enumerate(_PAIRS):
            shift = bits * (4 * number + k)
            lines += [t.and_("r9", "r3", "r8", **({"lsr": shift} if shift else {}))]
            lines += multiply.halfwords((sum,), "r9", pair)
    return tuple(lines)


def _rows(count: int, *, last: bool) -> list[Address]:
    """The words of rows, the last row first; r9 has three times the bytes of a row, which r2 has."""
    others = [at("r0", "r9"), at("r0", "r2", 1), at("r0", "r2")] if count > 1 else []
    return [*others, post("r0", 4) if last else at("r0")]


def _copied_rest(bits: int, rows: int) -> Code:
    """Makes the columns that are left, whose number is in r9, and their weights those of the next and last word."""
    columns, group = _WORD // bits, group_length(bits)
    return joined(
        t.mov("r8", 0),
        tuple(t.str_("r8", slot(place)) for place in range(_WEIGHTS, _COLUMNS + columns, 4)),
        (t.str_("r8", _REST), t.add("r10", "sp", _COLUMNS)),
        (t.add("r11", "r9", group - 1), t.lsr("r11", "r11", group.bit_length() - 1)),
        _bytes_copied("r1", 3),
        (t.add("r10", "sp", _WEIGHTS), t.mov("r12", rows)),
        t.label(5),
        t.mov("r9", "r11"),
        _bytes_copied("r0", 3),
        (t.sub("r9", "r2", "r11"), t.add("r0", "r0", "r9"), t.sub("r10", "r10", "r11"), t.add("r10", "r10", 4)),
        (t.subs("r12", "r12", 1), t.bne(back=5)),
        (t.add("r0", "sp", _WEIGHTS), t.mov("r2", 4)),
        (t.add("r1", "sp", _COLUMNS), t.add("r8", "r1", columns), t.str_("r8", _END)),
    )


def _bytes_copied(source: str, label: int) -> Code:
    """Copies as many bytes as r9 counts to r10."""
    step = t.ldrb("r8", post(source, 1)), t.strb("r8", post("r10", 1)), t.subs("r9", "r9", 1)
    return joined(t.label(label), step, t.bne(back=label))


def _portable(bits: int) -> str:
    group, [field] = group_length(bits), {each.bits for each in group_layout(bits)}
    weight = f"((uint8_t)w[i / {group}] >> {field} * (i % {group}) & {(1 << bits) - 1}) - {1 << bits - 1}"
    return f"    for (int i = 0; i < n; i++)\n        sum += (int32_t)({weight}) * x[i];"

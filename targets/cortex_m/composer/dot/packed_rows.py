"""Dense products of bit-packed weights of 2 or 4 to 7 bits, of a row or of four at a time, with the DSP extension.

Columns are taken in blocks, whose words are those of `packed_words`. Stored signs are inverted, so that fields are
weights plus half of their range: what that adds to the sums is a multiple of the sum of the vector, which is subtracted
at the end.

The rest of each row is copied to the stack, where zeros follow it, as are the elements of the vector that it meets.
"""

from __future__ import annotations

from dataclasses import replace

from tinyml.dialects.layouts.packed_bits import group_bytes, group_length
from tinyml.targets.composer.instructions import Code, Line, joined, stack_of
from tinyml.targets.cortex_m.assembly import thumb as t
from tinyml.targets.cortex_m.assembly.operands import Address, at, post, slot
from tinyml.targets.cortex_m.composer import multiply
from tinyml.targets.cortex_m.composer.assembly import DSP, SAVED, restored, saved, statement
from tinyml.targets.cortex_m.composer.dot.packed_words import FACTORS, VECTOR_SUM, Block, PackedWord, block_of
from tinyml.targets.kernel import Composed, Kernel

_END, _REST, _START, _WEIGHTS = slot(4), slot(8), slot(12), 16
"""Stack slots: the end of the columns that fill blocks; the number of columns behind it; the argument in r3; the
weights of these columns, row after row, which the columns themselves follow."""

_SUMS = {1: ("r4",), 4: ("r4", "r5", "r6", "r7")}


def packed_dot(weights: int, step: float, code: int) -> Kernel:
    """The kernel for a row of weights of 2 or 4 bits and a vector of bytes.

    step: measured time per product; code: bytes of flash.
    """
    symbol = f"tm_cm_dot_p{weights}_s8_s32"
    signature = f"int32_t {symbol}(const int8_t *w, const int8_t *x, int n, int32_t sum)"
    return _kernel(symbol, weights, 1, step, code, signature, f"{_portable(weights)}\n    return sum;")


def packed_rows(weights: int, step: float, code: int) -> Kernel:
    """The kernel for four rows of weights of 2 or 4 to 7 bits and a vector of bytes. As `packed_dot`."""
    symbol, group = f"tm_cm_dot4_p{weights}_s8_s32", group_length(weights)
    signature = f"void {symbol}(const int8_t *w, const int8_t *x, int n, const int32_t *start, int32_t *sums)"
    portable = f"""\
    for (int row = 0; row < 4; row++, w += (n + {group - 1}) / {group} * {group_bytes(weights)}) {{
        int32_t sum = start[row];
    {_portable(weights)}
        sums[row] = sum;
    }}"""
    return _kernel(symbol, weights, 4, step, code, signature, portable)


def _kernel(symbol: str, weights: int, rows: int, step: float, code: int, signature: str, portable: str) -> Kernel:
    body = _body(weights, rows)
    statements = {(DSP,): statement(body, DSP)}
    reader = f"tm_packed_s{weights}"
    composed = Composed("tinyml/cores.h", signature, statements, portable, stack=stack_of(body), functions=(reader,))
    op = "num.dot_rows" if rows > 1 else "num.dot"
    kernel = Kernel(symbol, weights, 8, 32, op=op, flash=None, rows=rows, step=step, code=code, needs="dsp")
    return replace(kernel, composed=composed)


def _body(bits: int, rows: int) -> Code:
    block, sums = block_of(bits), _SUMS[rows]
    pitch = block.bytes + -block.bytes % 4
    columns = _WEIGHTS + rows * pitch
    frame = columns + block.columns
    return joined(
        saved(frame),
        _begin(block, sums),
        (t.and_("r8", "r2", block.columns - 1), t.str_("r8", _REST)),
        (t.sub("r9", "r2", "r8"), t.add("r9", "r1", "r9"), t.str_("r9", _END)),
        _packed_bytes("r2", bits, "r2", "r8"),
        () if block.mask is None else _mask(block.mask),
        (t.mov("r8", 0), t.str_("r8", VECTOR_SUM)),
        (t.cmp("r1", "r9"), t.beq(ahead=2)),
        t.label(1),
        *(_products(word, sums, block.mask is None) for word in block.words),
        t.add("r1", "r1", block.columns),
        (t.ldr("r8", _END), t.cmp("r1", "r8"), t.bne(back=1)),
        t.label(2),
        (t.ldr("r9", _REST), t.cmp("r9", 0), t.beq(ahead=4)),
        _copied_rest(bits, rows, pitch, columns, block.columns),
        t.b(back=1),
        t.label(4),
        _end(block, sums),
        (t.ldr("r3", slot(frame + 4 * len((*SAVED, "lr")))), t.stmia("r3", sums)) if rows > 1 else t.mov("r0", "r4"),
        restored(frame),
    )


def _mask(mask: int) -> Code:
    return (t.movw("r3", mask & 0xFFFF), t.movt("r3", mask >> 16))


def _begin(block: Block, sums: tuple[str, ...]) -> Code:
    """The sums as they start; zeros if they are shifted to the right at the end."""
    if block.shift:
        return (t.str_("r3", _START), *(t.mov(sum, 0) for sum in sums))
    return (t.ldmia("r3", sums),) if len(sums) > 1 else (t.mov("r4", "r3"),)


def _end(block: Block, sums: tuple[str, ...]) -> Code:
    """The sums without bias and shift, added to those of the start."""
    lines: list[Line] = []
    if block.bias:
        lines += [t.ldr("r8", VECTOR_SUM), t.movw("r9", block.bias & 0xFFFF), t.movt("r9", block.bias >> 16)]
        lines += [t.mls(sum, "r8", "r9", sum) for sum in sums]
    if block.shift:
        lines += [t.ldr("r9", _START)]
        for sum in sums:
            lines += [t.ldr("r8", post("r9", 4)), t.add(sum, "r8", sum, asr=block.shift)]
    return tuple(lines)


def _products(word: PackedWord, sums: tuple[str, ...], masked: bool) -> Code:
    """The products of a word of each row. masked: true if the mask is not that of the word before."""
    lines: list[Line] = [*(_mask(word.mask) if masked else ()), *word.factors]
    rows = _rows(len(sums), word.step)
    for sum, row in zip(reversed(sums), rows, strict=True):
        lines += [t.add("r9", "r2", "r2", lsl=1)] if "r9" in row.registers else []
        lines += [word.load("r8", row), *word.arranged]
        for pair, factors in zip(word.pairs, FACTORS, strict=True):
            lines += [pair, *multiply.halfwords((sum,), "r9", factors)]
    return tuple(lines)


def _rows(count: int, step: int) -> list[Address]:
    """The words of rows, the last row first; r9 has three times the bytes of a row, which r2 has."""
    others = [at("r0", "r9"), at("r0", "r2", 1), at("r0", "r2")] if count > 1 else []
    return [*others, post("r0", step) if step else at("r0")]


def _packed_bytes(result: str, bits: int, elements: str, free: str) -> Code:
    """The bytes of whole groups that hold some elements."""
    group, bytes = group_length(bits), group_bytes(bits)
    lines: list[Line] = [t.add(result, elements, group - 1), t.lsr(result, result, group.bit_length() - 1)]
    if bytes > 1:
        lines += [t.mov(free, bytes), t.mul(result, result, free)]
    return tuple(lines)


def _copied_rest(bits: int, rows: int, pitch: int, columns: int, count: int) -> Code:
    """Makes the columns that are left, whose number is in r9, and their weights those of the next and last block.

    pitch: bytes from row to row on the stack; columns: the byte offset of the columns there; count: those of a block.
    """
    return joined(
        t.mov("r8", 0),
        tuple(t.str_("r8", slot(place)) for place in range(_WEIGHTS, columns + count, 4)),
        (t.str_("r8", _REST), t.add("r10", "sp", columns)),
        _packed_bytes("r11", bits, "r9", "r8"),
        _bytes_copied("r1", many=pitch > 8),
        (t.add("r10", "sp", _WEIGHTS), t.mov("r12", rows)),
        t.label(3),
        t.mov("r9", "r11"),
        _bytes_copied("r0", many=pitch > 8),
        (t.sub("r9", "r2", "r11"), t.add("r0", "r0", "r9"), t.sub("r10", "r10", "r11"), t.add("r10", "r10", pitch)),
        (t.subs("r12", "r12", 1), t.bne(back=3)),
        (t.add("r0", "sp", _WEIGHTS), t.mov("r2", pitch)),
        (t.add("r1", "sp", columns), t.add("r8", "r1", count), t.str_("r8", _END)),
    )


def _bytes_copied(source: str, *, many: bool) -> Code:
    """Copies as many bytes as r9 counts, at least one, to r10. many: as words and what is left of one."""
    bytes = t.ldrb("r8", post(source, 1)), t.strb("r8", post("r10", 1)), t.subs("r9", "r9", 1)
    if not many:
        return joined(t.label(5), *bytes, t.bne(back=5))
    words = t.ldr("r8", post(source, 4)), t.str_("r8", post("r10", 4)), t.subs("r9", "r9", 4)
    return joined(
        (t.subs("r9", "r9", 4), t.blt(ahead=7)),
        (t.label(6), *words, t.bge(back=6)),
        (t.label(7), t.adds("r9", "r9", 4), t.beq(ahead=9)),
        (t.label(8), *bytes, t.bne(back=8)),
        t.label(9),
    )


def _portable(bits: int) -> str:
    return f"    for (int16_t i = 0; i < n; i++)\n        sum += (int32_t)tm_packed_s{bits}(w, i) * x[i];"

"""Dot products and distances for Helium, over runs of memory whose lengths are known only at run time, of one row or of
four rows.

A low-overhead loop predicates the vectors of its last iteration, so that no elements remain after the loop. Bytes that
are multiplied by halfwords are widened as they are loaded. Sums are in even registers, a 64-bit sum in a pair of
registers. For sparse rows, the elements of the vector are gathered.

Packed weights of 4 bits: the low halves of sixteen bytes are multiplied by the even elements of the vector, the high
halves by the odd elements. Both are gathered by offsets. The halves are weights plus 8. Therefore 8 times the sum of
the vector is subtracted at the end. If the number of elements is odd, the last element is multiplied first and
separately.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from tinyml.dialects.layouts.sparse_rows import BASE_BYTES, COUNT_BYTES, bytes_of_gathered
from tinyml.targets.c.composer.compose import SUMS_IN_C, parameters
from tinyml.targets.composer.instructions import Code, Line, instructions, joined, max_bytes, printed, stack_of
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.fragments import SAVED
from tinyml.targets.cortex_m.thumb import at, post, slot
from tinyml.targets.helium.mve import (
    CORE,
    HEADER,
    RESTORE_VECTORS,
    SAVE_VECTORS,
    VECTOR,
    access,
    gathered,
    gathered_halfwords,
    integer,
    multiply,
    naked,
    scalar,
)
from tinyml.targets.kernel import Composed, Kernel

_ROWS = {1: ("r4",), 4: ("r4", "r6", "r8", "r10")}
"""The registers of the sums, by the number of rows."""

_BIAS = 8
"""The amount by which the fields of packed weights exceed the weights."""


_SQUARES = """\
    for (int i = 0; i < n; i++) {
        const int32_t difference = w[i] - x[i];
        sum += difference * difference;
    }
    return sum;"""


def dot(weights: int, vector: int, sum: int) -> Kernel:
    """The kernel that adds the products of a run of weights and a run of the vector to a sum.

    weights, vector: the widths of the elements in bits, 8 or 16.
    sum: the width of the sum in bits, 32 or 64.
    """
    symbol, bits = f"tm_mve_dot_s{weights}_s{vector}_s{sum}", max(weights, vector)
    loads = joined(_loaded("q0", "r0", weights, bits), _loaded("q1", "r1", vector, bits))
    if sum == 64:
        # The sum replaces the count in its register.
        begin = t.mov("r12", "r2"), t.ldrd("r2", "r3", slot(8))
        loop, end = (
            (*loads, multiply(f"vmlaldava.s{bits}", "r2", "r3", "q0", "q1")),
            (t.mov("r0", "r2"), t.mov("r1", "r3")),
        )
    else:
        begin, loop = (t.mov("r12", "r3"),), (*loads, multiply(f"vmladava.s{bits}", "r12", "q0", "q1"))
        end = (t.mov("r0", "r12"),)
    code = joined(begin, _predicated(loop, bits, "r12" if sum == 64 else "r2"), end)
    signature = f"int{sum}_t {symbol}({parameters(weights, vector)}, int n, int{sum}_t sum)"
    saved = joined(t.push(("r4", "lr")), code, t.pop(("r4", "pc")))
    composed = _composed(signature, saved, loop, 8 * VECTOR // bits, SUMS_IN_C["num.dot"])
    return _with(Kernel(symbol, weights, vector, sum, flash=None), composed, saved)


def distance(bits: int) -> Kernel:
    """The kernel that adds the squares of the differences of two runs to a sum.

    bits: the width of the elements. The lanes have twice this width.
    """
    symbol, lanes = f"tm_mve_distance_s{bits}_s{bits}_s32", 2 * bits
    loop = joined(
        _loaded("q0", "r0", bits, lanes),
        _loaded("q1", "r1", bits, lanes),
        integer(f"vsub.i{lanes}", "q0", "q0", "q1"),
        multiply(f"vmladava.s{lanes}", "r12", "q0", "q0"),
    )
    code = joined(
        t.push(("r4", "lr")),
        t.mov("r12", "r3"),
        _predicated(loop, lanes, "r2"),
        t.mov("r0", "r12"),
        t.pop(("r4", "pc")),
    )
    signature = f"int32_t {symbol}({parameters(bits, bits)}, int n, int32_t sum)"
    composed = _composed(signature, code, loop, 8 * VECTOR // lanes, _SQUARES)
    return _with(Kernel(symbol, bits, bits, 32, op="num.distance", flash=None), composed, code)


def dot_rows(weights: int, vector: int) -> Kernel:
    """The kernel that adds the dot products of four rows and a vector to four 32-bit sums.

    weights, vector: the widths of the elements in bits, 8 or 16.
    """
    symbol, bits = f"tm_mve_dot4_s{weights}_s{vector}_s32", max(weights, vector)
    # Loads that widen take low registers.
    rows, sums, scaled = ("r0", "r5", "r7", "r2"), _ROWS[4], {} if weights == 8 else {"lsl": 1}
    loop = list(_loaded("q0", "r1", vector, bits))
    for number, (row, sum) in enumerate(zip(rows, sums, strict=True)):
        own = f"q{1 + number % 2}"
        loop += [*_loaded(own, row, weights, bits), multiply(f"vmladava.s{bits}", sum, own, "q0")]
    code = joined(
        t.push((*SAVED, "lr")),
        (t.ldr(sum, at("r3", 4 * number)) for number, sum in enumerate(sums)),
        (t.add("r5", "r0", "r2", **scaled), t.add("r7", "r5", "r2", **scaled), t.mov("r12", "r2")),
        t.add("r2", "r7", "r2", **scaled),
        _predicated(loop, bits, "r12"),
        _stored(sums),
        t.pop((*SAVED, "pc")),
    )
    signature = f"void {symbol}({parameters(weights, vector)}, int n, const int32_t *start, int32_t *sums)"
    composed = _composed(signature, code, loop, 4 * 8 * VECTOR // bits, SUMS_IN_C["num.dot_rows"])
    kernel = Kernel(symbol, weights, vector, 32, op="num.dot_rows", flash=None, rows=4)
    return _with(kernel, composed, code)


def packed_dots(rows: int) -> Kernel:
    """The kernel that multiplies 4-bit weights by a vector of bytes.

    rows: the number of rows of weights, 1 or 4.
    """
    symbol, reader = f"tm_mve_dot{rows if rows > 1 else ''}_p4_s8_s32", "tm_packed_s4"
    runs = "const int8_t *w, const int8_t *x, int n"
    products = f"    for (int16_t i = 0; i < n; i++)\n        sum += (int32_t){reader}(w, i) * x[i];"
    signature, portable = f"int32_t {symbol}({runs}, int32_t sum)", f"{products}\n    return sum;"
    if rows > 1:
        signature = f"void {symbol}({runs}, const int32_t *start, int32_t *sums)"
        portable = f"""\
    for (int row = 0; row < 4; row++, w += (n + 1) / 2 * 1) {{
        int32_t sum = start[row];
    {products}
        sums[row] = sum;
    }}"""
    sums, pointers = _ROWS[rows], ("r0", "r5", "r7", "r9")[:rows]
    starts = [t.ldr(sum, at("r3", 4 * number)) for number, sum in enumerate(sums)] if rows > 1 else [t.mov("r4", "r3")]
    pitched = [t.add(row, before, "r11") for before, row in pairwise(pointers)]
    loop = [gathered("q0", "r1", "q6"), gathered("q1", "r3", "q6")]
    loop += [integer("vaddva.s8", "r12", "q0"), integer("vaddva.s8", "r12", "q1")]
    loop += [t.add("r1", "r1", 2 * VECTOR), t.add("r3", "r3", 2 * VECTOR)]
    for row, sum in zip(pointers, sums, strict=True):
        loop += [access("vldrb.u8", "q2", row, VECTOR), integer("vand", "q3", "q2", "q7")]
        loop += [multiply("vmladava.s8", sum, "q3", "q0"), integer("vshr.u8", "q2", "q2", 4)]
        loop.append(multiply("vmladava.s8", sum, "q2", "q1"))
    code = joined(
        t.push((*SAVED, "lr")),
        SAVE_VECTORS,
        starts,
        (t.add("r11", "r2", 1), t.lsr("r11", "r11", 1)),
        pitched,
        _last_of_odd(pointers, sums),
        (t.lsr("r2", "r2", 1), t.add("r3", "r1", 1), t.mov("r12", 0xF), integer("vdup.8", "q7", "r12")),
        (t.mov("r12", 0), integer("vidup.u8", "q6", "r12", 2), t.mov("r12", 0)),
        _predicated(loop, 8, "r2"),
        (t.sub(sum, sum, "r12", lsl=_BIAS.bit_length() - 1) for sum in sums),
        RESTORE_VECTORS,
        _stored(sums),
        t.pop((*SAVED, "pc")),
    )
    composed = _composed(signature, code, loop, rows * 2 * VECTOR, portable, (reader,))
    kernel = Kernel(symbol, 4, 8, 32, op="num.dot_rows" if rows > 1 else "num.dot", flash=None, rows=rows)
    return _with(kernel, composed, code)


_SPARSE = """\
    const uint8_t *at = (const uint8_t *)row + 2;
    for (int n = ((const uint8_t *)row)[0] | ((const uint8_t *)row)[1] << 8; n > 0; n--, at += {group}) {{
        const int{vector}_t *from = x + (at[0] | at[1] << 8);
        for (int i = 0; i < {entries}; i++)
            sum += (int32_t){weight} * from[at[2 + i]];
    }}
    return sum;"""


def sparse_dot(weights: int, vector: int) -> Kernel:
    """The kernel that adds the products of a sparse row and a vector to a sum.

    The row is stored as by `gathered_rows`, with as many entries per group as a vector register has lanes.
    """
    symbol, bits = f"tm_mve_dot_sparse_s{weights}_s{vector}_s32", max(weights, vector)
    entries, scaled = 8 * VECTOR // bits, {} if vector == 8 else {"lsl": 1}
    # Loads that widen take a low register.
    loop = joined(
        (t.ldrh("r3", post("r0", BASE_BYTES)), t.add("r3", "r1", "r3", **scaled)),
        access(f"vldrb.u{bits}", "q0", "r0", entries),
        gathered("q1", "r3", "q0") if bits == 8 else gathered_halfwords("q1", "r3", "q0"),
        _loaded("q2", "r0", weights, bits),
        multiply(f"vmladava.s{bits}", "r12", "q1", "q2"),
    )
    code = joined(
        (t.push(("r4", "lr")), t.mov("r12", "r2"), t.ldrh("r3", post("r0", COUNT_BYTES))),
        scalar("wls", "lr", "r3", "2f"),
        (t.label(1), *loop, scalar("le", "lr", "1b"), t.label(2)),
        (t.mov("r0", "r12"), t.pop(("r4", "pc"))),
    )
    place = f"at[{BASE_BYTES + entries} + "
    weight = f"(int8_t){place}i]" if weights == 8 else f"(int16_t)({place}2 * i] | (uint16_t){place}2 * i + 1] << 8)"
    group = bytes_of_gathered(entries, weights)
    portable = _SPARSE.format(group=group, entries=entries, vector=vector, weight=weight)
    signature = f"int32_t {symbol}(const int8_t *row, const int{vector}_t *x, int32_t sum)"
    composed = _composed(signature, code, loop, entries, portable)
    kernel = Kernel(symbol, weights, vector, 32, op="num.sparse_dot", gaps=8 + 16 // entries, flash=None)
    return _with(kernel, composed, code)


def _loaded(vector: str, pointer: str, width: int, bits: int) -> Code:
    name = {(8, 8): "vldrb.u8", (8, 16): "vldrb.s16", (16, 16): "vldrh.u16", (16, 32): "vldrh.s32"}[width, bits]
    return (access(name, vector, pointer, VECTOR * width // bits),)


def _predicated(loop: Sequence[Line], bits: int, count: str) -> Code:
    """A loop over `count` elements, one vector at a time. It predicates the vectors of the last iteration.

    loop: the instructions of an iteration.
    bits: the width of the lanes.
    count: the register with the number of elements.
    """
    begin, end = scalar(f"wlstp.{bits}", "lr", count, "2f"), scalar("letp", "lr", "1b")
    return joined(begin, t.label(1), loop, end, t.label(2))


def _last_of_odd(rows: Sequence[str], sums: Sequence[str]) -> Code:
    """Code that adds the products of the last element to the sums if the number of elements is odd.

    r2 contains the number of elements. r1 points to the vector.
    """
    lines: list[Line] = [t.lsls("r3", "r2", 31), t.beq(ahead=3)]
    lines += [t.sub("r12", "r2", 1), t.ldrsb("r3", at("r1", "r12")), t.lsr("r12", "r12", 1)]
    for row, sum in zip(rows, sums, strict=True):
        lines += [t.ldrb("lr", at(row, "r12")), t.and_("lr", "lr", 0xF), t.sub("lr", "lr", _BIAS)]
        lines.append(t.mla(sum, "lr", "r3", sum))
    return (*lines, t.label(3))


def _stored(sums: Sequence[str]) -> Code:
    """Code that returns a sum, or stores several sums in an array whose address is the stack argument."""
    if len(sums) == 1:
        return (t.mov("r0", sums[0]),)
    return (t.ldr("r3", slot(36)), *(t.str_(sum, at("r3", 4 * number)) for number, sum in enumerate(sums)))


def _composed(
    signature: str, code: Code, loop: Sequence[Line], products: int, portable: str, functions: Sequence[str] = ()
) -> Composed:
    each = instructions(loop) + 1
    costs = {"": float(instructions(code) - each), "element": each / products}
    bodies = {(CORE,): naked(printed(code))}
    return Composed(HEADER, signature, bodies, portable, costs, stack=stack_of(code), functions=functions)


def _with(kernel: Kernel, composed: Composed, code: Code) -> Kernel:
    step = composed.costs["element"]
    return replace(kernel, composed=composed, code=max_bytes(code), step=step, needs="mve")

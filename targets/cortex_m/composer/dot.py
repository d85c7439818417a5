"""Dot products over runs of memory whose lengths are known only at run time, for every instruction set.

Dense products are of one row or of four rows. On ARMv7-M, pointers advance along the rows and the vector, and r2 counts
the remaining columns. With the DSP extension, columns are processed in blocks of four, then one by one. On ARMv6-M, r5
is a negative byte offset from the ends of all runs. It is counted up to zero, so the addition that advances it also
ends the loop.

Products of four channels, each of which has its own row of weights, are computed in plain C. With the DSP extension,
channels of 16 bits are computed in assembly: a word contains an element of two channels, and SMLAxy selects the halves
of its operands.

In sparse products, an entry of a row is a value and its distance from the previous entry, in elements of the vector.

These kernels are not instances of `RowKernel`, because the trip counts of their loops are unknown. Registers are
assigned by hand: few values are live besides arguments and sums, and products on ARMv6-M accept only low registers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tinyml.targets.c.composer.compose import SUMS_IN_C, parameters
from tinyml.targets.composer.instructions import Code, Line, joined, stack_of
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.boards import ARMV6M, ARMV7M, DSP
from tinyml.targets.cortex_m.composer import armv6m
from tinyml.targets.cortex_m.composer.fragments import (
    SAVED,
    blocks,
    blocks_by_alignment,
    counted_up,
    element_at,
    halfword_pair,
    halfwords,
    halfwords_in_order,
    next_one,
    parted_bytes,
    parted_halfwords,
    product,
    single_columns,
    statement,
)
from tinyml.targets.cortex_m.thumb import at, post, slot
from tinyml.targets.kernel import Composed, Kernel

_LOW, _HIGH = ("r4", "r5", "r6", "r7"), ("r8", "r9", "r10", "r11")


def dot(weights: int, vector: int, sum: int, step: float) -> Kernel:
    """The kernel that adds the products of a run of weights and a run of the vector to a sum.

    weights, vector: the widths of the elements in bits, 8 or 16.
    sum: the width of the sum in bits, 32 or 64.
    step: the measured time per product.
    """
    symbol = f"tm_cm_dot_s{weights}_s{vector}_s{sum}"
    # The row has the narrower elements.
    bits, pointers = (weights, vector), ("r0", "r1")
    if weights > vector:
        bits, pointers = (vector, weights), ("r1", "r0")
    result, begin = ("r4",), t.mov("r4", "r3")
    if sum == 64:
        result, begin = ("r4", "r5"), t.ldrd("r4", "r5", slot(16))
    bodies = {
        ARMV6M: _one_from_behind(bits, pointers, sum),
        **{
            core: joined(
                t.push(("r4", "r5", "r11", "lr")),
                begin,
                _columns(core, bits, pointers[1], {pointers[0]: result}),
                *(t.mov(f"r{number}", register) for number, register in enumerate(result)),
                t.pop(("r4", "r5", "r11", "pc")),
            )
            for core in (ARMV7M, DSP)
        },
    }
    signature = f"int{sum}_t {symbol}({parameters(weights, vector)}, int n, int{sum}_t sum)"
    return _kernel(symbol, (weights, vector, sum), "num.dot", 1, step, signature, bodies)


def dot_rows(weights: int, vector: int, step: float) -> Kernel:
    """The kernel that adds the dot products of four rows and a vector to four 32-bit sums.

    weights, vector: the widths of the elements in bits, 8 or 16.
    step: the measured time per product.
    """
    symbol = f"tm_cm_dot4_s{weights}_s{vector}_s32"
    scaled = {} if weights == 8 else {"lsl": 1}
    rows = {row: (sum,) for row, sum in zip(("r0", "r8", "r9", "r10"), _LOW, strict=True)}
    bodies = {
        ARMV6M: _four_from_behind((weights, vector)),
        **{
            core: joined(
                t.push((*SAVED, "lr")),
                t.ldmia("r3", _LOW),
                *(t.add(row, before, "r2", **scaled) for before, row in (("r0", "r8"), ("r8", "r9"), ("r9", "r10"))),
                _columns(core, (weights, vector), "r1", rows),
                t.ldr("r3", slot(36)),
                t.stmia("r3", _LOW),
                t.pop((*SAVED, "pc")),
            )
            for core in (ARMV7M, DSP)
        },
    }
    signature = f"void {symbol}({parameters(weights, vector)}, int n, const int32_t *start, int32_t *sums)"
    return _kernel(symbol, (weights, vector, 32), "num.dot_rows", 4, step, signature, bodies)


def _columns(core: int, bits: tuple[int, int], vector: str, rows: dict[str, tuple[str, ...]]) -> Code:
    """Code that adds the products of all columns to the sums of rows.

    core: the number of the instruction set.
    bits: the widths of weights and vector.
    vector: the register that points to the vector.
    rows: for each register that points to a row, the registers of the row's sum.
    """
    singles = single_columns(
        joined(
            next_one(bits[1], vector, "r3"),
            *(joined(next_one(bits[0], row, "r12"), product(sum, "r12", "r3")) for row, sum in rows.items()),
        )
    )
    if core != DSP:
        return singles

    def block(elements: Code, weights: dict[str, Code]) -> Code:
        return joined(
            elements,
            *(
                joined(weights[row], halfwords(sum, "r12", "r3"), halfwords(sum, "lr", "r11"))
                for row, sum in rows.items()
            ),
        )

    if bits[0] == 8:
        parted = {row: parted_bytes(t.ldr("lr", post(row, 4)), "r12", "lr") for row in rows}
        bytes_ = parted_bytes(t.ldr("r11", post(vector, 4)), "r3", "r11")
        elements = bytes_ if bits[1] == 8 else parted_halfwords(vector, "r3", "r11", "r12")
        return joined(blocks(block(elements, parted)), singles)
    elements = halfwords_in_order(vector, "r3", "r11")
    pairs = block(elements, {row: halfword_pair(row, "r12", "lr") for row in rows})
    words = block(elements, {row: halfwords_in_order(row, "r12", "lr") for row in rows})
    return joined(blocks_by_alignment(pairs, words), singles)


def _behind(bits: tuple[int, int], vector: str) -> tuple[Code, Code]:
    """Two fragments of code for loops with the negative offset r5.

    The first fragment sets r2 to the number of bytes of a row and r4 to the end of the vector. The second fragment
    loads an element to r6.
    """
    if bits == (8, 16):
        doubled = t.adds("r6", "r5", "r5")
        return (t.adds("r4", vector, "r2"), t.adds("r4", "r4", "r2")), joined(doubled, element_at(16, "r4", "r6", "r6"))
    scaled = () if bits[0] == 8 else (t.lsls("r2", "r2", 1),)
    return joined(scaled, t.adds("r4", vector, "r2")), element_at(bits[1], "r4", "r5", "r6")


def _one_from_behind(bits: tuple[int, int], pointers: tuple[str, str], sum: int) -> Code:
    row, vector = pointers
    behind, fetch = _behind(bits, vector)
    weight, step = element_at(bits[0], row, "r5", "r7"), bits[0] // 8
    begin = joined(t.push((*_LOW, "lr")), behind, t.adds(row, row, "r2"), t.rsbs("r5", "r2", 0))
    if sum == 64:
        loop = counted_up(joined(fetch, weight, armv6m.low_product_64("r2", "r3")), step)
        start = t.ldr("r2", slot(20)), t.ldr("r3", slot(24)), t.cmp("r5", 0)
        return joined(begin, start, loop, t.mov("r0", "r2"), t.mov("r1", "r3"), t.pop((*_LOW, "pc")))
    loop = counted_up(joined(fetch, weight, armv6m.low_product("r3")), step)
    return joined(begin, loop, t.mov("r0", "r3"), t.pop((*_LOW, "pc")))


def _four_from_behind(bits: tuple[int, int]) -> Code:
    """The ARMv6-M code of `dot_rows` for four rows. Sums are in high registers, because an addition accepts them as
    operands.
    """
    behind, fetch = _behind(bits, "r1")
    to_high, from_high = ([t.mov(*pair) for pair in zip(*both, strict=True)] for both in ((_HIGH, _LOW), (_LOW, _HIGH)))
    rows = zip(("r0", "r1", "r2", "r3"), _HIGH, strict=True)
    products = (joined(element_at(bits[0], row, "r5", "r7"), armv6m.low_product(sum)) for row, sum in rows)
    return joined(
        armv6m.saved(0),
        t.ldmia("r3", _LOW, update=True),
        to_high,
        behind,
        (t.adds("r0", "r0", "r2"), t.adds("r1", "r0", "r2"), t.rsbs("r5", "r2", 0)),
        (t.subs("r2", "r1", "r5"), t.subs("r3", "r2", "r5"), t.cmp("r5", 0)),
        counted_up(joined(fetch, *products), bits[0] // 8),
        from_high,
        (t.ldr("r0", slot(36)), t.stmia("r0", _LOW, update=True)),
        armv6m.restored(0),
    )


def _kernel(
    symbol: str,
    widths: tuple[int, int, int],
    op: str,
    rows: int,
    step: float,
    signature: str,
    bodies: dict[int, Code],
) -> Kernel:
    statements = {(core,): statement(lines, core) for core, lines in bodies.items()}
    stack = max(map(stack_of, bodies.values()))
    composed = Composed("tinyml/cores.h", signature, statements, SUMS_IN_C[op], stack=stack)
    return Kernel(symbol, *widths, op=op, flash=None, rows=rows, step=step, composed=composed)


_PORTABLE_CHANNELS = """\
    const int{weights}_t *w1 = w + n, *w2 = w1 + n, *w3 = w2 + n;
    int32_t s0 = start[0], s1 = start[1], s2 = start[2], s3 = start[3];
    for (; n > 0; n--, x += stride) {{
        s0 += (int32_t)*w++ * x[0];
        s1 += (int32_t)*w1++ * x[1];
        s2 += (int32_t)*w2++ * x[2];
        s3 += (int32_t)*w3++ * x[3];
    }}
    sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3;"""


def channel_rows(weights: int, vector: int, step: float) -> Kernel:
    """The kernel that adds the products of four channels, each with its own row of weights, to four sums in memory.

    weights, vector: the widths of the elements in bits, 8 or 16. Consecutive elements of a channel are `stride` apart.
    step: the measured time per product.
    """
    symbol = f"tm_cm_channels4_s{weights}_s{vector}_s32"
    runs = f"const int{weights}_t *w, const int{vector}_t *x"
    signature = f"void {symbol}({runs}, int n, int stride,\n    const int32_t *start, int32_t *sums)"
    code = _channel_pairs(weights) if vector == 16 else ()
    bodies, stack = ({(DSP,): statement(code, DSP)}, stack_of(code)) if code else ({}, 0)
    portable = _PORTABLE_CHANNELS.format(weights=weights)
    composed = Composed("tinyml/cores.h", signature, bodies, portable, stack=stack)
    op = "num.channel_dots"
    return Kernel(symbol, weights, vector, 32, op=op, flash=None, rows=4, step=step, composed=composed)


def _channel_pairs(weights: int) -> Code:
    """The DSP code of `channel_rows` for channels of 16 bits. Elements are multiplied in pairs, then an odd last one
    alone.

    r1 points to the current element of the first channel, and r3 is the distance to the channel's next element in
    bytes.
    """
    rows, scaled = ("r0", "r8", "r9", "r10"), {} if weights == 8 else {"lsl": 1}
    halves = {"r4": t.smlabb, "r5": t.smlabt, "r6": t.smlabb, "r7": t.smlabt}

    def channel(row: str, sum: str, elements: Sequence[str]) -> Code:
        multiply = halves[sum]
        if weights == 16 and len(elements) == 2:
            upper = t.smlatb if multiply is t.smlabb else t.smlatt
            products = multiply(sum, "lr", elements[0], sum), upper(sum, "lr", elements[1], sum)
            return (t.ldr("lr", post(row, 4)), *products)
        steps = (joined(next_one(weights, row, "lr"), multiply(sum, "lr", element, sum)) for element in elements)
        return joined(*steps)

    def channels(elements: Sequence[str]) -> Code:
        first, second = list[Line](), list[Line]()
        for number, element in enumerate(elements):
            first += [t.ldr(element, at("r1", "r3") if number else at("r1"))]
            second += [t.ldr(element, at("r1", 4)), t.add("r1", "r1", "r3")]
        pairs = [channel(row, sum, elements) for row, sum in zip(rows, _LOW, strict=True)]
        return joined(first, *pairs[:2], second, *pairs[2:])

    two = t.subs("r2", "r2", 2)
    return joined(
        t.push((*SAVED, "lr")),
        (t.ldr("r12", slot(36)), t.ldm("r12", _LOW), t.lsls("r3", "r3", 1)),
        [t.add(row, before, "r2", **scaled) for before, row in pairwise(rows)],
        (two, t.blt(ahead=2), t.label(1), *channels(("r11", "r12")), two, t.bge(back=1), t.label(2)),
        (t.adds("r2", "r2", 2), t.beq(ahead=3), *channels(("r11",)), t.label(3)),
        (t.ldr("r12", slot(40)), t.stm("r12", _LOW)),
        t.pop((*SAVED, "pc")),
    )


def sparse_dot(weights: int, vector: int, step: float) -> Kernel:
    """The kernel that adds the products of a sparse row and a vector to a sum.

    The row has n values and n gaps. Gaps are unsigned, but declared as int8_t like all 8-bit constants.

    weights, vector: the widths of the elements in bits, 8 or 16.
    step: the measured time per entry.
    """
    symbol = f"tm_cm_dot_sparse_s{weights}_s{vector}_s32"
    small, large = _from_behind(weights, vector), _along(weights, vector)
    bodies = {(ARMV6M,): statement(small, ARMV6M), (ARMV7M, DSP): statement(large, ARMV7M)}
    runs = f"const int{weights}_t *values, const int8_t *gaps, const int{vector}_t *x"
    signature = f"int32_t {symbol}({runs}, int n, int32_t sum)"
    stack = max(stack_of(small), stack_of(large))
    op = "num.sparse_dot"
    composed = Composed("tinyml/cores.h", signature, bodies, SUMS_IN_C[op], stack=stack)
    return Kernel(symbol, weights, vector, 32, op=op, step=step, composed=composed)


def _from_behind(weights: int, vector: int) -> Code:
    """The ARMv6-M code of `sparse_dot`, in which the index is counted up from a negative number.

    r0 and r1 point to the ends of values and gaps. r2 points to the element of the current entry. r4 is the sum.
    """
    scaled = () if vector == 8 else (t.lsls("r6", "r6", 1),)
    doubled, index = ((), "r5") if weights == 8 else (t.adds("r6", "r5", "r5"), "r6")
    value = joined(doubled, element_at(weights, "r0", index, "r6"))
    gap = joined(t.ldrb("r6", at("r1", "r5")), scaled, element_at(vector, "r2", "r6", "r7"), t.adds("r2", "r2", "r6"))
    return joined(
        (t.push(("r4", "r5", "r6", "r7", "lr")), t.ldr("r4", slot(20))),
        [t.adds("r0", "r0", "r3")] * (weights // 8),
        (t.adds("r1", "r1", "r3"), t.rsbs("r5", "r3", 0)),
        counted_up(joined(gap, value, armv6m.low_product("r4")), 1),
        (t.mov("r0", "r4"), t.pop(("r4", "r5", "r6", "r7", "pc"))),
    )


def _along(weights: int, vector: int) -> Code:
    """The ARMv7-M code of `sparse_dot`.

    r0, r1 and r2 advance along values, gaps and the vector. r12 is the sum.
    """
    scaled, load = ({}, t.ldrsb) if vector == 8 else ({"lsl": 1}, t.ldrsh)
    return joined(
        (t.ldr("r12", at("sp")), t.push(("r4", "lr")), t.cbz("r3", ahead=2), t.label(1)),
        (t.ldrb("r4", post("r1", 1)), t.add("r2", "r2", "r4", **scaled)),
        next_one(weights, "r0", "r4"),
        load("lr", at("r2")),
        product(("r12",), "r4", "lr"),
        (t.subs("r3", "r3", 1), t.bne(back=1), t.label(2), t.mov("r0", "r12"), t.pop(("r4", "pc"))),
    )

"""AVR kernels for sums over runs of memory: dense, strided and sparse products, multiples of a vector, and distances.

Weights are in near or far flash, or in RAM. The parameter `memory` selects the load instruction.

A sparse row is a byte stream (`dialects/layouts/sparse_rows.py`). It begins with the number of entries, 16 bits. Each
entry consists of a byte `skip` and the value, low byte first. `skip` is the number of bytes of the vector between the
element of the previous entry, or the start of the vector, and the element of this entry. In distances, the differences
that are squared fit in 16 bits.
"""

from __future__ import annotations

from dataclasses import replace

from tinyml.targets.avr import isa as a
from tinyml.targets.avr.assembly import (
    C_SUMS,
    FLASH,
    HEADER,
    RAM,
    Loop,
    Row,
    SumRegisters,
    Variable,
    bytes_of,
    counted_in_byte,
    counted_in_word,
    cycles,
    entered,
    entry_by_count,
    number_of_steps,
    over_steps,
    registers,
    statement,
)
from tinyml.targets.avr.composer.fragments import (
    BIAS,
    HIGH,
    LONG,
    accumulate_four_bytes,
    accumulate_pair_of_words,
    accumulate_three_bytes,
    arithmetic,
    chunk_steps,
    run,
    skip,
    spaced,
    squares,
    word,
)
from tinyml.targets.composer.instructions import Code, joined
from tinyml.targets.kernel import LONGEST_IN_CHUNKS, Composed, Kernel

_LEFT = "r12"
"""The first of two registers that hold the remaining distance to the next element of a strided run."""


def portable(ctype: str, product: str, index: str = "") -> str:
    """C statements that compute the sum of n products.

    ctype: the C type of the sum.
    product: the C expression of one product.
    index: the initialisation of an index `k`, which advances by `stride` after each product; "" without such an index.
    """
    added = f"sum += {product};" if ctype != "int16_t" else f"sum = (int16_t)(sum + {product});"
    return f"    for ({index}; n > 0; n--{', k += stride' if index else ''})\n        {added}\n    return sum;"


def dot(weights: int, vector: int, sum: int, memory: str = FLASH) -> Kernel:
    """The kernel that adds the products of a run of weights and a run of the vector to a sum.

    weights, vector: the widths of the elements in bits, 8 or 16.
    sum: the width of the sum in bits.
    memory: the memory of the weights.
    """
    row = Row(f"int{weights}_t", memory)
    symbol = f"tm_dot_s{weights}_s{vector}_s{sum}{row.end}"
    operands = run(weights, memory, "Z"), run(vector, RAM, "X")
    # The wider operand is fetched byte by byte.
    first, second = operands if weights <= vector else operands[::-1]
    chosen = arithmetic(min(weights, vector), max(weights, vector), sum)
    step = chosen.step(first, second)
    at_once = 8 if weights == vector == 8 else 4
    loop = (counted_in_word if chosen.flush else counted_in_byte)(step, at_once, chosen.count, chosen.flush)
    ctype = C_SUMS[sum]
    composed = entered(
        symbol,
        f"{ctype} {symbol}({row.parameter}, const int{vector}_t *x, uint16_t n, {ctype} sum)",
        row,
        portable(ctype, f"{'' if sum == 16 else '(int32_t)'}*w++ * *x++"),
        chosen,
        loop,
        bits=sum,
        counter=number_of_steps(chosen.count, loop),
    )
    return _kernel(symbol, (weights, vector, sum), "num.dot", loop, memory, composed)


def dot_in_chunks(sum: int, chunk: int, memory: str = FLASH) -> Kernel:
    """The kernel that multiplies the bytes of two runs and adds the products to a 24-bit or 32-bit sum. The products of
    a chunk are first added up in a narrower sum.

    sum: the width of the sum.
    chunk: the number of products per chunk. The sum of any `chunk` consecutive products, counted from the last one,
        plus one more byte must fit in 16 bits.
    memory: the memory of the weights, near or far flash.

    A call adds at most `LONGEST_IN_CHUNKS` products.
    """
    row = Row("int8_t", memory)
    symbol = f"tm_dot_s8_s8_s{sum}_by{chunk}{row.end}"
    count = "r25" if sum == 24 else "r21"
    registers = LONG[: sum // 8]
    steps = chunk_steps(run(8, memory, "Z"), run(8, RAM, "X"), chunk, registers)
    # Six or eight steps are within the reach of a branch.
    loop = over_steps([*steps] * (8 // chunk), count)
    ctype, unsigned = C_SUMS[sum], "__uint24" if sum == 24 else "uint32_t"
    composed = entered(
        symbol,
        f"{ctype} {symbol}({row.parameter}, const int8_t *x, uint16_t n, {ctype} sum)",
        row,
        portable(ctype, "(int32_t)*w++ * *x++"),
        SumRegisters(sum=registers),
        loop,
        bits=sum,
        counter=number_of_steps(count, loop),
        others=[Variable("uint8_t", "high", HIGH, str(BIAS >> 8), 1)],
        start=f"({ctype})(({unsigned})sum - ({unsigned})({BIAS}UL * ((n + {chunk - 1}u) / {chunk})))",
        # The first steps of whole chunks set the register themselves.
        ready=[f"    if (rest % {chunk} == 0)", '        __asm__("" : "=r"(high));'],
        longest=LONGEST_IN_CHUNKS,
    )
    return replace(_kernel(symbol, (8, 8, sum), "num.dot", loop, memory, composed), chunk=chunk)


def strided_dot(weights: int, vector: int, memory: str = FLASH) -> Kernel:
    """The kernel that adds the products of a run of weights and every `stride`-th element of the vector to a 32-bit
    sum.

    memory: the memory of the weights.
    """
    row = Row(f"int{weights}_t", memory)
    symbol = f"tm_dot_strided_s{weights}_s{vector}_s32{row.end}"
    chosen = arithmetic(weights, vector, 32)
    step = chosen.step(run(weights, memory, "Z"), spaced(vector, _LEFT))
    loop = counted_in_word(step, 4, chosen.count, chosen.flush)
    left = "(uint16_t)(stride * sizeof *x - sizeof *x + 1)"
    composed = entered(
        symbol,
        f"int32_t {symbol}({row.parameter}, const int{vector}_t *x, uint16_t n, uint16_t stride, int32_t sum)",
        row,
        portable("int32_t", "(int32_t)*w++ * x[k]", "uint32_t k = 0"),
        chosen,
        loop,
        bits=32,
        counter=number_of_steps(chosen.count, loop),
        others=[Variable("uint16_t", "left", _LEFT, left, 2, changed=False)],
    )
    return _kernel(symbol, (weights, vector, 32), "num.strided_dot", loop, memory, composed)


def _kernel(symbol: str, widths: tuple[int, int, int], op: str, loop: Loop, memory: str, composed: Composed) -> Kernel:
    return Kernel(
        symbol,
        *widths,
        op=op,
        flash=memory != RAM,
        step=loop.step,
        code=bytes_of(loop.lines),
        composed=composed,
    )


_SUM, _ZERO = ("r22", "r23", "r24", "r25"), "r15"
_MIDDLE = _SUM[1:]
_OPERANDS = {0, 1, 18, 19, 20, 21, 26, 27, 30, 31}
"""The numbers of the registers of the count and the factor, of products and of the pointers X and Z."""


def axpy(weights: int, factor: int) -> Kernel:
    """The kernel that computes y[k] += x[k] * factor, with 32-bit sums y.

    weights, factor: the widths of x and of the factor in bits.

    X is the pointer from which sums are loaded, and Y the pointer to which results are stored one step later. An
    iteration consists of two steps. If the number of elements is odd, the first iteration begins with its second step.
    """
    symbol = f"tm_axpy_s{weights}_s{factor}_s32"
    step = joined(
        word(run(weights, FLASH, "Z"), ("r16", "r17")[: weights // 8]),
        word(run(32, RAM, "X"), _SUM),
        _product(weights, factor),
        [a.st("Y+", register) for register in _SUM],
    )
    begin = (a.movw("r28", "r26"), a.clr(_ZERO), a.lsr("r19"), a.ror("r18"), a.brcc(ahead=2), a.rjmp(ahead=1))
    end = (a.label(2), a.subi("r18", 1), a.sbci("r19", 0), a.brcc(back=0), a.clr("r1"))
    lines = joined(begin, a.label(0), step, a.label(1), step, end)
    signature = f"void {symbol}(int32_t *y, const int{weights}_t *x, int{factor}_t factor, uint16_t n)"
    used = registers(lines)
    clobbers = ", ".join(f'"r{number}"' for number in sorted(used - _OPERANDS))
    operands = f'\n                     : "+r"(k), "+z"(x), "+x"(y) : "r"(f) : {clobbers}, "memory"'
    body = f"""\
#ifdef __AVR__
    register int{factor}_t f __asm__("r20") = factor;
    register uint16_t k __asm__("r18") = n;
{statement(lines, operands)}
#else
    for (; n > 0; n--)
        *y++ += (int32_t)*x++ * factor;
#endif"""
    time = cycles(step) + 2.0
    saved = len(used & {*range(2, 18), 28, 29})
    costs = {"": 4 + 4 * saved + cycles(begin) + 8 + 5, "element": time}
    return Kernel(
        symbol,
        weights,
        factor,
        32,
        op="num.axpy",
        step=time,
        code=bytes_of(lines) + 4 * saved + 2,
        composed=Composed(HEADER, signature, {}, body, costs, call=4 + 16, stack=2 + saved),
    )


def _product(weights: int, factor: int) -> Code:
    if weights == 16:
        return joined(
            (a.muls("r17", "r21"), a.movw("r12", "r0"), a.mul("r16", "r20")),
            accumulate_pair_of_words(_SUM, ("r0", "r1"), ("r12", "r13")),
            a.mulsu("r17", "r20"),
            accumulate_three_bytes(_MIDDLE, _ZERO),
            a.mulsu("r21", "r16"),
            accumulate_three_bytes(_MIDDLE, _ZERO),
        )
    if factor == 16:
        low = joined(a.mulsu("r16", "r20"), accumulate_four_bytes(_SUM, _ZERO))
        return joined(low, a.muls("r16", "r21"), accumulate_three_bytes(_MIDDLE, _ZERO))
    return joined(a.muls("r16", "r20"), accumulate_four_bytes(_SUM, _ZERO))


_PORTABLE_SPARSE = """\
    uint16_t n = (uint16_t)((uint8_t)row[0] | (uint8_t)row[1] << 8);
    for (row += 2; n > 0; n--, row += {bytes}) {{
        x += (uint8_t)row[0] / sizeof *x;
        {added}
    }}
    return sum;"""


def sparse_dot(weights: int, vector: int, sum: int, memory: str = FLASH) -> Kernel:
    """The kernel that adds the products of the entries of a sparse row to a sum.

    The bytes of the row are declared as 8-bit constants.

    weights, vector, sum: the widths of the elements and of the sum, in bits.
    memory: the memory of the weights.
    """
    row = Row("int8_t", memory, "row")
    symbol = f"tm_dot_row_s{weights}_s{vector}_s{sum}{row.end}"
    chosen = arithmetic(weights, vector, sum)
    product = chosen.step(run(weights, memory, "Z"), run(vector, RAM, "X"))
    entry = joined(skip(memory, chosen.first[0], chosen.zero), product)
    loop = counted_in_word(entry, 4, chosen.count, chosen.flush)
    enter = joined(*(fetch(count) for fetch, count in zip(run(16, memory, "Z"), a.pair(chosen.count), strict=True)))
    enter = joined(enter, entry_by_count(chosen.count))
    loop = replace(loop, lines=joined(enter, loop.lines), least=loop.least + cycles(enter))
    value = "row[1]" if weights == 8 else "(int16_t)((uint8_t)row[1] | row[2] * 256)"
    ctype = C_SUMS[sum]
    added = f"sum += (int32_t){value} * *x++;" if sum != 16 else f"sum = (int16_t)(sum + {value} * *x++);"
    composed = entered(
        symbol,
        f"{ctype} {symbol}({row.parameter}, const int{vector}_t *x, {ctype} sum)",
        row,
        _PORTABLE_SPARSE.format(bytes=1 + weights // 8, added=added),
        chosen,
        loop,
        bits=sum,
        counter=None,
    )
    return Kernel(
        symbol,
        weights,
        vector,
        sum,
        op="num.sparse_dot",
        gaps=8,
        step=loop.step,
        code=bytes_of(loop.lines),
        composed=composed,
    )


_PORTABLE_DISTANCE = """\
    for (; n > 0; n--) {
        int32_t difference = (int32_t)*x++ - *w++;
        sum += difference * difference;
    }
    return sum;"""


def distance(bits: int, sum: int, memory: str = FLASH) -> Kernel:
    """The kernel that adds the squared distance of two runs of 8-bit or 16-bit elements to a sum.

    bits, sum: the widths of the elements and of the sum, in bits.
    memory: the memory of the weights.
    """
    row = Row(f"int{bits}_t", memory)
    symbol = f"tm_distance_s{bits}_s{bits}_s{sum}{row.end}"
    chosen = squares(bits, sum)
    loop = counted_in_word(chosen.step(run(bits, memory, "Z"), run(bits, RAM, "X")), 4, chosen.count)
    ctype = C_SUMS[sum]
    composed = entered(
        symbol,
        f"{ctype} {symbol}({row.parameter}, const int{bits}_t *x, uint16_t n, {ctype} sum)",
        row,
        _PORTABLE_DISTANCE,
        chosen,
        loop,
        bits=sum,
        counter=number_of_steps(chosen.count, loop),
    )
    return Kernel(
        symbol,
        bits,
        bits,
        sum,
        op="num.distance",
        step=loop.step,
        code=bytes_of(loop.lines),
        composed=composed,
    )

"""Dense products: a sum over two runs of memory, or over a run and strided elements of another."""

from __future__ import annotations

from dataclasses import replace

from tinyml.targets.avr.assembly.frames import C_SUMS, SumRegisters, Variable, entered, number_of_steps
from tinyml.targets.avr.assembly.instructions import bytes_of
from tinyml.targets.avr.assembly.loops import Loop, counted_in_byte, counted_in_word, over_steps
from tinyml.targets.avr.composer.fragments import multiply
from tinyml.targets.avr.composer.fragments.accumulate import BIAS
from tinyml.targets.avr.composer.fragments.fetch import FLASH, RAM, run, spaced
from tinyml.targets.avr.composer.fragments.multiply import arithmetic
from tinyml.targets.kernel import LONGEST_IN_CHUNKS, Composed, Kernel

_LEFT = "r12"
"""The first of two registers that hold the remaining distance to the next element of a strided run."""


def portable(ctype: str, product: str, index: str = "") -> str:
    """The sum of n products, in C."""
    added = f"sum += {product};" if ctype != "int16_t" else f"sum = (int16_t)(sum + {product});"
    return f"    for ({index}; n > 0; n--{', k += stride' if index else ''})\n        {added}\n    return sum;"


def dot(weights: int, vector: int, sum: int, memory: str = FLASH) -> Kernel:
    """The kernel for `sum` plus the products of two runs of 8-bit or 16-bit elements. memory: of the weights."""
    symbol = f"tm_dot_s{weights}_s{vector}_s{sum}{'' if memory == FLASH else '_ram'}"
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
        f"{ctype} {symbol}(const int{weights}_t *w, const int{vector}_t *x, uint16_t n, {ctype} sum)",
        portable(ctype, f"{'' if sum == 16 else '(int32_t)'}*w++ * *x++"),
        chosen,
        loop,
        bits=sum,
        counter=number_of_steps(chosen.count, loop),
    )
    return _kernel(symbol, (weights, vector, sum), "num.dot", loop, memory, composed)


def dot_in_chunks(sum: int, chunk: int) -> Kernel:
    """The kernel for bytes in which every `chunk` products, counted from the last one, fit 16 bits together.

    Their sum plus another byte has to fit, too; n is at most `LONGEST_IN_CHUNKS`. sum: 24 or 32 bits.
    """
    symbol, count = f"tm_dot_s8_s8_s{sum}_by{chunk}", "r25" if sum == 24 else "r21"
    registers = multiply.LONG[: sum // 8]
    steps = multiply.chunk(run(8, FLASH, "Z"), run(8, RAM, "X"), chunk, registers)
    # Six or eight steps are within the reach of a branch.
    loop = over_steps([*steps] * (8 // chunk), count)
    ctype, unsigned = C_SUMS[sum], "__uint24" if sum == 24 else "uint32_t"
    composed = entered(
        symbol,
        f"{ctype} {symbol}(const int8_t *w, const int8_t *x, uint16_t n, {ctype} sum)",
        portable(ctype, "(int32_t)*w++ * *x++"),
        SumRegisters(sum=registers),
        loop,
        bits=sum,
        counter=number_of_steps(count, loop),
        others=[Variable("uint8_t", "high", multiply.HIGH, str(BIAS >> 8), 1)],
        start=f"({ctype})(({unsigned})sum - ({unsigned})({BIAS}UL * ((n + {chunk - 1}u) / {chunk})))",
        # The first steps of whole chunks set the register themselves.
        ready=[f"    if (rest % {chunk} == 0)", '        __asm__("" : "=r"(high));'],
        longest=LONGEST_IN_CHUNKS,
    )
    return replace(_kernel(symbol, (8, 8, sum), "num.dot", loop, FLASH, composed), chunk=chunk)


def strided_dot(weights: int, vector: int) -> Kernel:
    """The kernel for a run of weights and every `stride`-th element of the vector, in 32 bits."""
    symbol = f"tm_dot_strided_s{weights}_s{vector}_s32"
    chosen = arithmetic(weights, vector, 32)
    step = chosen.step(run(weights, FLASH, "Z"), spaced(vector, _LEFT))
    loop = counted_in_word(step, 4, chosen.count, chosen.flush)
    left = "(uint16_t)(stride * sizeof *x - sizeof *x + 1)"
    runs = f"const int{weights}_t *w, const int{vector}_t *x"
    composed = entered(
        symbol,
        f"int32_t {symbol}({runs}, uint16_t n, uint16_t stride, int32_t sum)",
        portable("int32_t", "(int32_t)*w++ * x[k]", "uint32_t k = 0"),
        chosen,
        loop,
        bits=32,
        counter=number_of_steps(chosen.count, loop),
        others=[Variable("uint16_t", "left", _LEFT, left, 2, changed=False)],
    )
    return _kernel(symbol, (weights, vector, 32), "num.strided_dot", loop, FLASH, composed)


def _kernel(symbol: str, widths: tuple[int, int, int], op: str, loop: Loop, memory: str, composed: Composed) -> Kernel:
    return Kernel(
        symbol,
        *widths,
        op=op,
        flash=memory == FLASH,
        step=loop.step,
        code=bytes_of(loop.lines),
        composed=composed,
    )

"""Multiples of a vector, added to sums in memory."""

from __future__ import annotations

from tinyml.targets.avr.assembly.frames import HEADER
from tinyml.targets.avr.assembly.instructions import bytes_of, cycles, registers, statement
from tinyml.targets.avr.composer.fragments import accumulate
from tinyml.targets.avr.composer.fragments.fetch import FLASH, RAM, run, word
from tinyml.targets.composer.lines import Lines, joined
from tinyml.targets.kernel import Composed, Kernel

_SUM, _ZERO = ("r22", "r23", "r24", "r25"), "r15"
_MIDDLE = _SUM[1:]
_OPERANDS = {0, 1, 18, 19, 20, 21, 26, 27, 30, 31}
"""The registers of the count and the factor, of products and of the pointers X and Z."""


def axpy(weights: int, factor: int) -> Kernel:
    """The kernel for y[k] += x[k] * factor, with 32-bit sums y; weights, factor: widths of x and of the factor in bits.

    X reads sums, and Y, one step behind, writes them. An iteration has two steps; an odd count enters in the middle.
    """
    symbol = f"tm_axpy_s{weights}_s{factor}_s32"
    step = joined(
        word(run(weights, FLASH, "Z"), ("r16", "r17")[: weights // 8]),
        word(run(32, RAM, "X"), _SUM),
        _product(weights, factor),
        [f"st Y+,{register}" for register in _SUM],
    )
    begin = ("movw r28,r26", f"clr {_ZERO}", "lsr r19", "ror r18", "brcc 2f", "rjmp 1f")
    lines = joined(begin, "0:", step, "1:", step, "2:", "subi r18,1", "sbci r19,0", "brcc 0b", "clr r1")
    signature = f"void {symbol}(int32_t *y, const int{weights}_t *x, int{factor}_t factor, uint16_t n)"
    used = registers(lines)
    clobbers = ", ".join(f'"r{number}"' for number in sorted(used - _OPERANDS))
    body = f"""\
#ifdef __AVR__
    register int{factor}_t f __asm__("r20") = factor;
    register uint16_t k __asm__("r18") = n;
{statement(lines).removesuffix(");")}
                     : "+r"(k), "+z"(x), "+x"(y) : "r"(f) : {clobbers}, "memory");
#else
    for (; n > 0; n--)
        *y++ += (int32_t)*x++ * factor;
#endif"""
    time = cycles(step) + 2.0
    saved = len(used & {*range(2, 18), 28, 29})
    costs = {"": 4 + 4 * saved + cycles(begin) + 8 + 5, "element": time, "odd element": 0.0}
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


def _product(weights: int, factor: int) -> Lines:
    if weights == 16:
        return joined(
            ("muls r17,r21", "movw r12,r0", "mul r16,r20"),
            accumulate.pair_of_words(_SUM, ("r0", "r1"), ("r12", "r13")),
            "mulsu r17,r20",
            accumulate.three_bytes(_MIDDLE, _ZERO),
            "mulsu r21,r16",
            accumulate.three_bytes(_MIDDLE, _ZERO),
        )
    if factor == 16:
        low = joined("mulsu r16,r20", accumulate.four_bytes(_SUM, _ZERO))
        return joined(low, "muls r16,r21", accumulate.three_bytes(_MIDDLE, _ZERO))
    return joined("muls r16,r20", accumulate.four_bytes(_SUM, _ZERO))

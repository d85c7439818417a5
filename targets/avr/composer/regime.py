"""The AVR kernel for products of 16-bit integers and 16-bit numbers with a regime, an exponent and a fraction, such as
posits.

r21:r20 and r23:r22 are the factors. r24 is the right shift of the significand. r12 contains the number of exponent
bits, r13 two to the power of this number, and r14 the number of fraction bits below the highest one. r9:r2 is the sum.
r15 is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tinyml.dialects.formats.number_format import INTEGER, REGIME
from tinyml.targets.avr import isa as a
from tinyml.targets.avr.assembly import HEADER, bytes_of, statement
from tinyml.targets.c.composer.regime import REGIME_BODY, REGIME_INTEGER, REGIME_RUNS
from tinyml.targets.composer.instructions import Code, joined
from tinyml.targets.kernel import Composed, Kernel

_STEP = 153.6
"""The cycles of a product: a mean over weights of all magnitudes up to 1."""


def magnitude() -> Code:
    """Code that loads the next weight and the next element of the vector. It makes the weight positive and applies its
    sign to the element.
    """
    fetched = (a.lpm("r20", "Z+"), a.lpm("r21", "Z+"), a.ld("r22", "X+"), a.ld("r23", "X+"))
    negative = (a.sbrs("r21", 7), a.rjmp(ahead=3))
    negated = (a.com("r21"), a.neg("r20"), a.sbci("r21", 255), a.com("r23"), a.neg("r22"), a.sbci("r23", 255))
    return joined(fetched, negative, negated, a.label(3))


def _of_regime() -> Code:
    left = (a.lsl("r20"), a.rol("r21"))
    return joined(
        (*left, a.mov("r24", "r14"), a.brpl(ahead=5), a.add("r24", "r13")),
        (a.label(4), a.sub("r24", "r13"), *left, a.brmi(back=4), a.rjmp(ahead=6)),
        (a.label(5), a.add("r24", "r13"), *left, a.brpl(back=5), a.label(6), *left),
    )


def exponent() -> Code:
    """Code that extracts the exponent of the weight."""
    return joined(
        (a.mov("r25", "r12"), a.clr("r0"), a.rjmp(ahead=8), a.label(7), a.lsl("r20"), a.rol("r21"), a.rol("r0")),
        (a.label(8), a.dec("r25"), a.brpl(back=7), a.sub("r24", "r0")),
    )


def shifted() -> Code:
    """Code that shifts the significand in r21:r18 right by the number in r24, first by bytes and then by bits."""
    return joined(
        (a.sec(), a.ror("r21"), a.ror("r20"), a.clr("r19"), a.clr("r18")),
        (a.label(9), a.subi("r24", 8), a.brcs(ahead=10)),
        (a.mov("r18", "r19"), a.mov("r19", "r20"), a.mov("r20", "r21"), a.clr("r21"), a.rjmp(back=9)),
        (a.label(10), a.subi("r24", -8), a.rjmp(ahead=12)),
        (a.label(11), a.lsr("r21"), a.ror("r20"), a.ror("r19"), a.ror("r18")),
        (a.label(12), a.dec("r24"), a.brpl(back=11)),
    )


def added() -> Code:
    """Code that adds the product of r21:r18 and r23:r22 to the sum.

    The code multiplies by the second factor byte by byte. The sign of the second factor is applied last.
    """

    def part(first: str, second: str, byte: str, sum: Sequence[str], above: Sequence[str]) -> Code:
        products = (a.mul(first, byte), a.movw("r10", "r0"), a.mul(second, byte), a.movw("r24", "r0"))
        terms = zip((a.add, a.adc, a.adc, a.adc), sum, ("r10", "r11", "r24", "r25"), strict=True)
        return joined(products, (op(to, term) for op, to, term in terms), (a.adc(to, "r15") for to in above))

    sum = [f"r{number}" for number in range(2, 10)]
    factor = ("r18", "r19", "r20", "r21", "r15", "r15")
    sign = [op(to, term) for op, to, term in zip((a.sub, *[a.sbc] * 5), sum[2:], factor, strict=True)]
    return joined(
        part("r18", "r20", "r22", sum[:4], sum[4:]),
        part("r19", "r21", "r22", sum[1:5], sum[5:]),
        part("r18", "r20", "r23", sum[1:5], sum[5:]),
        part("r19", "r21", "r23", sum[2:6], sum[6:]),
        (a.sbrs("r23", 7), a.rjmp(ahead=2)),
        sign,
    )


def products() -> Code:
    """Code that adds the products of all n weights and elements to the sum."""
    return joined(
        (a.clr("r15"), a.clr("r2"), a.clr("r3"), a.movw("r4", "r2"), a.movw("r6", "r2"), a.movw("r8", "r2")),
        (a.rjmp(ahead=2), a.label(1)),
        magnitude(),
        (a.cp("r20", "r15"), a.cpc("r21", "r15"), a.brne(ahead=14), a.rjmp(ahead=2), a.label(14)),
        _of_regime(),
        exponent(),
        shifted(),
        added(),
        (a.label(2), a.subi("r16", 1), a.sbci("r17", 0), a.brcs(ahead=13), a.rjmp(back=1), a.label(13), a.clr("r1")),
        (a.movw("r18", "r2"), a.movw("r20", "r4"), a.movw("r22", "r6"), a.movw("r24", "r8")),
    )


@dataclass(frozen=True)
class _Shared(Composed):
    symbol: str = ""

    @property
    def text(self) -> str:
        registers = ", ".join(f'"r{number}"' for number in (*range(2, 12), 15))
        operands = f': "=&r"(s), "+r"(k), "+z"(w), "+x"(x) : "r"(bits), "r"(step), "r"(right) : {registers}, "memory"'
        variables = (("uint16_t k", 16, "n"), ("int8_t bits", 12, "es"), ("int8_t step", 13, "(int8_t)(1 << es)"))
        declared = [
            f'    register {name} __asm__("r{first}") = {value};'
            for name, first, value in (*variables, ("int8_t right", 14, "(int8_t)(31 - scale)"))
        ]
        return "\n".join(
            [
                "#ifdef __AVR__",
                f"static TM_SHARED int64_t {self.symbol}_products({REGIME_RUNS}, int8_t es, int8_t scale)",
                "{",
                '    register int64_t s __asm__("r18");',
                *declared,
                statement(products(), operands),
                "    return s;",
                "}",
                "#else",
                REGIME_INTEGER + "#endif",
                f"static TM_INLINED {self.signature}",
                "{",
                "#ifdef __AVR__",
                f"    return sum + {self.symbol}_products(w, x, n, es, scale);",
                "#else",
                self.portable,
                "#endif",
                "}",
                "",
            ]
        )


def regime_dot() -> Kernel:
    """The kernel that adds the products of a row of numbers with a regime, such as posits, and a vector of integers to
    a 64-bit sum.

    Every weight times 2^scale is proven to fit in a signed 32-bit integer.
    """
    symbol = "tm_dot_r16_s16_s64"
    head = f"int64_t {symbol}({REGIME_RUNS}, int8_t es, int8_t scale, int64_t sum)"
    composed = _Shared(HEADER, head, {}, REGIME_BODY, symbol=symbol)
    code = bytes_of(products())
    return Kernel(symbol, 16, 16, 64, step=_STEP, codings=(REGIME, INTEGER), code=code, composed=composed)

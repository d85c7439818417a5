"""Products of words with 16-bit numbers that have a regime, an exponent and a fraction, such as posits.

r21:r20 and r23:r22 are the factors, r24 is the right shift amount of the significand; r12, r13 and r14 hold the number
of exponent bits, 2 to its power, and the number of fraction bits below the top one. r9:r2 is the sum, r15 zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tinyml.dialects.formats.number_format import INTEGER, REGIME
from tinyml.targets.avr.assembly import HEADER, bytes_of, statement
from tinyml.targets.c.composer import regime as plain
from tinyml.targets.composer.lines import Lines, joined
from tinyml.targets.kernel import Composed, Kernel

_STEP = 153.6
"""The cycles of a product: a mean over weights of all magnitudes up to 1."""


def magnitude() -> Lines:
    """Load the next weight and the vector's element, and move the sign of the weight to the element."""
    fetched = ("lpm r20,Z+", "lpm r21,Z+", "ld r22,X+", "ld r23,X+", "sbrs r21,7", "rjmp 3f")
    negated = ("com r21", "neg r20", "sbci r21,255", "com r23", "neg r22", "sbci r23,255")
    return joined(fetched, negated, "3:")


def _of_regime() -> Lines:
    """Count the regime, upwards or downwards according to its first bit."""
    left = ("lsl r20", "rol r21")
    return joined(
        (*left, "mov r24,r14", "brpl 5f", "add r24,r13"),
        ("4:", "sub r24,r13", *left, "brmi 4b", "rjmp 6f"),
        ("5:", "add r24,r13", *left, "brpl 5b", "6:", *left),
    )


def exponent() -> Lines:
    """Extract the bits of the exponent."""
    return joined(
        ("mov r25,r12", "clr r0", "rjmp 8f", "7:", "lsl r20", "rol r21", "rol r0"),
        ("8:", "dec r25", "brpl 7b", "sub r24,r0"),
    )


def shifted() -> Lines:
    """Shift the significand in r21:r18, by bytes and then by bits."""
    return joined(
        ("sec", "ror r21", "ror r20", "clr r19", "clr r18", "9:", "subi r24,8", "brcs 10f"),
        ("mov r18,r19", "mov r19,r20", "mov r20,r21", "clr r21", "rjmp 9b", "10:", "subi r24,-8", "rjmp 12f"),
        ("11:", "lsr r21", "ror r20", "ror r19", "ror r18", "12:", "dec r24", "brpl 11b"),
    )


def added() -> Lines:
    """Add the product of r21:r18 and r23:r22, byte by byte of the second factor, whose sign is handled last."""

    def part(first: str, second: str, byte: str, sum: Sequence[str], above: Sequence[str]) -> Lines:
        products = (f"mul {first},{byte}", "movw r10,r0", f"mul {second},{byte}", "movw r24,r0")
        terms = zip(("add", "adc", "adc", "adc"), sum, ("r10", "r11", "r24", "r25"), strict=True)
        return joined(products, (f"{op} {to},{term}" for op, to, term in terms), (f"adc {to},r15" for to in above))

    sum = [f"r{number}" for number in range(2, 10)]
    sign = ("sbrs r23,7", "rjmp 2f", "sub r4,r18", "sbc r5,r19", "sbc r6,r20", "sbc r7,r21", "sbc r8,r15", "sbc r9,r15")
    return joined(
        part("r18", "r20", "r22", sum[:4], sum[4:]),
        part("r19", "r21", "r22", sum[1:5], sum[5:]),
        part("r18", "r20", "r23", sum[1:5], sum[5:]),
        part("r19", "r21", "r23", sum[2:6], sum[6:]),
        sign,
    )


def products() -> Lines:
    """Add the products of all n elements."""
    return joined(
        ("clr r15", "clr r2", "clr r3", "movw r4,r2", "movw r6,r2", "movw r8,r2", "rjmp 2f", "1:"),
        magnitude(),
        ("cp r20,r15", "cpc r21,r15", "brne 14f", "rjmp 2f", "14:"),
        _of_regime(),
        exponent(),
        shifted(),
        added(),
        ("2:", "subi r16,1", "sbci r17,0", "brcs 13f", "rjmp 1b", "13:", "clr r1"),
        ("movw r18,r2", "movw r20,r4", "movw r22,r6", "movw r24,r8"),
    )


@dataclass(frozen=True)
class _Shared(Composed):
    symbol: str = ""

    @property
    def text(self) -> str:
        registers = ", ".join(f'"r{number}"' for number in (*range(2, 12), 15))
        operands = f': "=&r"(s), "+r"(k), "+z"(w), "+x"(x) : "r"(bits), "r"(step), "r"(right) : {registers}, "memory");'
        variables = (("uint16_t k", 16, "n"), ("int8_t bits", 12, "es"), ("int8_t step", 13, "(int8_t)(1 << es)"))
        declared = [
            f'    register {name} __asm__("r{first}") = {value};'
            for name, first, value in (*variables, ("int8_t right", 14, "(int8_t)(31 - scale)"))
        ]
        return "\n".join(
            [
                "#ifdef __AVR__",
                f"static TM_SHARED int64_t {self.symbol}_products({plain.RUNS}, int8_t es, int8_t scale)",
                "{",
                '    register int64_t s __asm__("r18");',
                *declared,
                statement(products()).removesuffix(");") + operands,
                "    return s;",
                "}",
                "#else",
                plain.INTEGER + "#endif",
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
    """The kernel for a row; every weight times 2^scale is proven to fit a signed 32-bit integer."""
    symbol = "tm_dot_r16_s16_s64"
    head = f"int64_t {symbol}({plain.RUNS}, int8_t es, int8_t scale, int64_t sum)"
    composed = _Shared(HEADER, head, {}, plain.BODY, symbol=symbol)
    code = bytes_of(products())
    return Kernel(symbol, 16, 16, 64, step=_STEP, codings=(REGIME, INTEGER), code=code, composed=composed)

"""Products of 16-bit integers and 16-bit numbers that are piecewise linear functions of their raws, such as posits.

Entry n of the segment table describes the raws with upper byte n. The entry is c * 2^16 + 2^8 + s if all of these raws
represent (raw + c) * 2^s. Otherwise it is 0, and C code decodes these raws. Decoded integers have more fractional bits
than the sum.

These products are not an instance of `RowKernel`: for a weight whose entry is 0, the code leaves the loop, and C code
decodes the weight. The C compiler assigns the registers.
"""

from __future__ import annotations

from dataclasses import dataclass

from tinyml.dialects.formats.number_format import INTEGER, REGIME
from tinyml.targets.c.composer.regime import REGIME_INTEGER, REGIME_RUNS
from tinyml.targets.composer.instructions import Code, joined, printed
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.thumb import at, post
from tinyml.targets.kernel import Composed, Kernel

_AT_ONCE = 3
_STEP = 9.0
_CODE = 200
"""Measured values: products per iteration, instructions per product, and bytes of code."""


def fetched() -> Code:
    """Code that loads the next weight to `a`. If the entry of the weight is 0, the code leaves the loop."""
    segment = (t.asrs("%[s]", "%[a]", 8), t.ldr("%[s]", at("%[segments]", "%[s]", lsl=2)), t.cbz("%[s]", ahead=9))
    decoded = t.add("%[a]", "%[a]", "%[s]", asr=16), t.lsls("%[a]", "%[a]", "%[s]")
    return joined(t.ldrsh("%[a]", post("%[w]", 2)), segment, decoded)


def product() -> Code:
    return joined(fetched(), t.ldrsh("%[b]", post("%[x]", 2)), t.smlal("%Q[sum]", "%R[sum]", "%[a]", "%[b]"))


def products() -> Code:
    """Code with several products per iteration while they end before `last`, and then one product per iteration."""
    return joined(
        (t.b(ahead=2), t.label(1), *product() * _AT_ONCE, t.label(2), t.cmp("%[w]", "%[last]"), t.bls(back=1)),
        (t.label(3), t.cmp("%[w]", "%[end]"), t.beq(ahead=9), *product(), t.b(back=3), t.label(9)),
    )


_TEXT = """\
static __attribute__((__noinline__, __unused__)) int64_t SYMBOL_products(
    const int32_t *segments, RUNS, int8_t es, int8_t scale)
{
    int64_t sum = 0;
#if defined(__thumb2__) && !defined(__clang__)
    const int16_t *const end = w + n, *const last = end - AT_ONCE;
    for (;;) {
        int32_t s = 1, a, b;
        __asm__ volatile(ASSEMBLY
                         : [sum] "+r"(sum), [w] "+r"(w), [x] "+r"(x), [s] "+l"(s), [a] "=&l"(a), [b] "=&r"(b)
                         : [segments] "r"(segments), [end] "r"(end), [last] "r"(last) : "cc", "memory");
        if (s != 0)
            return sum;
        sum += (int64_t)tm_regime_integer(w[-1], es, scale) * *x++;
    }
#else
    for (; n > 0; n--, w++) {
        const int32_t s = segments[*w >> 8];
        const int32_t a = s ? (int32_t)((uint32_t)(*w + (s >> 16)) << (s & 31)) : tm_regime_integer(*w, es, scale);
        sum += (int64_t)a * *x++;
    }
    return sum;
#endif
}

static __attribute__((__unused__)) HEAD
{
    return sum + (SYMBOL_products(segments, w, x, n, es, (int8_t)(scale + finer)) >> finer);
}
"""


@dataclass(frozen=True)
class _Segments(Composed):
    symbol: str = ""

    @property
    def text(self) -> str:
        lines = printed(products())
        assembly = "\n                         ".join(f'"{line}\\n\\t"' for line in lines)
        values = {"SYMBOL": self.symbol, "RUNS": REGIME_RUNS, "AT_ONCE": str(_AT_ONCE), "HEAD": self.signature}
        text = _TEXT.replace("ASSEMBLY", assembly)
        for name, value in values.items():
            text = text.replace(name, value)
        return REGIME_INTEGER + text


def segment_dot() -> Kernel:
    """The kernel that adds the products of a row of weights and a vector of 16-bit integers to a 64-bit sum.

    The weights, such as posits, are piecewise linear functions of their raws.
    """
    symbol = "tm_cm_dot_r16_s16_s64"
    head = (
        f"int64_t {symbol}(const int32_t *segments, {REGIME_RUNS}, int8_t es, int8_t scale, int8_t finer, int64_t sum)"
    )
    composed = _Segments("tinyml/cores.h", head, {}, "", symbol=symbol)
    codings = REGIME, INTEGER
    return Kernel(
        symbol, 16, 16, 64, flash=None, step=_STEP, codings=codings, code=_CODE, segments=True, composed=composed
    )

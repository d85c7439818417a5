"""The kernels for Xtensa cores, in C code that gcc compiles to few instructions per product.

The LX106 multiplies 16 by 16 bits (MUL16S). It has no load that extends the sign of a byte. Extracting a byte of an
aligned word takes two shifts, or one shift for the last byte. A word of weights therefore costs less than four loads.
Elements of the vector are loaded once for four rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tinyml.targets.c.composer.compose import compose
from tinyml.targets.c.composer.digit_sums import DigitTimes, digit_sum
from tinyml.targets.c.composer.forests_in_c import FORESTS
from tinyml.targets.kernel import Composed, Kernel
from tinyml.targets.kernel_table import ListedKernels, SumComposer

_AT_ONCE = 4
"""The products of an iteration: one for each byte of a word."""

_ROWS = 4

_CALL = 18
"""The flash of a call, in bytes."""

_BYTES = ("(int8_t)", "(int8_t)({} >> 8)", "(int8_t)({} >> 16)", "(int32_t){} >> 24")


def _byte(word: str, number: int) -> str:
    text = _BYTES[number]
    return text.format(word) if number else f"{text}{word}"


def _product(weight: str, element: str) -> str:
    return f"(int32_t)(int16_t)({weight}) * (int16_t)({element})"


def dot(weights: int, vector: int) -> Kernel:
    """The kernel that adds the products of a run of weights and a run of the vector to a 32-bit sum.

    weights, vector: the widths of the elements in bits, 8 or 16.
    """
    symbol = f"tm_xt_dot_s{weights}_s{vector}_s32"
    signature = f"int32_t {symbol}(const int{weights}_t *w, const int{vector}_t *x, int n, int32_t sum)"
    words = weights == vector == 8
    lines = ["int i = n;"]
    if words:
        lines += [
            "if ((((uintptr_t)w | (uintptr_t)x) & 3) == 0)",
            f"    for (; i >= {_AT_ONCE}; i -= {_AT_ONCE}, w += {_AT_ONCE}, x += {_AT_ONCE}) {{",
            "        const uint32_t a = *(const tm_word *)w, b = *(const tm_word *)x;",
            *(f"        sum += {_product(_byte('a', k), _byte('b', k))};" for k in range(_AT_ONCE)),
            "    }",
        ]
    lines += [
        f"for (; i >= {_AT_ONCE}; i -= {_AT_ONCE}, w += {_AT_ONCE}, x += {_AT_ONCE}) {{",
        *(f"    sum += {_product(f'w[{k}]', f'x[{k}]')};" for k in range(_AT_ONCE)),
        "}",
        "for (; i > 0; i--)",
        f"    sum += {_product('*w++', '*x++')};",
        "return sum;",
    ]
    step = 7.0 if words else 4.75 + 2 * (16 - weights >> 3) + 2 * (16 - vector >> 3)
    return _kernel(symbol, (weights, vector), "num.dot", signature, lines, step, 120 if words else 90)


def dot_rows(weights: int, vector: int) -> Kernel:
    """The kernel that adds the dot products of four rows and a vector to four 32-bit sums.

    weights, vector: the widths of the elements in bits, 8 or 16.
    """
    symbol = f"tm_xt_dot4_s{weights}_s{vector}_s32"
    signature = (
        f"void {symbol}(const int{weights}_t *w, const int{vector}_t *x, int n, const int32_t *start, int32_t *sums)"
    )
    rows = range(_ROWS)
    pointers = ", ".join(f"*w{row} = w + {row} * n" if row else "*w0 = w" for row in rows)
    lines = [
        "int32_t " + ", ".join(f"s{row} = start[{row}]" for row in rows) + ";",
        f"const int{weights}_t {pointers};",
        "int i = n;",
    ]
    if weights == 8:
        elements = [f"x{k} = x[{k}]" for k in range(_AT_ONCE)]
        condition = "((uintptr_t)w | (uintptr_t)n) & 3"
        lines += [
            f"if (({condition}) == 0)",
            f"    for (; i > 0; i -= {_AT_ONCE}, x += {_AT_ONCE}) {{",
            f"        const int16_t {', '.join(elements)};",
            "        uint32_t a;",
            *(f"        {line}" for row in rows for line in _of_row(row)),
            "    }",
        ]
    lines += [
        "for (; i > 0; i--) {",
        "    const int16_t element = *x++;",
        *(f"    s{row} += {_product(f'*w{row}++', 'element')};" for row in rows),
        "}",
        *(f"sums[{row}] = s{row};" for row in rows),
    ]
    step = 5.25 if weights == 8 else 4.0
    return _kernel(symbol, (weights, vector), "num.dot_rows", signature, lines, step, 300 if weights == 8 else 110)


def _of_row(row: int) -> Sequence[str]:
    return [
        f"a = *(const tm_word *)w{row}, w{row} += {_AT_ONCE};",
        *(f"s{row} += {_product(_byte('a', k), f'x{k}')};" for k in range(_AT_ONCE)),
    ]


def _kernel(
    symbol: str, widths: tuple[int, int], op: str, signature: str, lines: Sequence[str], step: float, code: int
) -> Kernel:
    words = any("tm_word" in line for line in lines)
    typed = ["typedef uint32_t __attribute__((__may_alias__)) tm_word;"] if words else []
    body = "\n".join(f"    {line}" for line in [*typed, *lines])
    composed = Composed("tinyml/cores.h", signature, {}, body, call=_CALL)
    rows = _ROWS if op == "num.dot_rows" else 1
    return Kernel(symbol, *widths, 32, op=op, flash=None, rows=rows, step=step, code=code, composed=composed)


_WIDTHS = ((8, 8), (8, 16), (16, 16))

KERNELS = (*(dot(*widths) for widths in (*_WIDTHS, (16, 8))), *(dot_rows(*widths) for widths in _WIDTHS))

DIGITS = SumComposer(partial(digit_sum, DigitTimes(sign=11.0, trit=11.0, lookup=1.8, row=0.5, table=20.0)))
"""Kernels for weights that are packed as digits."""

KERNEL_TABLE = (ListedKernels(KERNELS), SumComposer(compose), DIGITS, *FORESTS)
"""The chip's table of kernels, the best first."""

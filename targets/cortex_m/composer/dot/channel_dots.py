"""Sums of four channels at a time, each with a row of weights of its own, in plain C for every instruction set.

The nest of rows does not apply: it is not assembly.
"""

from __future__ import annotations

from tinyml.targets.kernel import Composed, Kernel

_PORTABLE = """\
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
    """The kernel for elements of a channel that are `stride` apart, with sums in memory.

    step: the measured time per product.
    """
    symbol = f"tm_cm_channels4_s{weights}_s{vector}_s32"
    runs = f"const int{weights}_t *w, const int{vector}_t *x"
    signature = f"void {symbol}({runs}, int n, int stride,\n    const int32_t *start, int32_t *sums)"
    composed = Composed("tinyml/cores.h", signature, {}, _PORTABLE.format(weights=weights))
    op = "num.channel_dots"
    return Kernel(symbol, weights, vector, 32, op=op, flash=None, rows=4, step=step, composed=composed)

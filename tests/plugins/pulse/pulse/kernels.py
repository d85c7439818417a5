"""The kernels of the chip `pulse`: those of its header, one for two rows, and the kernels and forests in plain C."""

from __future__ import annotations

from tinyml.extend.chips import FORESTS_IN_C, Composed, Kernel, ListedKernels, SumComposer, compose_in_c

LISTED = [
    Kernel("tm_pulse_dot_s8_s8_s32", 8, 8, 32, flash=None, step=5.0),
    Kernel("tm_pulse_dot_s16_s16_s32", 16, 16, 32, flash=None, step=7.0),
]
"""Kernels for dot products of bytes or halfwords with 32-bit sums, with the instructions per product (`step`)."""

IN_C = """\
    for (int row = 0; row < 2; row++) {
        int32_t sum = starts[row];
        for (int i = 0; i < n; i++)
            sum += (int32_t)w[row * n + i] * x[i];
        sums[row] = sum;
    }"""

IN_ASSEMBLY = """\
    __asm__ volatile(
        "lw t2, 0(a3)\\n\\tlw t3, 4(a3)\\n\\tadd t4, a0, a2\\n\\tadd t5, a1, a2\\n"
        "1:\\tlb t0, 0(a1)\\n\\tlb t1, 0(a0)\\n\\tmul t1, t1, t0\\n\\tadd t2, t2, t1\\n"
        "\\tlb t1, 0(t4)\\n\\tmul t1, t1, t0\\n\\tadd t3, t3, t1\\n"
        "\\taddi a0, a0, 1\\n\\taddi t4, t4, 1\\n\\taddi a1, a1, 1\\n\\tbne a1, t5, 1b\\n"
        "\\tsw t2, 0(a4)\\n\\tsw t3, 4(a4)\\n\\tret");"""


def two_rows(wanted: Kernel) -> Kernel | None:
    """The kernel for two rows of bytes and one vector, which loads each element of the vector once; None if `wanted` is
    another sum.
    """
    if wanted.op != "num.dot_rows" or (wanted.weights, wanted.vector, wanted.sum, wanted.rows) != (8, 8, 32, 2):
        return None
    symbol = "tm_pulse_two_rows_s8_s8_s32"
    composed = Composed(
        "tinyml/cores.h",
        f"void {symbol}(const int8_t *w, const int8_t *x, int n, const int32_t *starts, int32_t *sums)",
        bodies={("defined(__riscv_mul)",): IN_ASSEMBLY},
        portable=IN_C,
        costs={"": 10, "element": 5.5},
        call=24,
    )
    return Kernel(symbol, 8, 8, 32, "num.dot_rows", rows=2, flash=None, composed=composed)


MAKERS = (SumComposer(two_rows), ListedKernels(LISTED), SumComposer(compose_in_c), *FORESTS_IN_C)
"""The table of the chip's kernels, best first."""

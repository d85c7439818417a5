"""Sparse products: entries of a row, each some elements of the vector behind the one before it."""

from __future__ import annotations

from tinyml.targets.composer.lines import Lines, joined
from tinyml.targets.kernel import Kernel
from tinyml.targets.riscv.composer.calls import kernel_of, time_of_call
from tinyml.targets.riscv.composer.fetch import loaded, scaled, unsigned
from tinyml.targets.riscv.composer.loops import ends, in_blocks, time_of_step
from tinyml.targets.riscv.composer.multiply import added

_PORTABLE = """\
    for (; n > 0; n--) {
        x += (uint8_t)*gaps++;
        sum += (int32_t)*values++ * *x;
    }
    return sum;"""


def sparse_dot(weights: int, vector: int) -> Kernel:
    """The kernel for n entries of values and gaps, which are unsigned, in the type of all constants of 8 bits."""
    symbol = f"tm_rv_dot_sparse_s{weights}_s{vector}_s32"

    def step(number: int) -> Lines:
        return joined(
            unsigned("a1", number, "t0"),
            scaled(vector, "t0", "t0"),
            "add a2, a2, t0",
            loaded(weights, "a0", number * weights // 8, "t0"),
            loaded(vector, "a2", 0, "t1"),
            added("a4", "t0", "t1", "t1"),
        )

    begin, end = ends(weights, "a0", "a3", "t2", "a3"), ("mv a0, a4", "ret")
    pointers = {"a0": weights // 8, "a1": 1}
    lines = joined(begin, in_blocks(step, pointers, "t2", "a3"), end)
    runs = f"const int{weights}_t *values, const int8_t *gaps, const int{vector}_t *x"
    signature = f"int32_t {symbol}({runs}, int n, int32_t sum)"
    time = time_of_call(joined(begin, end), time_of_step(step, pointers), pointers)
    return kernel_of(symbol, (weights, vector, 32), "num.sparse_dot", 1, signature, lines, _PORTABLE, time)

"""Sparse products: entries of a row, each some elements of the vector behind the one before it."""

from __future__ import annotations

from tinyml.targets.composer.lines import Lines, joined
from tinyml.targets.cortex_m.composer import multiply
from tinyml.targets.cortex_m.composer.assembly import ARMV6M, ARMV7M, DSP, pushed, statement
from tinyml.targets.cortex_m.composer.fetch import at, next_one
from tinyml.targets.cortex_m.composer.loops import counted_up
from tinyml.targets.kernel import Composed, Kernel

_PORTABLE = """\
    for (; n > 0; n--) {
        x += (uint8_t)*gaps++;
        sum += (int32_t)*values++ * *x;
    }
    return sum;"""


def sparse_dot(weights: int, vector: int, step: float) -> Kernel:
    """The kernel for n entries of values and gaps, which are unsigned, in the type of all constants of 8 bits.

    step: measured, per entry.
    """
    symbol = f"tm_cm_dot_sparse_s{weights}_s{vector}_s32"
    small, large = _from_behind(weights, vector), _along(weights, vector)
    bodies = {(ARMV6M,): statement(small), (ARMV7M, DSP): statement(large)}
    runs = f"const int{weights}_t *values, const int8_t *gaps, const int{vector}_t *x"
    signature = f"int32_t {symbol}({runs}, int n, int32_t sum)"
    stack = max(pushed(small), pushed(large))
    composed = Composed("tinyml/cores.h", signature, bodies, _PORTABLE, stack=stack)
    return Kernel(symbol, weights, vector, 32, op="num.sparse_dot", step=step, composed=composed)


def _from_behind(weights: int, vector: int) -> Lines:
    """r2 is where the entry stands in the vector, r0 and r1 are behind values and gaps, r4 is the sum."""
    scaled = () if vector == 8 else ("lsls r6, r6, #1",)
    value = at(8, "r0", "r5", "r6") if weights == 8 else joined("adds r6, r5, r5", at(16, "r0", "r6", "r6"))
    gap = joined("ldrb r6, [r1, r5]", scaled, at(vector, "r2", "r6", "r7"), "adds r2, r2, r6")
    return joined(
        ("push {r4, r5, r6, r7, lr}", "ldr r4, [sp, #20]"),
        ["adds r0, r0, r3"] * (weights // 8),
        ("adds r1, r1, r3", "rsbs r5, r3, #0"),
        counted_up(joined(gap, value, multiply.low("r4")), 1),
        ("mov r0, r4", "pop {r4, r5, r6, r7, pc}"),
    )


def _along(weights: int, vector: int) -> Lines:
    """r0, r1 and r2 walk along values, gaps and the vector, r12 is the sum."""
    scaled = "" if vector == 8 else ", lsl #1"
    load = f"ldrs{'b' if vector == 8 else 'h'} lr, [r2]"
    return joined(
        ("ldr r12, [sp]", "push {r4, lr}", "cbz r3, 2f", "1:", "ldrb r4, [r1], #1", f"add r2, r2, r4{scaled}"),
        next_one(weights, "r0", "r4"),
        load,
        multiply.single(("r12",), "r4", "lr"),
        ("subs r3, r3, #1", "bne 1b", "2:", "mov r0, r12", "pop {r4, pc}"),
    )

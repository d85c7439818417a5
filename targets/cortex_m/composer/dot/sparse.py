"""Sparse products: each entry of a row is a value and its distance, in elements of the vector, from the previous one.

The nest of rows cannot express them: the gaps between entries, and their number, are known only when the program runs.

Registers are assigned by hand: little is alive apart from arguments, and products on ARMv6-M take low registers only.
"""

from __future__ import annotations

from tinyml.targets.composer.instructions import Code, joined, stack_of
from tinyml.targets.cortex_m.assembly import thumb as t
from tinyml.targets.cortex_m.assembly.operands import at, post, slot
from tinyml.targets.cortex_m.composer import multiply
from tinyml.targets.cortex_m.composer.assembly import ARMV6M, ARMV7M, DSP, statement
from tinyml.targets.cortex_m.composer.fetch import element_at, next_one
from tinyml.targets.cortex_m.composer.loops import counted_up
from tinyml.targets.kernel import Composed, Kernel

_PORTABLE = """\
    for (; n > 0; n--) {
        x += (uint8_t)*gaps++;
        sum += (int32_t)*values++ * *x;
    }
    return sum;"""


def sparse_dot(weights: int, vector: int, step: float) -> Kernel:
    """The kernel for n entries of values and gaps. Gaps are unsigned, but declared as int8_t like all 8-bit constants.

    step: the measured time per entry.
    """
    symbol = f"tm_cm_dot_sparse_s{weights}_s{vector}_s32"
    small, large = _from_behind(weights, vector), _along(weights, vector)
    bodies = {(ARMV6M,): statement(small, ARMV6M), (ARMV7M, DSP): statement(large, ARMV7M)}
    runs = f"const int{weights}_t *values, const int8_t *gaps, const int{vector}_t *x"
    signature = f"int32_t {symbol}({runs}, int n, int32_t sum)"
    stack = max(stack_of(small), stack_of(large))
    composed = Composed("tinyml/cores.h", signature, bodies, _PORTABLE, stack=stack)
    return Kernel(symbol, weights, vector, 32, op="num.sparse_dot", step=step, composed=composed)


def _from_behind(weights: int, vector: int) -> Code:
    """The ARMv6-M code: r2 points to the entry's element, r0 and r1 to the ends of values and gaps; r4 is the sum."""
    scaled = () if vector == 8 else (t.lsls("r6", "r6", 1),)
    doubled, index = ((), "r5") if weights == 8 else (t.adds("r6", "r5", "r5"), "r6")
    value = joined(doubled, element_at(weights, "r0", index, "r6"))
    gap = joined(t.ldrb("r6", at("r1", "r5")), scaled, element_at(vector, "r2", "r6", "r7"), t.adds("r2", "r2", "r6"))
    return joined(
        (t.push(("r4", "r5", "r6", "r7", "lr")), t.ldr("r4", slot(20))),
        [t.adds("r0", "r0", "r3")] * (weights // 8),
        (t.adds("r1", "r1", "r3"), t.rsbs("r5", "r3", 0)),
        counted_up(joined(gap, value, multiply.low("r4")), 1),
        (t.mov("r0", "r4"), t.pop(("r4", "r5", "r6", "r7", "pc"))),
    )


def _along(weights: int, vector: int) -> Code:
    """The ARMv7-M code: r0, r1 and r2 walk along values, gaps and the vector; r12 is the sum."""
    scaled, load = ({}, t.ldrsb) if vector == 8 else ({"lsl": 1}, t.ldrsh)
    return joined(
        (t.ldr("r12", at("sp")), t.push(("r4", "lr")), t.cbz("r3", ahead=2), t.label(1)),
        (t.ldrb("r4", post("r1", 1)), t.add("r2", "r2", "r4", **scaled)),
        next_one(weights, "r0", "r4"),
        load("lr", at("r2")),
        multiply.single(("r12",), "r4", "lr"),
        (t.subs("r3", "r3", 1), t.bne(back=1), t.label(2), t.mov("r0", "r12"), t.pop(("r4", "pc"))),
    )

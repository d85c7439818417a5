"""Fragments of kernels: products, requantisation, and the assembly of what is composed of them."""

from __future__ import annotations

from typing import Protocol

from tinyml.targets.composer.lines import Lines
from tinyml.targets.riscv.assembly.code import RiscvCode, V
from tinyml.targets.riscv.assembly.instructions import (
    ACCUMULATE,
    ADD,
    ADDI,
    MUL,
    MULHSU,
    SLLI,
    SLTU,
    SRA,
    SRAI,
    SRLI,
    XORI,
)

UNROLLED = 4
"""The elements that an iteration of a loop takes."""

SATURATED = 2
"""The instructions of `requantised` that only results beyond a byte take.

The cost model counts them for half of all results, as an activation makes about half of a network's the least byte.
"""


class Written(Protocol):
    """A function that writes its code."""

    def write(self, code: RiscvCode[V]) -> None: ...


def built(function: Written) -> Lines:
    """The assembly of a function: IR with registers, printed."""
    from tinyml.targets.riscv.assembly.builder import RiscvBuilder
    from tinyml.targets.riscv.assembly.printer import assembly
    from tinyml.targets.riscv.assembly.registers import allocate

    builder = RiscvBuilder()
    function.write(builder)
    allocate(builder.region, saved=builder.has_frame)
    return assembly(builder.region)


def added_product(code: RiscvCode[V], sum: V, weight: V, element: V) -> V:
    """A product added to a sum, which is not used again."""
    return code.put(ACCUMULATE, sum, code.put(MUL, element, weight))


def added_wide_product(code: RiscvCode[V], low: V, high: V, weight: V, element: V) -> tuple[V, V]:
    """A product of 32 bits, added to a sum of two words."""
    product = code.put(MUL, element, weight)
    low = code.put(ACCUMULATE, low, product)
    high = code.put(ACCUMULATE, high, code.put(SLTU, low, product))
    return low, code.put(ACCUMULATE, high, code.put(SRAI, product, 31))


def requantised(code: RiscvCode[V], sum: V, multiplier: V, right: V, zero: int) -> V:
    """A sum as TensorFlow Lite requantises it, saturated to a byte.

    multiplier: twice the multiplier, an unsigned number. right: the shift amount less 1. The last bit that is left is
    rounded, halves away from zero, after the zero point has been added.
    """
    # The high word of the product, plus the highest bit of the low one, is rounded.
    low = code.put(MUL, sum, multiplier)
    high = code.put(ACCUMULATE, code.put(MULHSU, sum, multiplier), code.put(SRLI, low, 31))
    # A negative number less 1, so that its halves round away from zero.
    number = code.put(ACCUMULATE, high, code.put(SRAI, high, 31))
    number = code.put(SRAI, code.put(ADDI, code.put(SRA, number, right), 2 * zero + 1), 1)
    byte = code.put(SRAI, code.put(SLLI, number, 24), 24)
    return code.changed_unless(byte, number, number, lambda value: _limit(code, value), share=0.5)


def _limit(code: RiscvCode[V], value: V) -> V:
    """The greatest byte, or the least one for a negative number."""
    return code.put(XORI, code.put(SRAI, value, 31), 127)


def started_product(code: RiscvCode[V], start: V, weight: V, element: V) -> V:
    """A product added to the start of a sum, which others start from, too."""
    return code.put(ADD, start, code.put(MUL, element, weight))

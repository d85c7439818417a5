"""Fragments of kernels: products, requantisation, and the assembly of composed functions."""

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
"""The number of elements in an iteration of a loop."""

SATURATED = 2
"""The number of additional instructions of `requantised` for results out of range.

The cost model counts them for half of all results, as an activation sets about half of a network's results to the least
byte.
"""


class Written(Protocol):
    """A function whose code `write` emits, either to count instructions or to build IR."""

    def write(self, code: RiscvCode[V]) -> None: ...


def built(function: Written) -> Lines:
    """The assembly of a function: its IR after register allocation, as text."""
    from tinyml.targets.riscv.assembly.builder import RiscvBuilder
    from tinyml.targets.riscv.assembly.printer import assembly
    from tinyml.targets.riscv.assembly.registers import allocate

    builder = RiscvBuilder()
    function.write(builder)
    allocate(builder.region, saved=builder.has_frame)
    return assembly(builder.region)


def added_product(code: RiscvCode[V], sum: V, weight: V, element: V) -> V:
    """Add a product to a sum, whose old value must not be used again."""
    return code.put(ACCUMULATE, sum, code.put(MUL, element, weight))


def added_wide_product(code: RiscvCode[V], low: V, high: V, weight: V, element: V) -> tuple[V, V]:
    """Add a 32-bit product to a sum of two words."""
    product = code.put(MUL, element, weight)
    low = code.put(ACCUMULATE, low, product)
    high = code.put(ACCUMULATE, high, code.put(SLTU, low, product))
    return low, code.put(ACCUMULATE, high, code.put(SRAI, product, 31))


def requantised(code: RiscvCode[V], sum: V, multiplier: V, right: V, zero: int) -> V:
    """A sum requantised as in TensorFlow Lite, saturated to a byte.

    multiplier: twice the multiplier, an unsigned number. right: the shift amount minus 1. The lowest remaining bit is
    rounded, with ties away from zero, after the zero point has been added.
    """
    # The high word of the product plus the highest bit of the low word, which rounds it.
    low = code.put(MUL, sum, multiplier)
    high = code.put(ACCUMULATE, code.put(MULHSU, sum, multiplier), code.put(SRLI, low, 31))
    # Negative numbers are decremented, so that ties are rounded away from zero.
    number = code.put(ACCUMULATE, high, code.put(SRAI, high, 31))
    number = code.put(SRAI, code.put(ADDI, code.put(SRA, number, right), 2 * zero + 1), 1)
    byte = code.put(SRAI, code.put(SLLI, number, 24), 24)
    return code.changed_unless(byte, number, number, lambda value: _limit(code, value), share=0.5)


def _limit(code: RiscvCode[V], value: V) -> V:
    """The greatest byte, or the least one for a negative number."""
    return code.put(XORI, code.put(SRAI, value, 31), 127)


def started_product(code: RiscvCode[V], start: V, weight: V, element: V) -> V:
    """Add a product to the start of a sum, which other sums use, too."""
    return code.put(ADD, start, code.put(MUL, element, weight))

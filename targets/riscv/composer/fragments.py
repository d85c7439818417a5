"""Fragments of RISC-V kernels: products, requantisation, and the code of a tile, whose cost is counted before its IR is
built.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

from tinyml.targets.composer.instructions import Lines, Run, balanced
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.riscv.assembly import (
    ACCUMULATE,
    ADD,
    ADDI,
    BEQ,
    BLTU,
    MUL,
    MULHSU,
    SLLI,
    SLTU,
    SRA,
    SRAI,
    SRLI,
    SUB,
    XORI,
    InstructionCounter,
    RiscvCode,
    V,
)
from tinyml.targets.riscv.builder import RiscvBuilder, allocate, assembly
from tinyml.targets.tiles import Tile

UNROLLED = 4
"""The number of elements in an iteration of a loop."""

SATURATED, SATURATED_SHIFTED = 2, 3
"""The number of additional instructions of `requantised` and of `shifted` for results out of range.

The cost model assumes them for half of all results, since an activation sets about half of a network's results to the
least byte.
"""


class Written(Protocol):
    """A function whose code the method `write` appends to a `RiscvCode`, to count instructions or to build IR."""

    def write(self, code: RiscvCode[V]) -> None: ...


def built(function: Written) -> Lines:
    """The assembly text of a function, whose IR is built and whose registers are allocated."""
    builder = RiscvBuilder()
    function.write(builder)
    allocate(builder.region, saved=builder.has_frame)
    return assembly(builder.region)


def added_product(code: RiscvCode[V], sum: V, weight: V, element: V) -> V:
    """Append code that adds a product to a sum, and return the new sum. The caller must not use `sum` again."""
    return code.put(ACCUMULATE, sum, code.put(MUL, element, weight))


def added_wide_product(code: RiscvCode[V], low: V, high: V, weight: V, element: V) -> tuple[V, V]:
    """Append code that adds a 32-bit product to a sum of 64 bits, and return the low and the high word of the new
    sum.
    """
    product = code.put(MUL, element, weight)
    low = code.put(ACCUMULATE, low, product)
    high = code.put(ACCUMULATE, high, code.put(SLTU, low, product))
    return low, code.put(ACCUMULATE, high, code.put(SRAI, product, 31))


def requantised(code: RiscvCode[V], sum: V, multiplier: V, right: V, tile: Tile) -> V:
    """Append code that requantises a sum and saturates it to a byte, and return the byte.

    The zero point is added before the lowest remaining bit is rounded. Ties are rounded away from zero, or upwards for
    sums that are rounded once.

    multiplier: twice the multiplier, as an unsigned integer.
    right: the right shift minus 1.
    tile: the tile, which specifies the zero point and how sums are rounded.
    """
    if tile.to_even:
        number = code.put(MULHSU, sum, multiplier)
    else:
        # The high word of the product plus the highest bit of the low word, which rounds it.
        low = code.put(MUL, sum, multiplier)
        high = code.put(ACCUMULATE, code.put(MULHSU, sum, multiplier), code.put(SRLI, low, 31))
        # Negative numbers are decremented, so that ties are rounded away from zero.
        number = code.put(ACCUMULATE, high, code.put(SRAI, high, 31))
    number = code.put(SRAI, code.put(ADDI, code.put(SRA, number, right), 2 * tile.zero + 1), 1)
    byte = code.put(SRAI, code.put(SLLI, number, 24), 24)
    return code.changed_unless(BEQ, byte, number, number, lambda value: _limit(code, value), share=0.5)


def _limit(code: RiscvCode[V], value: V) -> V:
    """Append code that computes the byte to which a value out of range saturates, and return it: -128 for negative
    values, otherwise 127.
    """
    return code.put(XORI, code.put(SRAI, value, 31), 127)


GREATEST = 127
"""The greatest raw of one byte in fixed point. The least raw is its negative."""


def shifted(code: RiscvCode[V], sum: V, right: int, raws: V) -> V:
    """Append code that shifts a sum right and saturates it to a byte in fixed point, and return the byte.

    raws: the number of raws, 2 * `GREATEST` + 1.
    """
    number = code.put(SRAI, sum, right)

    def limit(value: V) -> V:
        sign = code.put(SRAI, value, 31)
        return code.put(SUB, code.put(XORI, sign, GREATEST), sign)

    return code.changed_unless(BLTU, code.put(ADDI, number, GREATEST), raws, number, limit, share=0.5)


def finished(code: RiscvCode[V], tile: Tile) -> Callable[..., V]:
    """A function that appends code which converts a sum to the byte of its result, and returns the byte.

    The arguments of the function are the sum and, unless the tile shifts its sums, the multiplier and the right shift
    of `requantised`. Constants for all sums are loaded before.
    """

    def by_factors(sum: V, multiplier: V, right: V) -> V:
        return requantised(code, sum, multiplier, right, tile)

    if not tile.right:
        return by_factors
    raws = code.constant(2 * GREATEST + 1)

    def by_shift(sum: V) -> V:
        return shifted(code, sum, tile.right, raws)

    return by_shift


def started_product(code: RiscvCode[V], start: V, weight: V, element: V) -> V:
    """Append code that adds a product to a start value, and return the sum. The caller may use `start` for other
    sums.
    """
    return code.put(ADD, start, code.put(MUL, element, weight))


@dataclass(frozen=True)
class RiscvTileCode(ABC):
    """The code for a tile.

    FRAME: the bytes of the stack frame, a multiple of 16.
    """

    tile: Tile
    FRAME: ClassVar[int]

    @property
    @abstractmethod
    def layout(self) -> WeightStream:
        """The layout of the weight stream: its groups of blocks and the fields of each block."""

    @property
    @abstractmethod
    def max_windows(self) -> int:
        """The maximum number of windows that are computed at once, for which the offsets of loads and stores reach the
        last window; 0 for a tile without code.
        """

    @property
    def fits(self) -> bool:
        return self.max_windows > 0

    @cached_property
    def windows(self) -> list[tuple[int, int]]:
        """The groups of windows: pairs (repetition count, number of windows computed at once)."""
        return balanced(self.tile.count, self.max_windows)

    @abstractmethod
    def write(self, code: RiscvCode[V]) -> None:
        """Append the complete function to `code`."""

    @cached_property
    def _costs(self) -> InstructionCounter:
        counter = InstructionCounter()
        self.write(counter)
        return counter

    @property
    def lines(self) -> Lines:
        return built(self)

    @property
    def time(self) -> float:
        return self._costs.instructions

    @property
    def runs(self) -> Sequence[Run]:
        """An empty sequence, because no timing is published for the cores."""
        return ()

    @property
    def stack(self) -> int:
        return self.FRAME

    @property
    def bytes(self) -> int:
        return self._costs.bytes

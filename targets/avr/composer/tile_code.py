"""The base class of code for tiles on AVR. A tile kernel is used only if it is faster than kernels for single sums."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, cached_property
from itertools import accumulate

from tinyml.targets.avr.assembly import RETURN_ADDRESS, TimedCode, bytes_of, cycles, framed
from tinyml.targets.avr.composer.fragments import (
    COMPILED,
    FACTORS,
    factors,
    requantised_in_c,
    requantising,
)
from tinyml.targets.c.composer.constants_in_c import shifted_in_c
from tinyml.targets.composer.instructions import Code, Instruction, Run, joined
from tinyml.targets.composer.weight_streams import START, Field, Number, RowNumbers, StreamInC, Weights, WeightStream
from tinyml.targets.kernel import Kernel
from tinyml.targets.tiles import Tile


def _three_bytes(pointer: str, offset: str) -> str:
    low, middle, high = (f"{pointer}[{offset} + {byte}]" for byte in range(3))
    return f"(int32_t)((uint8_t){low} | (uint32_t)(uint8_t){middle} << 8) + {high} * (int32_t)65536"


@cache
def _factors(zero: int) -> Number:
    return Number("factors", FACTORS, lambda sums: factors(sums, zero), "{} + {}".format)


_START = replace(START, bytes=3, in_c=_three_bytes)


class AvrTileCode(ABC):
    """The code for a tile that reads its weights from a stream (see `TileCode`).

    requantises: true if the sums are requantised by factors, which follow the weights in the stream; false if the sums
        are shifted.
    requantising: the function that requantises sums.
    """

    def __init__(self, tile: Tile) -> None:
        self.tile = tile
        self.requantises = tile.right == 0
        self.requantising = requantising(tile.to_even)

    @property
    @abstractmethod
    def has_registers(self) -> bool:
        """True if the registers are sufficient and each counter fits in one byte."""

    @property
    @abstractmethod
    def single(self) -> float:
        """The approximate cycles per result, without requantisation, of a kernel that computes one sum per call."""

    @property
    @abstractmethod
    def layout(self) -> WeightStream:
        """The layout of the weight stream: its groups of blocks and the fields of each block."""

    @property
    def runs(self) -> Sequence[Run]:
        """An empty sequence, because the times of AVR code are stored in cycles instead of runs of instructions."""
        return ()

    @abstractmethod
    def composed(self) -> TimedCode:
        """The code of the function, without the instructions that save and restore registers and return."""

    @cached_property
    def body(self) -> TimedCode:
        return self.composed()

    @property
    @abstractmethod
    def calls(self) -> int:
        """The maximum depth of nested calls, including the call of the function itself."""

    @property
    def subroutine(self) -> Code:
        """The subroutine that the code calls, which is placed after the function; empty by default."""
        return ()

    @property
    def lines(self) -> Code:
        return joined(framed(self.body.lines), self.subroutine)

    @property
    def time(self) -> int:
        return cycles(framed(self.body.lines)) - cycles(self.body.lines) + self.body.cycles

    @property
    def stack(self) -> int:
        return self.calls * RETURN_ADDRESS + _deepest(self.lines)

    @property
    def fits(self) -> bool:
        usual = self.tile.rows * self.tile.count * (self.single + (COMPILED if self.requantises else 0))
        return self.has_registers and self.time <= usual

    @property
    def bytes(self) -> int:
        return bytes_of(self.lines)

    def weight_stream(
        self, blocks: tuple[int, int], elements: int, order: tuple[int, ...], *, by_channel: bool = False
    ) -> WeightStream:
        """A stream of equal blocks of rows.

        blocks: the number of blocks, and the rows per block.
        elements: the number of elements of a row of weights.
        order: the order of the weights, as in `Weights`.
        by_channel: true if each row of weights is the filter of a channel.
        """
        weights = Weights("weights", elements=elements, order=order)
        fields: list[Field] = [RowNumbers("starts", content=(_START,)), weights]
        fields += [RowNumbers("factors", content=(_factors(self.tile.zero),))] if self.requantises else []

        def finish(c: StreamInC, out: str) -> str:
            if self.requantises:
                return requantised_in_c("", f"({c.number('factors')})", out, once=bool(self.tile.to_even))
            return shifted_in_c(self.tile.right, out)

        return WeightStream(self.tile, [blocks], fields, by_channel=by_channel, finish=finish)


def _deepest(lines: Code) -> int:
    return max(accumulate((line.stack for line in lines if isinstance(line, Instruction)), initial=0))


def cycles_alone(kernel: Kernel, length: int) -> float:
    """The cycles of a call of a composed kernel that computes a single sum of `length` products."""
    assert kernel.composed is not None
    costs = kernel.composed.costs
    return costs[""] + length * costs["element"]

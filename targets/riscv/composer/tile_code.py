"""The code for a tile on RISC-V, counted while kernels are chosen and built when one is printed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from tinyml.targets.composer.lines import Lines
from tinyml.targets.composer.repeated import Run
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.riscv.assembly.code import RiscvCode, V
from tinyml.targets.riscv.assembly.counter import InstructionCounter
from tinyml.targets.riscv.composer.fragments import built
from tinyml.targets.tiles import Tile


@dataclass(frozen=True)
class RiscvTileCode(ABC):
    """The code for a tile. FRAME: the bytes of its stack frame, a multiple of 16."""

    tile: Tile
    FRAME: ClassVar[int]

    @property
    @abstractmethod
    def layout(self) -> WeightStream:
        """The layout of the stream."""

    @abstractmethod
    def write(self, code: RiscvCode[V]) -> None:
        """Write the complete function."""

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
        """The number of instructions of a call."""
        return self._costs.time

    @property
    def runs(self) -> Sequence[Run]:
        """Empty: the published timing of the cores is unknown."""
        return ()

    @property
    def stack(self) -> int:
        return self.FRAME

    @property
    def bytes(self) -> int:
        """An upper bound on the bytes of flash."""
        return self._costs.bytes

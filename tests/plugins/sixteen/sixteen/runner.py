"""The runner of the machine in the simulator simavr."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from tinyml.extend.runners import SimulatorRunner, chip_of, compiled_tool


@dataclass(frozen=True)
class SixteenRunner(SimulatorRunner):
    """A runner for a simulated ATmega1284P, with the driver for the chip of an Uno."""

    name: str = "sixteen"
    not_in_image: ClassVar[Sequence[str]] = (".eeprom",)

    def driver(self) -> Sequence[str | Path]:
        return [compiled_tool(chip_of("uno").folder / "simavr_driver.c", "-lsimavr")]

    def ram_address(self, symbol: int) -> int:
        # avr-gcc adds 0x800000 to addresses in RAM.
        return symbol & 0xFFFF

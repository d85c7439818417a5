"""The runner of AVR chips. It simulates programs with libsimavr, which counts cycles exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from tinyml.dialects.errors import InputError, TooLargeError
from tinyml.runtime.devices.device import Build
from tinyml.runtime.devices.simulator import SimulatorRunner
from tinyml.runtime.devices.toolchain import compiled_tool, symbols
from tinyml.targets.avr.chip import LPM_BYTES
from tinyml.targets.chip import FEWER_CONSTANTS
from tinyml.targets.registry import chip_of

BEHIND_CONSTANTS = "__ctors_start"
"""The symbol in the linker scripts at the end of all constants in flash."""


@dataclass(frozen=True)
class AvrRunner(SimulatorRunner):
    """The runner of simulated AVR chips, by default the Arduino Uno, with the Arduino IDE's compiler flags except LTO.

    The program is linked without an Arduino core. Cycles are counted from the first instruction of `NAME_predict`
    through its return. The runner raises `DeviceError` for an inference of more than `limit` cycles, for a crash, for a
    jump out of the program, for a stack overflow into the static data, and for a program too large for the chip.
    """

    name: str = "uno"
    not_in_image: ClassVar[Sequence[str]] = (".eeprom",)

    def check(self, build: Build) -> None:
        """Raise `TooLargeError` for constants beyond the address range of the instruction LPM."""
        end = symbols(self.chip, build.elf)[BEHIND_CONSTANTS]
        if LPM_BYTES < end <= (self.board.flash or 0):
            raise TooLargeError(
                f"the constants of the program end at byte {end:,} of the flash of {self.name}, LPM reads the first "
                f"{LPM_BYTES:,}: {FEWER_CONSTANTS}"
            )

    def driver(self) -> Sequence[str | Path]:
        try:
            return [compiled_tool(chip_of(AvrRunner.name).folder / "simavr_driver.c", "-lsimavr")]
        except InputError as error:
            if "simavr/" not in error.message and "-lsimavr" not in error.message:
                raise
            raise InputError(
                "the simavr library is not installed; on Debian or Ubuntu: apt install libsimavr-dev"
            ) from error

    def ram_address(self, symbol: int) -> int:
        # avr-gcc gives RAM addresses an offset of 0x800000.
        return symbol & 0xFFFF

"""The runner of AVR chips, cycle-accurate on libsimavr."""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.device import Build, RunResult, TimeProfile, raw_inputs, result_of_records
from tinyml.runtime.devices.runner import Runner
from tinyml.runtime.devices.toolchain import call_tool, execute, symbol_table, symbols
from tinyml.runtime.model.interface import Interface
from tinyml.targets.registry import HOST, chip_of

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class AvrRunner(Runner):
    """Runs on a simulated AVR chip, by default the Arduino Uno's, with the Arduino IDE's compiler flags but no LTO.

    No Arduino core is linked. Cycles count from the first instruction of `NAME_predict` to the end of its return.
    An inference that takes more than `limit` cycles, a crash, a jump out of the program, a stack that grows into the
    static data and a program too large for the chip raise DeviceError.
    """

    name: str = "uno"
    limit: int = 4_000_000_000

    def run(self, build: Build, interface: Interface, inputs: np.ndarray) -> RunResult:
        return self._run(build, interface, inputs)

    def profile(self, build: Build, interface: Interface, inputs: np.ndarray) -> TimeProfile:
        predict = next(s for s in symbol_table(self.chip, build.elf) if s.name == f"{interface.name}_predict")
        file = build.elf.with_suffix(".profile")
        result = self._run(build, interface, inputs, (predict.address + predict.size, file))
        spent: dict[tuple[int, int], float] = {}
        for line in file.read_text().splitlines():
            site, pc, cycles = map(int, line.split())
            spent[site, pc] = cycles / len(inputs)
        return TimeProfile(result, spent)

    def _run(
        self, build: Build, interface: Interface, inputs: np.ndarray, profile: tuple[int, Path] | None = None
    ) -> RunResult:
        """Run; profile: the address behind the program's function, and the file for the profile."""
        stdin = raw_inputs(interface, inputs)
        driver = _driver(chip_of(AvrRunner.name).folder / "simavr_driver.c")
        image = build.elf.with_suffix(".bin")
        call_tool(self.chip, "objcopy", ["-O", "binary", "-R", ".eeprom", build.elf, image])
        table = symbols(self.chip, build.elf)
        # avr-gcc gives RAM addresses an offset of 0x800000.
        arguments = [
            self.limit,
            len(inputs),
            table[f"{interface.name}_predict"],
            table.get("tm_array", 0) & 0xFFFF,
            table[f"{interface.name}_input"] if interface.input_in_arena else 0,
            interface.input_bytes,
            table["_end"] & 0xFFFF,
            *(profile or (0, "-")),
            table[f"{interface.name}_row"] if interface.row_length else 0,
            interface.row_bytes,
        ]
        if interface.output_length:
            arguments += [table[f"{interface.name}_scores"], interface.output_bytes]
        for number, (dtype, (_, length)) in enumerate(
            zip(interface.more_dtypes, interface.more_outputs, strict=True), 1
        ):
            arguments += [table[f"{interface.name}_output_{number}"], dtype.itemsize * length]
        command = [driver, self.board.part, image, *map(str, arguments)]
        return result_of_records(interface, execute(command, stdin, f"{interface.name} on {self.board.part}"))


@cache
def _driver(source: Path) -> Path:
    """The compiled simavr driver, from the user's cache if it is there already.

    The cache key is the preprocessed source, so that each version of simavr gets its own driver.
    """
    try:
        text = call_tool(chip_of(HOST), "cc", ["-E", "-P", source])
        key = hashlib.sha256(text.encode()).hexdigest()[:16]
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tinyml"
        driver = cache / f"simavr_driver-{key}"
        if not driver.exists():
            cache.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=cache) as scratch:
                # Several processes may compile it at once, so each moves a complete file into place.
                fresh = Path(scratch) / "driver"
                call_tool(chip_of(HOST), "cc", ["-std=gnu99", "-O2", "-o", fresh, source, "-lsimavr"])
                fresh.replace(driver)
    except InputError as error:
        if "simavr/" not in error.message and "-lsimavr" not in error.message:
            raise
        raise InputError(
            "the simavr library is not installed; on Debian or Ubuntu: apt install libsimavr-dev"
        ) from error
    return driver

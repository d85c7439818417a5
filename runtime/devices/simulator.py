"""The base class of runners on simulators that run in a separate process.

A C program that is compiled on demand, the driver, controls the simulator.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tinyml.runtime.devices.device import Build, RunResult, TimeProfile, raw_inputs, result_of_records
from tinyml.runtime.devices.runner import Runner
from tinyml.runtime.devices.toolchain import call_tool, execute, function_range, symbols
from tinyml.runtime.model.interface import Interface

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class SimulatorRunner(Runner):
    """The base class of runners on a simulator in a separate process.

    A subclass specifies the command of a driver, whose arguments are defined in `tm_driver.h`. The driver reads inputs
    from standard input and writes records to standard output. `compiled_tool` builds the driver from a C file that
    includes `tm_driver.h`. An inference of more than `limit` cycles raises `DeviceError`, as does any other error
    that the driver prints.
    """

    limit: int = 4_000_000_000
    not_in_image: ClassVar[Sequence[str]] = ()
    """Sections of the ELF file that the simulator does not load."""
    free: ClassVar[str] = "_end"
    """The symbol of the first address after all static data."""

    @abstractmethod
    def driver(self) -> Sequence[str | Path]:
        """The command of the driver, without its arguments. Raises `InputError` if the simulator is not installed."""

    def ram_address(self, symbol: int) -> int:
        """The RAM address of a symbol with the linker's address `symbol`. Subclasses override this method if the linker
        adds an offset to separate address spaces.
        """
        return symbol

    def run(self, build: Build, interface: Interface, inputs: np.ndarray) -> RunResult:
        return self._run(build, interface, inputs)

    def profile(self, build: Build, interface: Interface, inputs: np.ndarray) -> TimeProfile:
        inside = function_range(self.chip, build.elf, *interface.profiled)
        file = build.elf.with_suffix(".profile")
        result = self._run(build, interface, inputs, (inside.start, inside.stop, file))
        spent: dict[tuple[int, int], float] = {}
        for line in file.read_text().splitlines():
            site, pc, cycles = map(int, line.split())
            spent[site, pc] = cycles / len(inputs)
        return TimeProfile(result, spent)

    def _run(
        self, build: Build, interface: Interface, inputs: np.ndarray, profile: tuple[int, int, Path] | None = None
    ) -> RunResult:
        """Run the program `build` on `inputs` and return the results.

        profile: the first and the last address of the range to which time is attributed, and the output file; None for
            no profile.
        """
        stdin = build.weights + raw_inputs(interface, inputs)
        driver = self.driver()
        image = build.elf.with_suffix(".bin")
        left_out = [argument for section in self.not_in_image for argument in ("-R", section)]
        call_tool(self.chip, "objcopy", ["-O", "binary", *left_out, build.elf, image])
        table = symbols(self.chip, build.elf)
        arguments = [
            self.limit,
            len(inputs),
            table[interface.entry],
            self.ram_address(table.get("tm_array", 0)),
            table[f"{interface.name}_input"] if interface.in_own_buffer else 0,
            interface.input_bytes,
            self.ram_address(table[self.free]),
            *(profile or (0, 0, "-")),
            table[f"{interface.name}_row"] if interface.row_length else 0,
            interface.row_bytes,
            table[f"{interface.name}_weights"] if build.weights else 0,
            len(build.weights),
            int(interface.pushes is not None),
        ]
        if interface.output_length:
            arguments += [table[f"{interface.name}_scores"], interface.output_bytes]
        for number, (dtype, (_, length)) in enumerate(
            zip(interface.more_dtypes, interface.more_outputs, strict=True), 1
        ):
            arguments += [table[f"{interface.name}_output_{number}"], dtype.itemsize * length]
        command = [*driver, self.board.part, image, *map(str, arguments)]
        records = execute(command, stdin, f"{interface.name} on {self.board.part}")
        return result_of_records(interface, records, self.board.unit)

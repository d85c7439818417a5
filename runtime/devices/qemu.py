"""The base class of runners in QEMU. A QEMU plugin counts instructions and cycles."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.devices.device import (
    Build,
    DeviceError,
    FullStackError,
    RunResult,
    TimeProfile,
    raw_inputs,
    result_of_records,
)
from tinyml.runtime.devices.runner import Runner
from tinyml.runtime.devices.toolchain import compiled_tool, execute, function_range, symbols
from tinyml.runtime.model.interface import Interface

START_SECONDS, SAMPLE_SECONDS = 60, 60
"""QEMU's time limits in seconds: for the start, and per sample. The plugin counts only instructions of inferences."""

_NO_PERIPHERALS = ("-display", "none", "-monitor", "none", "-serial", "none")


@dataclass(frozen=True)
class QemuRunner(Runner):
    """The base class of runners on a core in QEMU. Programs exchange inputs and outputs with the host through files
    (tm_semihosted.h).

    Instructions are counted from the first instruction of `NAME_predict` through its return. An inference that executes
    more than `limit` instructions, a crash, a jump out of the program and a stack overflow raise `DeviceError`.
    """

    limit: int = 4_000_000_000
    emulator: ClassVar[Sequence[str]]
    """The command of QEMU with the machine and its core."""
    code: ClassVar[int] = 0
    """The offset added to a function's address to call it."""

    def table(self, build: Build) -> bytes | None:
        """The cycles of a program's instructions, in the format that the plugin reads; None if the cycles are
        unknown.
        """
        del build
        return None

    def run(self, build: Build, interface: Interface, inputs: np.ndarray) -> RunResult:
        return self._run(build, interface, inputs, {})

    def profile(self, build: Build, interface: Interface, inputs: np.ndarray) -> TimeProfile:
        inside = function_range(self.chip, build.elf, *interface.profiled)
        file = build.elf.with_suffix(".profile").resolve()
        arguments = {"profile_start": inside.start, "profile_end": inside.stop, "profile": file}
        result = self._run(build, interface, inputs, arguments)
        spent: dict[tuple[int, int], float] = {}
        for line in file.read_text().splitlines():
            site, pc, times = map(int, line.split())
            spent[site, pc] = spent.get((site, pc), 0) + times / len(inputs)
        return TimeProfile(result, spent)

    def _run(
        self, build: Build, interface: Interface, inputs: np.ndarray, profile: Mapping[str, int | Path]
    ) -> RunResult:
        """Run the program `build` on `inputs` and return the results.

        profile: further arguments of the QEMU plugin, by name.

        Raises `FullStackError` for a stack overflow into the static data, and `DeviceError` for any other failure.
        """
        raw, what = raw_inputs(interface, inputs), f"{interface.name} on {self.name}"
        known, cycles, timing = symbols(self.chip, build.elf), self.table(build), self.board.timing
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "inputs.bin").write_bytes(len(inputs).to_bytes(4, "little") + build.weights + raw)
            arguments: dict[str, int | Path] = {
                "start": known["tm_begin"] & ~self.code,
                "stop": known["tm_end"] & ~self.code,
                "row": known[f"{interface.name}_row"] & ~self.code if interface.row_length else 0,
                "harness": known["tm_harness_start"],
                "program": known["tm_harness_end"],
                "end": known["tm_program_end"],
                "limit": self.limit,
                "counts": folder / "counts.bin",
                **profile,
            }
            if cycles is not None and timing is not None:
                (folder / "table.bin").write_bytes(cycles)
                arguments |= {"refill": timing.refill, "table": folder / "table.bin"}
            plugin = compiled_tool(Path(__file__).with_name("qemu_counter.c"), "-shared", "-fPIC")
            options = ",".join([str(plugin), *(f"{name}={value}" for name, value in arguments.items())])
            semihosting = "-semihosting-config", "enable=on,target=native"
            program = "-plugin", options, "-kernel", build.elf.resolve()
            seconds = START_SECONDS + SAMPLE_SECONDS * len(inputs)
            execute([*self.emulator, *_NO_PERIPHERALS, *semihosting, *program], b"", what, folder, seconds)
            result = result_of_records(
                replace(interface, pushes=None), (folder / "records.bin").read_bytes(), self.board.unit
            )
            counts = np.fromfile(folder / "counts.bin", np.uint64).astype(np.int64).reshape(-1, 3)
        if len(counts) != len(inputs):
            raise DeviceError(f"{what}: {len(counts)} of {len(inputs)} inferences ended")
        asked = 0 if result.cycles is None else int(result.cycles.min())
        if interface.row_length and asked < interface.input_bytes:
            raise DeviceError(f"{what}: the program reads {asked} of {interface.input_bytes} bytes of the input")
        if result.stack_bytes == known["tm_stack_top"] - known["tm_bss_end"]:
            raise FullStackError(f"{what}: stack overflow into the static data")
        longest = counts[:, 2] if interface.pushes is not None else None
        core_cycles = None if cycles is None else counts[:, 1]
        return replace(result, cycles=counts[:, 0], core_cycles=core_cycles, longest=longest)

    def check(self, build: Build) -> None:
        """Raise `InputError` for a program whose static data exceed the RAM of the emulated machine."""
        known = symbols(self.chip, build.elf)
        if (beyond := known["tm_bss_end"] - known["tm_ram_end"]) > 0:
            raise InputError(f"{self.name}: static data exceeds the RAM of the emulated machine by {beyond} bytes")

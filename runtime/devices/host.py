"""The host: the generated C compiled by gcc and run as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.runtime.devices.device import Build, Runner, RunResult, raw_inputs, result_of_records
from tinyml.runtime.devices.toolchain import build_model, execute
from tinyml.runtime.model.interface import Interface

if TYPE_CHECKING:
    import numpy as np

_SANITIZERS = ("-g", "-fsanitize=undefined,address", "-fno-sanitize-recover=all", "-DTM_PAINT=0")


@dataclass(frozen=True)
class HostRunner(Runner):
    """Runs on this machine.

    The cycles are ticks of the x86 time stamp counter, hence noisy and only good for a rough look; None elsewhere.
    The stack is that of a painted thread from the frame of the loop around `NAME_predict`. The bytes of a build
    include the C library's startup code and the harness. With `sanitize` the program checks itself for undefined
    behaviour and bad accesses and fails at the first one with DeviceError; its stack is not measured (0).
    """

    sanitize: bool = False
    name = "host"

    def build(
        self,
        source_dir: Path,
        interface: Interface,
        workdir: Path,
        optimize: str = "-O2",
        extra_flags: Sequence[str] = (),
    ) -> Build:
        # Without -fno-plt the first call of a library function runs the dynamic linker on the painted stack.
        mode = _SANITIZERS if self.sanitize else ("-DTM_PAINT=1", "-fno-plt")
        elf = workdir / f"{interface.name}-host{'-sanitized' if self.sanitize else ''}"
        return build_model(
            "", source_dir, interface, elf, [optimize, *extra_flags, *mode, "-pthread"], harness=["host_main.c"]
        )

    def run(self, build: Build, interface: Interface, inputs: np.ndarray) -> RunResult:
        stdin = raw_inputs(interface, inputs)
        return result_of_records(interface, execute([build.elf, str(len(inputs))], stdin, f"{interface.name} on host"))

"""The runner of the host, which executes programs natively."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from tinyml.runtime.devices.device import Build, RunResult, raw_inputs, result_of_records
from tinyml.runtime.devices.runner import Runner
from tinyml.runtime.devices.toolchain import execute
from tinyml.runtime.model.interface import Interface

if TYPE_CHECKING:
    import numpy as np


# Without -fno-plt the first call of a library function runs the dynamic linker on the painted stack.
_PAINTED = ("-DTM_PAINT=1", "-fno-plt")
# Messages name lines and functions; locations of variables would take half of the compiler's time.
_SANITIZED = ("-g1", "-fsanitize=undefined,address", "-fno-sanitize-recover=all", "-DTM_PAINT=0")


@cache
def _quicker(compiler: str) -> Sequence[str]:
    """Compiler flags that shorten the compilation of a program; empty if the compiler does not support them.

    gcc's jump threading takes most of the compilation time for a function that rounds thousands of numbers. Other
    compilers, which may also be installed as `gcc`, do not support the flag that disables jump threading.
    """
    try:
        version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return ()
    return ("-fno-thread-jumps",) if "Free Software Foundation" in version else ()


@dataclass(frozen=True)
class HostRunner(Runner):
    """The runner of the host computer.

    Cycles are ticks of the x86 time stamp counter, which is a noisy measure. On hosts with other processors they are
    None. The stack depth is measured by painting the stack of a thread; it counts from the frame of the loop around
    `NAME_predict`. The size of a build includes the C library's startup code and the harness.

    With `sanitize`, the program checks for undefined behaviour and invalid accesses. The first violation raises
    `DeviceError`. The stack depth is then reported as 0.
    """

    name: str = "host"
    sanitize: bool = False

    @property
    def optimize(self) -> str:
        return "-O1" if self.sanitize else "-O2"

    @property
    def variant(self) -> str:
        return f"{self.name}-sanitized" if self.sanitize else self.name

    @property
    def flags(self) -> Sequence[str]:
        return [*(_SANITIZED if self.sanitize else _PAINTED), *_quicker(self.chip.command("cc")), *super().flags]

    def run(self, build: Build, interface: Interface, inputs: np.ndarray) -> RunResult:
        stdin = build.weights + raw_inputs(interface, inputs)
        records = execute([build.elf, str(len(inputs))], stdin, f"{interface.name} on {self.name}")
        return result_of_records(interface, records, self.board.unit)

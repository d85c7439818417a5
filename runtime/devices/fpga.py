"""The runner of FPGAs. It simulates hardware modules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.device import Build, RunResult, raw_inputs
from tinyml.runtime.devices.runner import Runner
from tinyml.runtime.devices.verilog_tools import VerilatorSimulation
from tinyml.runtime.model.interface import Interface
from tinyml.runtime.model.temporary_folder import temporary_folder

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class FpgaRunner(Runner):
    """The runner of a model's Verilog on verilator, with exact cycles. Flash, static data and stack are reported as
    0.
    """

    def build(
        self,
        source_dir: Path,
        interface: Interface,
        workdir: Path,
        optimize: str | None = None,
        extra_flags: Sequence[str] = (),
    ) -> Build:
        """The hardware module of a model in a folder, as a built program.

        Raises `InputError` if the folder contains no hardware module.
        """
        file = source_dir / f"{interface.name}.v"
        if not file.is_file():
            raise InputError(f"expected a hardware module: compile with --target {self.name}", file=str(source_dir))
        return Build(flash_bytes=0, static_bytes=0, elf=file)

    def run(self, build: Build, interface: Interface, inputs: np.ndarray) -> RunResult:
        raw_inputs(interface, inputs)
        with temporary_folder() as folder:
            return VerilatorSimulation(build.elf.read_text("utf-8"), folder).run(interface, inputs)

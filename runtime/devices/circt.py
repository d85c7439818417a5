"""Runs of hardware modules in CIRCT's dialects. CIRCT prints them as SystemVerilog, independently of tinyml's
printer.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.dialects.package_metadata import install_command
from tinyml.runtime.devices.device import Build, RunResult, raw_inputs
from tinyml.runtime.devices.registry import is_available, runner_for
from tinyml.runtime.devices.runner import Device, Runner
from tinyml.runtime.devices.toolchain import run_command
from tinyml.runtime.devices.verilog_tools import VerilatorSimulation
from tinyml.runtime.model.interface import Interface
from tinyml.runtime.model.temporary_folder import temporary_folder
from tinyml.targets.registry import boards

if TYPE_CHECKING:
    import numpy as np

EXTRA = "circt"
"""The name of the extra, and of the package that it installs."""

BOARD = next(board.name for board in boards() if board.fabric is not None)
"""The name of the board whose hardware modules CIRCT prints."""

PRINTER = Path(__file__).with_name("print_by_circt.py")
"""The program that prints a module."""


def is_installed() -> bool:
    return _has_circt() and is_available(BOARD)


def _has_circt() -> bool:
    return find_spec(EXTRA) is not None


def printed_by_circt(module: str) -> str:
    """The SystemVerilog text that CIRCT prints for a module.

    module: the text of a module in CIRCT's dialects, in the generic form.

    Raises `InputError` if `circt` is not installed. If CIRCT rejects the module, the error contains CIRCT's first error
    message.
    """
    if not _has_circt():
        raise InputError(f"circt is not installed: {install_command(EXTRA)}")
    with temporary_folder() as folder:
        source, file = folder / "module.mlir", folder / "module.sv"
        source.write_text(module, "utf-8")
        run_command(sys.executable, ["-I", PRINTER, source, file], EXTRA)
        return file.read_text("utf-8")


@dataclass(frozen=True)
class CirctRunner(Runner):
    """The runner for hardware modules whose Verilog CIRCT prints. verilator simulates the modules.

    The folder of a program contains `NAME.mlir` in addition to `NAME.v`.
    """

    def build(
        self,
        source_dir: Path,
        interface: Interface,
        workdir: Path,
        optimize: str | None = None,
        extra_flags: Sequence[str] = (),
    ) -> Build:
        """Print the module as `workdir/NAME.sv` and return this file as the program. `optimize` and `extra_flags` are
        ignored.
        """
        hardware = runner_for(self.name).build(source_dir, interface, workdir)
        workdir.mkdir(parents=True, exist_ok=True)
        file = workdir / f"{interface.name}.sv"
        file.write_text(printed_by_circt((source_dir / f"{interface.name}.mlir").read_text("utf-8")), "utf-8")
        (workdir / f"{interface.name}.v").write_bytes(hardware.elf.read_bytes())
        return Build(flash_bytes=0, static_bytes=0, elf=file)

    def run(self, build: Build, interface: Interface, inputs: np.ndarray) -> RunResult:
        raw_inputs(interface, inputs)
        verilog, system_verilog = (build.elf.with_suffix(suffix).read_text("utf-8") for suffix in (".v", ".sv"))
        with temporary_folder() as folder:
            return VerilatorSimulation(verilog, folder, system_verilog).run(interface, inputs)


def _missing() -> Sequence[str]:
    return () if is_installed() else (install_command(EXTRA),)


CIRCT = Device(BOARD, CirctRunner, _missing, "tinyml.tools.driver.upstream:circt_files")
"""The device that simulates the SystemVerilog that CIRCT prints for a hardware module."""

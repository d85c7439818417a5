"""The runner of a board: one way to build a generated model, one way to run it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.device import Build, Profile, RunResult
from tinyml.runtime.devices.toolchain import build_model
from tinyml.runtime.model.interface import Interface
from tinyml.targets.board import Board
from tinyml.targets.chip import Chip
from tinyml.targets.registry import board, chip_of

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Runner(ABC):
    """A board by its name, the host or a simulated one. Runs are deterministic, except for the cycles of the host.

    A chip names the class of its runner (`Chip.runner`), which is made with the name of a board and defaults.
    """

    name: str
    optimize: ClassVar[str] = "-Os"
    """The usual level of the C compiler."""

    @property
    def board(self) -> Board:
        return board(self.name)

    @property
    def chip(self) -> Chip:
        return chip_of(self.name)

    @property
    def prefix(self) -> str:
        """What the names of the compiler and the binutils begin with."""
        return self.chip.prefix

    @property
    def variant(self) -> str:
        """The name of the board, and what else tells its programs from others."""
        return self.name

    @property
    def flags(self) -> Sequence[str]:
        """The flags of the C compiler but for its level."""
        return [*self.board.flags, *self.chip.flags]

    def build(
        self,
        source_dir: Path,
        interface: Interface,
        workdir: Path,
        optimize: str | None = None,
        extra_flags: Sequence[str] = (),
    ) -> Build:
        """Compile every `*.c` directly in `source_dir` with the harness of the chip, into `workdir`.

        Raises InputError where a compiler is missing (naming the Debian packages), where the code does not compile and
        where the linker knows that it does not fit.
        """
        elf = workdir / f"{interface.name}-{self.variant}.elf"
        flags = [optimize or self.optimize, *extra_flags, *self.flags]
        return build_model(self.chip, source_dir, interface, elf, flags)

    @abstractmethod
    def run(self, build: Build, interface: Interface, inputs: np.ndarray) -> RunResult:
        """Run raw `inputs` of shape (samples, input_length) and of the interface's element type.

        Raises InputError for inputs of another shape or type, DeviceError where the program fails.
        """

    def profile(self, build: Build, interface: Interface, inputs: np.ndarray) -> Profile:
        """`run`, and where the time went; raises InputError on a device that cannot tell."""
        raise InputError(f"the device '{self.name}' cannot tell where the time goes")

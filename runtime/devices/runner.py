"""The base class of runners. A runner builds and runs generated models on a board."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.device import Build, RunResult, TimeProfile
from tinyml.runtime.devices.toolchain import build_model, is_overflow
from tinyml.runtime.model.interface import Interface
from tinyml.targets.board import Board
from tinyml.targets.chip import Chip
from tinyml.targets.registry import board, chip_of

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Device:
    """A way of running programs that is not a board, such as code from another compiler on this computer.

    * board: the name of the board whose programs the device runs and whose unit of time it uses.
    * runner: a function that creates the runner from the name of the board.
    * missing: a function that returns the commands that install missing tools; empty if no tool is missing.
    * files: `module:function`, a function from a `ProgramInFolder` to the files that the runner builds; empty for the C
      files.
    """

    board: str
    runner: Callable[[str], Runner]
    missing: Callable[[], Sequence[str]]
    files: str = ""


class NoProfilerError(InputError):
    """Raised if a device cannot attribute time to instructions."""


@dataclass(frozen=True)
class Runner(ABC):
    """The base class of runners, which build and run models on a real board (the host) or a simulated board.

    Runs are deterministic, except for the cycles of the host. The class of a chip's runner is `Chip.runner`. Its
    constructor accepts only the name of a board as argument.
    """

    name: str

    @property
    def optimize(self) -> str:
        """The default optimization level of the C compiler."""
        return "-Os"

    @property
    def board(self) -> Board:
        return board(self.name)

    @property
    def chip(self) -> Chip:
        return chip_of(self.name)

    @property
    def variant(self) -> str:
        """The name of the board, followed by any property that distinguishes this runner's programs from those of other
        runners.
        """
        return self.name

    @property
    def flags(self) -> Sequence[str]:
        """The C compiler flags, excluding the optimization level."""
        return [*self.board.flags, *self.chip.flags, *self.chip.harness_flags]

    def build(
        self,
        source_dir: Path,
        interface: Interface,
        workdir: Path,
        optimize: str | None = None,
        extra_flags: Sequence[str] = (),
    ) -> Build:
        """Compile every `*.c` directly in `source_dir` with the harness of the chip, into `workdir`. Return the linked
        program.

        A program that does not fit in the board's memories is linked with larger memories, so that its size can be
        measured.

        interface: the interface of the model.
        optimize: the optimization level; by default `Runner.optimize`.
        extra_flags: additional flags of the C compiler.

        Raises `InputError` if the compiler is missing (naming the Debian packages), if the code does not compile, or if
        the program exceeds the chip's address space.
        """
        elf = workdir / f"{interface.name}-{self.variant}.elf"
        flags = [optimize or self.optimize, *extra_flags, *self.flags]
        memories = self.chip.memory_flags(self.board)
        try:
            build = build_model(self.chip, source_dir, interface, elf, [*flags, *memories])
        except InputError as error:
            if not memories or not is_overflow(error):
                raise
            build = build_model(self.chip, source_dir, interface, elf, flags)
        self.check(build)
        return build

    def check(self, build: Build) -> None:
        """Raise `InputError` for a linked program that the chip cannot run. By default, all programs are accepted."""
        del build

    @abstractmethod
    def run(self, build: Build, interface: Interface, inputs: np.ndarray) -> RunResult:
        """Run the program `build` on raw `inputs` and return the results.

        interface: the interface of the model.
        inputs: the raws of the inputs in the interface's element type, of shape (samples, input_length).

        Raises `InputError` for inputs of the wrong shape or type, and `DeviceError` if the program fails.
        """

    def profile(self, build: Build, interface: Interface, inputs: np.ndarray) -> TimeProfile:
        """Run a model and return its time by instruction. The arguments are those of `run`.

        Raises `NoProfilerError` on a device without a profiler.
        """
        raise NoProfilerError(f"the device '{self.name}' cannot measure the time of each operation")

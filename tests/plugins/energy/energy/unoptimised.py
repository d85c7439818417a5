"""the C on this computer, without optimisation"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.extend.runners import Build, Device, Interface, Runner, RunResult, runner_for

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class UnoptimisedRunner(Runner):
    """A runner that compiles programs without optimisation."""

    def build(
        self,
        source_dir: Path,
        interface: Interface,
        workdir: Path,
        optimize: str | None = None,
        extra_flags: Sequence[str] = (),
    ) -> Build:
        return runner_for(self.name).build(source_dir, interface, workdir, "-O0", extra_flags)

    def run(self, build: Build, interface: Interface, inputs: np.ndarray) -> RunResult:
        return runner_for(self.name).run(build, interface, inputs)


DEVICE = Device(board="host", runner=UnoptimisedRunner, missing=tuple)

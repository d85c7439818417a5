"""Measured figures of alternatives, from the board's simulator or from the report of an earlier compilation.

The choice uses them in place of estimates (`--measure`). The figures of a program are stored in the report under a
digest of its C, so that a later compilation repeats the choice without the tools of the board (`--measured`), and never
takes the figures of another program.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.device import DeviceError, FullStackError
from tinyml.runtime.devices.registry import is_available
from tinyml.runtime.model.temporary_folder import temporary_folder
from tinyml.targets.registry import chip_of
from tinyml.tools.driver.measure import run_on_device
from tinyml.tools.driver.output_folder import MEASURED_SAMPLES, read_report, write_sources

if TYPE_CHECKING:
    from tinyml.runtime.model.data import Data
    from tinyml.targets.board import Board
    from tinyml.tools.driver.compiled_program import Compiled
    from tinyml.tools.driver.request import Request


@dataclass(frozen=True)
class ProgramFigures:
    """The measured figures of a program.

    program: the digest of the program (`program_digest`).
    inference: the mean time of an inference on raws, in the unit of the board; None for a program that exceeds the
        memories.
    flash: the bytes of the linked program.
    ram: the bytes of static data and stack; without the stack for a program that exceeds the memories.
    """

    program: str
    inference: float | None
    flash: int
    ram: int


class Stopwatch:
    """The measurement of alternatives for one board and one data set.

    board: the board, whose programs are simulated with the compiler's optimization level of the request.
    data: the validation set, whose first `MEASURED_SAMPLES` samples are inputs of the simulation.
    recorded: the known figures, by digest.
    source: the folder of the report that contains these figures; None if programs without known figures are simulated.
    """

    def __init__(
        self, request: Request, board: Board, data: Data, recorded: Mapping[str, ProgramFigures], source: Path | None
    ):
        self.board = board
        self.optimize = f"-{request.optimize}"
        self.flash = min(request.flash or inf, board.flash or inf)
        self.ram = min(request.ram or inf, board.ram or inf)
        self.data = data
        self.recorded = recorded
        self.source = source

    @classmethod
    def of(cls, request: Request, board: Board, data: Data) -> Stopwatch | None:
        """The stopwatch that a request asks for; None if its choice relies on estimates.

        Raises `InputError` if programs must be simulated and the tools of the board are not installed, and for a folder
        whose report contains no figures.
        """
        recorded: Mapping[str, ProgramFigures] = {}
        if request.measured is not None:
            recorded = figures_in(request.measured)
        if not request.measure:
            return None if request.measured is None else cls(request, board, data, recorded, request.measured)
        if not is_available(board.name):
            why = chip_of(board.name).not_run or f"the compiler or simulator of {board.name} is not installed"
            earlier = "--measured takes the figures of an earlier compilation, without --measure estimates decide"
            raise InputError(f"--measure cannot run programs: {why}; {earlier}")
        return cls(request, board, data, recorded, None)

    def figures(self, compiled: Compiled, name: str) -> ProgramFigures:
        """The figures of a program.

        name: the name of the alternative, for messages.

        Raises `InputError` for a program without recorded figures that must not be simulated, for a board that counts
        no time, and `DeviceError` if the outputs of board and evaluator differ.
        """
        digest = program_digest(compiled, self.board, self.optimize)
        if (known := self.recorded.get(digest)) is not None:
            return known
        if self.source is not None:
            raise InputError(
                f"has no figures of '{name}': the model, the data, options or tinyml have changed since; measure again "
                "with --measure",
                file=str(self.source),
            )
        return self._simulated(digest, compiled, name)

    def _simulated(self, digest: str, compiled: Compiled, name: str) -> ProgramFigures:
        flash, ram = (None if limit == inf else int(limit) for limit in (self.flash, self.ram))
        with temporary_folder() as folder:
            write_sources(folder, compiled, self.data)
            try:
                measured, mismatch = run_on_device(
                    folder,
                    compiled.formats,
                    self.data.x[:MEASURED_SAMPLES],
                    target=self.board.name,
                    optimize=self.optimize,
                    flash=flash,
                    ram=ram,
                )
            except FullStackError:
                return ProgramFigures(digest, None, 0, (self.board.ram or 0) + 1)
        if mismatch is not None:
            raise DeviceError(f"{self.board.name} and the evaluator differ for '{name}': {mismatch}")
        if measured.outputs is None or measured.flash_bytes > self.flash or measured.ram_bytes > self.ram:
            return ProgramFigures(digest, None, measured.flash_bytes, measured.ram_bytes)
        if measured.cost is None:
            raise InputError(f"--measure: {self.board.name} counts no time, so that estimates must decide")
        return ProgramFigures(digest, measured.cost, measured.flash_bytes, measured.ram_bytes)


def program_digest(compiled: Compiled, board: Board, optimize: str) -> str:
    """The digest of everything that determines a linked program, except the tools and the runtime's headers."""
    texts = (board.name, optimize, compiled.source, compiled.header, compiled.verilog or "")
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def figures_in(folder: Path) -> Mapping[str, ProgramFigures]:
    """The measured figures in the report of an output folder, by digest.

    Raises `InputError` for a folder without such figures.
    """
    chosen: Any = read_report(folder)["chosen"] or {"alternatives": ()}
    try:
        found = [_read(row["measured"]) for row in chosen["alternatives"] if row["measured"] is not None]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError("expected measured figures of alternatives in report.json", file=str(folder)) from error
    if not found:
        raise InputError("contains no measured figures: it was compiled without --measure", file=str(folder))
    return {figures.program: figures for figures in found}


def _read(row: Mapping[str, Any]) -> ProgramFigures:
    inference = None if row["inference"] is None else float(row["inference"])
    return ProgramFigures(str(row["program"]), inference, int(row["flash"]), int(row["ram"]))

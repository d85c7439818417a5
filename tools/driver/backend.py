"""The protocol of hardware backends: a chip names a module with the functions of `Backend` (`Chip.backend`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from tinyml.dialects.extensions import imported
from tinyml.targets.registry import chip_of

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.lowering.options import PipelineOptions
    from tinyml.targets.board import Board
    from tinyml.tools.driver.stages import Compiled


class Backend(Protocol):
    """The functions of a backend module."""

    def lowered(self, bits: ModuleOp, ctx: Context, options: PipelineOptions) -> ModuleOp:
        """The hardware module of a program on bits, which is unchanged.

        Raises `InputError` for a program without hardware on the board.
        """
        ...

    def module_of(self, bits: ModuleOp, ctx: Context, options: Mapping[str, Any]) -> ModuleOp:
        """The hardware module of a program on bits that was read from a file."""
        ...

    def text_of(self, hardware: ModuleOp) -> str:
        """A hardware module as text."""
        ...

    def cycles(self, loops: ModuleOp, board: Board, cells: int) -> float:
        """An estimate of the cycles of an inference that ranks formats.

        loops: a program at L3. cells: the percentage of look-up tables that the module may use. Raises `InputError` for
        a program without hardware.
        """
        ...

    def check_route(self, board: Board) -> None:
        """Raise `InputError` unless modules for a board can be placed and routed here."""
        ...

    def compile_within_cells(
        self, compiled: Compiled, cells: int, board: Board, again: Callable[[int], Compiled], *, route: bool
    ) -> tuple[Compiled, int, dict[str, Any]]:
        """A program within a share of the cells, that share in percent, and the report of its hardware.

        again: compiles for a share. route: place and route the module, if it fits, to determine its maximum clock.
        """
        ...

    def require_cells(self, hardware: dict[str, Any], board: Board, model: str) -> None:
        """Raise `InputError` for a module that needs more cells than the FPGA has. hardware: its report."""
        ...


def backend_of(board: Board) -> Backend | None:
    """The hardware backend of a board; None for a processor."""
    name = chip_of(board.name).backend
    return imported(name) if name else None

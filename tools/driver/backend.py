"""What a chip names to make hardware of its programs (`Chip.backend`): a module with the functions of `Backend`."""

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
    """Functions of a module."""

    def lowered(self, bits: ModuleOp, ctx: Context, options: PipelineOptions) -> ModuleOp:
        """The hardware module of a program on bits, which is left as it is.

        Raises `InputError` for a program that has none on the board.
        """
        ...

    def module_of(self, bits: ModuleOp, ctx: Context, options: Mapping[str, Any]) -> ModuleOp:
        """The hardware module that a program on bits, of a file, becomes."""
        ...

    def text_of(self, hardware: ModuleOp) -> str:
        """A hardware module as text."""
        ...

    def cycles(self, loops: ModuleOp, board: Board, cells: int) -> float:
        """An estimate of the cycles of an inference that tells formats apart.

        loops: a program at L3. cells: the share of look-up tables in percent that it may fill. Raises `InputError` for
        a program without hardware.
        """
        ...

    def check_route(self, board: Board) -> None:
        """Raise `InputError` unless modules for a board can be placed and routed here."""
        ...

    def compile_within_cells(
        self, compiled: Compiled, cells: int, board: Board, again: Callable[[int], Compiled], *, route: bool
    ) -> tuple[Compiled, int, dict[str, Any]]:
        """A program that keeps to a share of the cells, that share in percent, and the report of its hardware.

        again: compiles for a share. route: place and route the module, if it fits, for the clock that it allows.
        """
        ...

    def require_cells(self, hardware: dict[str, Any], board: Board, model: str) -> None:
        """Raise `InputError` for a module that takes more cells than there are. hardware: its report."""
        ...


def backend_of(board: Board) -> Backend | None:
    """What makes hardware of programs for a board; None for a processor."""
    name = chip_of(board.name).backend
    return imported(name) if name else None

"""The protocol of hardware backends. A chip names a module that provides the functions of `Backend`
(`Chip.backend`).
"""

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
    from tinyml.tools.driver.compiled_program import Compiled


class Backend(Protocol):
    """The functions that a backend module provides."""

    def lowered(self, bits: ModuleOp, ctx: Context, options: PipelineOptions) -> ModuleOp:
        """Lower a program on bits to a hardware module; the program is unchanged.

        Raises `InputError` for a program that cannot be implemented in hardware on the board.
        """
        ...

    def module_of(self, bits: ModuleOp, ctx: Context, options: Mapping[str, Any]) -> ModuleOp:
        """Lower a program on bits, which was parsed from a file, to a hardware module."""
        ...

    def text_of(self, hardware: ModuleOp) -> str:
        """The text of a hardware module."""
        ...

    def cycles(self, loops: ModuleOp, board: Board, cells: int) -> float:
        """An estimate of the cycles of an inference, for ranking formats.

        loops: a program at L3.
        cells: the percentage of look-up tables that the module may use.

        Raises `InputError` for a program that cannot be implemented in hardware.
        """
        ...

    def check_route(self, board: Board) -> None:
        """Raise `InputError` unless modules for a board can be placed and routed on this computer."""
        ...

    def compile_within_cells(
        self, compiled: Compiled, cells: int, board: Board, again: Callable[[int], Compiled], *, route: bool
    ) -> tuple[Compiled, int, dict[str, Any]]:
        """Compile until the program uses at most a share of the cells. Return the program, the share in percent and the
        hardware report.

        again: compiles the program for another share.
        route: true to place and route the module, if it fits, to determine its maximum clock.
        """
        ...

    def require_cells(self, hardware: dict[str, Any], board: Board, model: str) -> None:
        """Raise `InputError` for a module that requires more cells than the FPGA has.

        hardware: the report of the module.
        model: the model file, which the error names.
        """
        ...


def backend_of(board: Board) -> Backend | None:
    """The hardware backend of a board; None for a processor."""
    name = chip_of(board.name).backend
    return imported(name) if name else None

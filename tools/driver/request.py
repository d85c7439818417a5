"""Requests to compile a model, whose fields are the options of the command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects.options import option, options_of
from tinyml.lowering.options import CompileOptions, PipelineOptions
from tinyml.targets.registry import USUAL, targets
from tinyml.tools.driver.search_request import SearchRequest

if TYPE_CHECKING:
    from tinyml.targets.board import Board

OPTIMIZE = ("Os", "O2", "O3")
QUANTIZATION = ("keep", "anew")


def listed_targets() -> str:
    """The help text of options that take a target."""
    return ", ".join(targets())


def optimize() -> Any:
    """The option `optimize`, declared once for all commands."""
    return option("the C compiler's level", default=OPTIMIZE[0], choices=OPTIMIZE)


@dataclass(frozen=True, kw_only=True)
class BuildOptions(CompileOptions):
    """Options that `tinyml compile` and `tinyml bench` share."""

    target: str = option(listed_targets(), default=USUAL, metavar="BOARD")
    optimize: str = optimize()
    quantization: str = option(
        "number formats that a model comes with: keep them, or go back to reals and choose new ones",
        default=QUANTIZATION[0],
        choices=QUANTIZATION,
    )


@dataclass(frozen=True, kw_only=True)
class Request(BuildOptions):
    """A request to compile a model.

    search: chooses the format of each tensor, in place of width and weights. ram: bytes that the plan `auto` may take,
    by default all of the board's. flash: bytes of the program, for kernels and code
    that take more flash and less time than others.
    """

    model: Path = option("program: a file that a frontend reads, or a module of tensors (.mlir)", flags=())
    val: Path | None = option(
        ".npz with x and y, to profile with; not needed for a model that keeps its number formats", default=None
    )
    test: Path | None = option(".npz with x and y, to measure accuracy on (default: --val)", default=None)
    out: Path = option("folder to write", flags=("-o", "--out"))
    search: SearchRequest | None = None
    ram: int | None = None
    flash: int | None = None

    @property
    def inputs(self) -> list[Path]:
        """The user's files that the compilation reads, or goes on writing."""
        journal = None if self.search is None else self.search.options.get("journal")
        data = [file for file in (self.val, self.test) if file is not None]
        return [self.model, *data, *([Path(journal)] if journal else [])]

    @property
    def compile_options(self) -> dict[str, Any]:
        """The values of the options of `CompileOptions`, by name."""
        return {declared.name: getattr(self, declared.name) for declared in options_of(CompileOptions)}

    def pipeline_options(self, board: Board) -> PipelineOptions:
        """The options for the pipelines of a board, which may differ from the target."""
        return PipelineOptions(data=str(self.val or ""), target=board.name, flash=self.flash, **self.compile_options)

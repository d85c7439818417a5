"""Requests to compile a model, whose fields are the options of the command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects.options import OptionGroup, option, options_of
from tinyml.lowering.options import CompileOptions, PipelineOptions
from tinyml.targets.registry import USUAL, targets
from tinyml.tools.cli.common_options import trust_pickle
from tinyml.tools.driver.requests.search_request import SearchRequest

if TYPE_CHECKING:
    from tinyml.targets.board import Board

OPTIMIZE = ("Os", "O2", "O3")
QUANTIZATION = ("keep", "anew")


def listed_targets() -> str:
    """The names of the targets, for help texts."""
    return ", ".join(targets())


def optimize() -> Any:
    """Option `optimize`."""
    return option(
        "optimisation level of the C compiler", default=OPTIMIZE[0], choices=OPTIMIZE, group=OptionGroup.BOARD
    )


@dataclass(frozen=True, kw_only=True)
class ModelArgument:
    """The positional argument of commands that read a model, and whether it may be a pickle."""

    model: Path = option(
        "model file: .tflite, .onnx, .sd (SeeDot), .pkl or .joblib (scikit-learn), another that a frontend reads, or"
        " .mlir (a module of tensors)",
        flags=(),
        group=OptionGroup.MODEL,
    )
    trust_pickle: bool = trust_pickle()


@dataclass(frozen=True, kw_only=True)
class BuildOptions(CompileOptions):
    """Options that `tinyml compile` and `tinyml bench` share."""

    target: str = option(
        f"board to compile for: {listed_targets()}", default=USUAL, metavar="BOARD", group=OptionGroup.BOARD
    )
    optimize: str = optimize()
    quantization: str = option(
        "keep the number formats of a quantised model, or go back to real numbers and choose formats anew",
        default=QUANTIZATION[0],
        choices=QUANTIZATION,
        group=OptionGroup.NUMBERS,
    )


@dataclass(frozen=True, kw_only=True)
class Request(BuildOptions, ModelArgument):
    """A request to compile a model.

    search: chooses the format of each tensor, in place of width and weights. ram: bytes that the plan `auto` may take,
    by default all of the board's. flash: bytes that the program may take, for larger, faster kernels and code.
    """

    val: Path | None = option(
        "inputs x to profile with and, optionally, labels y; not needed for a model that keeps its number formats",
        default=None,
        metavar="FILE.npz",
        group=OptionGroup.MODEL,
    )
    test: Path | None = option(
        "data to measure accuracy on (default: --val)", default=None, metavar="FILE.npz", group=OptionGroup.MODEL
    )
    out: Path = option("folder to write", flags=("-o", "--out"), metavar="FOLDER", group=OptionGroup.MODEL)
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

"""Trained models, each compiled once for all tests that use the same compilation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from programs.paths import MODELS
from programs.shared_folders import made_once
from tinyml.targets.board import Board
from tinyml.targets.registry import board
from tinyml.tools.driver.compile_model import build_folder
from tinyml.tools.driver.request import Request

SAMPLES = 100
"""Validation samples that formats are chosen from; the compiler takes most of its time for these."""


def some_samples(program: Path, file: Path, count: int = SAMPLES) -> Path:
    """Write the first validation samples of a program to a file, and return the file."""
    with np.load(program.with_name("val.npz")) as data:
        np.savez(file, **{name: array[:count] for name, array in data.items()})
    return file


def compile_without_pictures(request: Request) -> dict[str, Any]:
    """Compile a model into a new folder, without the pictures that `compile_model` draws, and return the report."""
    request.out.mkdir()
    report = build_folder(request, board(request.target), request.out, must_fit=True).report.as_json()
    return report


@dataclass(frozen=True)
class CompiledModels:
    """Output folders of `tinyml compile`, which tests share and do not change.

    root: a folder that all test workers share.
    """

    root: Path

    def folder(self, model: str, format: str, width: int | None, board: Board) -> Path:
        """The folder of a model of `MODELS`, compiled with `-Os` and measured on the board's simulator."""

        def compile(folder: Path) -> None:
            program, val = MODELS[model], some_samples(MODELS[model], folder.with_suffix(".npz"))
            request = Request(model=program, val=val, target=board.name, format=format, width=width, out=folder)
            build_folder(request, board, folder, must_fit=True)

        name = "-".join(map(str, (model, format, width, board.name, board.flash, board.ram)))
        return made_once(self.root / name, compile)

"""A way to pack a compiled model for a tool of other people, such as the Arduino IDE.

A `Packaging` is a file of this folder and a row of `packaging_table.BUILT_IN`. A separate package adds one through an
entry point of the group `tinyml.packages`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tinyml.targets.board import Board
from tinyml.tools.driver.packages.packaged_model import PackagedModel


def every_board(board: Board) -> str | None:
    """The usual `Packaging.lacks`: nothing."""


@dataclass(frozen=True, eq=False)
class Packaging:
    """A folder for a tool.

    name: the value of `--package`, and the folder below the output folder. files: the contents of its files, by their
    paths relative to the folder. lacks: what a board lacks for this tool, as a phrase for messages; None if it lacks
    nothing. archive: the folder below, for a model, that `--zip` packs; None if the tool takes no archives. loads:
    whether its examples write the weights of a model that keeps them in RAM.
    """

    name: str
    files: Callable[[PackagedModel], Mapping[str, str]]
    lacks: Callable[[Board], str | None] = every_board
    archive: Callable[[PackagedModel], str] | None = None
    loads: bool = False

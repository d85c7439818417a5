"""The chip: C for any compiler, with a cost table that knows two steps."""

from pathlib import Path

from tinyml.targets.board import Board
from tinyml.targets.chip import Chip
from tinyml.targets.package import Package

FOLDER = Path(__file__).parent

CHIP = Chip(
    "workstation",
    folder=FOLDER,
    runner="workstation.runner:WorkstationRunner",
    boards=(Board("workstation", "generic", unit="cycles", costs="workstation"),),
    packages=(Package("gcc", command="gcc"),),
    macro="TM_WORKSTATION",
    flags=("-pthread",),
    programs={},
)

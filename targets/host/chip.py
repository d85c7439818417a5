"""The host computer as a chip: plain C99, without limits and without its own kernels."""

from pathlib import Path

from tinyml.targets.board import Board
from tinyml.targets.chip import SERIAL, Chip
from tinyml.targets.package import Package

_FOLDER = Path(__file__).parent

CHIP = Chip(
    "host",
    folder=_FOLDER,
    runner="tinyml.runtime.devices.host:HostRunner",
    boards=(Board("host", "host", unit="cycles"),),
    packages=(Package("gcc", command="gcc"), Package("libc6-dev", header="stdio.h")),
    flags=("-pthread",),
    programs={SERIAL: _FOLDER / "serial.c.in"},
)

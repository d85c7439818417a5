"""The host computer as a chip: plain C99, without limits and without chip-specific kernels."""

from pathlib import Path

from tinyml.targets.board import Board
from tinyml.targets.chip import Chip
from tinyml.targets.package import Package

CHIP = Chip(
    "host",
    folder=Path(__file__).parent,
    runner="tinyml.runtime.devices.host:HostRunner",
    boards=(Board("host", "host", unit="cycles", platformio="native"),),
    packages=(Package("gcc", command="gcc"), Package("libc6-dev", header="stdio.h")),
    harness_flags=("-pthread",),
)
"""The host computer, on which programs of every format run as they would on a board."""

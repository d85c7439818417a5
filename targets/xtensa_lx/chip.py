"""The Xtensa cores of the ESP32 family, which can execute the programs that are compiled for the ESP8266."""

from pathlib import Path

from tinyml.targets.chip import Chip
from tinyml.targets.xtensa.chip import CHIP as XTENSA
from tinyml.targets.xtensa_lx.boards import BOARDS

CHIP = Chip(
    "xtensa-lx",
    folder=Path(__file__).parent,
    extends=XTENSA,
    boards=BOARDS,
    not_run="Debian has no compiler for its core; the C is that of esp8266, and tinyml run --port measures it",
    makers=XTENSA.makers,
    macros=XTENSA.macros,
    alignment=XTENSA.alignment,
    constant_alignment=XTENSA.constant_alignment,
)

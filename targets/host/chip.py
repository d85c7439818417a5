"""The machine that compiles: plain C."""

from tinyml.targets.chip import ChipTarget

HOST = ChipTarget("host")

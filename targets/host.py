"""The machine that compiles: plain C."""

from tinyml.targets.target import ChipTarget

HOST = ChipTarget("host")

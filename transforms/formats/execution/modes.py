"""The modes of execution that `plan-execution` knows."""

from __future__ import annotations

from tinyml.dialects.errors import InputError
from tinyml.transforms.formats.channels.choice import SUM_BITS
from tinyml.transforms.formats.patching.choice import PATCHES
from tinyml.transforms.formats.streaming.choice import STEPS
from tinyml.transforms.formats.turning.choice import METHODS

MODES = (*STEPS, *METHODS, *SUM_BITS, PATCHES)

ROUNDING = tuple(mode for mode, bits in SUM_BITS.items() if bits < 32)
"""The modes that may round sums in between."""


def check_mode(mode: str) -> None:
    """Raise `InputError` for what is no mode of execution."""
    if mode not in MODES:
        raise InputError(f"unknown mode of execution '{mode}'; there are {', '.join(MODES)}")

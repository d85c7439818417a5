"""Lanes: vector units that compute scalar functions on several lanes.

`TileComposer.lanes` creates a row of the chip's table. Its composer receives a `LaneProgram`: the ops of the function
in order, with the elements that they access, and the intervals and uses of their values.
"""

from tinyml.dialects.num.kernels.lane_programs import (
    AT_LEAST,
    REQUANTISE,
    Element,
    Entry,
    Join,
    LaneProgram,
    Operand,
    RowSum,
    Shared,
    called,
    compared,
)
from tinyml.dialects.num.kernels.lane_unrolling import unrolled
from tinyml.targets.makers import LoopCoder

__all__ = [
    "AT_LEAST",
    "REQUANTISE",
    "Element",
    "Entry",
    "Join",
    "LaneProgram",
    "LoopCoder",
    "Operand",
    "RowSum",
    "Shared",
    "called",
    "compared",
    "unrolled",
]

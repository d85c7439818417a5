"""Lanes: vector units that apply scalar functions to several elements at once.

`TileComposer.lanes` creates a row of the chip's table. The composer in this row receives a `LaneProgram`. The program
lists the ops of the function in order, the elements that each op accesses, and the interval and the uses of each value.
"""

from tinyml.dialects.num.kernels.lane_programs import (
    AT_LEAST,
    REQUANTISE,
    REQUANTISE_EVEN,
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
from tinyml.targets.kernel_table import LoopCoder

__all__ = [
    "AT_LEAST",
    "REQUANTISE",
    "REQUANTISE_EVEN",
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

"""Chips: a chip, its boards and its kernels.

A chip requires `Chip`, `Board` and `Package`. Kernels that its headers define are `ListedKernels`. A `SumComposer`, a
`TileFamily` or a coder writes further kernels on demand, as plain C or as lists of `Instruction`s.
"""

from tinyml.dialects.errors import InputError, TooLargeError
from tinyml.dialects.layouts.coded_rows import CodedRows, CodedTile
from tinyml.dialects.layouts.trees import ForestCode
from tinyml.targets.board import Board, Logic, Timing, emulated_memories
from tinyml.targets.c.composer.compose import SUMS_IN_C
from tinyml.targets.c.composer.compose import compose as compose_in_c
from tinyml.targets.c.composer.forests_in_c import FORESTS as FORESTS_IN_C
from tinyml.targets.chip import FEWER_CONSTANTS, Chip
from tinyml.targets.composer.instructions import (
    Code,
    Instruction,
    LocalLabel,
    Printed,
    Repeated,
    Run,
    balanced,
    joined,
    statement,
)
from tinyml.targets.composer.tile_code import Refused, RepeatedCode, RowKernel, overlapping
from tinyml.targets.composer.tile_composer import TileComposer
from tinyml.targets.composer.weight_streams import BY_ELEMENT, BY_ROW, MULTIPLIER, RIGHT, WeightStream, row_blocks
from tinyml.targets.host.chip import CHIP as HOST
from tinyml.targets.kernel import Composed, ElementFunction, Kernel, PackedReads, SharedFunction
from tinyml.targets.kernel_table import FarConstants, ForestCoder, ListedKernels, RowCoder, SumComposer
from tinyml.targets.nests import FarWeightsQuery, Maker, Offer, RowSums, SumQuery, TileQuery
from tinyml.targets.package import Package
from tinyml.targets.registry import board, chip_of
from tinyml.targets.tiles import Sums, Tile, TileCoder, TileFamily, Widths

__all__ = [
    "BY_ELEMENT",
    "BY_ROW",
    "FEWER_CONSTANTS",
    "FORESTS_IN_C",
    "HOST",
    "MULTIPLIER",
    "RIGHT",
    "SUMS_IN_C",
    "Board",
    "Chip",
    "Code",
    "CodedRows",
    "CodedTile",
    "Composed",
    "ElementFunction",
    "FarConstants",
    "FarWeightsQuery",
    "ForestCode",
    "ForestCoder",
    "InputError",
    "Instruction",
    "Kernel",
    "ListedKernels",
    "LocalLabel",
    "Logic",
    "Maker",
    "Offer",
    "Package",
    "PackedReads",
    "Printed",
    "Refused",
    "Repeated",
    "RepeatedCode",
    "RowCoder",
    "RowKernel",
    "RowSums",
    "Run",
    "SharedFunction",
    "SumComposer",
    "SumQuery",
    "Sums",
    "Tile",
    "TileCoder",
    "TileComposer",
    "TileFamily",
    "TileQuery",
    "Timing",
    "TooLargeError",
    "WeightStream",
    "Widths",
    "balanced",
    "board",
    "chip_of",
    "compose_in_c",
    "emulated_memories",
    "joined",
    "overlapping",
    "row_blocks",
    "statement",
]

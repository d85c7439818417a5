"""Placement of buffers in one arena, independent of the IR.

Each buffer is a rectangle with the axes time and address, and receives an offset. A rectangle occupies `size` bytes at
every program point from `first` to `last`, both inclusive. Two rectangles without a common point may share bytes, for
instance if one ends at point k and the other starts at k + 1. Two rectangles with a common point may share bytes only
if one is an operand and the other is a result that may overwrite the operand while it is read. The operand then starts
at least a given distance above the result.
"""

from tinyml.transforms.buffers.packing.effort import Effort, Phase
from tinyml.transforms.buffers.packing.modes import MODES, pack
from tinyml.transforms.buffers.packing.peak import Peak, find_peak, lower_bound
from tinyml.transforms.buffers.packing.rectangles import (
    FIRST_FIT,
    BufferMove,
    Overlap,
    Placement,
    Proof,
    Rectangle,
    overlap_in_time,
    stays,
)

__all__ = [
    "FIRST_FIT",
    "MODES",
    "BufferMove",
    "Effort",
    "Overlap",
    "Peak",
    "Phase",
    "Placement",
    "Proof",
    "Rectangle",
    "find_peak",
    "lower_bound",
    "overlap_in_time",
    "pack",
    "stays",
]

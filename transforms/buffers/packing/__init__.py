"""Placement of buffers in one arena: each rectangle of live range times size receives an offset. Independent of the IR.

A rectangle occupies `size` bytes at every program point from `first` to `last`, both inclusive. Two rectangles may
share bytes if they have no point in common, for instance if one ends at point k and the other starts at k + 1. If they
have a common point, they may share bytes only if one is a result that overlaps the other, an operand. The operand then
starts a given distance above the result.
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

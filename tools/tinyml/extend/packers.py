"""Packers: algorithms that assign buffers offsets in an arena.

A packer is a function. Its arguments are `Rectangle`s, which represent buffers over time, and an `Effort`, which limits
its work; its result is a `Placement`.
"""

from tinyml.transforms.buffers.packing import BufferMove, Effort, Placement, Proof, Rectangle, lower_bound, pack
from tinyml.transforms.buffers.packing.effort import OutOfTime
from tinyml.transforms.buffers.packing.exact_cover import Coloured, ExactCover
from tinyml.transforms.buffers.packing.rectangles import Overlap, placement_at
from tinyml.transforms.buffers.packing.validator import complaints as placement_errors

__all__ = [
    "BufferMove",
    "Coloured",
    "Effort",
    "ExactCover",
    "OutOfTime",
    "Overlap",
    "Placement",
    "Proof",
    "Rectangle",
    "lower_bound",
    "pack",
    "placement_at",
    "placement_errors",
]

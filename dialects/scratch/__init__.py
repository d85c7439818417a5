"""The `scratch` dialect of memory (from level L2 on): an arena for mutable data, flash for constants, and views of
both.
"""

from xdsl.ir import Dialect

from tinyml.dialects.scratch.moves import CopyRunOp, MoveOp, ReceiveOp, SlideOp, TurnOp
from tinyml.dialects.scratch.ops import AllocOp, ArenaOp, ConstantOp, ReuseOp, SliceOp, ViewOp, constant_root, root
from tinyml.dialects.scratch.types import (
    FORMAT,
    CsrFlash,
    Flash,
    Packed,
    PackedFlash,
    PackedRam,
    bytes_of,
    element_bytes,
    elements_of,
    in_flash,
    memref_type,
    packed_bits,
    packed_offset,
    ram_bits,
    size_in_bytes,
    storage_of,
    stored_as,
    unit_bytes,
    unit_of,
)

__all__ = [
    "FORMAT",
    "AllocOp",
    "ArenaOp",
    "ConstantOp",
    "CopyRunOp",
    "CsrFlash",
    "Flash",
    "MoveOp",
    "Packed",
    "PackedFlash",
    "PackedRam",
    "ReceiveOp",
    "ReuseOp",
    "SliceOp",
    "SlideOp",
    "TurnOp",
    "ViewOp",
    "bytes_of",
    "constant_root",
    "element_bytes",
    "elements_of",
    "in_flash",
    "memref_type",
    "packed_bits",
    "packed_offset",
    "ram_bits",
    "root",
    "size_in_bytes",
    "storage_of",
    "stored_as",
    "unit_bytes",
    "unit_of",
]

SCRATCH = Dialect(
    "scratch",
    [AllocOp, ArenaOp, ConstantOp, CopyRunOp, MoveOp, ReceiveOp, ReuseOp, SliceOp, SlideOp, TurnOp, ViewOp],
    [CsrFlash, Flash, PackedFlash, PackedRam],
)

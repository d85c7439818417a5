"""`unpack-buffers`: unpacks packed buffers that fit the arena at full width (L2, before packing)."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from tinyml.dialects.functions import defined_functions
from tinyml.dialects.scratch import AllocOp, MoveOp, ReuseOp, SliceOp, bytes_of, memref_type, packed_bits
from tinyml.transforms.buffers.liveness.live_ranges import (
    Buffer,
    LiveRanges,
    buffers_by_location,
    erase_dead_buffers,
    live_ranges,
    loops_around,
    receives,
)
from tinyml.transforms.buffers.overlap.overlaps import safe_distances, with_overlaps
from tinyml.transforms.buffers.pack_scratch import rectangle
from tinyml.transforms.buffers.packing import Rectangle, pack
from tinyml.transforms.ir.buffers import retype_buffer


@dataclass(frozen=True)
class UnpackBuffersPass(ModulePass):
    """Undo `pack-buffers` for buffers, as long as the arena does not exceed its size with all buffers packed.

    Access to packed elements is slow. Buffers that are accessed in the innermost loops are therefore unpacked first,
    then the largest. The input stays packed, because the caller packs it. Buffers that receive rows of the input and
    buffers that move also stay packed.
    """

    name = "unpack-buffers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            erase_dead_buffers(function)
            if any(isinstance(inner, AllocOp | ReuseOp) and _is_packed(inner) for inner in function.walk()):
                _unpack(function)


def _unpack(function: func.FuncOp) -> None:
    live = live_ranges(function)
    groups = buffers_by_location(live)
    sizes = [rectangle(live, members).size for members in groups]
    room = pack(_rectangles(live, groups)).height
    free = [i for i, members in enumerate(groups) if not any(map(_keeps_type, members))]
    packed = [i for i in free if any(map(_is_packed, groups[i]))]
    for i in sorted(packed, key=lambda i: (_innermost(groups[i]), sizes[i]), reverse=True):
        types = [memref_type(member.result) for member in groups[i]]
        _retype(groups[i], [_whole(type) for type in types])
        if not _fit_each_other(groups[i]) or pack(_rectangles(live, groups), "best-fit").height > room:
            _retype(groups[i], types)


def _rectangles(live: LiveRanges, groups: list[list[Buffer]]) -> list[Rectangle]:
    shapes = [rectangle(live, members) for members in groups]
    return with_overlaps(shapes, safe_distances(live.points, groups, shapes))


def _keeps_type(buffer: Buffer) -> bool:
    """Whether the element type of a buffer must not change: the buffer is the input or receives packed rows from the
    caller, or it moves.
    """
    moves = any(isinstance(use.operation, MoveOp) for use in buffer.result.uses)
    return moves or "input" in buffer.properties or receives(buffer.result, packed=True)


def _is_packed(buffer: Buffer) -> bool:
    return packed_bits(memref_type(buffer.result)) is not None


def _whole(type: MemRefType[Attribute]) -> MemRefType[Attribute]:
    return MemRefType(type.element_type, type.get_shape())


def _retype(members: list[Buffer], types: list[MemRefType[Attribute]]) -> None:
    for member, type in zip(members, types, strict=True):
        retype_buffer(member.result, type)


def _fit_each_other(members: list[Buffer]) -> bool:
    return all(bytes_of(buffer.result) <= bytes_of(buffer.source) for buffer in members if isinstance(buffer, ReuseOp))


def _innermost(members: list[Buffer]) -> int:
    depth, views = 0, [member.result for member in members]
    while views:
        for use in views.pop().uses:
            if isinstance(user := use.operation, SliceOp):
                views.append(user.result)
            depth = max(depth, len(list(loops_around(user))))
    return depth

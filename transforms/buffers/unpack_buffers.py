"""`unpack-buffers`: packed buffers that the arena does not need packed are whole again (L2, before it is packed)."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects.scratch import AllocOp, ReuseOp, SliceOp, memref_type, packed_bits, size_in_bytes
from tinyml.transforms.buffers.liveness.live_ranges import (
    Buffer,
    buffers_by_place,
    erase_dead_buffers,
    live_ranges,
    loops_around,
)
from tinyml.transforms.buffers.pack_scratch import rectangle
from tinyml.transforms.buffers.packing import pack
from tinyml.transforms.ir.retype_buffer import retype_buffer


@dataclass(frozen=True)
class UnpackBuffersPass(ModulePass):
    """Takes back what `pack-buffers` did wherever the arena, placed with all of it, has room for whole elements.

    Access to packed elements takes time: places that are touched in the innermost loops come first, then the largest.
    """

    name = "unpack-buffers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [one for one in op.walk() if isinstance(one, func.FuncOp) and not one.is_declaration]:
            erase_dead_buffers(function)
            if any(isinstance(one, AllocOp | ReuseOp) and _is_packed(one) for one in function.walk()):
                _unpack(function)


def _unpack(function: func.FuncOp) -> None:
    live = live_ranges(function)
    places = buffers_by_place(live)
    before = [rectangle(live, members) for members in places]
    room = pack(before).height
    packed = [i for i, members in enumerate(places) if any(map(_is_packed, members))]
    for i in sorted(packed, key=lambda i: (_innermost(places[i]), before[i].size), reverse=True):
        types = [memref_type(one.result) for one in places[i]]
        _retype(places[i], [_whole(type) for type in types])
        after = [*before[:i], rectangle(live, places[i]), *before[i + 1 :]]
        if _fit_each_other(places[i]) and pack(after, "best-fit").height <= room:
            before = after
        else:
            _retype(places[i], types)


def _is_packed(buffer: Buffer) -> bool:
    return packed_bits(memref_type(buffer.result)) is not None


def _whole(type: MemRefType[Attribute]) -> MemRefType[Attribute]:
    return MemRefType(type.element_type, type.get_shape())


def _retype(members: list[Buffer], types: list[MemRefType[Attribute]]) -> None:
    for one, type in zip(members, types, strict=True):
        retype_buffer(one.result, type)


def _fit_each_other(members: list[Buffer]) -> bool:
    """Does each buffer fit into the one whose bytes it takes? Elements that did, packed, are no wider whole."""
    return all(_bytes(one.result) <= _bytes(one.source) for one in members if isinstance(one, ReuseOp))


def _innermost(members: list[Buffer]) -> int:
    """In how many loops the elements of a place are touched, at most."""
    depth, views = 0, [one.result for one in members]
    while views:
        for use in views.pop().uses:
            if isinstance(user := use.operation, SliceOp):
                views.append(user.result)
            depth = max(depth, len(list(loops_around(user))))
    return depth


def _bytes(buffer: SSAValue) -> int:
    return size_in_bytes(memref_type(buffer))

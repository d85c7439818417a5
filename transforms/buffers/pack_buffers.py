"""`pack-buffers`: packs the elements of buffers in RAM whose formats have fewer bits than their storage (L2, before
placement).
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects.scratch import AllocOp, SliceOp, memref_type
from tinyml.dialects.scratch.types import packed_type
from tinyml.transforms.buffers.liveness.live_ranges import receives
from tinyml.transforms.ir.buffers import retype_buffer


@dataclass(frozen=True)
class PackBuffersPass(ModulePass):
    """Change the memory space of buffers to `#scratch.packed_ram` if packing saves bytes. Constants are unchanged.

    Packed elements have the least available width that represents their number format. The following buffers are
    unchanged: the input, buffers that are returned, buffers that loops and branches carry, and buffers that receive
    unpacked rows.
    """

    name = "pack-buffers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for alloc in [inner for inner in op.walk() if isinstance(inner, AllocOp) and inner.input is None]:
            type = memref_type(alloc.result)
            stays = _leaves(alloc.result) or receives(alloc.result, packed=False)
            if (packed := packed_type(type)) is not None and not stays:
                retype_buffer(alloc.result, packed)


def _leaves(buffer: SSAValue) -> bool:
    users = [use.operation for use in buffer.uses]
    views = [user.result for user in users if isinstance(user, SliceOp)]
    return any(isinstance(user, func.ReturnOp | scf.YieldOp | scf.ForOp) for user in users) or any(map(_leaves, views))

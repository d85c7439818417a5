"""`place-arrays`: moves local arrays for unpacked elements from the stack to free bytes of the arena (L3).

Kernels read packed RAM through a local array. While the input is read, and during the first small computations, most of
the arena is still free.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects.functions import defined_functions
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.scratch import SliceOp, bytes_of, memref_type, unit_bytes
from tinyml.transforms.loops.kernels.arena_room import ArenaRoom


@dataclass(frozen=True)
class PlaceArraysPass(ModulePass):
    """Place slices of local arrays in bytes of the arena that are free at that time. A slice is replaced by a view
    of the arena only if a copy is the first op that writes to the slice.

    A slice occupies its bytes from the first op of the function's body that uses it, directly or in a nested
    region, to the last such op. A slice for which no bytes are free is unchanged.
    """

    name = "place-arrays"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            if (room := ArenaRoom.of(function)) is not None:
                for array in [array for array in function.walk() if isinstance(array, memref.AllocaOp)]:
                    _place(room, array)


def _place(room: ArenaRoom, array: memref.AllocaOp) -> None:
    slices = [use.operation for use in array.memref.uses]
    if not all(map(_is_filled_first, slices)):
        return
    # Slices of one array may overlap while both are used, as they did before. A copy unpacks whole groups, up to the
    # array's last element.
    type = memref_type(array.memref)
    needed = [(slice, room.occupied(slice.results[0], 0, bytes_of(array.memref))) for slice in slices]
    found = [(slice, room.first_free(taken, unit_bytes(type))) for slice, taken in needed]
    placed = [(slice, taken) for slice, taken in found if taken is not None]
    room.taken += [taken for _, taken in placed]
    for slice, taken in placed:
        slice.operands[0] = room.view(taken.low, type, array.memref.name_hint)
    if not array.memref.uses:
        Rewriter.erase_op(array)


def _is_filled_first(op: Operation) -> bool:
    """Whether an op is a slice at offset 0 that a copy fills before any other op uses it."""
    if not isinstance(op, SliceOp) or const_evaluate_operand(op.offset) != 0:
        return False
    users = [use.operation for use in op.result.uses]
    first = next((later for later in _ops_after(op) if later in users), None)
    return isinstance(first, memref.CopyOp) and first.destination is op.result and first.source is not op.result


def _ops_after(op: Operation) -> Iterator[Operation]:
    following = op.next_op
    while following is not None:
        yield from following.walk()
        following = following.next_op

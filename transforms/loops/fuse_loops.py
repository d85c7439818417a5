"""`fuse-loops`: a loop over what another loop has just stored becomes one loop with it (L3).

So the elementwise ops behind a product of matrices (bias, activation, gates) run in the epilogue of each of its rows,
with the rounded sum in a register: neither stored nor loaded, and with the interval that it is proven to lie in.

Buffers share the bytes of one arena, so it is bytes that decide: what one loop stores the other one must touch in the
same iteration, or not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import MemoryEffectKind, is_side_effect_free, only_has_effect
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import scratch
from tinyml.dialects.scratch import element_bytes, memref_type, packed_bits, size_in_bytes


@dataclass(frozen=True)
class FuseLoopsPass(ModulePass):
    """Fuses a loop of L3 with the next one of the same trips, where that loads elements that the first has stored."""

    name = "fuse-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [one for one in op.walk() if isinstance(one, func.FuncOp) and not one.is_declaration]:
            blocks = [block for one in function.walk() for region in one.regions for block in region.blocks]
            for block in blocks:
                for second in [one for one in block.ops if isinstance(one, scf.ForOp)][::-1]:
                    # What has been fused is fused with the loop before it, too.
                    while (first := _loop_before(second)) and (forwarded := _forwarded(first, second)):
                        _fuse(first, second, forwarded)


@dataclass(frozen=True)
class _Access:
    """An op that reads or writes a buffer.

    place: slope and start, where iteration i touches one element, the byte number slope * i + start of the memory in
    which the root lies.
    """

    op: Operation
    writes: bool
    root: SSAValue
    place: tuple[int, int] | None

    def conflicts(self, other: _Access) -> bool:
        """May it touch in one iteration what the other touches in another one?"""
        if not (self.writes or other.writes) or not _overlap(self.root, other.root):
            return False
        return not self.meets(other)

    def meets(self, other: _Access) -> bool:
        """Does it touch what the other touches in the same iteration, and in no other?"""
        same = _memory(self.root) is _memory(other.root) and self.place == other.place
        width, other_width = (element_bytes(memref_type(one.root)) for one in (self, other))
        return same and self.place is not None and self.place[0] != 0 and width == other_width


def _memory(root: SSAValue) -> SSAValue:
    """The arena, or an array of its own; results may take the place of operands there (`update-in-place`)."""
    return root.owner.arena if isinstance(root.owner, scratch.ViewOp) else root


def _start(root: SSAValue) -> int:
    return root.owner.offset.value.data if isinstance(root.owner, scratch.ViewOp) else 0


def _overlap(a: SSAValue, b: SSAValue) -> bool:
    ends = [_start(root) + size_in_bytes(memref_type(root)) for root in (a, b)]
    return _memory(a) is _memory(b) and _start(a) < ends[1] and _start(b) < ends[0]


def _accesses(loop: scf.ForOp) -> list[_Access] | None:
    """The accesses to buffers that are not constants, in order; None where the body has other effects."""
    found: list[_Access] = []
    for op in loop.body.block.ops:
        match op:
            case memref.LoadOp() | memref.StoreOp():
                values, writes = [op.memref], isinstance(op, memref.StoreOp)
            case _ if op.regions:
                return None
            case _ if is_side_effect_free(op) or op is loop.body.block.last_op:
                continue
            case _ if only_has_effect(op, MemoryEffectKind.READ):
                values, writes = [value for value in op.operands if isinstance(value.type, MemRefType)], False
            case _:
                return None
        for value in values:
            if not scratch.in_flash(memref_type(value)):
                found.append(_Access(op, writes, scratch.root(value), _place(op, value, loop.body.block)))
    return found


def _place(op: Operation, buffer: SSAValue, body: Block) -> tuple[int, int] | None:
    """Slope and start of the element that a load or store touches, in bytes from the start of its memory.

    Packed elements share bytes.
    """
    type = memref_type(buffer)
    if not isinstance(op, memref.LoadOp | memref.StoreOp) or packed_bits(type) is not None:
        return None
    shape = type.get_shape()
    terms = [(index, prod(shape[axis + 1 :])) for axis, index in enumerate(op.indices)]
    while isinstance(slice := buffer.owner, scratch.SliceOp):
        terms.append((slice.offset, 1))
        buffer = slice.source
    places = [_affine(value, body.args[0]) for value, _ in terms]
    slope, start = 0, 0
    for place, (_, stride) in zip(places, terms, strict=True):
        if place is None:
            return None
        slope, start = slope + stride * place[0], start + stride * place[1]
    return slope * element_bytes(type), start * element_bytes(type) + _start(buffer)


def _affine(value: SSAValue, index: SSAValue) -> tuple[int, int] | None:
    """slope and start, where a value is slope * index + start."""
    if value is index:
        return 1, 0
    if (number := const_evaluate_operand(value)) is not None:
        return 0, number
    op = value.owner
    if not isinstance(op, arith.AddiOp | arith.MuliOp):
        return None
    a, b = _affine(op.lhs, index), _affine(op.rhs, index)
    if a is None or b is None:
        return None
    if isinstance(op, arith.AddiOp):
        return a[0] + b[0], a[1] + b[1]
    return (a[0] * b[1], a[1] * b[1]) if b[0] == 0 else None


def _loop_before(second: scf.ForOp) -> scf.ForOp | None:
    """The loop before another one, with nothing in between that has an effect or reads memory."""
    op = second.prev_op
    while op is not None and not isinstance(op, scf.ForOp):
        if op.regions or not is_side_effect_free(op):
            return None
        op = op.prev_op
    return op


def _forwarded(first: scf.ForOp, second: scf.ForOp) -> list[tuple[memref.StoreOp, memref.LoadOp]]:
    """The loads of the second loop that give what a store of the first one has stored; none if they cannot be one."""
    bounds = [[const_evaluate_operand(one) for one in (loop.lb, loop.ub, loop.step)] for loop in (first, second)]
    if bounds[0] != bounds[1] or None in bounds[0] or first.iter_args or second.iter_args:
        return []
    before, after = _accesses(first), _accesses(second)
    if before is None or after is None or any(a.conflicts(b) for a in before for b in after):
        return []
    found: list[tuple[memref.StoreOp, memref.LoadOp]] = []
    for i, store in enumerate(before):
        for k, load in enumerate(after):
            if not (isinstance(store.op, memref.StoreOp) and isinstance(load.op, memref.LoadOp)):
                continue
            if store.meets(load) and store.op.value.type == load.op.res.type:
                between = [*before[i + 1 :], *after[:k]]
                if not any(one.writes and _overlap(one.root, store.root) for one in between):
                    found.append((store.op, load.op))
    return found


def _fuse(first: scf.ForOp, second: scf.ForOp, forwarded: Sequence[tuple[memref.StoreOp, memref.LoadOp]]) -> None:
    body, top = second.body.block, second.body.block.first_op
    assert top is not None
    first.body.block.args[0].replace_all_uses_with(body.args[0])
    for op in list(first.body.block.ops)[:-1]:
        op.detach()
        body.insert_ops_before([op], top)
    second.location = first.location
    first.detach()
    first.erase()
    for store, load in forwarded:
        load.res.replace_all_uses_with(store.value)
        load.detach()
        load.erase()
    for store in dict.fromkeys(store for store, _ in forwarded):
        if not _is_used(scratch.root(store.memref), but=store):
            store.detach()
            store.erase()


def _is_used(buffer: SSAValue, but: Operation) -> bool:
    users = [use.operation for use in buffer.uses]
    slices = [_is_used(user.result, but) for user in users if isinstance(user, scratch.SliceOp)]
    return any(slices) or any(not isinstance(user, scratch.SliceOp) and user is not but for user in users)

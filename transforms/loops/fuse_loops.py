"""`fuse-loops`: fuses a loop with the next one, which loads the elements that the first has just stored (L3).

The elementwise ops following a matrix product (bias, activation, gates) then run in the epilogue of each of its rows,
with the rounded sum in a register: neither stored nor loaded, and with its proven interval known.

Buffers share the bytes of one arena, so dependences are tested on bytes: a byte that one loop stores must be accessed
by the other in the same iteration or not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.traits import MemoryEffectKind, is_side_effect_free, only_has_effect
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import num, scratch
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.scratch import element_bytes, memref_type, packed_bits
from tinyml.transforms.ir.buffers import memory_of, overlap, start_of
from tinyml.transforms.ir.indices import affine_in

_Loop: TypeAlias = scf.ForOp | num.ContractOp


@dataclass(frozen=True)
class FuseLoopsPass(ModulePass):
    """Fuse a loop with the next one of equal bounds if that loads elements that the first has stored.

    A contraction counts as a loop over its rows; a loop fused with a contraction becomes part of its body.
    """

    name = "fuse-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            blocks = [block for nested in function.walk() for region in nested.regions for block in region.blocks]
            for block in blocks:
                for second in [loop for loop in block.ops if isinstance(loop, _Loop)][::-1]:
                    # A fused loop may fuse again with the loop before it.
                    fused = second
                    while (first := _loop_before(fused)) and (forwarded := _forwarded(first, fused)):
                        fused = _fuse(first, fused, forwarded)


@dataclass(frozen=True)
class _Access:
    """An op that reads or writes a buffer.

    address: (slope, start) if iteration i accesses the one element at byte slope * i + start of the memory that holds
    the root; else None.
    """

    op: Operation
    writes: bool
    root: SSAValue
    address: tuple[int, int] | None

    def conflicts(self, other: _Access) -> bool:
        """True if this access may touch, in one iteration, bytes that the other touches in a different one."""
        if not (self.writes or other.writes) or not overlap(self.root, other.root):
            return False
        return not self.meets(other)

    def meets(self, other: _Access) -> bool:
        """True if both accesses touch the same element in each iteration, and never in different ones."""
        if self.address is None or self.address[0] == 0 or self.address != other.address:
            return False
        if memory_of(self.root) is not memory_of(other.root):
            return False
        width, other_width = (element_bytes(memref_type(access.root)) for access in (self, other))
        return width == other_width


def _accesses(loop: _Loop) -> list[_Access] | None:
    """The accesses to buffers other than constants, in order; None if the body has other effects."""
    accesses: list[_Access] = []
    for op in loop.body.block.ops:
        match op:
            case memref.LoadOp() | memref.StoreOp():
                values, writes = [op.memref], isinstance(op, memref.StoreOp)
            case _ if op.regions:
                return None
            case _ if is_side_effect_free(op) or isinstance(op, scf.YieldOp):
                continue
            case _ if only_has_effect(op, MemoryEffectKind.READ):
                values, writes = [value for value in op.operands if isinstance(value.type, MemRefType)], False
            case _:
                return None
        for value in values:
            if not scratch.in_flash(memref_type(value)):
                accesses.append(_Access(op, writes, scratch.root(value), _address(op, value, loop.body.block)))
    return accesses


def _memories(loop: _Loop, kind: type[memref.LoadOp | memref.StoreOp]) -> set[SSAValue]:
    """The memory that loads or stores in a loop access."""
    return {memory_of(scratch.root(op.memref)) for op in loop.body.block.ops if isinstance(op, kind)}


def _address(op: Operation, buffer: SSAValue, body: Block) -> tuple[int, int] | None:
    """Slope and start, in bytes from the start of its memory, of the element that a load or store accesses.

    None for packed elements, which share bytes, and for addresses that are not affine in the loop's index.
    """
    type = memref_type(buffer)
    if not isinstance(op, memref.LoadOp | memref.StoreOp) or packed_bits(type) is not None:
        return None
    shape = type.get_shape()
    terms = [(index, prod(shape[axis + 1 :])) for axis, index in enumerate(op.indices)]
    while isinstance(slice := buffer.owner, scratch.SliceOp):
        terms.append((slice.offset, 1))
        buffer = slice.source
    forms = [affine_in(value, body.args[0]) for value, _ in terms]
    slope, start = 0, 0
    for form, (_, stride) in zip(forms, terms, strict=True):
        if form is None:
            return None
        slope, start = slope + stride * form[0], start + stride * form[1]
    return slope * element_bytes(type), start * element_bytes(type) + start_of(buffer)


def _loop_before(second: _Loop) -> _Loop | None:
    """The loop before another if nothing between them has an effect or reads memory."""
    op = second.prev_op
    while op is not None and not isinstance(op, _Loop):
        if op.regions or not is_side_effect_free(op):
            return None
        op = op.prev_op
    return op


def _bounds(loop: _Loop) -> tuple[int, int, int] | None:
    """The constant bounds and step of a loop that carries nothing from one iteration to the next; None for others."""
    if isinstance(loop, num.ContractOp):
        return None if loop.is_sparse or len(loop.shape) > 1 else (0, loop.rows, 1)
    low, high, step = (const_evaluate_operand(bound) for bound in (loop.lb, loop.ub, loop.step))
    return None if low is None or high is None or step is None or loop.iter_args else (low, high, step)


def _forwarded(first: _Loop, second: _Loop) -> list[tuple[memref.StoreOp, memref.LoadOp]]:
    """Pairs of a store in the first loop and a load in the second of the same value; empty if the loops cannot fuse."""
    if (bounds := _bounds(first)) is None or bounds != _bounds(second):
        return []
    if _memories(first, memref.StoreOp).isdisjoint(_memories(second, memref.LoadOp)):
        return []
    before, after = _accesses(first), _accesses(second)
    if before is None or after is None or any(a.conflicts(b) for a in before for b in after):
        return []
    pairs: list[tuple[memref.StoreOp, memref.LoadOp]] = []
    for i, store in enumerate(before):
        for k, load in enumerate(after):
            if not (isinstance(store.op, memref.StoreOp) and isinstance(load.op, memref.LoadOp)):
                continue
            if store.meets(load) and store.op.value.type == load.op.res.type:
                between = [*before[i + 1 :], *after[:k]]
                if not any(access.writes and overlap(access.root, store.root) for access in between):
                    pairs.append((store.op, load.op))
    return pairs


def _fuse(first: _Loop, second: _Loop, forwarded: Sequence[tuple[memref.StoreOp, memref.LoadOp]]) -> _Loop:
    """Fuse the loops at the position of the second, and return the result."""
    if isinstance(first, num.ContractOp) and isinstance(second, scf.ForOp):
        second = _contraction(second)
    body, top = second.body.block, second.body.block.first_op
    assert top is not None
    first.body.block.args[0].replace_all_uses_with(body.args[0])
    for op in list(first.body.block.ops):
        if not isinstance(op, scf.YieldOp):
            op.detach()
            body.insert_ops_before([op], top)
    second.location = first.location
    Rewriter.erase_op(first)
    for store, load in forwarded:
        load.res.replace_all_uses_with(store.value)
        Rewriter.erase_op(load)
    for store in dict.fromkeys(store for store, _ in forwarded):
        if not _is_used(scratch.root(store.memref), but=store):
            Rewriter.erase_op(store)
    return second


def _contraction(loop: scf.ForOp) -> num.ContractOp:
    """Replace a loop that starts at 0 by a contraction without products."""
    bounds = _bounds(loop)
    assert bounds is not None
    body = loop.detach_region(loop.body)
    assert body.block.last_op is not None
    Rewriter.erase_op(body.block.last_op)
    op = num.ContractOp([bounds[1]], body)
    Rewriter.replace_op(loop, op, [])
    return op


def _is_used(buffer: SSAValue, but: Operation) -> bool:
    users = [use.operation for use in buffer.uses]
    slices = [_is_used(user.result, but) for user in users if isinstance(user, scratch.SliceOp)]
    return any(slices) or any(not isinstance(user, scratch.SliceOp) and user is not but for user in users)

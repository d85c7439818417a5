"""`forward-inserts`: computes a part of a buffer at its final location, instead of inserting it later (L2, before
packing).

Buffers move one by one, so that the program points around each of them are computed anew (`points_before`). The time
to compute all live ranges (`live_ranges.py`) grows with the length of the function.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint
from xdsl.traits import IsTerminator

from tinyml.dialects import tdsl
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.rewriting import Builder, Rewriter
from tinyml.dialects.scratch import AllocOp, ReuseOp, SliceOp, elements_of, memref_type, root
from tinyml.dialects.tdsl.index_maps import is_run
from tinyml.transforms.buffers.liveness.live_ranges import (
    aliases_of,
    erase_dead_buffers,
    is_point,
    loops_around,
    reshaped,
    starts_fresh,
)
from tinyml.transforms.ir.buffers import is_handed_on
from tinyml.transforms.ir.indices import affine_sum, build_offset, offset_of


@dataclass(frozen=True)
class ForwardInsertsPass(ModulePass):
    """Compute a part of a buffer at the location where `tdsl.insert_slice` would insert it, and erase the insertion.

    A view into the destination replaces the buffer of the part. The part must consist of consecutive elements, at an
    offset that is known before the part is computed. Between the first op that touches the part and the insertion, no
    op may touch the destination, with two exceptions. The first op may update exactly the elements that the part
    replaces. If no other op touches the destination, a `tdsl.move_up` of it is moved before the first op.
    If the first op is elementwise, its operand is also computed in these bytes, provided that the operand meets the
    same conditions and has the same format. An insertion that does not meet these conditions is unchanged.
    """

    name = "forward-inserts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            erase_dead_buffers(function)
            for insert in [inner for inner in function.walk() if isinstance(inner, tdsl.InsertSliceOp)]:
                forward(insert)


@dataclass(frozen=True)
class _Place:
    """The location of an inserted part: consecutive elements of the buffer `whole`, from the indices `offsets` on."""

    whole: SSAValue
    offsets: Sequence[SSAValue]

    def take(self, part: AllocOp, before: Operation) -> None:
        builder = Builder(InsertPoint.before(before), part.location)
        offset = build_offset(self.offsets, tdsl.shape_of(self.whole), builder)
        view = builder.insert(SliceOp(self.whole, offset, memref_type(part.result).get_shape())).result
        view.name_hint = part.result.name_hint
        part.result.replace_all_uses_with(view)
        Rewriter.erase_op(part)


def forward(insert: tdsl.InsertSliceOp) -> None:
    part, whole = reshaped(insert.part).owner, root(insert.out)
    if not isinstance(part, AllocOp) or not isinstance(whole.owner, AllocOp) or insert.input is not insert.dest:
        return
    if (
        part is whole.owner
        or insert.axes is not None
        or not is_run(tdsl.shape_of(insert.out), tdsl.shape_of(insert.part))
    ):
        return
    if (start := points_before(insert, part)) is None:
        return
    place = _updated_place(start[0], insert)
    users = _from_first_user(part, insert)
    touching = [op for op in start if any(_may_be(value, whole) for value in op.operands if value is not place)]
    moving = _moved_up(touching, insert, users)
    if touching and (moving is None or place is not None):
        return
    if place is not None and place.type == part.result.type:
        Rewriter.erase_op(insert)
        part.result.replace_all_uses_with(place)
        Rewriter.erase_op(part)
        return
    target = _Place(insert.out, tuple(insert.offsets))
    if all(_is_known(offset, users) for offset in insert.offsets):
        Rewriter.erase_op(insert)
        if moving is not None:
            moving.detach()
            Rewriter.insert_op(moving, InsertPoint.before(users[0]))
        target.take(part, users[0])
        _forward_operands(start[0], target)


def _moved_up(
    touching: Sequence[Operation], insert: tdsl.InsertSliceOp, before: Sequence[Operation]
) -> tdsl.MoveUpOp | None:
    """The `tdsl.move_up` of an insertion's destination, if it is the only op in `touching` and can be moved before all
    ops of `before`. None otherwise.

    It can be moved if no op that precedes it in `before` reads or writes the destination.
    """
    match touching:
        case [tdsl.MoveUpOp(input=input) as op] if input is op.dest and input is insert.out and op in before:
            whole, passed = root(insert.out), before[: before.index(op)]
            touched = (value for each in passed for inner in each.walk() for value in inner.operands)
            return op if _is_known(input, before) and not any(_may_be(value, whole) for value in touched) else None
        case _:
            return None


def _forward_operands(op: Operation, place: _Place) -> None:
    while isinstance(op, tdsl.ElementwiseOp) and (dest := op.dest) is not None:
        if (part := _overwritten(op, dest)) is None:
            return
        start = points_before(op, part)
        if start is None:
            return
        users = _from_first_user(part, op)
        if not all(_is_known(offset, users) for offset in place.offsets):
            return
        if any(_may_be(value, root(place.whole)) for computing in start for value in computing.operands):
            return
        place.take(part, users[0])
        op = start[0]


def _overwritten(op: tdsl.ElementwiseOp, place: SSAValue) -> AllocOp | None:
    for value in op.inputs:
        buffer = reshaped(value).owner
        if not isinstance(buffer, AllocOp) or elements_of(buffer.result) != elements_of(place):
            continue
        # One of two formats with the same storage may later be packed to fewer bits.
        same = memref_type(buffer.result).element_type == memref_type(place).element_type
        if same and op.reads_in_place(value):
            return buffer
    return None


def _updated_place(op: Operation, insert: tdsl.InsertSliceOp) -> SSAValue | None:
    if not isinstance(op, tdsl.TensorOp) or (updated := op.updated) is None or not op.reads_in_place(updated):
        return None
    view = reshaped(updated).owner
    if not isinstance(view, SliceOp) or view.source is not insert.out:
        return None
    same = affine_sum(view.offset) == offset_of(insert.offsets, tdsl.shape_of(insert.out))
    return updated if same and elements_of(view.result) == elements_of(insert.part) else None


def _may_be(value: SSAValue, buffer: SSAValue) -> bool:
    """Whether a value may be a buffer or a view of it. A value that a loop or branch carries may be any buffer."""
    return root(value) is buffer or is_handed_on(value)


def _from_first_user(part: AllocOp, last: Operation) -> Sequence[Operation]:
    statements = statements_before(last, [use.operation for use in part.result.uses])
    assert statements
    return statements


def _is_known(index: SSAValue, before: Sequence[Operation]) -> bool:
    return not isinstance(index.owner, Operation) or index.owner not in before


def points_before(last: Operation, alloc: AllocOp) -> list[Operation] | None:
    """The program points from the first op that touches a buffer to the point before `last`, which touches the buffer
    too.

    None in these cases: the buffer is an input or has state; only `last` touches the buffer; the buffer is live after
    `last`; the first op that touches it is a branch or is in another block; or a loop contains `last` and its
    iterations do not all overwrite the buffer first.
    """
    memrefs = _same_buffer(alloc.result)
    buffers = [value.owner for value in memrefs if isinstance(value.owner, AllocOp | ReuseOp)]
    # The caller may fill the buffer of the input, and a state is alive throughout.
    if any("input" in buffer.properties or "state" in buffer.properties for buffer in buffers):
        return None
    touching = {use.operation for value in memrefs for use in value.uses if is_point(use.operation)}
    statements = statements_before(last, touching)
    if not statements:
        return None
    first = statements[0]
    if isinstance(first, scf.IfOp):
        return None
    around = next(loops_around(last), None)
    if around is not None:
        touches = [next(op for op in first.walk() if op in touching), *touching]
        fresh = len(buffers) == 1 and starts_fresh(alloc, touches, memrefs)
        if not fresh or not around.is_ancestor(alloc):
            return None
    return [op for statement in statements for op in statement.walk() if is_point(op)]


def statements_before(last: Operation, ops: Iterable[Operation]) -> list[Operation] | None:
    """The ops of the block of `last`, from the first op that is or contains one of `ops` to the op before `last`.

    None if one of `ops` is outside the block or after `last`.
    """
    block = last.parent
    assert block is not None
    waiting = {block.find_ancestor_op_in_block(op) for op in ops} - {last}
    statements: list[Operation] = []
    at = last.prev_op
    while waiting and at is not None:
        waiting.discard(at)
        statements.append(at)
        at = at.prev_op
    return None if waiting else statements[::-1]


def _same_buffer(buffer: SSAValue) -> set[SSAValue]:
    """The memrefs that may be the given buffer: its views, and the memrefs by which loops and branches carry it."""
    known, waiting = {buffer}, [buffer]
    while waiting:
        value = waiting.pop()
        passing = [value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()]
        for use in value.uses:
            passing.append(use.operation)
            if use.operation.has_trait(IsTerminator):
                passing.append(use.operation.parent_op())
        for op in passing:
            if op is not None and not isinstance(op, func.FuncOp):
                aliases = aliases_of(op)
                waiting += [alias for alias in aliases if alias not in known]
                known.update(aliases)
    return known

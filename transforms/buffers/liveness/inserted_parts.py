"""Parts of buffers that are computed where they would be inserted later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.rewriting import Builder, Rewriter
from tinyml.dialects.scratch import AllocOp, SliceOp, elements_of, memref_type, root
from tinyml.dialects.tdsl.index_maps import is_run
from tinyml.transforms.buffers.liveness.first_touch import points_before, statements_before
from tinyml.transforms.buffers.liveness.live_ranges import reshaped
from tinyml.transforms.ir.buffers import is_handed_on
from tinyml.transforms.ir.indices import affine_sum, build_offset, offset_of


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

"""`divide-tensors`: computes the parts of a tensor one by one, if the program reads only parts of the tensor (L0).

A layer of attention computes the queries of all heads by one product, and then slices the queries of each head. If each
head has its own product instead, only one head is in memory at a time: its queries, keys, values and scores. The sums
of products are the same, and nothing is copied.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, NoneAttr, f32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand
from xdsl.transforms.dead_code_elimination import dce

from tinyml.dialects import tdsl
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.tdsl.masking import MaskedSoftmaxOp
from tinyml.transforms.ir.conditional_pass import ConditionalPass

SLICE, CONCAT = "tdsl.slice", "tdsl.concat"


@dataclass(frozen=True)
class DivideTensorsPass(ConditionalPass):
    """Compute slices of a tensor separately if they divide the tensor along one axis.

    The tensor must be computed by products of several rows and a constant, by elementwise ops, by softmax or
    normalisation along another axis, by transposition, or by concatenation of the parts. Every op is divided, so that
    no op is executed twice. All other slices are unchanged. Where parts are concatenated and then transposed, they are
    instead concatenated along the axis to which the transposition would move them.
    """

    name = "divide-tensors"

    def obstacle(self, module: ModuleOp) -> str | None:
        names = {inner.name for inner in module.walk()}
        return None if {SLICE, CONCAT} & names else f"no {SLICE} or {CONCAT}"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        names = {inner.name for inner in op.walk()}
        if not {SLICE, CONCAT} & names:
            return
        # Imported here, as few programs slice or concatenate tensors.
        if SLICE in names:
            divide(op)
        if CONCAT in names:
            concatenate_transposed(op)


class Part(NamedTuple):
    """A part of a tensor with `rows` rows: the elements from `start` up to but not including `stop` in each row.

    The rows are those of the tensor reshaped to a matrix. A part is therefore independent of reshapes.
    """

    rows: int
    start: int
    stop: int

    def along(self, shape: tdsl.Shape) -> tuple[int, int, int] | None:
        """The axis of a tensor along which this is a part, the first index and the number of indices.

        None if the part is not a range of indices along one axis.
        """
        for axis, extent in enumerate(shape):
            if extent > 1 and prod(shape[:axis]) == self.rows:
                inner = prod(shape[axis + 1 :])
                exact = self.start % inner == self.stop % inner == 0
                return (axis, self.start // inner, (self.stop - self.start) // inner) if exact else None
        return None

    @staticmethod
    def of(shape: tdsl.Shape, axis: int, first: int, count: int) -> Part:
        inner = prod(shape[axis + 1 :])
        return Part(prod(shape[:axis]), first * inner, (first + count) * inner)


def divide(module: ModuleOp) -> None:
    """Compute the parts of tensors separately, if only parts of a tensor are read and together they are the whole
    tensor.
    """
    divided = True
    while divided:
        divided = False
        # Readers come last; if a tensor is divided, only parts of its operands are read.
        for op in list(module.walk(reverse=True)):
            if isinstance(op, tdsl.TensorOp) and not isinstance(op, tdsl.ReshapeOp | tdsl.SliceOp) and op.out.uses:
                divided |= _divide(op.out)
        # A part may be divided further, such as the queries among queries, keys and values by heads.
        dce(module)


def _divide(value: SSAValue) -> bool:
    """Compute the parts of a value separately. Return whether this is possible."""
    slices = _parts_read(value, None)
    parts = sorted({part for _, part in slices or ()}, key=lambda part: part.start)
    if len(parts) < 2:
        return False
    ends = [0, *(part.stop for part in parts)]
    whole = ends[-1] * parts[0].rows == prod(tdsl.shape_of(value))
    if not whole or [part.start for part in parts] != ends[:-1]:
        return False
    owner, made = value.owner, list[Operation]()
    assert slices is not None
    assert isinstance(owner, Operation)
    try:
        computed = {part: _Parts(part, InsertPoint.before(owner), made).of(value) for part in parts}
    except _Indivisible:
        for op in reversed(made):
            Rewriter.erase_op(op)
        return False
    for slice, part in slices:
        Rewriter.replace_op(slice, tdsl.ReshapeOp(computed[part], tdsl.shape_of(slice.out)))
    return True


def _parts_read(value: SSAValue, whole: Part | None) -> list[tuple[tdsl.SliceOp, Part]] | None:
    """The slices that read a value, directly or through reshapes and other slices, each with the part that it reads.
    None if any other op reads the value, or if some slice does not read a `Part`.

    whole: the part of a tensor that the value is; None if it is the whole tensor.
    """
    found: list[tuple[tdsl.SliceOp, Part]] = []
    for use in value.uses:
        reader = use.operation
        if isinstance(reader, tdsl.ReshapeOp):
            if (inner := _parts_read(reader.out, whole)) is None:
                return None
            found += inner
            continue
        if not isinstance(reader, tdsl.SliceOp) or (part := _sliced(reader)) is None:
            return None
        if whole is not None:
            if part.rows != whole.rows:
                return None
            part = Part(part.rows, whole.start + part.start, whole.start + part.stop)
        inner = _parts_read(reader.out, part)
        found += [(reader, part)] if not inner or any(each.rows != part.rows for _, each in inner) else inner
    return found


def _sliced(op: tdsl.SliceOp) -> Part | None:
    before, after = tdsl.shape_of(op.input), tdsl.shape_of(op.out)
    cut = [axis for axis, (extent, size) in enumerate(zip(before, after, strict=True)) if extent != size]
    if len(cut) != 1 or any(step != 1 for step in op.steps):
        return None
    [axis] = cut
    first = const_evaluate_operand(op.offsets[axis])
    return None if first is None else Part.of(before, axis, first, after[axis])


def _operand_part(value: SSAValue, shape: tdsl.Shape, part: Part) -> Part | None:
    """The part of an elementwise op's operand on which a part of its result depends. None for the whole operand.

    shape: the shape of the result.
    """
    along = part.along(shape)
    assert along is not None
    axis, first, count = along
    own = tdsl.shape_of(value)
    axis -= len(shape) - len(own)
    return None if axis < 0 or own[axis] == 1 else Part.of(own, axis, first, count)


def _concatenated(op: tdsl.ConcatOp, axis: int, first: int, count: int) -> SSAValue:
    """The operand of a concatenation that is exactly the given part of its result. Raises `_Indivisible` if there is no
    such operand.

    axis, first, count: the axis of the part, its first index and its number of indices.
    """
    start = 0
    for value in op.parts:
        extent = tdsl.shape_of(value)[op.axis.value.data]
        if axis == op.axis.value.data and (start, extent) == (first, count):
            return value
        start += extent
    raise _Indivisible


class _Indivisible(Exception):
    """Raised if the ops that compute a value cannot be divided, so that a part of it cannot be computed alone."""


class _Parts(NamedTuple):
    """The computation of one part of a tensor.

    point: where ops are inserted.
    made: the ops inserted so far.
    """

    part: Part
    point: InsertPoint
    made: list[Operation]

    def of(self, value: SSAValue) -> SSAValue:
        """Emit the part of a value, computed from parts of the values on which it depends. Return the part.

        Raises `_Indivisible` after some ops may have been inserted.
        """
        op, shape = value.owner, tdsl.shape_of(value)
        if isinstance(op, tdsl.ReshapeOp):
            return self._own(op.input, self.part)
        if (along := self.part.along(shape)) is None or tdsl.format_of(value).type != f32:
            raise _Indivisible
        axis, first, count = along
        match op:
            case tdsl.ConstOp() if value.has_one_use() and isinstance(op.result.type.encoding, NoneAttr):
                raws = op.raws[(*[slice(None)] * axis, slice(first, first + count))]
                return self._insert(op.with_raws(raws, tdsl.format_of(value)), InsertPoint.before(op)).results[0]
            case tdsl.ConcatOp():
                return _concatenated(op, axis, first, count)
            case tdsl.TransposeOp():
                own = [*tdsl.shape_of(op.input)]
                part = Part.of(tuple(own), op.axes[axis], first, count)
                own[op.axes[axis]] = count
                return self._computed(op, {op.input: self._shaped(self._own(op.input, part), tuple(own))})
            case tdsl.MatmulOp() if axis == 1 and op.acc is None and op.shifts is None:
                if tdsl.shape_of(op.lhs)[0] == 1 or not isinstance(op.rhs.owner, tdsl.ConstOp):
                    raise _Indivisible
                # The columns of the right factor are those of the product.
                columns = self.part._replace(rows=tdsl.shape_of(op.rhs)[0])
                return self._computed(op, {op.rhs: self._replace(part=columns).of(op.rhs)})
            case tdsl.SoftmaxOp() | tdsl.NormaliseOp() | MaskedSoftmaxOp() if axis < len(shape) - 1:
                return self._by_elements(op, shape)
            case tdsl.ElementwiseOp():
                return self._by_elements(op, shape)
            case _:
                raise _Indivisible

    def _own(self, value: SSAValue, part: Part) -> SSAValue:
        if not value.has_one_use():
            raise _Indivisible
        return self._replace(part=part).of(value)

    def _by_elements(self, op: tdsl.TensorOp, shape: tdsl.Shape) -> SSAValue:
        return self._computed(op, {operand: self._operand(operand, shape) for operand in op.inputs})

    def _operand(self, value: SSAValue, shape: tdsl.Shape) -> SSAValue:
        part = _operand_part(value, shape, self.part)
        if part is None:
            return value
        along = part.along(own := tdsl.shape_of(value))
        assert along is not None
        axis, _, count = along
        return self._shaped(self._own(value, part), (*own[:axis], count, *own[axis + 1 :]))

    def _shaped(self, value: SSAValue, shape: tdsl.Shape) -> SSAValue:
        if tdsl.shape_of(value) == shape:
            return value
        return self._insert(tdsl.ReshapeOp(value, shape), self.point).results[0]

    def _computed(self, op: tdsl.TensorOp, operands: dict[SSAValue, SSAValue]) -> SSAValue:
        part = op.on_parts(operands)
        part.location = op.location
        part.out.name_hint = op.out.name_hint
        return self._insert(part, self.point).results[0]

    def _insert(self, op: Operation, point: InsertPoint) -> Operation:
        Rewriter.insert_op(op, point)
        self.made.append(op)
        return op


def concatenate_transposed(module: ModuleOp) -> None:
    """Replace a concatenation followed by a transposition by a concatenation along the axis to which the transposition
    moves the axis of the parts. Nothing is changed if elements within a part would then have to be moved.
    """
    for op in list(module.walk()):
        if isinstance(op, tdsl.TransposeOp) and isinstance(concat := tdsl.only_maker(op.input), tdsl.ConcatOp):
            _exchange(op, concat)
    dce(module)


def _exchange(op: tdsl.TransposeOp, concat: tdsl.ConcatOp) -> None:
    shape = tdsl.shape_of(op.input)
    alongs = [part.along(shape) for part in _parts_of(concat)]
    if any(along is None for along in alongs) or not all(value.has_one_use() for value in concat.parts):
        return
    cuts = [along for along in alongs if along is not None]
    [axis] = {axis for axis, _, _ in cuts}
    reshapes = [
        tdsl.ReshapeOp(value, (*shape[:axis], count, *shape[axis + 1 :]))
        for value, (_, _, count) in zip(concat.parts, cuts, strict=True)
    ]
    transposes = [tdsl.TransposeOp(each.out, op.axes) for each in reshapes]
    # Elements of a part that a transposition would have to move are moved only once.
    if not all(each.keeps_order for each in transposes):
        for each in (*transposes, *reshapes):
            each.erase()
        return
    moved = tdsl.ConcatOp([each.out for each in transposes], op.axes.index(axis))
    moved.attributes |= op.attributes
    moved.out.name_hint = op.out.name_hint
    Rewriter.replace_op(op, [*reshapes, *transposes, moved])


def _parts_of(concat: tdsl.ConcatOp) -> Iterator[Part]:
    axis, shape, first = concat.axis.value.data, tdsl.shape_of(concat.out), 0
    for value in concat.parts:
        count = tdsl.shape_of(value)[axis]
        yield Part.of(shape, axis, first, count)
        first += count

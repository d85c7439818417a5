"""Ops that read, write or receive a slice of a tensor at computed offsets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, IntegerType, TensorType, i64
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.tdsl.base import SHAPED, Footprint, Shape, build, fold_to, shape_of, shaped, spell
from tinyml.dialects.tdsl.index_maps import Move, dimensions, identity, is_run
from tinyml.dialects.tdsl.movement import MovementOp

__all__ = ["InsertSliceOp", "MoveUpOp", "ReceiveOp", "SliceOp", "insertion_in"]


def _verify_slice(whole: Shape, part: Sequence[int], offsets: int) -> None:
    if len(whole) != len(part) or offsets != len(whole):
        raise VerifyException(f"slice of {spell(whole)} needs {len(whole)} offsets and sizes")
    if any(small > large for small, large in zip(part, whole, strict=True)):
        raise VerifyException(f"a slice of shape {spell(part)} does not fit in {spell(whole)}")


def _shifted(rank: int, steps: Sequence[int] | None = None) -> list[AffineExpr]:
    """The affine expressions of an index along `rank` axes that is multiplied by `steps`, by default 1, and then
    shifted by computed offsets.
    """
    return [
        dimension * (1 if steps is None else steps[axis]) + AffineExpr.symbol(axis)
        for axis, dimension in enumerate(dimensions(rank))
    ]


@irdl_op_definition
class SliceOp(MovementOp, HasFolderInterface):
    """The part of the input that starts at computed offsets, in the shape of the result (SeeDot's `x[i:+n]`).

    `result[i, ..] = input[offset + i * stride, ..]`, as in `tensor.extract_slice`. The part must lie inside the input.
    Strides are 1 by default, and may be negative.
    """

    name = "tdsl.slice"
    MAY_BE_VIEW: ClassVar[bool] = True
    STORES_LAST: ClassVar[bool] = True
    input = operand_def(SHAPED)
    offsets = var_operand_def(IndexType)
    strides = opt_prop_def(DenseArrayBase.constr(i64))
    assembly_format = (
        "$input `[` $offsets `]` attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(
        self,
        input: SSAValue,
        offsets: Sequence[SSAValue],
        sizes: Sequence[int],
        strides: Sequence[int] | None = None,
    ):
        properties: dict[str, Attribute] = {}
        if strides is not None and any(step != 1 for step in strides):
            properties["strides"] = DenseArrayBase.from_list(i64, strides)
        build(self, [input, offsets], TensorType(shaped(input).get_element_type(), sizes), properties)

    @property
    def steps(self) -> tuple[int, ...]:
        """The stride along each axis, in elements."""
        if self.strides is None:
            return (1,) * len(self.offsets)
        return tuple(cast("DenseArrayBase[IntegerType[Any, Any]]", self.strides).get_values())

    def infer_shape(self) -> Shape:
        whole, part = shape_of(self.input), shape_of(self.out)
        _verify_slice(whole, part, len(self.offsets))
        if len(self.steps) != len(whole) or 0 in self.steps:
            raise VerifyException(f"slice of {spell(whole)} needs {len(whole)} strides other than 0")
        spans = tuple((size - 1) * abs(step) + 1 for size, step in zip(part, self.steps, strict=True))
        if any(span > extent for span, extent in zip(spans, whole, strict=True)):
            steps = spell(self.steps)
            raise VerifyException(f"a slice of shape {spell(part)} in steps of {steps} does not fit in {spell(whole)}")
        return part

    @property
    def indices(self) -> Sequence[SSAValue]:
        return self.offsets

    @property
    def run(self) -> Sequence[SSAValue] | None:
        return self.offsets if self.strides is None and is_run(shape_of(self.input), shape_of(self.out)) else None

    @property
    def moves(self) -> Sequence[Move]:
        return self.gather(self.input, _shifted(len(self.offsets), self.steps))

    def fold(self) -> tuple[SSAValue] | None:
        # A part of full size that lies inside must start at 0, unless it is visited backwards.
        return fold_to(self, self.input) if self.strides is None else None


@irdl_op_definition
class InsertSliceOp(MovementOp, HasFolderInterface):
    """A copy of `input` in which `part` replaces the elements at computed offsets (SeeDot's splice on the left of `=`).

    `axes` contains, for each axis of the part, the corresponding axis of the input. By default, corresponding axes have
    the same index.
    """

    name = "tdsl.insert_slice"
    part = operand_def(SHAPED)
    input = operand_def(SHAPED)
    offsets = var_operand_def(IndexType)
    axes = opt_prop_def(DenseArrayBase.constr(i64))
    assembly_format = (
        "$part `,` $input `[` $offsets `]` attr-dict `:` type($part) `,` type($input) "
        "(`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, part: SSAValue, input: SSAValue, offsets: Sequence[SSAValue], axes: Sequence[int] | None = None):
        properties: dict[str, Attribute] = {} if axes is None else {"axes": DenseArrayBase.from_list(i64, axes)}
        build(self, [part, input, offsets], TensorType(shaped(input).get_element_type(), shape_of(input)), properties)

    @property
    def order(self) -> tuple[int, ...]:
        """For each axis of the part, the corresponding axis of the input."""
        if self.axes is None:
            return tuple(range(len(self.offsets)))
        return tuple(cast("DenseArrayBase[IntegerType[Any, Any]]", self.axes).get_values())

    def infer_shape(self) -> Shape:
        part, order = shape_of(self.part), self.order
        if sorted(order) != list(range(len(part))):
            raise VerifyException(f"axes {list(order)} do not order the {len(part)} axes of the part")
        _verify_slice(shape_of(self.input), [part[order.index(axis)] for axis in range(len(part))], len(self.offsets))
        return shape_of(self.input)

    @property
    def indices(self) -> Sequence[SSAValue]:
        return self.offsets

    @property
    def moves(self) -> Sequence[Move]:
        rank = len(self.offsets)
        moved = [AffineExpr.dimension(self.order.index(axis)) + AffineExpr.symbol(axis) for axis in range(rank)]
        same, shifted = identity(rank, rank), AffineMap(rank, rank, tuple(moved))
        return [Move(self.input, shape_of(self.input), same, same), Move(self.part, shape_of(self.part), same, shifted)]

    @property
    def updated(self) -> SSAValue:
        return self.input

    def reads_in_place(self, operand: SSAValue) -> bool:
        return self.input is operand and self.part is not operand

    def fold(self) -> tuple[SSAValue] | None:
        return fold_to(self, self.part) if self.axes is None else None


def insertion_in(loop: scf.ForOp, position: int) -> InsertSliceOp | None:
    """The op by which each iteration of a loop inserts a part into a tensor that the loop carries.

    position: the position of the tensor among the carried values.

    Returns None unless this insertion is the loop's only use of the tensor. No iteration then depends on the parts of
    another iteration.
    """
    carried, last = loop.body.block.args[1 + position], loop.body.block.last_op
    assert last is not None
    op = last.operands[position].owner
    if not isinstance(op, InsertSliceOp) or op.input is not carried or not op.out.has_one_use():
        return None
    return op if carried.has_one_use() else None


@irdl_op_definition
class MoveUpOp(MovementOp):
    """The input shifted by `count` elements towards the start of an axis. The first `count` elements are dropped. The
    last `count` elements of the result are those of the input.
    """

    name = "tdsl.move_up"
    input = operand_def(SHAPED)
    axis = prop_def(IntegerAttr)
    count = prop_def(IntegerAttr)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, axis: int, count: int):
        result = TensorType(shaped(input).get_element_type(), shape_of(input))
        build(self, [input], result, {"axis": IntegerAttr(axis, i64), "count": IntegerAttr(count, i64)})

    def infer_shape(self) -> Shape:
        shape, axis, count = shape_of(self.input), self.axis.value.data, self.count.value.data
        if not 0 <= axis < len(shape) or not 0 < count < shape[axis]:
            raise VerifyException(f"elements of {spell(shape)} do not move up by {count} along axis {axis}")
        return shape

    @property
    def moves(self) -> Sequence[Move]:
        shape, axis, count = [*shape_of(self.input)], self.axis.value.data, self.count.value.data
        same, source = identity(len(shape)), dimensions(len(shape))
        source[axis] = source[axis] + count
        moving = (*shape[:axis], shape[axis] - count, *shape[axis + 1 :])
        later = AffineMap(len(shape), 0, tuple(source))
        return [Move(self.input, tuple(shape), same, same), Move(self.input, moving, later, same)]

    @property
    def updated(self) -> SSAValue:
        return self.input

    def reads_in_place(self, operand: SSAValue) -> bool:
        # An element is loaded before another is stored in its bytes.
        return True


@irdl_op_definition
class ReceiveOp(MovementOp):
    """The rows from `top` up to but excluding `top + h` of an image 1 x H x W x C, as a tensor 1 x h x W x C.

    The image is the program's input, which is not in memory (`received` of the program's interface). On a device, a
    function of the caller supplies the rows one after another. A program therefore receives each row once, in order.
    """

    name = "tdsl.receive"
    image = operand_def(SHAPED)
    top = operand_def(IndexType)
    STORES_LAST: ClassVar[bool] = True
    assembly_format = (
        "$image `[` $top `]` attr-dict `:` type($image) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, image: SSAValue, top: SSAValue, rows: int):
        shape = 1, rows, *shape_of(image)[2:]
        build(self, [image, top], TensorType(shaped(image).get_element_type(), shape))

    def infer_shape(self) -> Shape:
        image, part = shape_of(self.image), shape_of(self.out)
        if len(image) != 4 or len(part) != 4 or image[0] != 1:
            raise VerifyException(f"expected an image 1xHxWxC, got {spell(image)}")
        if not 1 <= part[1] <= image[1]:
            raise VerifyException(f"{part[1]} rows are not part of {spell(image)}")
        return 1, part[1], *image[2:]

    @property
    def indices(self) -> Sequence[SSAValue]:
        return (self.top,)

    @property
    def moves(self) -> Sequence[Move]:
        first, row, column, channel = dimensions(4)
        return self.gather(self.image, [first, row + AffineExpr.symbol(0), column, channel])

    def footprint(self, operand: SSAValue) -> Footprint | None:
        return Footprint() if shape_of(operand) == shape_of(self.out) else None

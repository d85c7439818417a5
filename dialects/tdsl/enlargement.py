"""Movements into larger tensors: padding and concatenation."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IntegerAttr, TensorType, f64, i64
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.product import Interval
from tinyml.dialects.tdsl.base import SHAPED, Shape, build, fold_to, shape_of, shaped, spell
from tinyml.dialects.tdsl.movement import Move, MovementOp, dimensions, identity
from tinyml.dialects.tdsl.windows import integer_array, integers

__all__ = ["ConcatOp", "PadOp"]


@irdl_op_definition
class PadOp(MovementOp, HasFolderInterface):
    """A tensor with more elements around it: `low[axis]` before and `high[axis]` behind it along each axis.

    They are the real `value`, 0 by default, rounded into the format.
    """

    name = "tdsl.pad"
    input = operand_def(SHAPED)
    low = prop_def(DenseArrayBase.constr(i64))
    high = prop_def(DenseArrayBase.constr(i64))
    value = opt_prop_def(FloatAttr)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, low: Sequence[int], high: Sequence[int], value: float = 0.0):
        shape = [sum(extents) for extents in zip(low, shape_of(input), high, strict=True)]
        properties: dict[str, Attribute] = {"low": integer_array(low), "high": integer_array(high)}
        if value:
            properties["value"] = FloatAttr(value, f64)
        build(self, [input], TensorType(shaped(input).get_element_type(), shape), properties)

    @property
    def margins(self) -> list[tuple[int, int]]:
        """The number of elements before and behind the input along each axis."""
        rank = len(shape_of(self.input))
        return list(zip(integers(self.low, "low", rank), integers(self.high, "high", rank), strict=True))

    @property
    def filling(self) -> float:
        return 0.0 if self.value is None else self.value.value.data

    @property
    def interval(self) -> Interval:
        low, high = super().interval
        return min(low, self.filling), max(high, self.filling)

    def infer_shape(self) -> Shape:
        if any(margin < 0 for margins in self.margins for margin in margins):
            raise VerifyException("padding is at least 0")
        return tuple(extent + sum(pair) for extent, pair in zip(shape_of(self.input), self.margins, strict=True))

    def verify_more(self) -> None:
        if not math.isfinite(self.filling):
            raise VerifyException(f"value must be finite, got {self.filling}")

    @property
    def moves(self) -> Sequence[Move]:
        shape = shape_of(self.input)
        target = [at + before for at, (before, _) in zip(dimensions(len(shape)), self.margins, strict=True)]
        return [Move(self.input, shape, identity(len(shape)), AffineMap(len(shape), 0, tuple(target)))]

    def fold(self) -> tuple[SSAValue] | None:
        return fold_to(self, self.input)


@irdl_op_definition
class ConcatOp(MovementOp, HasFolderInterface):
    """Tensors one after the other along an axis; their other extents are equal."""

    name = "tdsl.concat"
    parts = var_operand_def(SHAPED)
    axis = prop_def(IntegerAttr)
    assembly_format = "$parts attr-dict `:` type($parts) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, parts: Sequence[SSAValue], axis: int):
        shape = _concatenated([shape_of(part) for part in parts], axis)
        result = TensorType(shaped(parts[0]).get_element_type(), shape)
        build(self, [parts], result, {"axis": IntegerAttr(axis, i64)})

    def infer_shape(self) -> Shape:
        return _concatenated([shape_of(part) for part in self.parts], self.axis.value.data)

    @property
    def moves(self) -> Sequence[Move]:
        rank, axis, start = len(shape_of(self.out)), self.axis.value.data, 0
        moves: list[Move] = []
        for part in self.parts:
            target = dimensions(rank)
            target[axis] = target[axis] + start
            moves.append(Move(part, shape_of(part), identity(rank), AffineMap(rank, 0, tuple(target))))
            start += shape_of(part)[axis]
        return moves

    def fold(self) -> tuple[SSAValue] | None:
        return fold_to(self, self.parts[0]) if len(self.parts) == 1 else None


def _concatenated(shapes: Sequence[Shape], axis: int) -> Shape:
    if not shapes:
        raise VerifyException("needs at least one part")
    first = shapes[0]
    if not 0 <= axis < len(first):
        raise VerifyException(f"axis {axis} is not one of the {len(first)} axes")
    if len({(*shape[:axis], -1, *shape[axis + 1 :]) for shape in shapes}) > 1:
        raise VerifyException(f"parts differ only along axis {axis}, got {' and '.join(map(spell, shapes))}")
    return (*first[:axis], sum(shape[axis] for shape in shapes), *first[axis + 1 :])

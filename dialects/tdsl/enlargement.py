"""Ops that copy tensors to a result with other extents: padding, resizing and concatenation."""

from __future__ import annotations

import math
from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IntegerAttr, TensorType, f64, i64
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import Interval
from tinyml.dialects.tdsl.attributes import integer_array, integers
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, fold_to, shape_of, shaped, spell
from tinyml.dialects.tdsl.movement import Move, MovementOp, dimensions, identity

__all__ = ["ConcatOp", "PadOp", "ResizeNearestOp"]


class PaddedOp(TensorOp, ABC):
    """An op that copies elements and inserts padding: the real `value`, 0 by default, rounded to the format."""

    MOVES_BITS: ClassVar[bool] = True
    value = opt_prop_def(FloatAttr)

    @property
    def filling(self) -> float:
        return 0.0 if self.value is None else self.value.value.data

    @property
    def added(self) -> Interval:
        return (self.filling, self.filling)


@irdl_op_definition
class PadOp(PaddedOp, MovementOp, HasFolderInterface):
    """A tensor with padding: along each axis, `low[axis]` elements before and `high[axis]` elements after the input.

    The elements of the padding are the real `value`, 0 by default, rounded to the format. `interior[axis]` padding
    elements, by default none, are inserted between adjacent elements of the input.
    """

    name = "tdsl.pad"
    input = operand_def(SHAPED)
    low = prop_def(DenseArrayBase.constr(i64))
    high = prop_def(DenseArrayBase.constr(i64))
    interior = opt_prop_def(DenseArrayBase.constr(i64))
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(
        self,
        input: SSAValue,
        low: Sequence[int],
        high: Sequence[int],
        value: float = 0.0,
        interior: Sequence[int] | None = None,
    ):
        margins, gaps = list(zip(low, high, strict=True)), interior or [0] * len(low)
        shape = [_padded(*axis) for axis in zip(shape_of(input), margins, gaps, strict=True)]
        properties: dict[str, Attribute] = {"low": integer_array(low), "high": integer_array(high)}
        if any(gaps):
            properties["interior"] = integer_array(gaps)
        if value:
            properties["value"] = FloatAttr(value, f64)
        build(self, [input], TensorType(shaped(input).get_element_type(), shape), properties)

    @property
    def margins(self) -> list[tuple[int, int]]:
        """For each axis, the number of padding elements before and after the input."""
        rank = len(shape_of(self.input))
        return list(zip(integers(self.low, "low", rank), integers(self.high, "high", rank), strict=True))

    @property
    def gaps(self) -> tuple[int, ...]:
        """For each axis, the number of padding elements between adjacent elements of the input."""
        rank = len(shape_of(self.input))
        return (0,) * rank if self.interior is None else integers(self.interior, "interior", rank)

    def infer_shape(self) -> Shape:
        if min((*self.gaps, *(margin for margins in self.margins for margin in margins)), default=0) < 0:
            raise VerifyException("padding is at least 0")
        return tuple(_padded(*axis) for axis in zip(shape_of(self.input), self.margins, self.gaps, strict=True))

    def verify_more(self) -> None:
        if not math.isfinite(self.filling):
            raise VerifyException(f"value must be finite, got {self.filling}")

    @property
    def moves(self) -> Sequence[Move]:
        shape = shape_of(self.input)
        axes = zip(dimensions(len(shape)), self.margins, self.gaps, strict=True)
        target = [at * (1 + gap) + before for at, (before, _), gap in axes]
        return [Move(self.input, shape, identity(len(shape)), AffineMap(len(shape), 0, tuple(target)))]

    def fold(self) -> tuple[SSAValue] | None:
        return fold_to(self, self.input)


def _padded(extent: int, margins: tuple[int, int], gap: int) -> int:
    return extent + sum(margins) + gap * max(extent - 1, 0)


@irdl_op_definition
class ResizeNearestOp(MovementOp, HasFolderInterface):
    """An NHWC image, resized to another height and width.

    Pixel (y, x) of the result is pixel (y H div H', x W div W') of the input. H and W are the height and width of the
    input, H' and W' those of the result.
    """

    name = "tdsl.resize_nearest"
    image = operand_def(SHAPED)
    assembly_format = "$image attr-dict `:` type($image) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, image: SSAValue, size: Sequence[int]):
        n, _, _, channels = shape_of(image)
        build(self, [image], TensorType(shaped(image).get_element_type(), (n, *size, channels)))

    def infer_shape(self) -> Shape:
        before, after = shape_of(self.image), shape_of(self.out)
        kept = [(shape[0], shape[-1]) for shape in (before, after) if len(shape) == 4 and all(shape)]
        if len(kept) < 2 or kept[0] != kept[1]:
            raise VerifyException(f"resizes images NxHxWxC, got {spell(before)} and {spell(after)}")
        return after

    @property
    def moves(self) -> Sequence[Move]:
        _, height, width, _ = shape_of(self.image)
        n, y, x, c = dimensions(4)
        _, rows, columns, _ = shape_of(self.out)
        return self.gather(self.image, [n, _nearest(y, height, rows), _nearest(x, width, columns), c])

    def fold(self) -> tuple[SSAValue] | None:
        return fold_to(self, self.image)


def _nearest(index: AffineExpr, before: int, after: int) -> AffineExpr:
    """The affine expression `index * before div after`, with the fraction in lowest terms."""
    common = math.gcd(before, after)
    scaled = index * (before // common)
    return scaled if after == common else scaled // (after // common)


@irdl_op_definition
class ConcatOp(MovementOp, HasFolderInterface):
    """The concatenation of tensors along an axis. All other axes must have equal extents in all tensors."""

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

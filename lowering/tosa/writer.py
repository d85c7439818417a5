"""A writer of TOSA ops on integers, and of multiplications by real factors that TensorFlow Lite and TOSA round in the
same way.

TensorFlow Lite multiplies by `multiplier * 2^(shift - 31)` in two steps. The first step rounds halves upwards, and the
second step rounds halves away from zero (gemmlowp's SaturatingRoundingDoublingHighMul and RoundingDivideByPOT).
`tosa.rescale` with DOUBLE_ROUND and the shift `31 - shift` computes the same integers, provided that a left shift stays
within 32 bits (TOSA 1.0, section 1.9, `apply_scale_32`). Let x be the multiplied integer, m the multiplier, and r =
-`shift` the right shift. For x >= 0 and r > 0, both compute floor((x * m + 2^30 + 2^(30 + r)) / 2^(31 + r)). For x < 0
and r > 0, both add -2^30 instead of 2^30.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects import tosa as xdsl_tosa
from xdsl.dialects.builtin import (
    BoolAttr,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
    i1,
    i8,
    i32,
)
from xdsl.dialects.tosa import RoundingMode, RoundingModeAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.xdsl_additions import tosa
from tinyml.lowering.tosa.integers import multiplier_and_shift

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

LEAST_SHIFT, GREATEST_SHIFT = 2, 62
"""The shifts that `tosa.rescale` supports."""


class TosaWriter:
    """A writer that appends ops to a block. Each value of the program has a TOSA value of 8 or 32 bits in the shape
    of its tensor.
    """

    def __init__(self, block: Block) -> None:
        self.block = block
        self._constants: dict[Any, SSAValue] = {}

    def op(
        self,
        kind: type[Operation],
        operands: Sequence[SSAValue],
        shape: Sequence[int],
        element: Attribute = i32,
        **properties: Attribute,
    ) -> SSAValue:
        """Append an op of the class `kind` whose result has the given shape and element type."""
        op = kind.create(operands=operands, result_types=[TensorType(element, shape)], properties=properties)
        self.block.add_op(op)
        return op.results[0]

    def constant(self, array: Any, element: IntegerType = i32) -> SSAValue:
        """Emit a constant with the elements `array`, and return it. Equal constants are emitted once."""
        array = np.asarray(array)
        key = array.shape, element, array.tobytes()
        if key not in self._constants:
            type = TensorType(element, array.shape)
            values = DenseIntOrFPElementsAttr.from_list(type, array.ravel().tolist())
            self._constants[key] = self.op(xdsl_tosa.ConstOp, [], array.shape, element, values=values)
        return self._constants[key]

    def shape(self, numbers: Sequence[int]) -> SSAValue:
        """A constant of TOSA's shape type with the extents `numbers`."""
        key = tuple(numbers)
        if key not in self._constants:
            constant = tosa.ConstShapeOp(numbers)
            self.block.add_op(constant)
            self._constants[key] = constant.output
        return self._constants[key]

    def reshape(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        if tosa.extents(value) == tuple(shape):
            return value
        return self.op(tosa.ReshapeOp, [value, self.shape(shape)], shape, element_of(value))

    def slice(self, value: SSAValue, start: Sequence[int], size: Sequence[int]) -> SSAValue:
        if tosa.extents(value) == tuple(size):
            return value
        return self.op(tosa.SliceOp, [value, self.shape(start), self.shape(size)], size, element_of(value))

    def binary(self, kind: type[Operation], lhs: SSAValue, rhs: SSAValue, **properties: Attribute) -> SSAValue:
        """Append an op of the class `kind` on two tensors of 32 bits, either of which may broadcast. Return its result.

        The tensor of lower rank is first extended by leading axes of extent 1.
        """
        rank = max(len(tosa.extents(operand)) for operand in (lhs, rhs))
        lhs, rhs = (self.reshape(operand, ranked(tosa.extents(operand), rank)) for operand in (lhs, rhs))
        shape = np.broadcast_shapes(tosa.extents(lhs), tosa.extents(rhs))
        element = i1 if kind is tosa.GreaterEqualOp else i32
        return self.op(kind, [lhs, rhs], shape, element, **properties)

    def number(self, value: SSAValue, number: int) -> SSAValue:
        """A constant number with as many axes as `value`, to which it broadcasts."""
        return self.constant(np.full((1,) * len(tosa.extents(value)), number))

    def product(self, lhs: SSAValue, rhs: SSAValue, shift: int = 0) -> SSAValue:
        """Emit lhs * rhs / 2^shift, rounded to nearest, with halves rounded upwards."""
        rank = len(tosa.extents(lhs))
        rhs = self.reshape(rhs, ranked(tosa.extents(rhs), rank))
        shape = np.broadcast_shapes(tosa.extents(lhs), tosa.extents(rhs))
        return self.op(xdsl_tosa.MulOp, [lhs, rhs, self.constant([shift], i8)], shape)

    def shifted(self, value: SSAValue, shift: SSAValue) -> SSAValue:
        """Emit value / 2^shift, rounded to nearest, with halves rounded upwards."""
        return self.binary(tosa.ArithmeticRightShiftOp, value, shift, round=BoolAttr.from_bool(True))

    def chosen(self, condition: SSAValue, if_true: SSAValue, if_false: SSAValue) -> SSAValue:
        return self.op(tosa.SelectOp, [condition, if_true, if_false], tosa.extents(condition))

    def clamp(self, value: SSAValue, low: int, high: int) -> SSAValue:
        element = element_of(value)
        limits = {"min_val": IntegerAttr(low, element), "max_val": IntegerAttr(high, element)}
        return self.op(xdsl_tosa.ClampOp, [value], tosa.extents(value), element, **limits)

    def requantised(
        self,
        value: SSAValue,
        factors: float | Sequence[float],
        most: int,
        zero: int = 0,
        element: IntegerType = i32,
    ) -> SSAValue:
        """Emit the product of each sum and a factor, plus a zero point, and return the saturated result.

        factors: one factor, or one factor per index of the last axis.
        most: an upper bound on the magnitude of the sums.
        zero: the zero point.
        element: the type of the result.
        """
        pairs = [multiplier_and_shift(factor) for factor in (factors if isinstance(factors, Sequence) else [factors])]
        return self.rescaled(value, pairs, most, zero=zero, element=element)

    def rescaled(
        self,
        value: SSAValue,
        factors: Sequence[tuple[int, int]],
        most: int,
        from_zero: int = 0,
        zero: int = 0,
        element: IntegerType = i32,
    ) -> SSAValue:
        """Rescale as `requantised` does, with integer factors. Raises `InputError` for factors that TOSA cannot
        represent, and if a left shift may leave 32 bits.

        factors: pairs of a multiplier and a left shift.
        most: an upper bound on the magnitude of the sums.
        from_zero: the zero point that is subtracted from an 8-bit value.
        zero: the zero point that is added to the result.
        element: the type of the result.
        """
        for multiplier, shift in factors:
            if not LEAST_SHIFT <= 31 - shift <= GREATEST_SHIFT or (shift > 0 and most << shift >= 1 << 31):
                raise InputError(f"a factor of {multiplier / 2.0 ** (31 - shift):.3g} is too great for tosa.rescale")
        multipliers = self.constant([multiplier for multiplier, _ in factors])
        shifts = self.constant([31 - shift for _, shift in factors], i8)
        zeros = self.constant([from_zero], element_of(value)), self.constant([zero], element)
        return self.op(
            xdsl_tosa.RescaleOp,
            [value, multipliers, shifts, *zeros],
            tosa.extents(value),
            element,
            scale32=BoolAttr.from_bool(True),
            rounding_mode=RoundingModeAttr(RoundingMode.DOUBLE_ROUND),
            per_channel=BoolAttr.from_bool(len(factors) > 1),
            input_unsigned=BoolAttr.from_bool(False),
            output_unsigned=BoolAttr.from_bool(False),
        )

    def widened(self, raws: SSAValue, zero: int = 0, bits: int = 0) -> SSAValue:
        """Emit (raws - zero) * 2^bits as 32-bit integers, from 8-bit raws."""
        # The multiplier represents 1 with 30 fraction bits, so that the product is exact.
        return self.rescaled(raws, [(1 << 30, 1 + bits)], 1 << 9, from_zero=zero)

    def narrowed(self, value: SSAValue, zero: int = 0) -> SSAValue:
        """Emit value + zero for a value of 32 bits, saturated to 8 bits."""
        return self.rescaled(value, [(1 << 30, 1)], 1 << 29, zero=zero, element=i8)

    def gathered(self, table: SSAValue, indices: SSAValue) -> SSAValue:
        """Emit the entry of a vector at each index. The result has the shape of the indices."""
        length, count, shape = prod(tosa.extents(table)), prod(tosa.extents(indices)), tosa.extents(indices)
        rows, flat = self.reshape(table, (1, length, 1)), self.reshape(indices, (1, count))
        return self.reshape(self.op(tosa.GatherOp, [rows, flat], (1, count, 1), element_of(table)), shape)


def element_of(value: SSAValue) -> IntegerType:
    return cast("TensorType[IntegerType]", value.type).get_element_type()


def ranked(shape: Sequence[int], rank: int) -> tuple[int, ...]:
    return (1,) * (rank - len(shape)) + tuple(shape)

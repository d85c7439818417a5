"""Averages: of the windows of an image, and over axes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, Visits, build, shape_of, shaped, spell
from tinyml.dialects.tdsl.pooling import PoolOp
from tinyml.dialects.tdsl.windows import integer_array

__all__ = ["AveragePoolOp", "MeanOp"]


@irdl_op_definition
class AveragePoolOp(PoolOp):
    """The average of the elements of each window that lie inside the image; their total is rounded once."""

    name = "tdsl.average_pool"
    KEEPS_INTERVAL: ClassVar[bool] = True

    @property
    def visits(self) -> Sequence[Visits]:
        """Row by row, unless windows at the margins, which have fewer elements, have loops of their own."""
        return super(PoolOp, self).visits if any(self.margins) else super().visits


@irdl_op_definition
class MeanOp(TensorOp):
    """The mean over some axes, which keep the extent 1; totals are rounded once."""

    name = "tdsl.mean"
    STORES_LAST: ClassVar[bool] = True
    KEEPS_INTERVAL: ClassVar[bool] = True
    input = operand_def(SHAPED)
    axes = prop_def(DenseArrayBase.constr(i64))
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, axes: Sequence[int], element: Attribute | None = None):
        shape = _reduced(shape_of(input), axes)
        result = TensorType(element or shaped(input).get_element_type(), shape)
        build(self, [input], result, {"axes": integer_array(axes)})

    @property
    def reduced(self) -> tuple[int, ...]:
        """The axes over which the mean is taken."""
        return tuple(int(axis) for axis in self.axes.get_values())

    @property
    def count(self) -> int:
        """The number of elements of each mean."""
        return prod(shape_of(self.input)[axis] for axis in self.reduced)

    def infer_shape(self) -> Shape:
        return _reduced(shape_of(self.input), self.reduced)


def _reduced(shape: Shape, axes: Sequence[int]) -> Shape:
    if list(axes) != sorted(set(axes)) or not axes or axes[0] < 0 or axes[-1] >= len(shape):
        raise VerifyException(f"axes {list(axes)} are not some of the {len(shape)} axes of {spell(shape)}, in order")
    return tuple(1 if axis in axes else extent for axis, extent in enumerate(shape))

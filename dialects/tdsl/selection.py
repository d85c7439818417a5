"""The choice of the greatest elements of a tensor, as nearest neighbours are chosen."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from xdsl.dialects.builtin import IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.product import Interval
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.arrays.values import Arithmetic, Array
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, shape_of, shaped

__all__ = ["TopKMaskOp"]


@irdl_op_definition
class TopKMaskOp(TensorOp):
    """1 for each of the `count` greatest elements, else 0; of equal elements the first in row-major order count.

    Sums over the elements of the mask are constant matrices times the mask: the votes or the mean of neighbours.
    """

    name = "tdsl.top_k_mask"
    input = operand_def(SHAPED)
    count = prop_def(IntegerAttr)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, count: int, element: Attribute | None = None):
        result = TensorType(element or shaped(input).get_element_type(), shape_of(input))
        build(self, [input], result, {"count": IntegerAttr(count, i64)})

    @property
    def interval(self) -> Interval:
        return 0.0, 1.0

    def infer_shape(self) -> Shape:
        return shape_of(self.input)

    def verify_more(self) -> None:
        count, elements = self.count.value.data, prod(shape_of(self.input))
        if not 1 <= count <= elements:
            raise VerifyException(f"marks {count} of {elements} elements")

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        zero, one = (arithmetic.number(self.out, real) for real in (0.0, 1.0))
        # Raws are ordered as the numbers that they stand for. A stable sort of the reversed elements, read backwards,
        # has the first of equal ones first.
        backwards: Array = x[0].reshape(len(x[0]), -1)[:, ::-1]
        order = backwards.shape[1] - 1 - np.argsort(backwards, axis=1, kind="stable")[:, ::-1]
        marks: Array = np.full(backwards.shape, zero)
        np.put_along_axis(marks, order[:, : self.count.value.data], one, 1)
        return marks.reshape(x[0].shape)

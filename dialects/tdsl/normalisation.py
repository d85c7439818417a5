"""Normalisation of vectors to length 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.product import Interval
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.arrays.values import Array, builtin_dtype
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, format_of, shape_of, shaped

if TYPE_CHECKING:
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

__all__ = ["NormaliseOp"]


@irdl_op_definition
class NormaliseOp(TensorOp):
    """`result[.., i] = input[.., i] / sqrt(sum_k input[.., k]^2)`, over the last axis; rows of zeros stay zeros.

    SeeDot's `normaliseL2` (microsoft/EdgeML, tools/SeeDot: NormaliseL2 of library_float.cpp), TensorFlow Lite's
    L2_NORMALIZATION.
    """

    name = "tdsl.normalise"
    STORES_LAST: ClassVar[bool] = True
    input = operand_def(SHAPED)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, element: Attribute | None = None):
        build(self, [input], TensorType(element or shaped(input).get_element_type(), shape_of(input)))

    @property
    def interval(self) -> Interval:
        return -1.0, 1.0

    def reads_in_place(self, operand: SSAValue) -> bool:
        # The length of a row is known before its first result is stored.
        return True

    def infer_shape(self) -> Shape:
        if not shape_of(self.input):
            raise VerifyException("normalises the last axis, got a scalar")
        return shape_of(self.input)

    def real(self, x: Sequence[Any]) -> Array:
        return x[0] / _length(x[0])

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Array:
        """Squares are added in order."""
        [values], source, format = x, format_of(self.input), format_of(self.out)
        count = values.shape[-1]
        total = np.zeros((*values.shape[:-1], 1), builtin_dtype(format.square_total(count, source)))
        for i in range(count):
            total = format.add_square(m, total, values[..., [i]], source)
        return format.normalised(m, values, format.inverse_root(m, total, source), total, source)

    def derivative(self, x: Sequence[Any], y: Array, slope: Array) -> Sequence[Array]:
        return [(slope - y * (slope * y).sum(-1, keepdims=True)) / _length(x[0])]


def _length(x: Array) -> Array:
    """The length of each row, or 1 for rows of zeros."""
    length = np.sqrt((x * x).sum(-1, keepdims=True))
    return np.where(length == 0, 1.0, length)

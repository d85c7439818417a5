"""Normalisation of vectors to length 1."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.product import Interval
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, shape_of, shaped

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

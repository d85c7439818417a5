"""Pooling layers, NHWC: imported and shape-checked; their lowering is not written yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, TensorType, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, shape_of, shaped, spell
from tinyml.dialects.tdsl.windows import integer_array, integers, windows

__all__ = ["MaxpoolOp"]


@irdl_op_definition
class MaxpoolOp(TensorOp):
    """Greatest element of each window. kernel [h, w], padding [top, bottom, left, right], strides [h, w]."""

    name = "tdsl.maxpool"
    MOVES_BITS: ClassVar[bool] = True
    input = operand_def(SHAPED)
    kernel = prop_def(DenseArrayBase.constr(i64))
    padding = prop_def(DenseArrayBase.constr(i64))
    strides = prop_def(DenseArrayBase.constr(i64))
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, kernel: Sequence[int], padding: Sequence[int], strides: Sequence[int]):
        shape = _pooled(shape_of(input), kernel, padding, strides)
        build(
            self,
            [input],
            TensorType(shaped(input).get_element_type(), shape),
            {"kernel": integer_array(kernel), "padding": integer_array(padding), "strides": integer_array(strides)},
        )

    def infer_shape(self) -> Shape:
        kernel, padding, strides = (
            integers(self.kernel, "kernel", 2),
            integers(self.padding, "padding", 4),
            integers(self.strides, "strides", 2),
        )
        return _pooled(shape_of(self.input), kernel, padding, strides)


def _pooled(shape: Shape, kernel: Sequence[int], padding: Sequence[int], strides: Sequence[int]) -> Shape:
    if len(shape) != 4:
        raise VerifyException(f"pools images of shape NxHxWxC, got {spell(shape)}")
    n, h, w, c = shape
    return (
        n,
        windows(h, kernel[0], padding[0], padding[1], strides[0]),
        windows(w, kernel[1], padding[2], padding[3], strides[1]),
        c,
    )

"""Missing values in programs on reals, represented by NaN, and their replacement by constants."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from xdsl.dialects.builtin import DenseArrayBase, TensorType, f64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, shape_of, shaped
from tinyml.dialects.tdsl.forest import ForestOp
from tinyml.dialects.tdsl.values import Arithmetic, Array

__all__ = ["ImputeOp", "follows_missing"]


@irdl_op_definition
class ImputeOp(TensorOp):
    """The input, in which each NaN is replaced by the entry of `values` at the same row-major position.

    Number formats have no NaN. `fill-missing` therefore moves the replacement to the conversion of the caller's floats.
    `compare-floats` moves it to the forests that use the result.
    """

    name = "tdsl.impute"
    input = operand_def(SHAPED)
    values = prop_def(DenseArrayBase.constr(f64))
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, values: Sequence[float]):
        result = TensorType(shaped(input).get_element_type(), shape_of(input))
        build(self, [input], result, {"values": DenseArrayBase.from_list(f64, [*values])})

    @property
    def fills(self) -> Array:
        """The values that replace NaN, in the shape of the input."""
        return np.array(self.values.get_values(), np.float64).reshape(shape_of(self.input))

    def infer_shape(self) -> Shape:
        return shape_of(self.input)

    def verify_more(self) -> None:
        if len(self.values) != (length := prod(shape_of(self.input))):
            raise VerifyException(f"the input has {length} elements, and there are {len(self.values)} values")
        if not np.isfinite(self.fills).all():
            raise VerifyException("the values must be finite")

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        return np.where(np.isnan(x[0]), self.fills, x[0])


def follows_missing(op: Operation) -> bool:
    return isinstance(op, ImputeOp) or (isinstance(op, ForestOp) and op.missing is not None)

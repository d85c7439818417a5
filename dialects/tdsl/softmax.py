"""Softmax."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.product import Interval
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.arrays.values import Arithmetic, Array, builtin_dtype, greatest
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, format_of, shape_of, shaped

if TYPE_CHECKING:
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

__all__ = ["SoftmaxOp"]


@irdl_op_definition
class SoftmaxOp(TensorOp):
    """`result[.., i] = exp(input[.., i]) / sum_k exp(input[.., k])`, over the last axis.

    The greatest element of a row is subtracted first, so that no exponential is above 1.
    """

    name = "tdsl.softmax"
    STORES_LAST: ClassVar[bool] = True
    input = operand_def(SHAPED)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, element: Attribute | None = None):
        build(self, [input], TensorType(element or shaped(input).get_element_type(), shape_of(input)))

    @property
    def interval(self) -> Interval:
        return 0.0, 1.0

    def reads_in_place(self, operand: SSAValue) -> bool:
        # The greatest element and the total are known before the first result is stored.
        return True

    def infer_shape(self) -> Shape:
        if not shape_of(self.input):
            raise VerifyException("normalises the last axis, got a scalar")
        return shape_of(self.input)

    def real(self, x: Sequence[Any]) -> Array:
        terms = np.exp(x[0] - x[0].max(-1, keepdims=True))
        return terms / reduce(np.add, _columns(terms))

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Array:
        """Terms are added in order."""
        format, source = format_of(self.out), format_of(self.input)
        terms = format.softmax_term(m, x[0], greatest(m, source, _columns(x[0])), source)
        total = np.zeros((*terms.shape[:-1], 1), builtin_dtype(format.softmax_total))
        for term in _columns(terms):
            total = format.softmax_add(m, total, term)
        return format.softmax_share(m, terms, total)

    def derivative(self, arithmetic: Arithmetic, x: Sequence[Any], y: Array, slope: Array) -> Sequence[Array]:
        return [y * (slope - (slope * y).sum(-1, keepdims=True))]


def _columns(x: Array) -> Sequence[Array]:
    """The elements along the last axis, which keeps the extent 1."""
    return [x[..., [i]] for i in range(x.shape[-1])]

"""Normalisation of vectors to length 1 or to a sum of 1 (softmax)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.dialects.builtin import FloatAttr, TensorType, f64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import Interval
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, format_of, shape_of, shaped
from tinyml.dialects.tdsl.values import Arithmetic, Array, builtin_dtype, greatest

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

__all__ = ["NormaliseOp", "SoftmaxOp"]


@irdl_op_definition
class NormaliseOp(TensorOp):
    """`result[.., i] = input[.., i] / sqrt(sum_k input[.., k]^2 + least^2)`, over the last axis.

    `least` is 0 by default. It is rounded to the format of the input, like an additional element of the row. The result
    of a row of zeros is zero. The op corresponds to SeeDot's `normaliseL2` (microsoft/EdgeML, tools/SeeDot: NormaliseL2
    of library_float.cpp) and to TensorFlow Lite's L2_NORMALIZATION.
    """

    name = "tdsl.normalise"
    STORES_LAST: ClassVar[bool] = True
    input = operand_def(SHAPED)
    least = opt_prop_def(FloatAttr)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, element: Attribute | None = None, least: float | None = None):
        properties: dict[str, Attribute] = {} if least is None else {"least": FloatAttr(least, f64)}
        build(self, [input], TensorType(element or shaped(input).get_element_type(), shape_of(input)), properties)

    @property
    def squares(self) -> int:
        return shape_of(self.input)[-1] + (self.least is not None)

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

    def verify_more(self) -> None:
        if self.least is not None and not 0 < self.least.value.data < math.inf:
            raise VerifyException(f"the least length must be positive and finite, got {self.least.value.data}")

    def real(self, x: Sequence[Any]) -> Array:
        return x[0] / self._length(x[0])

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Array:
        """The result as raws. Squares are added in the order of the elements."""
        [values], source, format = x, format_of(self.input), format_of(self.out)
        total = np.zeros((*values.shape[:-1], 1), builtin_dtype(format.square_total(self.squares, source)))
        if self.least is not None:
            total = format.add_square(m, total, source.constant(m, self.least.value.data), source)
        for i in range(values.shape[-1]):
            total = format.add_square(m, total, values[..., [i]], source)
        return format.normalised(m, values, format.inverse_root(m, total, source), total, source)

    def derivative(self, arithmetic: Arithmetic, x: Sequence[Any], y: Array, slope: Array) -> Sequence[Array]:
        return [(slope - y * (slope * y).sum(-1, keepdims=True)) / self._length(x[0])]

    def _length(self, x: Array) -> Array:
        """The divisor of each row: the square root in the definition of the op; 1 if the square root is 0."""
        least = 0.0 if self.least is None else self.least.value.data
        length = np.sqrt((x * x).sum(-1, keepdims=True) + least**2)
        return np.where(length == 0, 1.0, length)


@irdl_op_definition
class SoftmaxOp(TensorOp):
    """`result[.., i] = exp(input[.., i]) / sum_k exp(input[.., k])`, over the last axis.

    `tdsl.softmax` first subtracts the greatest element of a row from all its elements, so that no exponential exceeds
    1.
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

    def verify_more(self) -> None:
        format, length = format_of(self.out), shape_of(self.input)[-1]
        if (longest := format.longest_softmax) is not None and length > longest:
            raise VerifyException(f"a softmax in {format.type} has at most {longest} numbers, got {length}")

    def real(self, x: Sequence[Any]) -> Array:
        terms = np.exp(x[0] - x[0].max(-1, keepdims=True))
        return terms / reduce(np.add, columns(terms))

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Array:
        """The result as raws. Terms are added in the order of the elements."""
        format, source = format_of(self.out), format_of(self.input)
        terms = format.softmax_term(m, x[0], greatest(m, source, columns(x[0])), source)
        return shares(m, format, terms)

    def derivative(self, arithmetic: Arithmetic, x: Sequence[Any], y: Array, slope: Array) -> Sequence[Array]:
        return [y * (slope - (slope * y).sum(-1, keepdims=True))]


def columns(x: Array) -> Sequence[Array]:
    return [x[..., [i]] for i in range(x.shape[-1])]


def shares(m: NumpyMachine, format: NumberFormat, terms: Array) -> Array:
    """The terms of a softmax divided by their total along the last axis, as raws. Terms are added in their order along
    the axis.
    """
    total = np.zeros((*terms.shape[:-1], 1), builtin_dtype(format.softmax_total))
    for term in columns(terms):
        total = format.softmax_add(m, total, term)
    return format.softmax_share(m, terms, total)

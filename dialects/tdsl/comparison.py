"""Ops that compare the elements of a tensor: the index of the greatest element, thresholds, and the mask of the
greatest elements.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, TensorType, f64, i1, i64
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import Interval
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.operations import DialectOp
from tinyml.dialects.tdsl.base import (
    SHAPED,
    Shape,
    TensorOp,
    TensorOpEffects,
    build,
    format_of,
    groups_not_read,
    shape_of,
    shaped,
    spell,
)
from tinyml.dialects.tdsl.movement import ReshapeOp
from tinyml.dialects.tdsl.values import Arithmetic, Array, HasValueInterface

if TYPE_CHECKING:
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

__all__ = ["ArgmaxOp", "AtLeastOp", "ReduceOp", "SignOp", "TopKMaskOp"]


class ReduceOp(DialectOp, HasValueInterface, ABC):
    """The base class of ops that reduce one tensor to one scalar of a builtin type."""

    input = operand_def(SHAPED)
    traits = traits_def(TensorOpEffects())
    assembly_format = "$input attr-dict `:` type($input)"

    def verify_(self) -> None:
        self.verify_element()
        if not all(shape_of(self.input)):
            raise VerifyException("needs at least one element")

    def verify_element(self) -> None:
        if format_of(self.input).groups is not None:
            raise groups_not_read(self.input)

    def verify_single(self) -> None:
        if any(extent != 1 for extent in shape_of(self.input)):
            raise VerifyException(f"expects a single element, got shape {spell(shape_of(self.input))}")


@irdl_op_definition
class ArgmaxOp(ReduceOp, HasCanonicalizationPatternsInterface):
    """The index, in row-major order, of the greatest element. Of several equal elements, the first is selected.

    The elements are numbers of a format, or sums in an accumulator.
    """

    name = "tdsl.argmax"
    result = result_def(IndexType)

    def __init__(self, input: SSAValue):
        super().__init__(operands=[input], result_types=[IndexType()])

    def verify_element(self) -> None:
        if accumulator_of(shaped(self.input).get_element_type()) is None:
            super().verify_element()

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        return np.argmax(x[0].reshape(len(x[0]), -1), axis=1)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (ArgmaxOfReshape(),)


@irdl_op_definition
class SignOp(ReduceOp):
    """SeeDot's sgn: 1 if the only element of the tensor is greater than zero, otherwise 0.

    The result is the class that a binary model predicts.
    """

    name = "tdsl.sign"
    result = result_def(IndexType)

    def __init__(self, input: SSAValue):
        super().__init__(operands=[input], result_types=[IndexType()])

    def verify_(self) -> None:
        super().verify_()
        self.verify_single()

    def real(self, x: Sequence[Any]) -> Array:
        return (x[0] > 0).reshape(-1).astype(np.int64)

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Array:
        format = format_of(self.input)
        return format.greater(m, x[0], format.constant(m, 0.0)).reshape(-1).astype(np.int64)


@irdl_op_definition
class AtLeastOp(ReduceOp):
    """Whether the only element of the tensor is at least `threshold`. The comparison is in real arithmetic."""

    name = "tdsl.at_least"
    threshold = prop_def(FloatAttr)
    result = result_def(i1)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$input attr-dict `:` type($input)"

    def __init__(self, input: SSAValue, threshold: float):
        super().__init__(
            operands=[input],
            result_types=[i1],
            properties={"threshold": FloatAttr(threshold, f64)},
        )

    def verify_(self) -> None:
        super().verify_()
        self.verify_single()

    def real(self, x: Sequence[Any]) -> Array:
        return (x[0] >= self.threshold.value.data).reshape(-1)

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Array:
        return format_of(self.input).at_least(m, x[0], self.threshold.value.data).reshape(-1)


class ArgmaxOfReshape(RewritePattern):
    """Replace a reshape that is the input of a `tdsl.argmax` by the input of the reshape, because a reshape preserves
    the order of elements.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ArgmaxOp, rewriter: PatternRewriter, /) -> None:
        if isinstance(reshape := op.input.owner, ReshapeOp) and reshape.result is not None:
            new = ArgmaxOp(reshape.input)
            new.attributes |= op.attributes
            rewriter.replace(op, new)


@irdl_op_definition
class TopKMaskOp(TensorOp):
    """A tensor with 1 for each of the `count` greatest elements of the input, and 0 for all other elements.

    Of several equal elements, the first in row-major order are selected. The product of a constant matrix and this mask
    is the sum over the selected elements, such as the votes or the mean of nearest neighbours.
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
        # Raws are ordered like their numbers. A stable sort of the reversed elements, read backwards, selects the first
        # of equal elements first.
        backwards: Array = x[0].reshape(len(x[0]), -1)[:, ::-1]
        order = backwards.shape[1] - 1 - np.argsort(backwards, axis=1, kind="stable")[:, ::-1]
        marks: Array = np.full(backwards.shape, zero)
        np.put_along_axis(marks, order[:, : self.count.value.data], one, 1)
        return marks.reshape(x[0].shape)

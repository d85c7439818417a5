"""Ops from one tensor to one scalar outside the number formats, such as an index."""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import FloatAttr, IndexType, f64, i1
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
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
from tinyml.dialects.tdsl.base import SHAPED, TensorOpEffects, format_of, shape_of, shaped, spell
from tinyml.dialects.tdsl.movement import ReshapeOp

__all__ = ["ArgmaxOp", "AtLeastOp", "ReduceOp", "SignOp"]


class ReduceOp(IRDLOperation, ABC):
    """An op from one tensor to one scalar outside the number formats."""

    input = operand_def(SHAPED)
    traits = traits_def(TensorOpEffects())
    assembly_format = "$input attr-dict `:` type($input)"

    def verify_(self) -> None:
        self.verify_element()
        if not all(shape_of(self.input)):
            raise VerifyException("needs at least one element")

    def verify_element(self) -> None:
        format_of(self.input)

    def verify_single(self) -> None:
        if any(extent != 1 for extent in shape_of(self.input)):
            raise VerifyException(f"expects a single element, got shape {spell(shape_of(self.input))}")


@irdl_op_definition
class ArgmaxOp(ReduceOp, HasCanonicalizationPatternsInterface):
    """The index of the greatest element (a number or a sum) in row-major order, the first of equal ones."""

    name = "tdsl.argmax"
    result = result_def(IndexType)

    def __init__(self, input: SSAValue):
        super().__init__(operands=[input], result_types=[IndexType()])

    def verify_element(self) -> None:
        if accumulator_of(shaped(self.input).get_element_type()) is None:
            super().verify_element()

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (ArgmaxOfReshape(),)


@irdl_op_definition
class SignOp(ReduceOp):
    """SeeDot's sgn: 1 if the single element is greater than zero, else 0 (the class of a binary model)."""

    name = "tdsl.sign"
    result = result_def(IndexType)

    def __init__(self, input: SSAValue):
        super().__init__(operands=[input], result_types=[IndexType()])

    def verify_(self) -> None:
        super().verify_()
        self.verify_single()


@irdl_op_definition
class AtLeastOp(ReduceOp):
    """Compares the single element with a threshold, as reals: input >= threshold."""

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


class ArgmaxOfReshape(RewritePattern):
    """Compares the elements before a reshape, which keeps their order."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ArgmaxOp, rewriter: PatternRewriter, /) -> None:
        if isinstance(reshape := op.input.owner, ReshapeOp) and reshape.result is not None:
            new = ArgmaxOp(reshape.input)
            new.attributes |= op.attributes
            rewriter.replace(op, new)

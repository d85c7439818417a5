"""Ops that compute each element of the result from the elements at the same place."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr, TensorType, f32, i1
from xdsl.interfaces import HasCanonicalizationPatternsInterface, HasFolderInterface
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def
from xdsl.pattern_rewriter import RewritePattern
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import Function
from tinyml.dialects.tdsl.base import (
    SHAPED,
    Shape,
    TensorOp,
    broadcast,
    build,
    fold_to,
    format_of,
    shape_of,
    shaped,
    spell,
)


class UnaryOp(TensorOp, ABC):
    """`result[..] = f(input[..])`, one rounding into the result's format."""

    input = operand_def(SHAPED)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, element: Attribute | None = None):
        build(self, [input], TensorType(element or shaped(input).get_element_type(), shape_of(input)))

    def infer_shape(self) -> Shape:
        return shape_of(self.input)


class BinaryOp(TensorOp, ABC):
    """`result[..] = lhs[..] op rhs[..]` with numpy's broadcasting, one rounding into the result's format."""

    lhs = operand_def(SHAPED)
    rhs = operand_def(SHAPED)
    assembly_format = (
        "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, lhs: SSAValue, rhs: SSAValue, element: Attribute | None = None):
        shape = broadcast(shape_of(lhs), shape_of(rhs))
        build(self, [lhs, rhs], TensorType(element or shaped(lhs).get_element_type(), shape))

    def infer_shape(self) -> Shape:
        return broadcast(shape_of(self.lhs), shape_of(self.rhs))


@irdl_op_definition
class AddOp(BinaryOp):
    """Sum; the exact sum is rounded once."""

    name = "tdsl.add"


@irdl_op_definition
class SubOp(BinaryOp):
    """Difference; the exact difference is rounded once."""

    name = "tdsl.sub"


@irdl_op_definition
class MulOp(BinaryOp):
    """Hadamard product, or a tensor times a scalar; the exact product is rounded once."""

    name = "tdsl.mul"


@irdl_op_definition
class NegOp(UnaryOp, HasFolderInterface, HasCanonicalizationPatternsInterface):
    """Negation."""

    name = "tdsl.neg"

    def fold(self) -> tuple[SSAValue] | None:
        # Only for reals: a format's own negation may round or saturate, and then -(-x) is not x.
        inner = self.input.owner
        return fold_to(self, inner.input) if isinstance(inner, NegOp) and format_of(self.out).type == f32 else None

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from tinyml.dialects.tdsl.canonicalization import NegativeOfConstant

        return (NegativeOfConstant(),)


class FunctionOp(UnaryOp, ABC):
    """A transcendental function that every number format supplies, in one of several ways where it has them.

    `scheme` is one of the `SCHEMES` of the result's format.
    """

    FUNCTION: ClassVar[Function]
    scheme = opt_prop_def(StringAttr)

    def verify_more(self) -> None:
        format = format_of(self.out)
        if self.scheme is not None and self.scheme.data not in format.SCHEMES:
            raise VerifyException(f"{format.type} has no scheme '{self.scheme.data}' for functions")


@irdl_op_definition
class ExpOp(FunctionOp):
    """Natural exponential."""

    name = "tdsl.exp"
    FUNCTION: ClassVar[Function] = "exp"


@irdl_op_definition
class TanhOp(FunctionOp):
    """Hyperbolic tangent."""

    name = "tdsl.tanh"
    FUNCTION: ClassVar[Function] = "tanh"


@irdl_op_definition
class SigmoidOp(FunctionOp):
    """Logistic function 1 / (1 + exp(-x))."""

    name = "tdsl.sigmoid"
    FUNCTION: ClassVar[Function] = "sigmoid"


class ClampOp(UnaryOp, ABC):
    """Limits values, bits unchanged inside the limits."""

    MOVES_BITS: ClassVar[bool] = True


@irdl_op_definition
class ReluOp(ClampOp, HasFolderInterface):
    """max(x, 0)."""

    name = "tdsl.relu"

    def fold(self) -> tuple[SSAValue] | None:
        return fold_to(self, self.input) if isinstance(self.input.owner, ClampOp) else None


@irdl_op_definition
class Relu6Op(ClampOp, HasFolderInterface):
    """min(max(x, 0), 6)."""

    name = "tdsl.relu6"

    def fold(self) -> tuple[SSAValue] | None:
        return fold_to(self, self.input) if isinstance(self.input.owner, Relu6Op) else None


@irdl_op_definition
class CastOp(UnaryOp, HasFolderInterface):
    """The same reals in another format, rounded once."""

    name = "tdsl.cast"
    ONE_FAMILY: ClassVar[bool] = False

    def __init__(self, input: SSAValue, element: Attribute):
        super().__init__(input, element)

    def fold(self) -> tuple[SSAValue] | None:
        return fold_to(self, self.input)


@irdl_op_definition
class SelectOp(TensorOp, HasFolderInterface):
    """`condition ? if_true : if_false` of whole tensors."""

    name = "tdsl.select"
    MOVES_BITS: ClassVar[bool] = True
    condition = operand_def(i1)
    if_true = operand_def(SHAPED)
    if_false = operand_def(SHAPED)
    assembly_format = (
        "$condition `,` $if_true `,` $if_false attr-dict `:` type($if_true) `,` type($if_false)"
        " (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, condition: SSAValue, if_true: SSAValue, if_false: SSAValue):
        build(
            self,
            [condition, if_true, if_false],
            TensorType(shaped(if_true).get_element_type(), shape_of(if_true)),
        )

    def infer_shape(self) -> Shape:
        if shape_of(self.if_true) != shape_of(self.if_false):
            raise VerifyException(
                f"branches have shapes {spell(shape_of(self.if_true))} and {spell(shape_of(self.if_false))}"
            )
        return shape_of(self.if_true)

    def fold(self) -> tuple[SSAValue] | None:
        condition = const_evaluate_operand(self.condition)
        return None if condition is None else fold_to(self, self.if_true if condition else self.if_false)

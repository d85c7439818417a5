"""Ops that reorder the elements of a tensor: transposition and reversal."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, TensorType, UnitAttr, i64
from xdsl.interfaces import HasCanonicalizationPatternsInterface, HasFolderInterface
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, fold_to, shape_of, shaped
from tinyml.dialects.tdsl.constant import constant_input, replace_by_constant
from tinyml.dialects.tdsl.index_maps import Move, dimensions
from tinyml.dialects.tdsl.movement import MovementOp, ReshapeOp

__all__ = ["ReverseOp", "TransposeOp"]


@irdl_op_definition
class TransposeOp(MovementOp, HasFolderInterface, HasCanonicalizationPatternsInterface):
    """The input with its axes in another order: axis `i` of the result is axis `permutation[i]` of the input.

    With `in_place`, the result overwrites the input, which no other op reads. The permutation must then transpose a
    matrix: it swaps the leading axes with the remaining axes, as in C x H x W to H x W x C. `copied` marks a
    transposition that the plan of the program computes by a copy in memory.
    """

    name = "tdsl.transpose"
    MAY_BE_VIEW: ClassVar[bool] = True
    input = operand_def(SHAPED)
    permutation = prop_def(DenseArrayBase.constr(i64))
    in_place = opt_prop_def(UnitAttr)
    copied = opt_prop_def(UnitAttr)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, permutation: Sequence[int]):
        shape = shape_of(input)
        build(
            self,
            [input],
            TensorType(shaped(input).get_element_type(), [shape[axis] for axis in permutation]),
            {"permutation": DenseArrayBase.from_list(i64, permutation)},
        )

    @property
    def axes(self) -> tuple[int, ...]:
        return tuple(cast("DenseArrayBase[IntegerType[Any, Any]]", self.permutation).get_values())

    def infer_shape(self) -> Shape:
        shape = shape_of(self.input)
        if sorted(self.axes) != list(range(len(shape))):
            raise VerifyException(f"permutation {list(self.axes)} does not order the {len(shape)} axes")
        return tuple(shape[axis] for axis in self.axes)

    @property
    def run(self) -> Sequence[SSAValue] | None:
        return () if self.keeps_order else None

    @property
    def moves(self) -> Sequence[Move]:
        axes = self.axes
        return self.gather(self.input, [AffineExpr.dimension(axes.index(axis)) for axis in range(len(axes))])

    @property
    def keeps_order(self) -> bool:
        """True if only axes of extent 1 change their places, so that the row-major order of the elements is
        unchanged.
        """
        shape = shape_of(self.input)
        moved = [axis for axis in self.axes if shape[axis] != 1]
        return moved == sorted(moved)

    @property
    def matrix(self) -> tuple[int, int] | None:
        """The numbers of rows and columns of the matrix that is transposed. Returns None unless the permutation swaps
        two groups of axes.
        """
        shape = shape_of(self.input)
        moved = [axis for axis in self.axes if shape[axis] != 1]
        first = len(moved) - (moved.index(min(moved)) if moved else 0)
        before, after = moved[-first:], moved[:-first]
        if [*before, *after] != sorted(moved):
            return None
        return prod(shape[axis] for axis in before), prod(shape[axis] for axis in after)

    def verify_more(self) -> None:
        if self.in_place is None:
            return
        if self.matrix is None:
            raise VerifyException(
                f"permutation {list(self.axes)} is not that of a matrix, which is transposed in place"
            )
        if not isinstance(self.input.type, TensorType):
            return
        if not self.input.has_one_use():
            raise VerifyException("a transposition in place destroys its input, which has another reader")
        owner = self.input.owner
        if isinstance(owner, TensorOp) and owner.MAY_BE_VIEW:
            raise VerifyException(f"a transposition in place destroys its input, which may be a view by '{owner.name}'")
        if (owner.parent_block() if isinstance(owner, Operation) else owner) is not self.parent_block():
            raise VerifyException("a transposition in place destroys its input, which is of another block")

    def fold(self) -> tuple[SSAValue] | None:
        return fold_to(self, self.input) if list(self.axes) == sorted(self.axes) else None

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (TransposeToReshape(), TransposeOfTranspose(), TransposeOfConstant())


@irdl_op_definition
class ReverseOp(MovementOp, HasFolderInterface, HasCanonicalizationPatternsInterface):
    """The input, with its elements in reverse order along one axis."""

    name = "tdsl.reverse"
    input = operand_def(SHAPED)
    axis = prop_def(IntegerAttr)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, axis: int):
        build(
            self,
            [input],
            TensorType(shaped(input).get_element_type(), shape_of(input)),
            {"axis": IntegerAttr(axis, i64)},
        )

    def infer_shape(self) -> Shape:
        shape = shape_of(self.input)
        if not 0 <= self.axis.value.data < len(shape):
            raise VerifyException(f"axis {self.axis.value.data} is not one of the {len(shape)} axes")
        return shape

    @property
    def moves(self) -> Sequence[Move]:
        shape, axis = shape_of(self.input), self.axis.value.data
        source = dimensions(len(shape))
        source[axis] = AffineExpr.constant(shape[axis] - 1) - source[axis]
        return self.gather(self.input, source)

    def fold(self) -> tuple[SSAValue] | None:
        if shape_of(self.input)[self.axis.value.data] == 1:
            return fold_to(self, self.input)
        inner = self.input.owner
        return fold_to(self, inner.input) if isinstance(inner, ReverseOp) and inner.axis == self.axis else None

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (ReverseOfConstant(),)


class TransposeOfTranspose(RewritePattern):
    """Replace a transposition of a transposition by one transposition, unless the inner one is `in_place`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransposeOp, rewriter: PatternRewriter, /) -> None:
        inner = op.input.owner
        if op.result is not None and isinstance(inner, TransposeOp) and inner.in_place is None:
            new = TransposeOp(inner.input, [inner.axes[axis] for axis in op.axes])
            new.attributes |= op.attributes
            rewriter.replace(op, new)


class TransposeToReshape(RewritePattern):
    """Replace a transposition that moves only axes of extent 1, such as a column to a row, by a reshape."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransposeOp, rewriter: PatternRewriter, /) -> None:
        if op.result is not None and op.keeps_order:
            new = ReshapeOp(op.input, shape_of(op.out))
            new.attributes |= op.attributes
            rewriter.replace(op, new)


class TransposeOfConstant(RewritePattern):
    """Replace the transposition of a constant by a constant, because a transposition on the device would need working
    memory.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransposeOp, rewriter: PatternRewriter, /) -> None:
        if (constant := constant_input(op)) is not None:
            replace_by_constant(op, constant, constant.raws.transpose(op.axes), rewriter)


class ReverseOfConstant(RewritePattern):
    """Replace the reversal of a constant by a constant, because a reversal on the device would need working memory."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReverseOp, rewriter: PatternRewriter, /) -> None:
        if (constant := constant_input(op)) is not None:
            replace_by_constant(op, constant, np.flip(constant.raws, op.axis.value.data), rewriter)

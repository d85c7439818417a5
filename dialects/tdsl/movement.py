"""Ops that copy elements without arithmetic. All ops except `reinterpret` preserve the number format.
`permutations.py` has the ops that reorder elements.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import prod
from typing import Any, ClassVar

from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.interfaces import HasCanonicalizationPatternsInterface, HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_op_definition, operand_def
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.base import (
    SHAPED,
    Footprint,
    Shape,
    TensorOp,
    Visits,
    accumulator_elements,
    build,
    fold_to,
    format_of,
    shape_of,
    shaped,
    spell,
)
from tinyml.dialects.tdsl.constant import constant_input, replace_by_constant
from tinyml.dialects.tdsl.index_maps import Move, dimensions, identity, move_elements, moved_back, visits_of_moves
from tinyml.dialects.tdsl.values import Arithmetic, Array

__all__ = [
    "IndexOp",
    "Move",
    "MovementOp",
    "ReinterpretOp",
    "ReshapeOp",
    "only_maker",
    "only_reader",
    "unreshaped",
]


class MovementOp(TensorOp, ABC):
    """An op that copies elements as its `moves` define, one move after the other.

    If moves write the same element, the last one determines it. The evaluator, the gradients and the lowering to loops
    are derived from the moves.
    """

    MOVES_BITS: ClassVar[bool] = True

    @property
    @abstractmethod
    def moves(self) -> Sequence[Move]:
        """The moves in order. Together they write every element of the result, unless the op has a `filling`."""

    @property
    def indices(self) -> Sequence[SSAValue]:
        """The computed indices, which are the symbols of the moves' maps."""
        return ()

    @property
    def filling(self) -> float | None:
        """The real value of elements that no move writes; None if the moves write all elements."""
        return None

    def verify_formats(self) -> None:
        """Raise `VerifyException` unless the formats are valid.

        If the elements are sums in an accumulator, operands and result must have the same type, and the op must not
        have a filling.
        """
        element = shaped(self.out).get_element_type()
        if accumulator_of(element) is None or self.filling is not None:
            return super().verify_formats()
        accumulator_elements(self.out)
        for value in self.inputs:
            if (own := shaped(value).get_element_type()) != element:
                raise VerifyException(f"moves bits unchanged, so types must be equal, got {own} and {element}")
        return None

    @property
    def visits(self) -> Sequence[Visits]:
        """The steps of the op: first the fill of the result, if any, and then the steps of each move that changes
        elements.

        For an op with computed indices, the result is that of `TensorOp.visits`.
        """
        return super().visits if self.indices else visits_of_moves(self.moves, self.out, self.filling is not None)

    def footprint(self, operand: SSAValue) -> Footprint | None:
        """A footprint of one pixel if the op moves elements only within pixels; None otherwise."""
        if self.indices or self.filling is not None or self.updated is not None or len(shape_of(self.out)) != 4:
            return None
        pixel = tuple(dimensions(4)[:3])
        maps = [map for move in self.moves for map in (move.source, move.target)]
        same = shape_of(operand)[:3] == shape_of(self.out)[:3] and all(map.results[:3] == pixel for map in maps)
        return Footprint(channelwise=False) if same else None

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        return self.moved(x, 0 if self.filling is None else arithmetic.number(self.out, self.filling))

    def moved(self, x: Sequence[Any], filling: Any) -> Array:
        """The result, computed from arrays of the operands.

        filling: the value of elements that no move writes.
        """
        values = dict(zip(self.operands, x, strict=True))
        symbols = [values[index] for index in self.indices]
        return move_elements(self.moves, values, symbols, shape_of(self.out), filling)

    def derivative(self, arithmetic: Arithmetic, x: Sequence[Any], y: Array, slope: Array) -> Sequence[Array | None]:
        tensors = [position for position, operand in enumerate(self.operands) if operand in self.inputs]
        return moved_back(x, tensors, slope, self.moved)

    def gather(self, operand: SSAValue, source: Sequence[AffineExpr]) -> list[Move]:
        """A list with a single move, which copies one element of an operand to each element of the result.

        source: the affine expressions of the index into the operand.
        """
        shape, symbols = shape_of(self.out), len(self.indices)
        return [Move(operand, shape, AffineMap(len(shape), symbols, tuple(source)), identity(len(shape), symbols))]


@irdl_op_definition
class ReshapeOp(MovementOp, HasFolderInterface, HasCanonicalizationPatternsInterface):
    """The elements of the input in row-major order, with another shape."""

    name = "tdsl.reshape"
    MAY_BE_VIEW: ClassVar[bool] = True
    input = operand_def(SHAPED)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, shape: Sequence[int]):
        build(self, [input], TensorType(shaped(input).get_element_type(), shape))

    def infer_shape(self) -> Shape:
        before, after = shape_of(self.input), shape_of(self.out)
        if prod(before) != prod(after):
            raise VerifyException(f"cannot reshape {spell(before)} to {spell(after)}: the number of elements differs")
        return after

    @property
    def run(self) -> Sequence[SSAValue]:
        return ()

    @property
    def moves(self) -> Sequence[Move]:
        before, after = shape_of(self.input), shape_of(self.out)
        number = AffineExpr.constant(0)
        for axis, dimension in enumerate(dimensions(len(after))):
            number = number + dimension * prod(after[axis + 1 :])
        source = [number // prod(before[axis + 1 :]) % extent for axis, extent in enumerate(before)]
        return self.gather(self.input, source)

    def takes_groups(self, value: SSAValue) -> bool:
        # The order of elements is unchanged, and so are their groups if runs are whole axes.
        return True

    def moved(self, x: Sequence[Any], filling: Any) -> Array:
        # A view of the array; the general path would copy element by element.
        return x[0].reshape(len(x[0]), *shape_of(self.out))

    def fold(self) -> tuple[SSAValue] | None:
        return fold_to(self, self.input)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (ReshapeOfReshape(), ReshapeOfConstant())


def unreshaped(value: SSAValue) -> SSAValue:
    """The tensor from which a value results by any number of reshapes."""
    return unreshaped(value.owner.input) if isinstance(value.owner, ReshapeOp) else value


def only_maker(value: SSAValue) -> Operation | None:
    """The op that computes a value, through any reshapes. Returns None unless the result of this op and of each reshape
    has exactly one use, and for a value that originates from a block argument.
    """
    if not value.has_one_use() or not isinstance(owner := value.owner, Operation):
        return None
    return only_maker(owner.input) if isinstance(owner, ReshapeOp) else owner


def only_reader(value: SSAValue) -> Operation | None:
    """The op that reads a value, through any reshapes. Returns None unless the value and the result of each reshape
    have exactly one use.
    """
    if (use := value.get_user_of_unique_use()) is None:
        return None
    return only_reader(use.out) if isinstance(use, ReshapeOp) else use


@irdl_op_definition
class ReinterpretOp(MovementOp):
    """The raws of the input, reinterpreted in the format in which the caller stores them.

    A model with several inputs accepts one array whose parts may have separate number formats (`parts` of
    `tdsl.interface`). All these formats must have the same storage type. In real arithmetic, the op returns its
    operand.
    """

    name = "tdsl.reinterpret"
    MOVES_BITS: ClassVar[bool] = False
    MAY_BE_VIEW: ClassVar[bool] = True
    input = operand_def(SHAPED)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, element: Attribute):
        build(self, [input], TensorType(element, shape_of(input)))

    def infer_shape(self) -> Shape:
        return shape_of(self.input)

    def verify_formats(self) -> None:
        super().verify_formats()
        before, after = format_of(self.input), format_of(self.out)
        if before.storage != after.storage:
            raise VerifyException(f"elements of {before.type} are not stored as those of {after.type}")

    @property
    def run(self) -> Sequence[SSAValue]:
        return ()

    @property
    def moves(self) -> Sequence[Move]:
        return self.gather(self.input, dimensions(len(shape_of(self.out))))

    def moved(self, x: Sequence[Any], filling: Any) -> Array:
        return x[0]


@irdl_op_definition
class IndexOp(MovementOp):
    """`input[index]`: the part of the input at an index of the first axis. The index must be in [0, extent)."""

    name = "tdsl.index"
    MAY_BE_VIEW: ClassVar[bool] = True
    STORES_LAST: ClassVar[bool] = True
    input = operand_def(SHAPED)
    index = operand_def(IndexType)
    assembly_format = (
        "$input `[` $index `]` attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, input: SSAValue, index: SSAValue):
        build(self, [input, index], TensorType(shaped(input).get_element_type(), shape_of(input)[1:]))

    def infer_shape(self) -> Shape:
        shape = shape_of(self.input)
        if not shape:
            raise VerifyException("cannot index a scalar")
        return shape[1:]

    @property
    def indices(self) -> Sequence[SSAValue]:
        return (self.index,)

    @property
    def run(self) -> Sequence[SSAValue]:
        return self.indices

    @property
    def moves(self) -> Sequence[Move]:
        return self.gather(self.input, [AffineExpr.symbol(0), *dimensions(len(shape_of(self.out)))])

    def moved(self, x: Sequence[Any], filling: Any) -> Array:
        # Array indexing; the general path would evaluate affine maps in each iteration of a loop.
        input, index = x
        if not np.ndim(index):
            return input[:, index]
        return input[0, index] if len(input) == 1 else input[np.arange(len(input)), index]


class ReshapeOfReshape(RewritePattern):
    """Replace a reshape of a reshape by one reshape."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReshapeOp, rewriter: PatternRewriter, /) -> None:
        if op.result is not None and isinstance(inner := op.input.owner, ReshapeOp):
            new = ReshapeOp(inner.input, shape_of(op.out))
            new.attributes |= op.attributes
            rewriter.replace(op, new)


class ReshapeOfConstant(RewritePattern):
    """Replace the reshape of a constant by a constant with the new shape, if the reshape is the only use of the
    constant.

    If the constant has other uses, the reshape is not replaced, because a second constant would need flash and a
    reshape generates no code.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReshapeOp, rewriter: PatternRewriter, /) -> None:
        if op.input.has_one_use() and (constant := constant_input(op)) is not None:
            replace_by_constant(op, constant, constant.raws.reshape(shape_of(op.out)), rewriter)

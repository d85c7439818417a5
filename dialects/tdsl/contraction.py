"""Ops that sum products.

An op's `terms` define which elements are multiplied and over which indices products are summed. The evaluator, the
gradients, the count of multiply-accumulates and the generic lowering to loops are derived from them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import ClassVar, cast

from xdsl.dialects.builtin import TensorType
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    var_operand_def,
)
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import num
from tinyml.dialects.formats.accumulator import Accumulator, accumulator_of
from tinyml.dialects.formats.product import Bound, Product
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.attributes import Csr
from tinyml.dialects.tdsl.base import (
    SHAPED,
    Shape,
    TensorOp,
    broadcast,
    build,
    format_of,
    shape_of,
    shaped,
    spell,
)
from tinyml.dialects.tdsl.constant import ConstOp, profile_of
from tinyml.dialects.tdsl.facts import factor_of, gathered_factor, product_of
from tinyml.dialects.tdsl.movement import ReshapeOp
from tinyml.dialects.tdsl.row_shifts import ShiftsRows, verify_shifts

__all__ = [
    "ContractionOp",
    "MatmulOp",
    "MatmulSumOp",
    "MatrixProductsOp",
    "ProductOp",
    "SpmvOp",
    "Term",
]

_MATRICES = tuple(AffineMap(3, 0, tuple(map(AffineExpr.dimension, axes))) for axes in ((0, 2), (2, 1)))
"""The maps of a product of matrices: from row i, column j and summed index k."""


@dataclass(frozen=True)
class Term:
    """The products of two operands: element i of the result sums `lhs[l(i, k)] * rhs[r(i, k)]` over all k.

    summed: the extents of k; products are added in row-major order of k. lhs_map, rhs_map: l and r, maps from the
    indices of the result followed by k, which never leave the operands.
    """

    lhs: SSAValue
    rhs: SSAValue
    summed: Shape
    lhs_map: AffineMap
    rhs_map: AffineMap

    @classmethod
    def of_matrices(cls, lhs: SSAValue, rhs: SSAValue) -> Term:
        """A product of two matrices."""
        lhs_map, rhs_map = _MATRICES
        return cls(lhs, rhs, shape_of(lhs)[1:], lhs_map, rhs_map)

    @property
    def multiplies_matrices(self) -> bool:
        """Is the term a product of matrices?"""
        return (self.lhs_map, self.rhs_map) == _MATRICES


class ContractionOp(TensorOp, ShiftsRows, ABC):
    """An op that computes each element of its result as a sum of products.

    A sum is exact for formats with an exact accumulator (fixed point) and is rounded once into the result. `acc` is the
    accumulator's type; `bound` is the proof that it is wide enough: the least and the greatest possible partial sum, in
    units of the accumulator's last place. While the operands are tensors, the verifier derives the bound anew.

    With `row_shifts`, one for each row, the sums of row i are divided by 2^row_shifts[i]: row i of the weights then
    holds them times that power, so that small rows are as precise as large ones (per-row scales).
    """

    STORES_LAST: ClassVar[bool] = True

    ROW_AXIS: ClassVar[int] = 0
    """The axis of the result along which weights have shifts or scales of their own."""

    acc = opt_prop_def()
    bound = opt_prop_def(num.BOUND)

    @property
    @abstractmethod
    def terms(self) -> Sequence[Term]:
        """The products, in the order in which they are added."""

    @property
    def pairs(self) -> Sequence[tuple[SSAValue, SSAValue]]:
        return [(term.lhs, term.rhs) for term in self.terms]

    @property
    def initial(self) -> SSAValue | None:
        """The tensor that the sums start from, broadcast to the result as numpy does; zero if None."""
        return None

    @property
    def macs(self) -> int:
        return sum(prod(shape_of(self.out)) * prod(term.summed) for term in self.terms)

    def reads_in_place(self, operand: SSAValue) -> bool:
        if self.initial is operand:
            return all(operand not in pair for pair in self.pairs)
        return super().reads_in_place(operand)

    @property
    def accumulator(self) -> Accumulator:
        """The accumulator that `acc` names, else one that is wide enough for any operands."""
        if self.acc is not None:
            return cast(Accumulator, accumulator_of(self.acc))
        return format_of(self.out).accumulator_for(self.products[-1], self.sum_bound)

    @property
    def products(self) -> Sequence[Product]:
        """The facts about the products of each pair."""
        return [_product(term, shape_of(self.out)) for term in self.terms]

    @property
    def accumulators(self) -> list[Accumulator]:
        """One accumulator for each pair, in units of its products; the last one is `accumulator`."""
        last = self.accumulator
        return [last.of(format_of(lhs), format_of(rhs)) for lhs, rhs in self.pairs]

    @property
    def sum_bound(self) -> Bound | None:
        """The stated bound, else the one derived from the facts about the operands.

        None on memrefs with an accumulator but no bound: the proof needs constants that are no longer visible.
        """
        if self.bound is None and self.acc is not None and self.dest is not None:
            return None
        return self.derived_bound if self.bound is None else num.bound_of(self.bound)

    @property
    def derived_bound(self) -> Bound | None:
        """The least and the greatest possible partial sum, exact if an operand is a constant."""
        initial = None if self.initial is None else factor_of(self.initial)
        return format_of(self.out).sum_bound(self.products, initial)

    @property
    def rows(self) -> int:
        """The number of rows of the weights."""
        return shape_of(self.out)[self.ROW_AXIS]

    def verify_more(self) -> None:
        if self.dest is None and self.bound is not None:
            num.verify_bound(self.sum_bound, self.derived_bound)
        if self.shifts is not None:
            verify_shifts(self.shifts, self.rows)
        if self.acc is not None:
            self._verify_accumulator(self.acc)
        if self.initial is not None:
            self._verify_initial(self.initial)

    def _verify_accumulator(self, acc: Attribute) -> None:
        if (accumulator := accumulator_of(acc)) is None:
            raise VerifyException(f"acc must be an accumulator type, got {acc}")
        for (lhs, rhs), unit in zip(self.pairs, self.accumulators, strict=True):
            fits = unit if (lhs, rhs) != self.pairs[-1] else accumulator
            formats = format_of(lhs), format_of(rhs)
            if not (fits.sums(*formats) and accumulator.follows(unit)):
                raise VerifyException(f"{acc} does not sum products of {formats[0].type} and {formats[1].type}")
        num.verify_room(accumulator, self.sum_bound, format_of(self.out))

    @property
    def sums_shape(self) -> Shape:
        """The shape to which what the sums start from broadcasts: the result's, with all rows."""
        shape = list(shape_of(self.out))
        shape[self.ROW_AXIS] = self.rows
        return tuple(shape)

    def _verify_initial(self, initial: SSAValue) -> None:
        if broadcast(shape_of(initial), self.sums_shape) != self.sums_shape:
            raise VerifyException(f"sums of shape {spell(self.sums_shape)} start from {spell(shape_of(initial))}")
        if not self.accumulators[0].starts(format_of(initial)):
            raise VerifyException(f"no sum of the first products starts from {format_of(initial).type}")


def _product_shape(lhs: Shape, rhs: Shape) -> Shape:
    if len(lhs) != 2 or len(rhs) != 2:
        raise VerifyException(f"multiplies matrices, got shapes {spell(lhs)} and {spell(rhs)}")
    if lhs[1] != rhs[0]:
        raise VerifyException(f"inner dimensions differ: {spell(lhs)} times {spell(rhs)}")
    return (lhs[0], rhs[1])


class MatrixProductsOp(ContractionOp, ABC):
    """A sum of one or more products of matrices."""

    def infer_shape(self) -> Shape:
        shapes = [_product_shape(shape_of(lhs), shape_of(rhs)) for lhs, rhs in self.pairs]
        if self.initial is not None:
            shapes.append(shape_of(self.initial))
        if len(set(shapes)) > 1:
            raise VerifyException(f"sums have one shape, got {' and '.join(map(spell, shapes))}")
        return shapes[0]


class ProductOp(MatrixProductsOp, ABC):
    """A matrix product `result[i, j] = sum_k lhs[i, k] * rhs[k, j]`."""

    lhs = operand_def(SHAPED)
    rhs = operand_def(SHAPED)
    assembly_format = (
        "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, lhs: SSAValue, rhs: SSAValue, element: Attribute | None = None):
        shape = (*shape_of(lhs)[:1], *shape_of(rhs)[1:])
        build(self, [lhs, rhs], TensorType(element or shaped(rhs).get_element_type(), shape))

    @property
    def terms(self) -> Sequence[Term]:
        return [Term.of_matrices(self.lhs, self.rhs)]


@irdl_op_definition
class MatmulOp(ProductOp, HasCanonicalizationPatternsInterface):
    """Dense matrix product."""

    name = "tdsl.matmul"

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (RowTimesConstant(),)


@irdl_op_definition
class SpmvOp(ProductOp):
    """Product of a sparse constant matrix and a dense column vector (SeeDot 5.1, `x`); only stored entries count."""

    name = "tdsl.spmv"

    @property
    def macs(self) -> int:
        return int(np.count_nonzero(self.lhs.owner.raws)) if isinstance(self.lhs.owner, ConstOp) else super().macs

    @property
    def products(self) -> Sequence[Product]:
        return [replace(product, sparse=True) for product in super().products]

    def infer_shape(self) -> Shape:
        matrix = shaped(self.lhs)
        if isinstance(matrix, TensorType) and not isinstance(matrix.encoding, Csr):
            raise VerifyException("the matrix must be sparse: expected the encoding #tdsl.csr")
        shape = super().infer_shape()
        if shape[1] != 1:
            raise VerifyException(f"multiplies a column vector, got {spell(shape_of(self.rhs))}")
        return shape


@irdl_op_definition
class MatmulSumOp(MatrixProductsOp):
    """`result = initial + lhs0 * rhs0 + lhs1 * rhs1 + ...`, dense matrix products in one sum that is rounded once.

    Each product's last place is as fine as the one before or finer, so that a sum goes on exactly; `acc` is in units
    of the last one.
    """

    name = "tdsl.matmul_sum"
    factors = var_operand_def(SHAPED)
    addend = opt_operand_def(SHAPED)
    assembly_format = (
        "$factors (`from` $addend^ `:` type($addend))? attr-dict `:` type($factors)"
        " (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(
        self, pairs: Sequence[tuple[SSAValue, SSAValue]], initial: SSAValue | None, element: Attribute | None = None
    ):
        lhs, rhs = pairs[0]
        shape = (*shape_of(lhs)[:1], *shape_of(rhs)[1:])
        factors = [factor for pair in pairs for factor in pair]
        result = TensorType(element or shaped(rhs).get_element_type(), shape)
        build(self, [factors, [] if initial is None else [initial]], result)

    @property
    def terms(self) -> Sequence[Term]:
        return [Term.of_matrices(*pair) for pair in zip(self.factors[::2], self.factors[1::2], strict=True)]

    @property
    def initial(self) -> SSAValue | None:
        return self.addend

    def infer_shape(self) -> Shape:
        if not self.factors or len(self.factors) % 2:
            raise VerifyException(f"takes pairs of matrices, got {len(self.factors)} factors")
        return super().infer_shape()


def _product(term: Term, shape: Shape) -> Product:
    """The facts about the products of a term, whose sums have a shape."""
    if term.multiplies_matrices:
        return product_of(term.lhs, term.rhs)
    lhs = gathered_factor(term.lhs, term.lhs_map, shape, term.summed)
    return Product(prod(term.summed), lhs, gathered_factor(term.rhs, term.rhs_map, shape, term.summed))


class RowTimesConstant(RewritePattern):
    """Rewrites x W to (W^T x^T)^T with W^T computed at compile time, so that sums read consecutive bytes of flash.

    The products and their order stay the same. W must have no other users, or flash would hold it twice.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MatmulOp, rewriter: PatternRewriter, /) -> None:
        constant = op.rhs.owner
        if op.result is None or not isinstance(constant, ConstOp):
            return
        length, columns = shape_of(op.rhs)
        if min(length, columns) == 1 or not all(_is_row_product(use.operation, op.rhs) for use in op.rhs.uses):
            return
        weights = ConstOp(constant.raws.T, format_of(constant.result))
        weights.attributes |= constant.attributes
        weights.result.name_hint = constant.result.name_hint
        rewriter.insert(weights, InsertPoint.before(constant))
        column = ReshapeOp(op.lhs, (length, 1))
        column.attributes |= profile_of(op.lhs)
        column.out.name_hint = op.lhs.name_hint
        product = MatmulOp(weights.result, column.out, format_of(op.out).type)
        product.acc, product.bound = op.acc and op.accumulator.exchanged.type, op.bound
        row = ReshapeOp(product.out, (1, columns))
        for new in (product, row):
            new.attributes |= op.attributes
            new.out.name_hint = op.out.name_hint
        rewriter.replace(op, [column, product, row])


def _is_row_product(op: Operation, matrix: SSAValue) -> bool:
    return isinstance(op, MatmulOp) and op.lhs is not matrix and shape_of(op.lhs)[0] == 1

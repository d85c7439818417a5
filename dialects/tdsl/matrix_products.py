"""Matrix products (dense and sparse), sums of several matrix products, and an op for one row of such a sum."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, TensorType, i8, i64
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, opt_prop_def, var_operand_def
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import Product
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.attributes import Csr
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, format_of, shape_of, shaped, spell
from tinyml.dialects.tdsl.constant import ConstOp, profile_of
from tinyml.dialects.tdsl.contraction import ContractionOp, verify_shifts
from tinyml.dialects.tdsl.index_maps import Term
from tinyml.dialects.tdsl.movement import ReshapeOp
from tinyml.dialects.tdsl.values import Arithmetic, Array, Derivatives

__all__ = ["MatmulOp", "MatmulSumOp", "MatrixProductsOp", "ProductOp", "RowProductOp", "SpmvOp"]


def _product_shape(lhs: Shape, rhs: Shape) -> Shape:
    if len(lhs) != 2 or len(rhs) != 2:
        raise VerifyException(f"multiplies matrices, got shapes {spell(lhs)} and {spell(rhs)}")
    if lhs[1] != rhs[0]:
        raise VerifyException(f"inner dimensions differ: {spell(lhs)} times {spell(rhs)}")
    return (lhs[0], rhs[1])


class MatrixProductsOp(ContractionOp, ABC):
    """The base class of sums of one or more matrix products. `pairs` contains the operands of each product."""

    @property
    def left_shifts(self) -> Sequence[tuple[int, ...] | None]:
        """For each pair of operands, the left shift of the sum of each row; None for a pair without shifts.

        The sum is shifted before it is added to the sums of other pairs.
        """
        return [None] * len(self.pairs)

    @property
    def terms(self) -> Sequence[Term]:
        return [Term.of_matrices(*pair, left) for pair, left in zip(self.pairs, self.left_shifts, strict=True)]

    def infer_shape(self) -> Shape:
        shapes = [_product_shape(shape_of(lhs), shape_of(rhs)) for lhs, rhs in self.pairs]
        if self.initial is not None:
            shapes.append(shape_of(self.initial))
        if len(set(shapes)) > 1:
            raise VerifyException(f"sums have one shape, got {' and '.join(map(spell, shapes))}")
        return shapes[0]


class ProductOp(MatrixProductsOp, ABC):
    """The base class of a single matrix product `result[i, j] = sum_k lhs[i, k] * rhs[k, j]`."""

    lhs = operand_def(SHAPED)
    rhs = operand_def(SHAPED)
    assembly_format = (
        "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, lhs: SSAValue, rhs: SSAValue, element: Attribute | None = None):
        shape = (*shape_of(lhs)[:1], *shape_of(rhs)[1:])
        build(self, [lhs, rhs], TensorType(element or shaped(rhs).get_element_type(), shape))

    @property
    def pairs(self) -> Sequence[tuple[SSAValue, SSAValue]]:
        # Same as `self.lhs, self.rhs`, without the search that xDSL needs because of an optional operand.
        return [(self.operands[0], self.operands[1])]


@irdl_op_definition
class MatmulOp(ProductOp, HasCanonicalizationPatternsInterface):
    """The product of two dense matrices: `result[i, j] = sum_k lhs[i, k] * rhs[k, j]`, rounded to the format of the
    result.

    * acc: the type of the accumulator. Without `acc`, it is derived from the operands.
    * bound: the least and the greatest possible partial sum, in units of the accumulator. It proves that the
      accumulator is wide enough.
    * row_shifts: for each row of `lhs`, the number of bits by which its sums are shifted right before they are rounded.
    """

    name = "tdsl.matmul"

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (RowTimesConstant(),)


@irdl_op_definition
class SpmvOp(ProductOp):
    """Product of a sparse constant matrix and a dense column vector (SeeDot 5.1, `x`).

    Only the stored entries of the matrix are multiplied. `acc`, `bound` and `row_shifts` are as in `tdsl.matmul`.
    `room` is the greatest number of entries of a matrix that may replace this one; without it, the matrix is a part of
    the program.
    """

    name = "tdsl.spmv"
    room = opt_prop_def(IntegerAttr.constr(i64))

    def takes_groups(self, value: SSAValue) -> bool:
        # Stored entries have no column indices.
        groups = format_of(value).groups
        whole = groups is not None and groups.length == groups.run and groups.run.data == shape_of(value)[1]
        return whole and super().takes_groups(value)

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
    """`result = addend + lhs0 * rhs0 + lhs1 * rhs1 + ...`: the sum of dense matrix products, rounded to the format of
    the result. `factors` are lhs0, rhs0, lhs1, rhs1 and so on. Without `addend`, sums start from zero.

    The scale of each product is at least as fine as that of the previous product, so that the sum can be continued
    exactly. `acc`, `bound` and `row_shifts` are as in `tdsl.matmul`; `acc` is in units of the last product.
    `left_shifts` has one entry per product and row. The sums of row i of product p are multiplied by 2^left_shifts[p *
    rows + i] before they are added. Rows of different matrices may therefore have separate scales.
    """

    name = "tdsl.matmul_sum"
    factors = var_operand_def(SHAPED)
    addend = opt_operand_def(SHAPED)
    shifts_of_products = opt_prop_def(DenseArrayBase.constr(i8), prop_name="left_shifts")
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
    def pairs(self) -> Sequence[tuple[SSAValue, SSAValue]]:
        return list(zip(self.factors[::2], self.factors[1::2], strict=True))

    @property
    def initial(self) -> SSAValue | None:
        return self.addend

    @property
    def left_shifts(self) -> Sequence[tuple[int, ...] | None]:
        if self.shifts_of_products is None:
            return super().left_shifts
        values, rows = self.shifts_of_products.get_values(), self.rows
        parts = [tuple(values[at : at + rows]) for at in range(0, len(values), rows)]
        return [part if any(part) else None for part in parts]

    def set_left_shifts(self, parts: Sequence[Sequence[int] | None]) -> None:
        """Set the left shifts to `parts`: for each product, one shift per row, or None for no shifts."""
        rows = next((len(part) for part in parts if part is not None), 0)
        flat = [shift for part in parts for shift in part or [0] * rows]
        self.shifts_of_products = DenseArrayBase.from_list(i8, flat) if any(flat) else None

    def verify_more(self) -> None:
        if self.shifts_of_products is not None:
            verify_shifts(self.shifts_of_products.get_values(), len(self.pairs) * self.rows, "left_shifts")
        super().verify_more()

    def infer_shape(self) -> Shape:
        if not self.factors or len(self.factors) % 2:
            raise VerifyException(f"expected pairs of matrices, got {len(self.factors)} factors")
        return super().infer_shape()


class RowTimesConstant(RewritePattern):
    """Rewrite x W, for a row vector x and a constant W, to (W^T x^T)^T, and compute W^T at compile time, so that sums
    read consecutive bytes of flash.

    The products and their order do not change. Every use of W must be such a product, because flash would otherwise
    contain both W and W^T. The elements of x must not be in groups with shared scales, because groups are along rows of
    weights.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MatmulOp, rewriter: PatternRewriter, /) -> None:
        constant = op.rhs.owner
        if op.result is None or not isinstance(constant, ConstOp) or format_of(op.lhs).groups is not None:
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


@irdl_op_definition
class RowProductOp(ContractionOp):
    """`result[0, j] = addend[row, 0] + sum_k lhs[row, k] * rhs[k, j]`: one row of a `tdsl.matmul_sum`, with identical
    bits.

    `acc`, `bound`, `row_shifts` and the scales of `lhs` are those of the whole matrix.
    """

    name = "tdsl.row_product"
    lhs = operand_def(SHAPED)
    row = operand_def(IndexType)
    rhs = operand_def(SHAPED)
    addend = opt_operand_def(SHAPED)
    assembly_format = (
        "$lhs `[` $row `]` `,` $rhs (`from` $addend^ `:` type($addend))? attr-dict `:` type($lhs) `,` type($rhs)"
        " (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, lhs: SSAValue, row: SSAValue, rhs: SSAValue, initial: SSAValue | None, element: Attribute):
        shape = (1, *shape_of(rhs)[1:])
        build(self, [lhs, row, rhs, [] if initial is None else [initial]], TensorType(element, shape))

    @property
    def terms(self) -> Sequence[Term]:
        """The index maps of the products for all rows. A bound proved for these products holds for each row."""
        return [Term.of_matrices(self.lhs, self.rhs)]

    @property
    def initial(self) -> SSAValue | None:
        return self.addend

    @property
    def rows(self) -> int:
        return shape_of(self.lhs)[0]

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        lhs, row, rhs, *initial = x
        number = np.reshape(row, -1)
        start = initial[0][0, number][:, None] if initial else None
        return self.summed(arithmetic, [(lhs[0, number][:, None], rhs)], start, number)

    def derivative(self, arithmetic: Arithmetic, x: Sequence[Any], y: Array, slope: Array) -> Derivatives | None:
        # Rows are computed one by one only at L1.
        return None

    def takes_groups(self, value: SSAValue) -> bool:
        # A single row does not state its groups.
        return False

    def reads_in_place(self, operand: SSAValue) -> bool:
        # The initial sums have other elements than the result.
        return TensorOp.reads_in_place(self, operand)

    def infer_shape(self) -> Shape:
        lhs, rhs = shape_of(self.lhs), shape_of(self.rhs)
        if len(lhs) != 2 or len(rhs) != 2 or lhs[1] != rhs[0]:
            raise VerifyException(f"multiplies a row of a matrix and a matrix, got {spell(lhs)} and {spell(rhs)}")
        return (1, rhs[1])

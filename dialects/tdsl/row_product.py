"""A single row of a product of matrices, at a computed index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.arrays.values import Arithmetic, Array, Derivatives
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, shape_of, spell
from tinyml.dialects.tdsl.contraction import ContractionOp
from tinyml.dialects.tdsl.terms import Term

__all__ = ["RowProductOp"]


@irdl_op_definition
class RowProductOp(ContractionOp):
    """`result[0, j] = addend[row, 0] + sum_k lhs[row, k] * rhs[k, j]`: a row of `tdsl.matmul_sum`, bit for bit.

    `acc`, `bound`, `row_shifts` and the scales of `lhs` are those of all rows.
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
        """The products of all rows; facts about them hold for each row."""
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

    def reads_in_place(self, operand: SSAValue) -> bool:
        # The initial sums have other elements than the result.
        return TensorOp.reads_in_place(self, operand)

    def infer_shape(self) -> Shape:
        lhs, rhs = shape_of(self.lhs), shape_of(self.rhs)
        if len(lhs) != 2 or len(rhs) != 2 or lhs[1] != rhs[0]:
            raise VerifyException(f"multiplies a row of a matrix and a matrix, got {spell(lhs)} and {spell(rhs)}")
        return (1, rhs[1])

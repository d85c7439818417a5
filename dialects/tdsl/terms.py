"""The products of a contraction, located by index maps."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from tinyml.dialects.tdsl.base import Shape, shape_of

__all__ = ["Term"]

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
        """True for a product of matrices."""
        return (self.lhs_map, self.rhs_map) == _MATRICES

"""Index maps, by which ops say which elements they multiply (`Term`) and which they copy (`Move`).

Lowerings, gradients and analyses of memory derive from them; `indexed_arrays.py` applies them to numpy arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, cast

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.base import Shape, Visits, shape_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

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


@dataclass(frozen=True)
class Move:
    """A set of copies: `result[target(i)] = operand[source(i)]` for every index i of a shape.

    The symbols of both maps are the op's `indices`.
    """

    operand: SSAValue
    shape: Shape
    source: AffineMap
    target: AffineMap

    @property
    def fills(self) -> bool:
        """True if element i of the shape is copied to element i of the result."""
        return self.target == identity(len(self.shape), self.target.num_symbols)

    @property
    def keeps_index(self) -> bool:
        """True if each element keeps its index."""
        return self.fills and self.source == self.target


def identity(rank: int, symbols: int = 0) -> AffineMap:
    """The identity map on indices."""
    return AffineMap(rank, symbols, tuple(dimensions(rank)))


def dimensions(rank: int) -> list[AffineExpr]:
    """The components of an index."""
    return [AffineExpr.dimension(axis) for axis in range(rank)]


def visits_of_moves(moves: Sequence[Move], out: SSAValue, fills: bool) -> list[Visits]:
    """The steps of moves without computed indices, one after the other, perhaps after filling the result.

    Elements that keep their index are not copied.
    """
    runs = [Visits([], np.arange(prod(shape_of(out))))] if fills else []
    for move in moves:
        if move.operand is not out or not move.keeps_index:
            at = np.indices(move.shape).reshape(len(move.shape), -1)
            source, target = _numbers(move.source, at, move.operand), _numbers(move.target, at, out)
            runs.append(Visits([(move.operand, source[:, None])], target))
    return runs


def _numbers(map: AffineMap, at: NDArray[np.int64], value: SSAValue) -> NDArray[np.int64]:
    """The row-major numbers of the elements of a value at mapped indices, rank x count."""
    numbers = np.zeros(at.shape[1], np.int64)
    for expression, extent in zip(map.results, shape_of(value), strict=True):
        numbers = numbers * extent + cast(Any, expression).eval([*at], [])
    return numbers

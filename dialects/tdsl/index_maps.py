"""Affine index maps by which ops declare the elements that they multiply (`Term`) and copy (`Move`).

Lowerings, gradients and memory analyses are derived from these maps. This module also copies elements of numpy arrays,
and computes derivatives. `matrix_factors.py` sums products.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineExpr,
    AffineMap,
)

from tinyml.dialects.formats.groups import groups_in_rows
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.base import Footprint, Shape, Visits, format_of, shape_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.groups import GroupsAttr


__all__ = ["Term"]

_MATRICES = tuple(AffineMap(3, 0, tuple(map(AffineExpr.dimension, axes))) for axes in ((0, 2), (2, 1)))
"""The maps of a product of matrices: from row i, column j and summed index k."""

LINEAR = AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul


@dataclass(frozen=True)
class Term:
    """The products of two operands: element i of the result is the sum of `lhs[l(i, k)] * rhs[r(i, k)]` over all k.

    * lhs, rhs: the operands.
    * summed: the extents of k. Products are added in row-major order of k.
    * lhs_map, rhs_map: the maps l and r, from the indices of the result, followed by k, to indices of the operands.
    * left: if the left operand is a matrix, the left shift of the sum of each row. The sum is shifted before it is
      added to the sums of other terms.
    """

    lhs: SSAValue
    rhs: SSAValue
    summed: Shape
    lhs_map: AffineMap
    rhs_map: AffineMap
    left: tuple[int, ...] | None = None

    @classmethod
    def of_matrices(cls, lhs: SSAValue, rhs: SSAValue, left: tuple[int, ...] | None = None) -> Term:
        """The term that describes a matrix product of `lhs` and `rhs`.

        left: the left shift of the sum of each row; None for no shifts.
        """
        lhs_map, rhs_map = _MATRICES
        return cls(lhs, rhs, shape_of(lhs)[1:], lhs_map, rhs_map, left)

    @property
    def groups(self) -> GroupsAttr | None:
        """The groups with shared scales of the left operand, whose shifts include the left shifts of rows (`left`). An
        operand without groups has one group for each row if `left` is given; otherwise the result is None.

        The sum of each group is shifted before it is added to the sums of other groups.
        """
        groups = format_of(self.lhs).groups
        if self.left is None:
            return groups
        return groups_in_rows(groups, prod(self.summed), self.left)

    @property
    def multiplies_matrices(self) -> bool:
        return (self.lhs_map, self.rhs_map) == _MATRICES

    def footprint(self, operand: SSAValue, shape: Shape) -> Footprint | None:
        """The window of the image `operand` on which each pixel of the result depends; None if the accesses are not
        windows of an image.

        shape: the shape of the result.
        """
        maps = [map for value, map in ((self.lhs, self.lhs_map), (self.rhs, self.rhs_map)) if value is operand]
        if len(maps) != 1 or len(shape) != 4 or len(shape_of(operand)) != 4:
            return None
        image, row, column, channel = maps[0].results
        rows, columns = (self._window(axis, number) for axis, number in ((row, 1), (column, 2)))
        if image != AffineExpr.dimension(0) or rows is None or columns is None:
            return None
        kernel, strides = zip(rows, columns, strict=True)
        alone = channel == AffineExpr.dimension(3) or shape_of(operand)[3] == shape[3] == 1
        return Footprint(kernel, strides, channelwise=alone)

    def _window(self, axis: AffineExpr, result: int) -> tuple[int, int] | None:
        """The extent and the stride of the windows along an axis of an operand; None if the accesses are not windows.

        axis: the index expression for this axis.
        result: the axis of the result along which adjacent windows are computed.
        """
        if any(isinstance(part, AffineBinaryOpExpr) and part.kind not in LINEAR for part in axis.dfs()):
            return None
        points = np.eye(self.lhs_map.num_dims, dtype=int).tolist()
        first = axis.eval([0] * len(points), [])
        steps = [axis.eval(point, []) - first for point in points]
        own, summed = steps[: len(steps) - len(self.summed)], steps[len(steps) - len(self.summed) :]
        stride, others = own[result], [step for number, step in enumerate(own) if number != result]
        if first or stride < 1 or any(others) or min(summed, default=0) < 0:
            return None
        return 1 + sum(step * (extent - 1) for step, extent in zip(summed, self.summed, strict=True)), stride


@dataclass(frozen=True)
class Move:
    """A set of copies: `result[target(i)] = operand[source(i)]` for every index i of a shape.

    The symbols of both maps are `indices`, the indices that the program computes.
    """

    operand: SSAValue
    shape: Shape
    source: AffineMap
    target: AffineMap

    @property
    def fills(self) -> bool:
        """True if the move copies element i of its shape to element i of the result, for all elements of the result."""
        return self.target == identity(len(self.shape), self.target.num_symbols)

    @property
    def keeps_index(self) -> bool:
        """True if each element is copied to an element with the same index."""
        return self.fills and self.source == self.target


def identity(rank: int, symbols: int = 0) -> AffineMap:
    """The identity map on indices with `rank` axes, with `symbols` unused symbols."""
    return AffineMap(rank, symbols, tuple(dimensions(rank)))


def dimensions(rank: int) -> list[AffineExpr]:
    """The dimension expressions of an index with `rank` axes."""
    return [AffineExpr.dimension(axis) for axis in range(rank)]


def visits_of_moves(moves: Sequence[Move], out: SSAValue, fills: bool) -> list[Visits]:
    """The sequential steps of moves, with 0 for computed indices.

    moves: the moves in order.
    out: the result.
    fills: true if the result is first filled with a constant.

    If the source and the target of an element are the same place in memory, there is no step for it.
    """
    runs = [Visits([], np.arange(prod(shape_of(out))))] if fills else []
    for move in moves:
        if move.operand is not out or not move.keeps_index:
            at = np.indices(move.shape).reshape(len(move.shape), -1)
            source, target = _numbers(move.source, at, move.operand), _numbers(move.target, at, out)
            runs.append(Visits([(move.operand, source[:, None])], target))
    return runs


def _numbers(map: AffineMap, at: NDArray[np.int64], value: SSAValue) -> NDArray[np.int64]:
    """The row-major positions in `value` of the elements to which a map maps indices.

    at: the indices, of shape (rank, count).
    """
    numbers = np.zeros(at.shape[1], np.int64)
    for expression, extent in zip(map.results, shape_of(value), strict=True):
        numbers = numbers * extent + cast(Any, expression).eval([*at], [0] * map.num_symbols)
    return numbers


Array: TypeAlias = "NDArray[Any]"


def move_elements(
    moves: Sequence[Move], values: Mapping[SSAValue, Array], symbols: Sequence[Any], shape: Shape, filling: Any
) -> Array:
    """The result of moves: an array of shape (samples, *shape).

    values: the arrays of the operands.
    symbols: the computed indices.
    filling: the value of elements that no move writes.
    """
    parts = [_taken(values[move.operand], move, symbols) for move in moves]
    if len(parts) == 1 and moves[0].fills and tuple(moves[0].shape) == shape:
        return parts[0]
    samples = max(len(x) for x in (*parts, *(symbol for symbol in symbols if np.ndim(symbol))))
    whole = np.full((samples, *shape), filling, parts[0].dtype)
    for move, part in zip(moves, parts, strict=True):
        whole[_box(move, symbols) or _positions(move.target, move.shape, symbols, samples)] = part
    return whole


def insert_parts(
    whole: Array, parts: Array, offsets: Sequence[Any], order: Sequence[int], samples: NDArray[np.int64]
) -> None:
    """Write parts into the array `whole` of shape (samples, ...). If parts overlap, the later part is written last.

    parts: an array of shape (parts or 1, ...).
    offsets: for each axis of a sample, one offset for all parts or one for each part.
    order: for each axis of a part, the corresponding axis of the sample.
    samples: for each part, the index of the sample into which it is written.
    """
    ones = (1,) * len(order)
    indices: list[Any] = [samples.reshape(-1, *ones), *offsets]
    for axis, (target, extent) in enumerate(zip(order, parts.shape[1:], strict=True)):
        shape = [1, *(extent if axis == other else 1 for other in range(len(order)))]
        along: NDArray[np.int64] = np.arange(int(extent)).reshape(shape)
        indices[1 + target] = np.asarray(offsets[target]).reshape(-1, *ones) + along
    whole[tuple(indices)] = parts


def moved_back(
    x: Sequence[Any], tensors: Sequence[int], slope: Array, move: Callable[[Sequence[Any], int], Array]
) -> list[Array | None]:
    """The gradient with respect to each operand of an op that copies elements; None for operands that are not copied.

    The gradient with respect to the result is copied in the reverse direction.

    x: the values of the operands.
    tensors: the positions of the operands whose elements are copied.
    slope: the gradient with respect to the result.
    move: a function that applies the op to operands, with a fill value.
    """
    sources, starts, count = list(x), dict[int, int](), 0
    for position in tensors:
        starts[position] = count
        sources[position] = count + numbered(x[position])
        count += x[position][0].size
    # Filled elements depend on nothing: their slopes are collected in one extra element.
    back = add_at(slope, move(sources, count), np.empty((1, count + 1)))
    return [
        back[:, starts[position] : starts[position] + operand[0].size].reshape(len(slope), *operand.shape[1:])
        if position in starts
        else None
        for position, operand in enumerate(x)
    ]


def _taken(x: Array, move: Move, symbols: Sequence[Any]) -> Array:
    if (view := _strided(x, move, symbols)) is not None:
        return view
    samples = max([len(x), *(len(symbol) for symbol in symbols if np.ndim(symbol))])
    return x[_positions(move.source, move.shape, symbols, samples if len(x) > 1 else 1)]


def _positions(map: AffineMap, shape: Sequence[int], symbols: Sequence[Any], samples: int) -> tuple[Any, ...]:
    """Index arrays that select the elements to which a map with the values `symbols` maps each index of a shape.

    samples: the number of samples of the array that is indexed.
    """
    rank = len(shape)
    columns: list[Any] = [np.reshape(symbol, (-1, *(1,) * rank)) for symbol in symbols]
    grid: list[Any] = [
        np.arange(n).reshape(1, *(n if i == axis else 1 for i in range(rank))) for axis, n in enumerate(shape)
    ]
    indices = [np.asarray(expression.eval(grid, columns)) for expression in map.results]
    first = np.arange(samples).reshape(-1, *(1,) * rank)
    return (first, *(np.broadcast_to(index, np.broadcast_shapes(index.shape, (1, *shape))) for index in indices))


def _strided(x: Array, move: Move, symbols: Sequence[Any]) -> Array | None:
    """The elements that a move reads, as a slice of the array whose axes have the step 1 or -1. None if no such slice
    contains exactly these elements, and if a computed index may differ between samples.
    """
    if any(np.ndim(symbol) for symbol in symbols):
        return None
    slices: list[Any] = [slice(None)]
    axes: list[int] = []
    cut = False
    for expression, extent in zip(move.source.results, x.shape[1:], strict=True):
        used = _axes(expression)
        if used is None or len(used) > 1:
            return None
        start = _at(expression, len(move.shape), symbols, None)
        if not used:
            slices.append(start)
            continue
        [axis] = used
        step, length = _at(expression, len(move.shape), symbols, axis) - start, move.shape[axis]
        if step not in (-1, 1):
            return None
        end = start + step * length
        slices.append(slice(start, None if end < 0 else end, step))
        axes.append(axis)
        cut = cut or length < extent
    if sorted(axes) != list(range(len(move.shape))):
        return None
    part = x[tuple(slices)].transpose(0, *(1 + axes.index(axis) for axis in range(len(axes))))
    # With a contiguous copy, sums over a part of an array do not depend, even in the last bit, on the rest of the
    # array.
    return np.ascontiguousarray(part) if cut else part


def _box(move: Move, symbols: Sequence[Any]) -> tuple[slice, ...] | None:
    """For a move that writes a strided box of the result, the slice along each axis; None for other moves."""
    if any(np.ndim(symbol) for symbol in symbols) or len(move.target.results) != len(move.shape):
        return None
    slices = [slice(None)]
    for axis, (expression, extent) in enumerate(zip(move.target.results, move.shape, strict=True)):
        if _axes(expression) != frozenset({axis}):
            return None
        start, second = (_at(expression, len(move.shape), symbols, at) for at in (None, axis))
        if (step := second - start) < 1:
            return None
        slices.append(slice(start, start + step * extent, step))
    return tuple(slices)


@lru_cache(1024)
def _axes(expression: AffineExpr) -> frozenset[int] | None:
    """The axes that occur in an affine expression; None for an expression with a remainder or a quotient."""
    for part in expression.dfs():
        if not part.is_pure_affine() or any(token in str(part) for token in ("mod", "div")):
            return None
    return frozenset(expression.used_dims())


def _at(expression: AffineExpr, rank: int, symbols: Sequence[Any], axis: int | None) -> int:
    """The value of an expression at one index: 1 along the axis `axis` and 0 along all other axes, or 0 along all axes
    if `axis` is None.
    """
    return int(expression.eval([int(i == axis) for i in range(rank)], [int(symbol) for symbol in symbols]))


def numbered(x: Array) -> Array:
    """An array in the shape of an operand, with one sample, in which each element is its own row-major position."""
    count: int = x[0].size
    return np.arange(count).reshape(1, *x.shape[1:])


def add_at(slopes: Array, positions: Array, x: Array) -> Array:
    """The gradient with respect to an operand, of which elements were used several times: for each element, the sum
    of the `slopes` of its uses.

    Samples are summed separately.

    slopes: the gradient with respect to each use of an element, of shape (samples, ...).
    positions: for each of the `slopes`, the index of the element in the flattened operand, of shape (samples or 1,
        ...).
    x: the operand, with one entry for each sample along axis 0; only its shape is used.
    """
    count, size = len(slopes), x[0].size
    places = positions.reshape(len(positions), -1) + size * np.arange(count)[:, None]
    back = np.bincount(places.reshape(-1), slopes.reshape(-1), minlength=count * size)
    return back.reshape(count, *x.shape[1:])


Multiply: TypeAlias = "Callable[[Array, Array, Array | None], Array]"
"""Multiplies stacked matrices, (n or 1, i, k) times (n or 1, k, j), and adds the products to initial sums, if any."""


def is_run(whole: Sequence[int], part: Sequence[int]) -> bool:
    """Whether a subview of shape `part` is contiguous in an array of shape `whole`."""
    first = next((axis for axis, extent in enumerate(part) if extent != 1), len(part))
    return tuple(part[first + 1 :]) == tuple(whole[first + 1 :])

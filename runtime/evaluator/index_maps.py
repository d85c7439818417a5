"""Index maps on arrays: moves of elements, and the factors of sums as stacks of matrices.

Arrays have a leading axis over the samples, of extent 1 if they do not depend on the input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from xdsl.ir.affine import AffineExpr, AffineMap

from tinyml.dialects import tdsl

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"
Multiply: TypeAlias = "Callable[[Array, Array, Array | None], Array]"
"""Multiplies stacked matrices, (n or 1, i, k) times (n or 1, k, j), and adds the products to initial sums, if any."""


def move_elements(op: tdsl.MovementOp, arguments: Sequence[Any]) -> Array:
    """The result of an op that copies elements."""
    values = dict(zip(op.operands, arguments, strict=True))
    symbols = [values[index] for index in op.indices]
    parts = [_taken(values[move.operand], move, symbols) for move in op.moves]
    if len(parts) == 1 and op.moves[0].fills:
        return parts[0]
    samples = max(len(x) for x in (*parts, *(symbol for symbol in symbols if np.ndim(symbol))))
    whole = np.empty((samples, *tdsl.shape_of(op.out)), parts[0].dtype)
    for move, part in zip(op.moves, parts, strict=True):
        whole[_positions(move.target, move.shape, symbols, samples)] = part
    return whole


def _taken(x: Array, move: tdsl.Move, symbols: Sequence[Any]) -> Array:
    """The elements that a move reads, in the move's shape."""
    if (view := _strided(x, move, symbols)) is not None:
        return view
    samples = max([len(x), *(len(symbol) for symbol in symbols if np.ndim(symbol))])
    return x[_positions(move.source, move.shape, symbols, samples if len(x) > 1 else 1)]


def _positions(map: AffineMap, shape: Sequence[int], symbols: Sequence[Any], samples: int) -> tuple[Any, ...]:
    """Arrays that index the elements to which a map takes each index of a shape; samples: of the indexed array."""
    rank = len(shape)
    columns: list[Any] = [np.reshape(symbol, (-1, *(1,) * rank)) for symbol in symbols]
    grid: list[Any] = [
        np.arange(n).reshape(1, *(n if i == axis else 1 for i in range(rank))) for axis, n in enumerate(shape)
    ]
    indices = [np.asarray(expression.eval(grid, columns)) for expression in map.results]
    first = np.arange(samples).reshape(-1, *(1,) * rank)
    return (first, *(np.broadcast_to(index, np.broadcast_shapes(index.shape, (1, *shape))) for index in indices))


def _strided(x: Array, move: tdsl.Move, symbols: Sequence[Any]) -> Array | None:
    """The elements that a move reads, by slicing the array; None if slices cannot express the move."""
    if any(np.ndim(symbol) for symbol in symbols):
        return None
    slices: list[Any] = [slice(None)]
    axes: list[int] = []
    cut = False
    for expression, extent in zip(move.source.results, x.shape[1:], strict=True):
        if any(not _adds(part) for part in expression.dfs()):
            return None
        used = expression.used_dims()
        start = _at(expression, len(move.shape), symbols, None)
        if not used:
            slices.append(start)
            continue
        if len(used) > 1:
            return None
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
    # A contiguous copy makes sums over a part of an array independent, to the last bit, of the array around it.
    return np.ascontiguousarray(part) if cut else part


def _adds(expression: AffineExpr) -> bool:
    """Is an expression affine, without remainders and divisions?"""
    return expression.is_pure_affine() and not any(token in str(expression) for token in ("mod", "div"))


def _at(expression: AffineExpr, rank: int, symbols: Sequence[Any], axis: int | None) -> int:
    """The value of an expression at index 0, or at index 1 of one axis."""
    return int(expression.eval([int(i == axis) for i in range(rank)], [int(symbol) for symbol in symbols]))


def sum_products(term: tdsl.Term, shape: tdsl.Shape, lhs: Array, rhs: Array, sums: Array | None, by: Multiply) -> Array:
    """The summed products of a term for a result of a shape, added to initial sums of that shape, if any."""
    if term.multiplies_matrices:
        return by(lhs, rhs, sums)
    factors = Factors(term, shape)
    left, right = factors.matrices(lhs, rhs)
    starts = None if sums is None else factors.arranged(sums)
    stack = [by(left[:, i], right[:, i], None if starts is None else starts[:, i]) for i in range(left.shape[1])]
    return factors.restored(np.stack(stack, 1))


class Factors:
    """The factors of a term as stacks of matrices.

    Result axes on which both factors depend form the stack, those of the left factor alone the rows, the rest the
    columns.
    """

    def __init__(self, term: tdsl.Term, shape: tdsl.Shape):
        self.term, self.shape = term, shape
        left, right = ({axis for axis in map.used_dims() if axis < len(shape)} for map in (term.lhs_map, term.rhs_map))
        axes = range(len(shape))
        self.stack = [axis for axis in axes if axis in left and axis in right]
        self.rows = [axis for axis in axes if axis not in right]
        self.columns = [axis for axis in axes if axis in right and axis not in left]
        self.summed = list(range(len(shape), len(shape) + len(term.summed)))
        self.extents = *shape, *term.summed

    def matrices(self, lhs: Array, rhs: Array) -> tuple[Array, Array]:
        """Arrays of shape (samples, stack, rows, summed) and (samples, stack, summed, columns)."""
        return (
            self._gathered(lhs, self.term.lhs_map, (self.stack, self.rows, self.summed)),
            self._gathered(rhs, self.term.rhs_map, (self.stack, self.summed, self.columns)),
        )

    def _gathered(self, x: Array, map: AffineMap, groups: Sequence[Sequence[int]]) -> Array:
        axes = [axis for group in groups for axis in group]
        shape = [self.extents[axis] for axis in axes]
        grid: list[Any] = [0] * len(self.extents)
        for place, axis in enumerate(axes):
            grid[axis] = np.arange(self.extents[axis]).reshape(-1, *(1,) * (len(axes) - place - 1))
        index = (np.broadcast_to(np.asarray(expression.eval(grid, [])), shape) for expression in map.results)
        return x[(slice(None), *index)].reshape(
            len(x), *(prod(self.extents[axis] for axis in group) for group in groups)
        )

    @property
    def _order(self) -> list[int]:
        return [*self.stack, *self.rows, *self.columns]

    def arranged(self, sums: Array) -> Array:
        """Sums of the result's shape, rearranged to shape (samples, stack, rows, columns)."""
        groups = (prod(self.shape[axis] for axis in group) for group in (self.stack, self.rows, self.columns))
        return sums.transpose(0, *(1 + axis for axis in self._order)).reshape(len(sums), *groups)

    def restored(self, sums: Array) -> Array:
        """Sums of shape (samples, stack, rows, columns), rearranged to the result's shape."""
        order = self._order
        apart = sums.reshape(len(sums), *(self.shape[axis] for axis in order))
        return apart.transpose(0, *(1 + order.index(axis) for axis in range(len(order))))

    def derivatives(self, lhs: Array, rhs: Array, slope: Array) -> tuple[Array, Array]:
        """The derivatives with respect to both operands; slope: that with respect to the result."""
        left, right = self.matrices(lhs, rhs)
        by_sum = self.arranged(slope)
        by_left, by_right = by_sum @ right.swapaxes(-1, -2), left.swapaxes(-1, -2) @ by_sum
        of_left, of_right = self.matrices(numbered(lhs), numbered(rhs))
        return add_at(by_left, of_left, lhs), add_at(by_right, of_right, rhs)


def numbered(x: Array) -> Array:
    """The row-major positions of an operand's elements, in the operand's shape, the same for all samples."""
    count: int = x[0].size
    return np.arange(count).reshape(1, *x.shape[1:])


def add_at(slopes: Array, positions: Array, x: Array) -> Array:
    """The derivatives of an operand, added up from those of elements at positions; samples stay separate.

    slopes: (samples, ...). positions: indices of elements in the flattened operand, of shape (samples or 1, ...).
    """
    back = np.zeros((len(slopes), x[0].size))
    samples = np.arange(len(slopes))[:, None]
    np.add.at(back, (samples, positions.reshape(len(positions), -1)), slopes.reshape(len(slopes), -1))
    return back.reshape(len(slopes), *x.shape[1:])

"""Sums of products on arrays: the factors of a term as stacks of matrices, located by index maps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineMap,
)

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.arrays.movements import add_at, numbered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.tdsl.base import Shape
    from tinyml.dialects.tdsl.terms import Term

Array: TypeAlias = "NDArray[Any]"
Multiply: TypeAlias = "Callable[[Array, Array, Array | None], Array]"
"""Multiplies stacked matrices, (n or 1, i, k) times (n or 1, k, j), and adds the products to initial sums, if any."""

BLOCK = 1 << 22
"""The most elements that are gathered from an operand at a time, unless one sample has more."""


def sum_products(term: Term, shape: Shape, lhs: Array, rhs: Array, sums: Array | None, by: Multiply) -> Array:
    """The summed products of a term for a result of a shape, added to initial sums of that shape, if any."""
    if term.multiplies_matrices:
        return by(lhs, rhs, sums)
    return MatrixFactors(term, shape).products(lhs, rhs, sums, by)


@dataclass(frozen=True)
class _Axis:
    """An axis over which a term is computed: a dimension of its maps, or the part of one that counts in steps."""

    dimension: int
    step: int
    extent: int


class MatrixFactors:
    """The factors of a term as stacks of matrices.

    Result axes on which both factors depend form the stack, those of the left factor alone the rows, the rest the
    columns. A dimension d that a map divides, as in d div 4, counts as two axes.
    """

    def __init__(self, term: Term, shape: Shape):
        self.shape = shape
        extents = *shape, *term.summed
        divisors = {d: n for map in (term.lhs_map, term.rhs_map) for d, n in _divisors(map)}
        self.axes: list[_Axis] = []
        for dimension, extent in enumerate(extents):
            if (step := divisors.get(dimension, 1)) > 1:
                self.axes.append(_Axis(dimension, step, extent // step))
            self.axes.append(_Axis(dimension, 1, step if step > 1 else extent))
        self.left, self.right = (_MatrixAccess(map, self.axes, len(extents)) for map in (term.lhs_map, term.rhs_map))
        axes = [i for i, axis in enumerate(self.axes) if axis.dimension < len(shape)]
        self.stack = [i for i in axes if i in self.left.used and i in self.right.used]
        self.rows = [i for i in axes if i not in self.right.used]
        self.columns = [i for i in axes if i in self.right.used and i not in self.left.used]
        self.summed = list(range(len(axes), len(self.axes)))
        self.extents = [self.axes[axis].extent for axis in axes]

    def _size(self, axes: Sequence[int]) -> int:
        return prod(self.axes[axis].extent for axis in axes)

    def products(self, lhs: Array, rhs: Array, sums: Array | None, by: Multiply) -> Array:
        """The summed products; where all samples have the same left factor, each column is a sample of its own."""
        samples = max(len(lhs), len(rhs), 0 if sums is None else len(sums))
        length, rows, columns = map(self._size, (self.summed, self.rows, self.columns))
        result: Array | None = None
        for part in _slices(samples, max(BLOCK // max(columns * length, rows), 1)):
            left, right = self.left.view(_part(lhs, part)), self.right.view(_part(rhs, part))
            starts = None if sums is None else self._arranged(_part(sums, part))
            for index in product(*(range(self.axes[axis].extent) for axis in self.stack)):
                lefts = self._at(left, index, (self.rows, self.summed))
                rights = self._at(right, index, (self.columns, self.summed))
                begun = None if starts is None else starts[(slice(None), *index)].reshape(-1, columns, rows)
                made = _multiplied(lefts, rights, begun, by)
                if result is None:
                    result = np.empty((samples, *self.extents), made.dtype)
                self._ordered(_part(result, part))[(slice(None), *index)] = made.reshape(
                    len(made), *(self.axes[axis].extent for axis in (*self.columns, *self.rows))
                )
        assert result is not None
        return result.reshape(samples, *self.shape)

    def _at(self, view: Array, stack_index: Sequence[int], groups: Sequence[Sequence[int]]) -> Array:
        """The part of a view at an index of the stack, as (samples, ...) with one axis for each group of axes."""
        axes = [axis for group in groups for axis in group]
        index: list[Any] = [0] * len(self.axes)
        for axis in axes:
            index[axis] = slice(None)
        for axis, at in zip(self.stack, stack_index, strict=True):
            index[axis] = at
        kept = sorted(axes)
        part = view[(slice(None), *index)].transpose(0, *(1 + kept.index(axis) for axis in axes))
        return part.reshape(len(part), *(self._size(group) for group in groups))

    def _ordered(self, result: Array) -> Array:
        """A view of results by axes, in the order stack, columns, rows."""
        return result.transpose(0, *(1 + axis for axis in (*self.stack, *self.columns, *self.rows)))

    def _arranged(self, sums: Array) -> Array:
        return self._ordered(sums.reshape(len(sums), *self.extents))

    def matrices(self, lhs: Array, rhs: Array) -> tuple[Array, Array]:
        """Arrays of shape (samples, stack, rows, summed) and (samples, stack, summed, columns)."""
        indices = list(product(*(range(self.axes[axis].extent) for axis in self.stack)))
        left, right = self.left.view(lhs), self.right.view(rhs)
        return (
            np.stack([self._at(left, index, (self.rows, self.summed)) for index in indices], 1),
            np.stack([self._at(right, index, (self.summed, self.columns)) for index in indices], 1),
        )

    def right_vectors(self, rhs: Array, step: int) -> Array:
        """Every `step`-th column of the right factor, of shape (samples, columns, stack, summed)."""
        indices = list(product(*(range(self.axes[axis].extent) for axis in self.stack)))
        right = self.right.view(rhs)
        parts = [self._at(right, index, (self.columns, self.summed))[:, ::step] for index in indices]
        return np.stack(parts, 2)

    def derivatives(self, lhs: Array, rhs: Array, slope: Array) -> tuple[Array, Array]:
        """The derivatives with respect to both operands; slope: that with respect to the result."""
        left, right = self.matrices(lhs, rhs)
        stack, rows, columns = map(self._size, (self.stack, self.rows, self.columns))
        by_sum = self._arranged(slope).reshape(len(slope), stack, columns, rows).swapaxes(-1, -2)
        by_left, by_right = by_sum @ right.swapaxes(-1, -2), left.swapaxes(-1, -2) @ by_sum
        of_left, of_right = self.matrices(numbered(lhs), numbered(rhs))
        return add_at(by_left, of_left, lhs), add_at(by_right, of_right, rhs)


class _MatrixAccess:
    """The elements of an operand that a term reads, by axes. used: the axes on which they depend."""

    def __init__(self, map: AffineMap, axes: Sequence[_Axis], dimensions: int):
        self.extents = [axis.extent for axis in axes]
        points = _points(axes, dimensions)
        self.start, *ends = ([expression.eval(point, []) for expression in map.results] for point in points)
        self.steps = [[b - a for a, b in zip(self.start, end, strict=True)] for end in ends]
        self.used = {i for i, step in enumerate(self.steps) if any(step)}

    def view(self, x: Array) -> Array:
        """The elements, of shape (samples, extents of the axes)."""
        for number, extent in enumerate(x.shape[1:]):
            moves = [step[number] * (count - 1) for step, count in zip(self.steps, self.extents, strict=True)]
            low, high = (self.start[number] + sum(end(move, 0) for move in moves) for end in (min, max))
            assert 0 <= low <= high < extent
        first = x[(slice(None), *(slice(at, None) for at in self.start))]
        strides = [sum(a * b for a, b in zip(step, x.strides[1:], strict=True)) for step in self.steps]
        shape = len(x), *self.extents
        return np.lib.stride_tricks.as_strided(first, shape, (x.strides[0], *strides), writeable=False)


def _points(axes: Sequence[_Axis], dimensions: int) -> Iterator[list[int]]:
    """The first index of a term, then its neighbour along each axis."""
    yield [0] * dimensions
    for axis in axes:
        yield [axis.step if d == axis.dimension and axis.extent > 1 else 0 for d in range(dimensions)]


def _divisors(map: AffineMap) -> Iterator[tuple[int, int]]:
    """The dimensions that a map divides, with their divisors."""
    for part in (part for result in map.results for part in result.dfs()):
        match part:
            case AffineBinaryOpExpr(
                kind=AffineBinaryOpKind.FloorDiv,
                lhs=AffineDimExpr(position=position),
                rhs=AffineConstantExpr(value=divisor),
            ):
                yield position, divisor
            case _:
                pass


def _multiplied(left: Array, right: Array, starts: Array | None, by: Multiply) -> Array:
    """Products of shape (samples, columns, rows).

    left: of shape (samples or 1, rows, summed). right: (samples, columns, summed).
    """
    if len(left) > 1:
        return by(left, right.swapaxes(1, 2), None if starts is None else starts.swapaxes(1, 2)).swapaxes(1, 2)
    samples, columns, length = right.shape
    each = right.reshape(samples * columns, length, 1)
    begun = None
    if starts is not None:
        begun = np.broadcast_to(starts, (samples, *starts.shape[1:])).reshape(samples * columns, -1, 1)
    return by(left, each, begun).reshape(samples, columns, -1)


def _slices(count: int, length: int) -> Iterator[slice]:
    return (slice(start, start + length) for start in range(0, count, length))


def _part(x: Array, part: slice) -> Array:
    """A part of the samples; all of an array that does not depend on them."""
    return x if len(x) == 1 else x[part]

"""Sums of the products of a term (`Term`) on numpy arrays: the factors are arranged as stacks of matrices, which numpy
multiplies in one call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.base import Shape
from tinyml.dialects.tdsl.index_maps import LINEAR, Array, Multiply, Term, add_at, numbered

BLOCK = 1 << 22
"""Maximum elements that are gathered from an operand at a time, unless one sample has more."""


@dataclass(frozen=True)
class _Axis:
    """An axis over which the products of a term are computed.

    The axis is a dimension of the term's maps. If a map divides a dimension, the quotient and the remainder are two
    axes.

    dimension: the index of the dimension.
    step: the amount by which the dimension increases per step along the axis.
    extent: the number of steps.
    """

    dimension: int
    step: int
    extent: int


class MatrixFactors:
    """The factors of a term as stacks of matrices.

    Result axes on which both factors depend form the stack. Result axes on which only the left factor depends form the
    rows, and the remaining result axes form the columns. If a map divides a dimension d by a divisor of its extent, as
    in d div 4, the quotient and the remainder count as two axes.
    """

    def __init__(self, term: Term, shape: Shape):
        self.shape = shape
        extents = *shape, *term.summed
        divisors = dict(pair for map in (term.lhs_map, term.rhs_map) for pair in _divisors(map))
        divisors = {d: n for d, n in divisors.items() if extents[d] % n == 0}
        self.axes: list[_Axis] = []
        for dimension, extent in enumerate(extents):
            if (step := divisors.get(dimension, 1)) > 1:
                self.axes.append(_Axis(dimension, step, extent // step))
            self.axes.append(_Axis(dimension, 1, step if step > 1 else extent))
        self.left, self.right = (
            _MatrixAccess(map, self.axes, extents, divisors) for map in (term.lhs_map, term.rhs_map)
        )
        axes = [i for i, axis in enumerate(self.axes) if axis.dimension < len(shape)]
        self.stack = [i for i in axes if i in self.left.used and i in self.right.used]
        self.rows = [i for i in axes if i not in self.right.used]
        self.columns = [i for i in axes if i in self.right.used and i not in self.left.used]
        self.summed = list(range(len(axes), len(self.axes)))
        self.extents = [self.axes[axis].extent for axis in axes]

    def _size(self, axes: Sequence[int]) -> int:
        return prod(self.axes[axis].extent for axis in axes)

    def products(self, lhs: Array, rhs: Array, sums: Array | None, by: Multiply) -> Array:
        """The sums of products. If the left factor is the same for all samples, each sample becomes a column of the
        right matrix.

        sums: initial sums; None if sums start at zero.
        by: the function that multiplies stacks of matrices.
        """
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
        """The part of the array `view` at the index `stack_index` of the stack, of shape (samples, ...), with one axis
        for each group of axes.
        """
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
        return result.transpose(0, *(1 + axis for axis in (*self.stack, *self.columns, *self.rows)))

    def _arranged(self, sums: Array) -> Array:
        return self._ordered(sums.reshape(len(sums), *self.extents))

    def matrices(self, lhs: Array, rhs: Array) -> tuple[Array, Array]:
        """The left and the right factor as stacks of matrices.

        The shapes are (samples, stack, rows, summed) and (samples, stack, summed, columns).
        """
        indices = list(product(*(range(self.axes[axis].extent) for axis in self.stack)))
        left, right = self.left.view(lhs), self.right.view(rhs)
        return (
            np.stack([self._at(left, index, (self.rows, self.summed)) for index in indices], 1),
            np.stack([self._at(right, index, (self.summed, self.columns)) for index in indices], 1),
        )

    def right_vectors(self, rhs: Array, step: int) -> Array:
        """Every `step`-th column of the right factor, as an array of shape (samples, columns, stack, summed)."""
        indices = list(product(*(range(self.axes[axis].extent) for axis in self.stack)))
        right = self.right.view(rhs)
        parts = [self._at(right, index, (self.columns, self.summed))[:, ::step] for index in indices]
        return np.stack(parts, 2)

    def derivatives(self, lhs: Array, rhs: Array, slope: Array) -> tuple[Array, Array]:
        """The gradients with respect to the left and right operands.

        slope: the gradient with respect to the result.
        """
        left, right = self.matrices(lhs, rhs)
        stack, rows, columns = map(self._size, (self.stack, self.rows, self.columns))
        by_sum = self._arranged(slope).reshape(len(slope), stack, columns, rows).swapaxes(-1, -2)
        by_left, by_right = by_sum @ right.swapaxes(-1, -2), left.swapaxes(-1, -2) @ by_sum
        of_left, of_right = self.matrices(numbered(lhs), numbered(rhs))
        return add_at(by_left, of_left, lhs), add_at(by_right, of_right, rhs)


class _MatrixAccess:
    """The elements of an operand that a term reads, arranged by axes.

    used: the axes on which the index of the element depends.
    gathered: for each index of the dimensions that a map uses, the index of the operand's element; None for maps that
        are linear along the axes. A map with a remainder is not linear.
    """

    def __init__(self, map: AffineMap, axes: Sequence[_Axis], extents: Shape, divisors: Mapping[int, int]):
        self.gathered: tuple[Any, ...] | None = None
        if not all(_is_linear(expression, divisors) for expression in map.results):
            used = sorted(map.used_dims())
            at = dict(zip(used, np.indices([extents[d] for d in used]), strict=True))
            point: list[Any] = [at.get(d, 0) for d in range(len(extents))]
            self.gathered = tuple(np.broadcast_to(one.eval(point, []), at[used[0]].shape) for one in map.results)
            map = AffineMap(map.num_dims, 0, tuple(AffineExpr.dimension(d) for d in used))
        self.extents = [axis.extent for axis in axes]
        points = _points(axes, len(extents))
        self.start, *ends = ([expression.eval(point, []) for expression in map.results] for point in points)
        self.steps = [[b - a for a, b in zip(self.start, end, strict=True)] for end in ends]
        self.used = {i for i, step in enumerate(self.steps) if any(step)}

    def view(self, x: Array) -> Array:
        """The elements as an array of shape (samples, extents of the axes)."""
        if self.gathered is not None:
            x = x[(slice(None), *self.gathered)]
        for number, extent in enumerate(x.shape[1:]):
            moves = [step[number] * (count - 1) for step, count in zip(self.steps, self.extents, strict=True)]
            low, high = (self.start[number] + sum(end(move, 0) for move in moves) for end in (min, max))
            assert 0 <= low <= high < extent
        first = x[(slice(None), *(slice(at, None) for at in self.start))]
        strides = [sum(a * b for a, b in zip(step, x.strides[1:], strict=True)) for step in self.steps]
        shape = len(x), *self.extents
        return np.lib.stride_tricks.as_strided(first, shape, (x.strides[0], *strides), writeable=False)


def _points(axes: Sequence[_Axis], dimensions: int) -> Iterator[list[int]]:
    """Yield the origin of a term's dimensions, and then, for each axis, the index that is one step from the origin
    along this axis.
    """
    yield [0] * dimensions
    for axis in axes:
        yield [axis.step if d == axis.dimension and axis.extent > 1 else 0 for d in range(dimensions)]


def _is_linear(expression: AffineExpr, divisors: Mapping[int, int]) -> bool:
    """True for a sum of multiples of dimensions, and of quotients of dimensions by their divisors.

    divisors: for each dimension that is split into two axes, the divisor.
    """
    match expression:
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.FloorDiv, lhs=AffineDimExpr(position=d), rhs=divisor):
            return divisors.get(d) == (divisor.value if isinstance(divisor, AffineConstantExpr) else 0)
        case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=rhs):
            return kind in LINEAR and _is_linear(lhs, divisors) and _is_linear(rhs, divisors)
        case _:
            return True


def _divisors(map: AffineMap) -> Iterator[tuple[int, int]]:
    """Yield pairs (dimension, divisor) for the dimensions that a map divides."""
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
    """Products of stacks of matrices, as an array of shape (samples, columns, rows).

    left: the left factor of each sample, or one left factor for all samples, of shape (samples or 1, rows,
        summed).
    right: the transposed right factor of each sample, of shape (samples, columns, summed).
    starts: initial sums; None if sums start at zero.
    by: the function that multiplies stacks of matrices.
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
    """The samples `part` of an array; the whole array if it has a single sample that represents all samples."""
    return x if len(x) == 1 else x[part]

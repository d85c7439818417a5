"""Copies of elements by index maps, on arrays, and their derivatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.tdsl.base import Shape
    from tinyml.dialects.tdsl.visits import Move

Array: TypeAlias = "NDArray[Any]"


def move_elements(
    moves: Sequence[Move], values: Mapping[SSAValue, Array], symbols: Sequence[Any], shape: Shape, filling: Any
) -> Array:
    """The elements of some values, copied by moves to an array of a shape for each sample.

    symbols: the computed indices. filling: the element that no move writes.
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
    """Write parts into an array (samples, ...), each over the ones before it.

    parts: (parts or 1, ...). offsets: for each axis of a sample one offset, or one for each part. order: for each axis
    of a part the axis of the sample along which it lies. samples: the sample of each part.
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
    """The derivatives with respect to the operands of an op that copies elements: the slopes moved back.

    tensors: the positions of the operands whose elements are copied. move: the op, for operands and a filling.
    """
    sources, starts, count = list(x), dict[int, int](), 0
    for position in tensors:
        starts[position] = count
        sources[position] = count + numbered(x[position])
        count += x[position][0].size
    # Filled elements depend on nothing: their slopes are added up behind all others.
    back = add_at(slope, move(sources, count), np.empty((1, count + 1)))
    return [
        back[:, starts[position] : starts[position] + operand[0].size].reshape(len(slope), *operand.shape[1:])
        if position in starts
        else None
        for position, operand in enumerate(x)
    ]


def _taken(x: Array, move: Move, symbols: Sequence[Any]) -> Array:
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


def _strided(x: Array, move: Move, symbols: Sequence[Any]) -> Array | None:
    """The elements that a move reads, by slicing the array; None if slices cannot express the move."""
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
    # A contiguous copy makes sums over a part of an array independent, to the last bit, of the array around it.
    return np.ascontiguousarray(part) if cut else part


def _box(move: Move, symbols: Sequence[Any]) -> tuple[slice, ...] | None:
    """The slices that a move writes in one piece; None if it does not."""
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
    """The axes in an affine expression; None for an expression with a remainder or a division."""
    for part in expression.dfs():
        if not part.is_pure_affine() or any(token in str(part) for token in ("mod", "div")):
            return None
    return frozenset(expression.used_dims())


def _at(expression: AffineExpr, rank: int, symbols: Sequence[Any], axis: int | None) -> int:
    """The value of an expression at index 0, or at index 1 of one axis."""
    return int(expression.eval([int(i == axis) for i in range(rank)], [int(symbol) for symbol in symbols]))


def numbered(x: Array) -> Array:
    """The row-major positions of an operand's elements, in the operand's shape, the same for all samples."""
    count: int = x[0].size
    return np.arange(count).reshape(1, *x.shape[1:])


def add_at(slopes: Array, positions: Array, x: Array) -> Array:
    """The derivatives of an operand, added up from those of elements at positions; samples stay separate.

    slopes: (samples, ...). positions: indices of elements in the flattened operand, of shape (samples or 1, ...).
    """
    count, size = len(slopes), x[0].size
    places = positions.reshape(len(positions), -1) + size * np.arange(count)[:, None]
    back = np.bincount(places.reshape(-1), slopes.reshape(-1), minlength=count * size)
    return back.reshape(count, *x.shape[1:])

"""Squared distances of a vector from constant vectors, in the forms that models write."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOLERANCE = 1e-4
"""The relative error allowed to constant squares against those of the vectors that a model multiplies by."""


@dataclass(frozen=True)
class Distances:
    """Squared distances of `point`, a vector of any shape, from the rows of `prototypes` (number, length)."""

    point: SSAValue
    prototypes: NDArray[Any]
    prototypes_first: bool
    name: str | None


def distances_of(value: SSAValue) -> Distances | None:
    """The distances that a vector consists of; None for other vectors."""
    return _of_differences(value) or _of_expansion(value)


def _of_differences(value: SSAValue) -> Distances | None:
    """The distances that a vector consists of: sums, by ones, of the squares of differences from a constant."""
    op = value.owner
    if (
        not isinstance(op, tdsl.MatmulOp)
        or not value.has_one_use()
        or not isinstance(ones := op.rhs.owner, tdsl.ConstOp)
    ):
        return None
    if shape_of(op.rhs)[1] != 1 or not np.all(ones.raws == 1):
        return None
    moves: list[tdsl.ReshapeOp | tdsl.TransposeOp] = []
    squares = op.lhs
    while isinstance(squares.owner, tdsl.ReshapeOp | tdsl.TransposeOp) and squares.has_one_use():
        moves.append(squares.owner)
        squares = squares.owner.input
    square = squares.owner
    if not isinstance(square, tdsl.MulOp) or square.lhs is not square.rhs or not squares.has_one_use():
        return None
    difference = square.lhs.owner
    if not isinstance(difference, tdsl.SubOp) or any(use.operation is not square for use in square.lhs.uses):
        return None
    for point, other in ((difference.lhs, difference.rhs), (difference.rhs, difference.lhs)):
        if isinstance(other.owner, tdsl.ConstOp) and not isinstance(point.owner, tdsl.ConstOp):
            shape = shape_of(square.lhs)
            rows = _moved(np.broadcast_to(other.owner.raws, shape), moves)
            numbers = np.arange(prod(shape_of(point))).reshape(shape_of(point))
            order = _moved(np.broadcast_to(numbers, shape), moves)
            if rows.shape[1] == numbers.size and (order == np.arange(numbers.size)).all():
                return Distances(point, rows, other is difference.lhs, other.name_hint)
    return None


def _moved(array: NDArray[Any], moves: list[tdsl.ReshapeOp | tdsl.TransposeOp]) -> NDArray[Any]:
    """The elements of an array after moves, which are applied from the last of the list to the first."""
    for move in reversed(moves):
        array = array.transpose(move.axes) if isinstance(move, tdsl.TransposeOp) else array.reshape(shape_of(move.out))
    return array


def _of_expansion(value: SSAValue) -> Distances | None:
    """Distances as x x - 2 b x + b b, where b x are products with a constant matrix and b b is a constant."""
    number = prod(shape_of(value))
    squares, constant = np.zeros(number), np.zeros(number)
    matrix: NDArray[Any] | None = None
    points: list[SSAValue] = []
    name = None
    for factor, term in _terms(value, 1.0):
        op = term.owner
        if isinstance(op, tdsl.ConstOp) and op.raws.size in (1, number):
            constant = constant + factor * op.raws.ravel().astype(np.float64)
        elif (point := _squared(term)) is not None and number > 1:
            squares = squares + factor
            points.append(point)
        elif isinstance(op, tdsl.MatmulOp) and isinstance(op.lhs.owner, tdsl.ConstOp) and matrix is None:
            matrix, name = factor * op.lhs.owner.raws.astype(np.float64), op.lhs.name_hint
            points.append(_unshaped(op.rhs))
        else:
            return None
    if matrix is None or len(points) != 2 or points[0] is not points[1] or not np.all(squares == 1):
        return None
    prototypes = matrix / -2
    if len(prototypes) != number or prototypes.shape[1] != prod(shape_of(points[0])):
        return None
    if not np.allclose(constant, (prototypes**2).sum(1), rtol=TOLERANCE, atol=0):
        return None
    return Distances(points[0], prototypes.astype(np.float32), False, name)


def _terms(value: SSAValue, factor: float) -> Iterator[tuple[float, SSAValue]]:
    """The terms of a sum, with their factors."""
    op = value.owner
    if not value.has_one_use() or not isinstance(op, tdsl.TensorOp):
        yield factor, value
        return
    match op:
        case tdsl.AddOp() | tdsl.SubOp():
            yield from _terms(op.lhs, factor)
            yield from _terms(op.rhs, -factor if isinstance(op, tdsl.SubOp) else factor)
        case tdsl.NegOp() | tdsl.ReshapeOp():
            yield from _terms(op.input, -factor if isinstance(op, tdsl.NegOp) else factor)
        case tdsl.MulOp():
            for side, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                if isinstance(other.owner, tdsl.ConstOp) and other.owner.raws.size == 1:
                    yield from _terms(side, factor * float(other.owner.raws.item()))
                    return
            yield factor, value
        case _:
            yield factor, value


def _squared(value: SSAValue) -> SSAValue | None:
    """The vector whose squares a value sums: by ones, after a product with itself."""
    op = value.owner
    if not isinstance(op, tdsl.MatmulOp) or prod(shape_of(value)) != 1:
        return None
    if not isinstance(ones := op.rhs.owner, tdsl.ConstOp) or not np.all(ones.raws == 1):
        return None
    square = _unshaped(op.lhs).owner
    return _unshaped(square.lhs) if isinstance(square, tdsl.MulOp) and square.lhs is square.rhs else None


def _unshaped(value: SSAValue) -> SSAValue:
    """A value before reshapes."""
    while isinstance(value.owner, tdsl.ReshapeOp):
        value = value.owner.input
    return value

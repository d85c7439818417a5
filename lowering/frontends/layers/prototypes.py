"""Rewriting of weighted sums over prototypes as loops over the prototypes.

ProtoNN computes such sums from squared distances. An ONNX model subtracts all prototypes at once, squares the
differences, sums them and multiplies them by a matrix. These intermediate arrays have a row per prototype. The loop
stores only one difference and one distance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, TensorType, f32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tinyml.dialects import tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.model_builder import in_shape_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


TOLERANCE = 1e-4
"""The maximum relative difference between the squares that a model stores and the squares of its prototypes."""


@dataclass(frozen=True)
class _Distances:
    """Squared Euclidean distances between `point`, a vector of any shape, and the rows of `prototypes` (shape:
    number, length).
    """

    point: SSAValue
    prototypes: NDArray[Any]
    prototypes_first: bool
    name: str | None


def _distances_of(value: SSAValue) -> _Distances | None:
    return _of_differences(value) or _of_expansion(value)


def _of_differences(value: SSAValue) -> _Distances | None:
    """Match squared distances of the form 1^T ((x - constant)^2), where the product with ones sums the squares. Returns
    None for any other value.
    """
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
                return _Distances(point, rows, other is difference.lhs, other.name_hint)
    return None


def _moved(array: NDArray[Any], moves: list[tdsl.ReshapeOp | tdsl.TransposeOp]) -> NDArray[Any]:
    for move in reversed(moves):
        array = array.transpose(move.axes) if isinstance(move, tdsl.TransposeOp) else array.reshape(shape_of(move.out))
    return array


def _of_expansion(value: SSAValue) -> _Distances | None:
    """Match squared distances of the form x x - 2 b x + b b. Returns None for any other value.

    b x must be a product with a constant matrix, and b b a constant.
    """
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
    return _Distances(points[0], prototypes.astype(np.float32), False, name)


def _terms(value: SSAValue, factor: float) -> Iterator[tuple[float, SSAValue]]:
    """Yield the terms of a sum, each with its factor.

    factor: the factor of the whole sum.
    """
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
    """The vector whose sum of squares a value computes as a product with ones; None for any other value."""
    op = value.owner
    if not isinstance(op, tdsl.MatmulOp) or prod(shape_of(value)) != 1:
        return None
    if not isinstance(ones := op.rhs.owner, tdsl.ConstOp) or not np.all(ones.raws == 1):
        return None
    square = _unshaped(op.lhs).owner
    return _unshaped(square.lhs) if isinstance(square, tdsl.MulOp) and square.lhs is square.rhs else None


def _unshaped(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, tdsl.ReshapeOp):
        value = value.owner.input
    return value


_Elementwise: TypeAlias = tdsl.UnaryOp | tdsl.BinaryOp


class SumOverPrototypes(RewritePattern):
    """Replace `Z f(|point - prototype_i|^2)_i`, with a constant Z and an elementwise function f, by a loop over i."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.MatmulOp, rewriter: PatternRewriter, /) -> None:
        if tdsl.format_of(op.out).type != f32:
            return
        if (weights := tdsl.own_constant(op.lhs)) is None or shape_of(op.out)[1] != 1:
            return
        chain: list[_Elementwise] = []
        value = op.rhs
        while (step := _step_on_all(value)) is not None:
            if isinstance(step, tdsl.UnaryOp | tdsl.BinaryOp):
                chain.append(step)
            value = _varying(step)
        if (distances := _distances_of(value)) is None or len(distances.prototypes) != shape_of(op.lhs)[1]:
            return
        rewriter.replace(op, _loop(weights, distances, list(reversed(chain))))


def _step_on_all(value: SSAValue) -> tdsl.TensorOp | None:
    """Match an op that computes a vector from another vector: a reshape, or an elementwise op whose other operands are
    scalars. Returns None for any other value.
    """
    op = value.owner
    if not value.has_one_use():
        return None
    if isinstance(op, tdsl.ReshapeOp):
        return op
    if isinstance(op, tdsl.UnaryOp | tdsl.BinaryOp):
        varying = [operand for operand in op.inputs if not _is_number(operand)]
        return op if len(varying) == 1 and prod(shape_of(varying[0])) == prod(shape_of(value)) else None
    return None


def _varying(op: tdsl.TensorOp) -> SSAValue:
    return next(operand for operand in op.inputs if not _is_number(operand))


def _is_number(value: SSAValue) -> bool:
    return isinstance(value.owner, tdsl.ConstOp) and prod(shape_of(value)) == 1 and len(shape_of(value)) <= 2


def _on_one(op: _Elementwise, value: SSAValue) -> _Elementwise:
    if isinstance(op, tdsl.UnaryOp):
        return in_shape_of(op, value)
    lhs, rhs = (operand if _is_number(operand) else value for operand in (op.lhs, op.rhs))
    return type(op)(lhs, rhs)


def _loop(weights: tdsl.ConstOp, distances: _Distances, chain: list[_Elementwise]) -> list[Operation]:
    number, length = distances.prototypes.shape
    rows = shape_of(weights.result)[0]
    ops: list[Operation] = []

    def add(op: Any) -> Any:
        ops.append(op)
        return op

    prototypes = add(tdsl.ConstOp(np.ascontiguousarray(distances.prototypes.reshape(number, length, 1)), F32_FORMAT))
    columns = add(tdsl.ConstOp(np.ascontiguousarray(weights.raws.T.reshape(number, rows, 1)), F32_FORMAT))
    prototypes.result.name_hint, columns.result.name_hint = distances.name, weights.result.name_hint
    point = add(tdsl.ReshapeOp(distances.point, (length, 1))).out
    point.name_hint = distances.point.name_hint
    start, stop, step = (
        add(arith.ConstantOp.from_int_and_width(bound, IndexType())).result for bound in (0, number, 1)
    )
    zeros = add(tdsl.FillOp(0.0, TensorType(F32_FORMAT.type, (rows, 1)))).out
    body = Block(arg_types=[IndexType(), zeros.type])
    index, total = body.args
    with ImplicitBuilder(body):
        prototype = tdsl.IndexOp(prototypes.result, index).out
        difference = tdsl.SubOp(*((prototype, point) if distances.prototypes_first else (point, prototype))).out
        difference.name_hint = "difference"
        column = tdsl.IndexOp(columns.result, index).out
        value: SSAValue = tdsl.MatmulOp(tdsl.ReshapeOp(difference, (1, length)).out, difference).out
        for op in chain:
            value = _on_one(op, value).out
        scf.YieldOp(tdsl.AddOp(total, tdsl.MulOp(column, value).out).out)
    add(scf.ForOp(start, stop, step, [zeros], body))
    return ops

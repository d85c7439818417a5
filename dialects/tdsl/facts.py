"""Facts about the factors of sums that hold for any input: constants are known, other tensors have intervals."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.dialects import scf
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects.formats.number_format import Factor, Product
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.base import Shape, format_of, proven_interval, shape_of
from tinyml.dialects.tdsl.constant import ConstOp
from tinyml.dialects.tdsl.movement import IndexOp, ReshapeOp, TransposeOp

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws

__all__ = ["carried_product", "constant_root", "factor_of", "gathered_factor", "oriented", "product_of"]


def constant_root(value: SSAValue) -> ConstOp | None:
    """The constant behind a tensor that is constant, indexed from a constant or reshaped; None for other tensors."""
    while isinstance(value.owner, IndexOp | ReshapeOp):
        value = value.owner.input
    return value.owner if isinstance(value.owner, ConstOp) else None


def oriented(raws: Raws, operand: SSAValue) -> Raws:
    """A constant's raws as the stack of matrices from which the operand is indexed, or as the operand alone."""
    return raws.reshape(-1, *shape_of(operand))


def product_of(lhs: SSAValue, rhs: SSAValue) -> Product:
    """The known facts about a product of matrices."""
    square = _moved(lhs) is _moved(rhs) and 1 == shape_of(lhs)[0] == shape_of(rhs)[1]
    return Product(shape_of(lhs)[1], factor_of(lhs), factor_of(rhs, -2), square)


def carried_product(loop: scf.ForOp, weight: IndexOp, factor: SSAValue) -> Product | None:
    """The products `constant[i] * factor` that a loop over i adds up; None if the weights are unknown.

    They are known if the loop counts upwards between constant bounds that lie inside the constant.
    """
    bounds = [const_evaluate_operand(value) for value in (loop.lb, loop.ub, loop.step)]
    if weight.index is not loop.body.block.args[0] or not isinstance(weight.input.owner, ConstOp):
        return None
    numbers = [bound for bound in bounds if bound is not None]
    if len(numbers) < len(bounds) or numbers[2] < 1:
        return None
    every = weight.input.owner.raws
    taken = range(*numbers)
    if taken and not (taken[0] >= 0 and taken[-1] < len(every)):
        return None
    raws = every.reshape(len(every), -1)[list(taken)]
    weights = Factor(format_of(weight.out), raws.T)
    return Product(len(raws), weights, Factor(format_of(factor), interval=proven_interval(factor)))


def factor_of(operand: SSAValue, summed: int = -1) -> Factor:
    """The known facts about a matrix; summed: the axis over which a product sums."""
    if (constant := constant_root(operand)) is None:
        return Factor(format_of(operand), interval=proven_interval(operand))
    return Factor(format_of(operand), oriented(constant.raws, operand).swapaxes(-1, summed))


def gathered_factor(operand: SSAValue, map: AffineMap, shape: Shape, summed: Shape) -> Factor:
    """The known facts about the elements of an operand that a map selects by result indices and summed indices.

    shape: of the result. summed: the extents of the summed indices.
    """
    if (constant := constant_root(operand)) is None:
        return factor_of(operand)
    # Result indices that the map does not use would only repeat the same row.
    used = map.used_dims()
    extents = [extent if axis in used else 1 for axis, extent in enumerate(shape)]
    positions: Any = np.indices([*extents, *summed], sparse=True)
    raws = constant.raws.reshape(-1, *shape_of(operand))
    taken = raws[(slice(None), *(expression.eval(positions, []) for expression in map.results))]
    taken = np.broadcast_to(taken, (len(raws), *extents, *summed))
    return Factor(format_of(operand), taken.reshape(-1, prod(summed)))


def _moved(value: SSAValue) -> SSAValue:
    """The vector underlying a transposed or reshaped row or column."""
    while isinstance(op := value.owner, ReshapeOp) or (isinstance(op, TransposeOp) and op.keeps_order):
        value = op.input
    return value

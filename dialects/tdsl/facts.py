"""What is known of a tensor whatever the input is: which constant it is, and an interval that it cannot leave.

Declared and profiled ranges are no part of it: an input may lie outside of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import num
from tinyml.dialects.formats.product import ANYTHING, Factor, Interval, Product
from tinyml.dialects.tdsl.base import TensorOp, format_of, shape_of
from tinyml.dialects.tdsl.elementwise import ExpOp, Relu6Op, ReluOp, SigmoidOp, TanhOp
from tinyml.dialects.tdsl.map import MapOp
from tinyml.dialects.tdsl.movement import ConstOp, IndexOp, ReshapeOp, TransposeOp

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws

_RESULTS: dict[type[Operation], Interval] = {
    **dict.fromkeys((ExpOp, num.ExpOp, ReluOp), (0.0, ANYTHING[1])),
    **dict.fromkeys((TanhOp, num.TanhOp), (-1.0, 1.0)),
    **dict.fromkeys((SigmoidOp, num.SigmoidOp), (0.0, 1.0)),
    Relu6Op: (0.0, 6.0),
}


def constant_root(value: SSAValue) -> ConstOp | None:
    """The constant that a tensor is, or is indexed out of."""
    while isinstance(value.owner, IndexOp):
        value = value.owner.input
    return value.owner if isinstance(value.owner, ConstOp) else None


def oriented(raws: Raws, operand: SSAValue) -> Raws:
    """A constant's raws as a stack of the matrices that the operand can be: all, where it is indexed out of them."""
    return raws.reshape(-1, *shape_of(operand))


def proven_interval(value: SSAValue) -> Interval:
    """From the op that computes the elements, seen through ops that only move them."""
    op = value.owner
    if isinstance(op, MapOp):
        op = op.body.block.last_op
        assert op is not None
        op = op.operands[0].owner
    if isinstance(op, num.ClampOp):
        return op.low.value.data, ANYTHING[1] if op.high is None else op.high.value.data
    if isinstance(op, TensorOp) and op.MOVES_BITS and op.inputs and type(op) not in _RESULTS:
        intervals = [proven_interval(moved) for moved in op.inputs]
        return min(low for low, _ in intervals), max(high for _, high in intervals)
    return ANYTHING if not isinstance(op, Operation) else _RESULTS.get(type(op), ANYTHING)


def product_of(lhs: SSAValue, rhs: SSAValue) -> Product:
    """What is known of a product of matrices."""
    square = _moved(lhs) is _moved(rhs) and 1 == shape_of(lhs)[0] == shape_of(rhs)[1]
    return Product(shape_of(lhs)[1], factor_of(lhs), factor_of(rhs, -2), square)


def carried_product(loop: scf.ForOp, weight: IndexOp, factor: SSAValue) -> Product | None:
    """The products `constant[i] * factor` that a loop over i adds up; None where the weights are not known.

    They are known where the loop counts upwards between constants and stays inside of the constant.
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
    """What is known of a matrix. summed: the axis that a product sums over."""
    if (constant := constant_root(operand)) is None:
        return Factor(format_of(operand), interval=proven_interval(operand))
    return Factor(format_of(operand), oriented(constant.raws, operand).swapaxes(-1, summed))


def _moved(value: SSAValue) -> SSAValue:
    """The vector that a row or column is: without the change of shape."""
    while isinstance(op := value.owner, ReshapeOp) or (isinstance(op, TransposeOp) and op.keeps_order):
        value = op.input
    return value

"""Arithmetic on indices: constants, offsets, divisibility, sums of loop variables and mean numbers of iterations."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from xdsl.dialects import affine, arith, func, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.loops import INDEX_FUNCTIONS, index_value, iterations_of
from tinyml.dialects.operations import INDEX, index_constant
from tinyml.dialects.rewriting import Builder
from tinyml.dialects.tdsl.attributes import calls_of
from tinyml.dialects.tdsl.interface import read_interface
from tinyml.transforms.ir.loop_nest import LoopBuilder


def is_run(whole: Sequence[int], part: Sequence[int]) -> bool:
    """Whether a subview of shape `part` is contiguous in an array of shape `whole`."""
    first = next((axis for axis, extent in enumerate(part) if extent != 1), len(part))
    return tuple(part[first + 1 :]) == tuple(whole[first + 1 :])


def build_index(value: int, builder: Builder) -> SSAValue:
    return builder.insert(index_constant(value)).result


def build_offset(indices: Sequence[SSAValue], shape: Sequence[int], builder: Builder) -> SSAValue:
    """Emit the offset, in elements, of the part of a row-major array that leading indices select, and return it."""
    total: SSAValue | None = None
    for axis, index in enumerate(indices):
        if (stride := prod(shape[axis + 1 :])) != 1:
            factor = build_index(stride, builder)
            index = builder.insert(arith.MuliOp.create(operands=(index, factor), result_types=(INDEX,))).result
        total = index if total is None else builder.insert(arith.AddiOp(total, index)).result
    return build_index(0, builder) if total is None else total


def is_multiple(index: SSAValue, factor: int) -> bool:
    """Whether an index is proven to be a multiple of a factor in every iteration."""
    if (number := const_evaluate_operand(index)) is not None:
        return number % factor == 0
    match op := index.owner:
        case arith.MuliOp():
            return is_multiple(op.lhs, factor) or is_multiple(op.rhs, factor)
        case arith.AddiOp() | arith.SubiOp():
            return is_multiple(op.lhs, factor) and is_multiple(op.rhs, factor)
        case affine.ApplyOp():
            constant, factors = affine_sum(index)
            return not any(number % factor for number in (constant, *factors.values()))
        case _:
            return factor == 1


def exchanged(index: SSAValue, factor: int, by: int, nest: LoopBuilder) -> SSAValue:
    """Emit index / factor * by without a division, and return the result. The index must be a multiple of `factor`."""
    if factor == by:
        return index
    if (number := const_evaluate_operand(index)) is not None:
        return nest.index(number // factor * by)
    match op := index.owner:
        case arith.MuliOp():
            multiple, rest = (op.lhs, op.rhs) if is_multiple(op.lhs, factor) else (op.rhs, op.lhs)
            changed = exchanged(multiple, factor, by, nest)
            if (count := const_evaluate_operand(changed)) is not None:
                return nest.times(rest, count)
            return nest.insert(arith.MuliOp(changed, rest))
        case arith.AddiOp():
            return nest.add(exchanged(op.lhs, factor, by, nest), exchanged(op.rhs, factor, by, nest))
        case arith.SubiOp():
            lhs, rhs = (exchanged(operand, factor, by, nest) for operand in (op.lhs, op.rhs))
            return nest.insert(arith.SubiOp(lhs, rhs))
        case _:
            return nest.times(index, by)


class AffineSum(NamedTuple):
    """A sum of a constant and of variables. Each variable is multiplied by a factor other than 0."""

    constant: int
    factors: dict[SSAValue, int]

    def plus(self, other: AffineSum, times: int = 1) -> AffineSum:
        factors = dict(self.factors)
        for variable, factor in other.factors.items():
            factors[variable] = factors.get(variable, 0) + times * factor
        return AffineSum(self.constant + times * other.constant, {v: f for v, f in factors.items() if f})

    def times(self, count: int) -> AffineSum:
        return AffineSum(0, {}).plus(self, count) if count else AffineSum(0, {})

    def with_index(self, index: SSAValue, new: SSAValue) -> AffineSum:
        """A copy of the sum in which the variable `new` replaces the variable `index`."""
        return AffineSum(self.constant, {new if v is index else v: f for v, f in self.factors.items()})


def affine_sum(index: SSAValue) -> AffineSum:
    """An index as an affine sum. A term that cannot be decomposed is a variable of the sum."""
    if (known := const_evaluate_operand(index)) is not None:
        return AffineSum(known, {})
    match op := index.owner:
        case arith.AddiOp():
            return affine_sum(op.lhs).plus(affine_sum(op.rhs))
        case arith.SubiOp():
            return affine_sum(op.lhs).plus(affine_sum(op.rhs), -1)
        case arith.MuliOp():
            lhs, rhs = affine_sum(op.lhs), affine_sum(op.rhs)
            if not rhs.factors:
                return lhs.times(rhs.constant)
            if not lhs.factors:
                return rhs.times(lhs.constant)
        case affine.ApplyOp():
            dims, symbols = op.mapOperands[: op.map.data.num_dims], op.mapOperands[op.map.data.num_dims :]
            if (sum := _linear(op.map.data.results[0], dims, symbols)) is not None:
                return sum
        case _:
            pass
    return AffineSum(0, {index: 1})


def _linear(expression: AffineExpr, dims: Sequence[SSAValue], symbols: Sequence[SSAValue]) -> AffineSum | None:
    """An expression of an affine map as an affine sum. None for an expression with a quotient or a remainder."""
    match expression:
        case AffineDimExpr(position=position):
            return affine_sum(dims[position])
        case AffineSymExpr(position=position):
            return affine_sum(symbols[position])
        case AffineConstantExpr(value=value):
            return AffineSum(value, {})
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add, lhs=lhs, rhs=rhs):
            a, b = _linear(lhs, dims, symbols), _linear(rhs, dims, symbols)
            return None if a is None or b is None else a.plus(b)
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mul, lhs=lhs, rhs=AffineConstantExpr(value=factor)):
            a = _linear(lhs, dims, symbols)
            return None if a is None else a.times(factor)
        case _:
            return None


def offset_of(indices: Sequence[SSAValue], shape: Sequence[int]) -> AffineSum:
    """The offset, in elements, of the part of a row-major array that leading indices select. It equals the offset
    that `build_offset` emits.
    """
    total = AffineSum(0, {})
    for axis, index in enumerate(indices):
        total = total.plus(affine_sum(index), prod(shape[axis + 1 :]))
    return total


MOST_ITERATIONS = 1_000_000
"""Limit on the iterations of the enclosing loops over which a mean is taken."""


def mean_iterations(loop: scf.ForOp) -> float | None:
    """The mean number of iterations of a loop over all executions of the loop.

    The bounds of the loop may depend on the indices of enclosing loops. None unless the bounds of these enclosing loops
    are constant, the bounds of the loop follow from the indices alone, and every step is positive. Also None if the
    indices have more than `MOST_ITERATIONS` combinations.
    """
    around = _ranges(loop.operands[:3])
    if prod(map(len, around.values())) > MOST_ITERATIONS:
        return None
    grid = np.meshgrid(*around.values(), indexing="ij", sparse=True)
    known = dict(zip(around, grid, strict=True))
    low, high, step = (index_value(bound, known) for bound in (loop.lb, loop.ub, loop.step))
    # A loop whose step is not positive never ends.
    if low is None or high is None or step is None or np.any(np.less_equal(step, 0)):
        return None
    shape = [len(indices) for indices in around.values()]
    return float(np.broadcast_to(np.maximum(-((low - high) // step), 0), shape).mean()) if prod(shape) else 0.0


def _ranges(indices: Sequence[SSAValue]) -> dict[SSAValue, range]:
    """The loop variables and call numbers on which indices depend and whose ranges are known, with these ranges."""
    found: dict[SSAValue, range] = {}
    for index in indices:
        if isinstance(owner := index.owner, Operation):
            found |= _ranges(owner.operands) if type(owner) in INDEX_FUNCTIONS else {}
        elif (taken := _values_of(index)) is not None:
            found[index] = taken
    return found


def _values_of(variable: SSAValue) -> range | None:
    """The range of the variable of a loop with constant bounds, or of a call number. None for other block arguments."""
    around = variable.owner.parent_op()
    calls = None
    if isinstance(around, func.FuncOp) and isinstance(variable.type, IndexType):
        calls = read_interface(around).calls
    elif isinstance(around, scf.ForOp) and variable is around.body.block.args[0]:
        calls = calls_of(around)
        if calls is None:
            return iterations_of(around)
    return None if calls is None else range(calls)

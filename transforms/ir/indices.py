"""Arithmetic on indices: constants, offsets, divisibility, sums of loop variables, and numbers of iterations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

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

from tinyml.dialects import num
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.loops import index_value, iterations_of
from tinyml.dialects.operations import INDEX, index_constant
from tinyml.dialects.rewriting import Builder
from tinyml.dialects.tdsl.attributes import calls_of
from tinyml.dialects.tdsl.interface import read_interface
from tinyml.transforms.ir.loop_nest import LoopBuilder


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
    return affine_sum(index).is_multiple(factor)


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

    def is_multiple(self, factor: int) -> bool:
        return not any(number % factor for number in (self.constant, *self.factors.values()))

    def with_index(self, index: SSAValue, new: SSAValue) -> AffineSum:
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


MAX_ITERATIONS = 1_000_000
"""Limit on the iterations of the enclosing loops over which a mean is taken."""


def mean_iterations(loop: scf.ForOp) -> float | None:
    """The mean number of iterations of a loop over all executions of the loop.

    The bounds of the loop may depend on the indices of enclosing loops. None in the same cases as for `mean_value`, and
    if a step is not positive: such a loop never ends.
    """

    def trips(low: Any, high: Any, step: Any) -> Any:
        return None if np.any(np.less_equal(step, 0)) else np.maximum(-((low - high) // step), 0)

    return mean_value((loop.lb, loop.ub, loop.step), trips)


def executions(op: Operation, trips: Callable[[scf.ForOp], float | None] = mean_iterations) -> float:
    """The number of executions of an op per inference. Every branch counts as executed.

    trips: returns the number of iterations of a loop. A loop for which it returns 0 or None counts as one iteration.
    """
    times, around = 1.0, op.parent_op()
    while around is not None:
        if isinstance(around, scf.ForOp):
            times *= trips(around) or 1
        elif isinstance(around, num.ClosedNestOp | num.ReduceOp):
            times *= prod(around.shape) if isinstance(around, num.ClosedNestOp) else len(around.numbers)
        around = around.parent_op()
    return times


def mean_value(indices: Sequence[SSAValue], function: Callable[..., Any]) -> float | None:
    """The mean value of a function of indices over all iterations of the enclosing loops.

    None unless the indices follow from the indices of enclosing loops alone, and the bounds of these loops are
    constant. Also None if these indices have more than `MAX_ITERATIONS` combinations.

    function: returns None if it has no value.
    """
    around = _ranges(indices)
    if prod(map(len, around.values())) > MAX_ITERATIONS:
        return None
    grid = np.meshgrid(*around.values(), indexing="ij", sparse=True)
    known = dict(zip(around, grid, strict=True))
    values = [index_value(index, known) for index in indices]
    if any(value is None for value in values) or (result := function(*values)) is None:
        return None
    shape = [len(numbers) for numbers in around.values()]
    return float(np.broadcast_to(result, shape).mean()) if prod(shape) else 0.0


def _ranges(indices: Sequence[SSAValue]) -> dict[SSAValue, range]:
    found: dict[SSAValue, range] = {}
    for index in indices:
        if isinstance(owner := index.owner, Operation):
            found |= _ranges(owner.operands)
        elif (taken := _values_of(index)) is not None:
            found[index] = taken
    return found


def _values_of(variable: SSAValue) -> range | None:
    outer = variable.owner.parent_op()
    calls = None
    if isinstance(outer, func.FuncOp) and isinstance(variable.type, IndexType):
        calls = read_interface(outer).calls
    elif isinstance(outer, scf.ForOp) and variable is outer.body.block.args[0] and (calls := calls_of(outer)) is None:
        return iterations_of(outer)
    return None if calls is None else range(calls)

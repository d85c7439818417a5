"""Loops of the `scf` dialect: their iterations, and the values of index expressions in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects.lazy_numpy import np


def iterations_of(loop: Operation | None) -> range | None:
    """The values of a loop's induction variable. Returns None unless the bounds and the step are constants and the step
    is positive, and for any op that is not an `scf.for`.
    """
    if not isinstance(loop, scf.ForOp):
        return None
    low, high, step = (const_evaluate_operand(bound) for bound in (loop.lb, loop.ub, loop.step))
    return None if low is None or high is None or step is None or step < 1 else range(low, high, step)


def trips_of(loop: Operation | None) -> int | None:
    """The number of iterations of a loop; None if `iterations_of` returns None."""
    taken = iterations_of(loop)
    return None if taken is None else len(taken)


def trips_from_zero(loop: Operation | None) -> int | None:
    """The number of iterations of a loop that counts from 0 in steps of 1; None for a loop without iterations and for
    any other op.
    """
    taken = iterations_of(loop)
    return len(taken) if taken and (taken.start, taken.step) == (0, 1) else None


def _quotient(a: Any, b: Any) -> Any:
    """a / b, rounded towards zero as in C."""
    return np.sign(a) * np.sign(b) * np.floor_divide(abs(a), abs(b))


INDEX_FUNCTIONS: dict[type[Operation], Callable[[Any, Any], Any]] = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.DivSIOp: _quotient,
    arith.RemSIOp: lambda a, b: np.fmod(a, b),
    arith.MinSIOp: lambda a, b: np.minimum(a, b),
    arith.MaxSIOp: lambda a, b: np.maximum(a, b),
}
"""The functions that index ops compute, on integers or arrays of integers."""

_COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
"""Numpy's comparisons by the number of the predicate of `arith.cmpi`; those without a sign follow in the same order."""


def _compare_unsigned(name: str, a: Any, b: Any) -> Any:
    return getattr(np, name)(np.asarray(a).astype(np.uint64), np.asarray(b).astype(np.uint64))


def _index_function(op: Operation) -> Callable[..., Any] | None:
    if isinstance(op, arith.CmpiOp):
        predicate = op.predicate.value.data
        if predicate < len(_COMPARISONS):
            return getattr(np, _COMPARISONS[predicate])
        return partial(_compare_unsigned, _COMPARISONS[predicate - 4])
    return np.where if isinstance(op, arith.SelectOp) else INDEX_FUNCTIONS.get(type(op))


def index_value(index: SSAValue, known: Mapping[SSAValue, Any]) -> Any:
    """The value of an index computed by index ops, comparisons and selections from known indices and constants; None
    for any other index.

    known: the values of known indices: integers, or arrays of integers that can be broadcast to a common shape.
    """
    if index in known:
        return known[index]
    owner = index.owner
    if isinstance(owner, arith.ConstantOp):
        return owner.value.value.data if isinstance(owner.value, IntegerAttr) else None
    if not isinstance(owner, Operation) or (compute := _index_function(owner)) is None:
        return None
    operands = [index_value(operand, known) for operand in owner.operands]
    return None if any(operand is None for operand in operands) else compute(*operands)


def captured(op: Operation) -> list[SSAValue]:
    """The values that are defined outside an op and used by ops nested in it."""
    nested = [inner for inner in op.walk() if inner is not op]
    inside = {value for inner in nested for value in inner.results}
    inside |= {argument for inner in op.walk() for region in inner.regions for argument in region.block.args}
    return [operand for inner in nested for operand in inner.operands if operand not in inside]

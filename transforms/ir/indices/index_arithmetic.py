"""Arithmetic on arrays of indices, and mean trip counts of loops whose bounds depend on enclosing loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.pushes import calls_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

MOST_ITERATIONS = 1_000_000
"""Limit on the iterations of the enclosing loops over which a mean is taken."""

ARITHMETIC: dict[type[Operation], Callable[[Numbers, Numbers], Numbers]] = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.DivSIOp: lambda a, b: np.sign(a) * np.sign(b) * (abs(a) // abs(b)),
    arith.RemSIOp: lambda a, b: np.fmod(a, b),
    arith.MinSIOp: lambda a, b: np.minimum(a, b),
    arith.MaxSIOp: lambda a, b: np.maximum(a, b),
}
"""The functions that ops on indices compute; quotients are rounded towards zero."""


def mean_iterations(loop: scf.ForOp) -> float | None:
    """The mean number of iterations of a loop over all iterations of the loops that its bounds depend on.

    None unless these loops have constant bounds, and the loop's own bounds follow from their indices by `ARITHMETIC`.
    """
    around: dict[SSAValue, range] = {}
    if not all(_depends(bound, around) for bound in (loop.lb, loop.ub, loop.step)):
        return None
    if prod(map(len, around.values())) > MOST_ITERATIONS:
        return None
    grid = np.meshgrid(*around.values(), indexing="ij", sparse=True)
    known = dict(zip(around, grid, strict=True))
    low, high, step = (_evaluated(bound, known) for bound in (loop.lb, loop.ub, loop.step))
    shape = [len(indices) for indices in around.values()]
    return float(np.broadcast_to(np.maximum(-((low - high) // step), 0), shape).mean()) if prod(shape) else 0.0


def numbers_over_loops(values: Sequence[SSAValue]) -> list[Numbers] | None:
    """The numbers of index values over all iterations of the loops that they depend on, which broadcast together.

    None unless these loops have constant bounds, and the values follow from their indices by `ARITHMETIC`.
    """
    around: dict[SSAValue, range] = {}
    if not all(_depends(value, around) for value in values) or prod(map(len, around.values())) > MOST_ITERATIONS:
        return None
    grid = np.meshgrid(*around.values(), indexing="ij", sparse=True)
    known = dict(zip(around, grid, strict=True))
    return [_evaluated(value, known) for value in values]


def _depends(value: SSAValue, around: dict[SSAValue, range]) -> bool:
    """Record the loops and the time of a step on which a value depends; False if it depends on anything else."""
    owner = value.owner
    if isinstance(owner, Block):
        loop = owner.parent_op()
        calls = None
        if isinstance(loop, func.FuncOp) and loop.arg_attrs is not None:
            calls = calls_of(loop.arg_attrs.data[owner.args.index(value)].data)
        elif isinstance(loop, scf.ForOp) and value is owner.args[0]:
            calls = calls_of(loop.attributes)
        if calls is not None:
            around[value] = range(calls)
            return True
        if not isinstance(loop, scf.ForOp) or value is not owner.args[0]:
            return False
        low, high, step = (const_evaluate_operand(bound) for bound in (loop.lb, loop.ub, loop.step))
        if low is None or high is None or step is None:
            return False
        around[value] = range(low, high, step)
        return True
    if isinstance(owner, arith.ConstantOp):
        return isinstance(owner.value, IntegerAttr)
    return type(owner) in ARITHMETIC and all(_depends(operand, around) for operand in owner.operands)


def _evaluated(value: SSAValue, known: dict[SSAValue, Numbers]) -> Numbers:
    if value in known:
        return known[value]
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return np.array(owner.value.value.data)
    assert isinstance(owner, Operation)
    return ARITHMETIC[type(owner)](*(_evaluated(operand, known) for operand in owner.operands))

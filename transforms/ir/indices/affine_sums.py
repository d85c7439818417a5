"""Indices as sums of loop variables times constants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from xdsl.dialects import arith, scf
from xdsl.ir import Block, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand


class AffineSum(NamedTuple):
    """A constant, and the factor of each variable, which is not 0."""

    constant: int
    factors: dict[SSAValue, int]

    def plus(self, other: AffineSum, times: int = 1) -> AffineSum:
        factors = dict(self.factors)
        for variable, factor in other.factors.items():
            factors[variable] = factors.get(variable, 0) + times * factor
        return AffineSum(self.constant + times * other.constant, {v: f for v, f in factors.items() if f})

    def times(self, count: int) -> AffineSum:
        return AffineSum(0, {}).plus(self, count) if count else AffineSum(0, {})


def affine_sum(index: SSAValue) -> AffineSum:
    """An index as a sum; what cannot be taken apart is a variable."""
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
        case _:
            pass
    return AffineSum(0, {index: 1})


def covers(start: AffineSum, length: int, extents: dict[SSAValue, int], total: int) -> bool:
    """True if runs of `length` elements from `start`, over all values of the variables, are elements 0 to `total`.

    extents: the number of values of each variable, from 0.
    """
    if start.constant or not start.factors.keys() <= extents.keys():
        return False
    for variable, factor in sorted(start.factors.items(), key=lambda item: item[1]):
        if factor != length:
            return False
        length *= extents[variable]
    return length == total


def loops_from_zero(inner: Block | None, outer: Block) -> Iterator[tuple[SSAValue, int]]:
    """Yield variable and extent of the loops between two blocks that count from 0 by 1 to a positive constant."""
    while inner is not None and inner is not outer:
        loop = inner.parent_op()
        if not isinstance(loop, scf.ForOp):
            return
        low, high, step = (const_evaluate_operand(bound) for bound in (loop.lb, loop.ub, loop.step))
        if (low, step) == (0, 1) and high is not None and high > 0:
            yield loop.body.block.args[0], high
        inner = loop.parent

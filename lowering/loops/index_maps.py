"""Lowering of index maps to arithmetic on loop indices (L2 to L3)."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

from tinyml.dialects.errors import InputError
from tinyml.transforms.ir.loop_nest import Indices, LoopNest

_DIVISIONS = (AffineBinaryOpKind.Mod, AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.CeilDiv)


def prepare(map: AffineMap, nest: LoopNest) -> None:
    """Create the constants of a map before any loop is opened."""
    for expression in map.results:
        for part in expression.dfs():
            if isinstance(part, AffineConstantExpr) and part.value != -1:
                nest.index(abs(part.value))


def mapped(
    map: AffineMap, shape: Sequence[int], indices: Indices, symbols: Sequence[SSAValue], nest: LoopNest
) -> Indices:
    """Emit the results of a map for indices of a shape, and for symbols from 0 on.

    Raises `InputError` for an expression that is not affine, or that divides what has no least value.
    """
    return [_value(expression, shape, indices, symbols, nest) for expression in map.results]


def _value(
    expression: AffineExpr, shape: Sequence[int], indices: Indices, symbols: Sequence[SSAValue], nest: LoopNest
) -> SSAValue:
    def value(part: AffineExpr) -> SSAValue:
        return _value(part, shape, indices, symbols, nest)

    match expression:
        case AffineDimExpr(position=position):
            return indices[position]
        case AffineSymExpr(position=position):
            return symbols[position]
        case AffineConstantExpr(value=constant):
            return nest.index(constant)
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add, lhs=lhs, rhs=rhs):
            for kept, negated in ((lhs, _negated(rhs)), (rhs, _negated(lhs))):
                if negated is not None:
                    return nest.insert(arith.SubiOp(value(kept), value(negated)))
            return nest.add(value(lhs), value(rhs))
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mul, lhs=lhs, rhs=AffineConstantExpr(value=factor)):
            return nest.times(value(lhs), factor)
        case AffineBinaryOpExpr() if (raised := _raised(expression, shape)) is not None:
            dividend, divisor = value(raised.dividend), nest.index(raised.divisor)
            if raised.by:
                dividend = nest.add(dividend, nest.index(raised.by))
            if raised.is_remainder:
                return nest.insert(arith.RemSIOp(dividend, divisor))
            quotient = nest.insert(arith.DivSIOp(dividend, divisor))
            return (
                nest.insert(arith.SubiOp(quotient, nest.index(raised.by // raised.divisor))) if raised.by else quotient
            )
        case _:
            raise InputError(f"no loop computes the index {expression}")


class _Raised(NamedTuple):
    """A division of `dividend`, raised by a multiple of the divisor, so that it is at least 0: quotients of MLIR's
    affine maps are rounded down, and their remainders at least 0; those of `arith` are C's.
    """

    dividend: AffineExpr
    by: int
    divisor: int
    is_remainder: bool


def _raised(expression: AffineExpr, shape: Sequence[int]) -> _Raised | None:
    """The division or remainder that an expression is; None for any other, and for one without a least dividend."""
    match expression:
        case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=AffineConstantExpr(value=divisor)) if (
            kind in _DIVISIONS and divisor > 0
        ):
            dividend = lhs + (divisor - 1) if kind is AffineBinaryOpKind.CeilDiv else lhs
            least, _ = _ends(dividend, shape)
            if least == -inf:
                return None
            by = divisor * max(-(int(least) // divisor), 0)
            return _Raised(dividend, by, divisor, kind is AffineBinaryOpKind.Mod)
        case _:
            return None


def _ends(expression: AffineExpr, shape: Sequence[int]) -> tuple[float, float]:
    """The least and the greatest value of an expression; infinite where there is none."""
    match expression:
        case AffineDimExpr(position=position):
            return 0, shape[position] - 1
        case AffineSymExpr():
            return 0, inf
        case AffineConstantExpr(value=value):
            return value, value
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add, lhs=lhs, rhs=rhs):
            (a, b), (c, d) = _ends(lhs, shape), _ends(rhs, shape)
            return a + c, b + d
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mul, lhs=lhs, rhs=AffineConstantExpr(value=factor)):
            low, high = sorted(end * factor if factor else 0 for end in _ends(lhs, shape))
            return low, high
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mod, rhs=AffineConstantExpr(value=divisor)) if divisor > 0:
            return 0, divisor - 1
        case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=AffineConstantExpr(value=divisor)) if (
            kind in _DIVISIONS and divisor > 0
        ):
            raised = divisor - 1 if kind is AffineBinaryOpKind.CeilDiv else 0
            low, high = ((end + raised) // divisor if isfinite(end) else end for end in _ends(lhs, shape))
            return low, high
        case _:
            return -inf, inf


def _negated(expression: AffineExpr) -> AffineExpr | None:
    """The negation of a product by a negative factor, as which affine maps spell differences; None for other terms."""
    match expression:
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mul, lhs=lhs, rhs=AffineConstantExpr(value=-1)):
            return lhs
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mul, lhs=lhs, rhs=AffineConstantExpr(value=value)) if value < 0:
            return lhs * -value
        case _:
            return None

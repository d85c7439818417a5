"""Ranges of affine expressions over loop indices, and their divisions rewritten to nonnegative dividends."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite
from typing import NamedTuple

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

_DIVISIONS = (AffineBinaryOpKind.Mod, AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.CeilDiv)


def is_computable(expression: AffineExpr, shape: Sequence[int]) -> bool:
    """True if `arith` ops on indices can compute an affine expression.

    The dimensions of the expression are indices of `shape`. Its symbols must be nonnegative.
    """
    match expression:
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add, lhs=lhs, rhs=rhs):
            return is_computable(lhs, shape) and is_computable(rhs, shape)
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mul, lhs=lhs, rhs=AffineConstantExpr()):
            return is_computable(lhs, shape)
        case AffineBinaryOpExpr():
            division = division_of(expression, shape)
            return division is not None and is_computable(division.dividend, shape)
        case _:
            return True


def is_linear(expression: AffineExpr) -> bool:
    """True if an expression contains neither a quotient nor a remainder."""
    parts = (part for part in expression.dfs() if isinstance(part, AffineBinaryOpExpr))
    return not any(part.kind in _DIVISIONS for part in parts)


def has_exact_ends(expression: AffineExpr) -> bool:
    """True if `ends_of` returns the exact range of an expression, not only a bound.

    The function returns True only for an expression without remainders and symbols, in which no index occurs twice.
    """
    parts = list(expression.dfs())
    axes = [part.position for part in parts if isinstance(part, AffineDimExpr)]
    rest = (part for part in parts if isinstance(part, AffineBinaryOpExpr))
    remainders = any(part.kind is AffineBinaryOpKind.Mod for part in rest)
    return len(axes) == len({*axes}) and not remainders and not any(isinstance(part, AffineSymExpr) for part in parts)


class Division(NamedTuple):
    """A division whose dividend is increased by a multiple of the divisor, so that the dividend is nonnegative.

    MLIR's affine maps round quotients down or, for `ceildiv`, up, and have nonnegative remainders, whereas `arith`
    divides as in C. On nonnegative dividends, quotients rounded down and remainders are equal in both.

    dividend, divisor: the operands of the original division. For `ceildiv`, the dividend is increased by `divisor` - 1,
        and the quotient is then rounded down.
    by: the amount that must be added to `dividend`.
    is_remainder: true for a remainder, false for a quotient.
    """

    dividend: AffineExpr
    by: int
    divisor: int
    is_remainder: bool


def division_of(expression: AffineExpr, shape: Sequence[int]) -> Division | None:
    """The division for a quotient or remainder by a positive constant; None for any other expression, or if the
    dividend has no lower bound.
    """
    match expression:
        case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=AffineConstantExpr(value=divisor)) if (
            kind in _DIVISIONS and divisor > 0
        ):
            dividend = lhs + (divisor - 1) if kind is AffineBinaryOpKind.CeilDiv else lhs
            least, _ = ends_of(dividend, shape)
            if least == -inf:
                return None
            by = divisor * max(-(int(least) // divisor), 0)
            return Division(dividend, by, divisor, kind is AffineBinaryOpKind.Mod)
        case _:
            return None


def ends_of(expression: AffineExpr, shape: Sequence[int]) -> tuple[float, float]:
    """The least and the greatest value of an affine expression over the indices of a shape; infinite if unbounded."""
    match expression:
        case AffineDimExpr(position=position):
            return 0, shape[position] - 1
        case AffineSymExpr():
            return 0, inf
        case AffineConstantExpr(value=value):
            return value, value
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add, lhs=lhs, rhs=rhs):
            (a, b), (c, d) = ends_of(lhs, shape), ends_of(rhs, shape)
            return a + c, b + d
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mul, lhs=lhs, rhs=AffineConstantExpr(value=factor)):
            low, high = sorted(end * factor if factor else 0 for end in ends_of(lhs, shape))
            return low, high
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mod, rhs=AffineConstantExpr(value=divisor)) if divisor > 0:
            return 0, divisor - 1
        case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=AffineConstantExpr(value=divisor)) if (
            kind in _DIVISIONS and divisor > 0
        ):
            raised = divisor - 1 if kind is AffineBinaryOpKind.CeilDiv else 0
            low, high = ((end + raised) // divisor if isfinite(end) else end for end in ends_of(lhs, shape))
            return low, high
        case _:
            return -inf, inf

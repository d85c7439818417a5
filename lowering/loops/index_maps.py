"""Lowering of index maps to arithmetic on loop indices (L2 to L3)."""

from __future__ import annotations

from collections.abc import Sequence

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


def prepare(map: AffineMap, nest: LoopNest) -> None:
    """Create the constants of a map before any loop is opened."""
    for expression in map.results:
        for part in expression.dfs():
            if isinstance(part, AffineConstantExpr) and part.value != -1:
                nest.index(abs(part.value))


def mapped(map: AffineMap, indices: Indices, symbols: Sequence[SSAValue], nest: LoopNest) -> Indices:
    """Emit the results of a map for indices; raises `InputError` for remainders.

    Indices that the map divides must not be negative.
    """
    return [_value(expression, indices, symbols, nest) for expression in map.results]


def _value(expression: AffineExpr, indices: Indices, symbols: Sequence[SSAValue], nest: LoopNest) -> SSAValue:
    match expression:
        case AffineDimExpr(position=position):
            return indices[position]
        case AffineSymExpr(position=position):
            return symbols[position]
        case AffineConstantExpr(value=value):
            return nest.index(value)
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add, lhs=lhs, rhs=rhs):
            for kept, negated in ((lhs, _negated(rhs)), (rhs, _negated(lhs))):
                if negated is not None:
                    minuend = _value(kept, indices, symbols, nest)
                    return nest.insert(arith.SubiOp(minuend, _value(negated, indices, symbols, nest)))
            return nest.add(_value(lhs, indices, symbols, nest), _value(rhs, indices, symbols, nest))
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mul, lhs=lhs, rhs=AffineConstantExpr(value=factor)):
            return nest.times(_value(lhs, indices, symbols, nest), factor)
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.FloorDiv, lhs=lhs, rhs=AffineConstantExpr(value=divisor)):
            return nest.insert(arith.DivSIOp(_value(lhs, indices, symbols, nest), nest.index(divisor)))
        case _:
            raise InputError(f"no loop computes the index {expression}")


def _negated(expression: AffineExpr) -> AffineExpr | None:
    """The negation of a product by a negative factor, as which affine maps spell differences; None for other terms."""
    match expression:
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mul, lhs=lhs, rhs=AffineConstantExpr(value=-1)):
            return lhs
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mul, lhs=lhs, rhs=AffineConstantExpr(value=value)) if value < 0:
            return lhs * -value
        case _:
            return None

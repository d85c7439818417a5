"""Affine maps as arithmetic on loop indices, and the expansion of nests whose bodies contain affine maps (L3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

from tinyml.dialects import num
from tinyml.dialects.errors import InputError
from tinyml.dialects.num.index_ranges import division_of, is_computable
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder


def applied(
    map: AffineMap, shape: Sequence[int], indices: Indices, symbols: Sequence[SSAValue], nest: LoopBuilder
) -> Indices:
    """Insert the results of a map into the body of a `num.nest`, and return them.

    A result that is neither an axis number nor a symbol nor a constant becomes an `affine.apply`. Raises
    `InputError` for an expression that no loop can compute.

    shape: the shape that the nest visits.
    """
    single = [AffineExpr.constant(0) if extent == 1 else AffineExpr.dimension(d) for d, extent in enumerate(shape)]
    own = [AffineExpr.symbol(number) for number in range(map.num_symbols)]
    found: Indices = []
    for result in map.results:
        if not is_computable(result, shape):
            raise InputError(f"no loop computes the index {result}")
        match expression := result.replace_dims_and_symbols(single, own):
            case AffineDimExpr(position=position):
                found.append(indices[position])
            case AffineSymExpr(position=position):
                found.append(symbols[position])
            case AffineConstantExpr(value=constant):
                found.append(nest.index(constant))
            case _:
                found.append(_apply(expression, indices, symbols, nest))
    return found


def _apply(expression: AffineExpr, indices: Indices, symbols: Sequence[SSAValue], nest: LoopBuilder) -> SSAValue:
    parts = list(expression.dfs())
    axes = sorted({part.position for part in parts if isinstance(part, AffineDimExpr)})
    others = sorted({part.position for part in parts if isinstance(part, AffineSymExpr)})
    numbers = {old: AffineExpr.dimension(new) for new, old in enumerate(axes)}
    named = {old: AffineExpr.symbol(new) for new, old in enumerate(others)}
    renumbered = expression.replace_dims_and_symbols(
        [numbers.get(d, AffineExpr.constant(0)) for d in range(len(indices))],
        [named.get(s, AffineExpr.constant(0)) for s in range(len(symbols))],
    )
    map = AffineMapAttr(AffineMap(len(axes), len(others), (renumbered,)))
    return nest.insert(affine.ApplyOp([*(indices[d] for d in axes), *(symbols[s] for s in others)], map))


def mapped(
    map: AffineMap, shape: Sequence[int], indices: Indices, symbols: Sequence[SSAValue], nest: LoopBuilder
) -> Indices:
    """Emit arithmetic that computes the results of a map, and return the results. Raises `InputError` for an
    expression that is not affine, or that divides a term without a lower bound.

    indices: indices within `shape`.
    symbols: non-negative values.
    """
    return [_value(expression, shape, indices, symbols, nest) for expression in map.results]


def _value(
    expression: AffineExpr, shape: Sequence[int], indices: Indices, symbols: Sequence[SSAValue], nest: LoopBuilder
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
        case AffineBinaryOpExpr():
            if (raised := division_of(expression, shape)) is None:
                raise InputError(f"no loop computes the index {expression}")
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


def _negated(expression: AffineExpr) -> AffineExpr | None:
    """The negation of an expression that is a product with a negative factor. None for any other expression.

    Affine maps express a difference as the addition of such a product.
    """
    match expression:
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mul, lhs=lhs, rhs=AffineConstantExpr(value=-1)):
            return lhs
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mul, lhs=lhs, rhs=AffineConstantExpr(value=value)) if value < 0:
            return lhs * -value
        case _:
            return None


def inline(op: num.NestOp, numbers: Indices, nest: LoopBuilder) -> None:
    _inline(op.body.block, numbers, dict(zip(numbers, op.shape, strict=True)), nest)


def expand_nest(op: num.NestOp | num.ReduceOp) -> None:
    """Replace a nest or a reduction by loops, the first axis outermost. The last loop has the attributes of the op."""
    nest = LoopBuilder(op)
    if isinstance(op, num.ReduceOp):
        _expand_reduction(op, nest)
        return

    def body(numbers: Indices) -> None:
        inline(op, numbers, nest)
        inner.extend(numbers[-1:])

    inner: Indices = []
    nest.over(op.shape, body)
    for index in inner:
        cast(Operation, cast(Block, index.owner).parent_op()).attributes |= op.attributes
    Rewriter.erase_op(op)


def _expand_reduction(op: num.ReduceOp, nest: LoopBuilder, extents: Mapping[SSAValue, int] | None = None) -> None:
    def body(number: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        known = {**(extents or {}), number: op.numbers.stop}
        return _inline(op.body.block, [number, *carried], known, nest)

    results = nest.fold(nest.index(op.numbers.stop), op.starts, body, op.numbers.start)
    for result, new in zip(op.results, results, strict=True):
        new.name_hint = result.name_hint
        result.replace_all_uses_with(new)
        cast(Operation, new.owner).attributes |= op.attributes
    Rewriter.erase_op(op)


def _inline(
    block: Block, values: Sequence[SSAValue], extents: Mapping[SSAValue, int], nest: LoopBuilder
) -> Sequence[SSAValue]:
    for argument, value in zip(block.args, values, strict=True):
        value.name_hint = value.name_hint or argument.name_hint
        argument.replace_all_uses_with(value)
    for op in list(block.ops):
        nest.location = op.location
        match op:
            case affine.ApplyOp():
                apply_map(op, extents, nest)
            case num.ReduceOp():
                _expand_reduction(op, nest, extents)
            case num.NextOp():
                return op.values
            case _:
                op.detach()
                nest.put(op)
    return ()


def apply_map(op: affine.ApplyOp, extents: Mapping[SSAValue, int], nest: LoopBuilder) -> None:
    """Replace an `affine.apply` by arithmetic, which is emitted at the insertion point of a builder.

    extents: the extents of axes, by their indices.
    """
    map, dims, operands = op.map.data, op.map.data.num_dims, list(op.mapOperands)
    shape = [extents.get(number, 1) for number in operands[:dims]]
    op.result.replace_all_uses_with(mapped(map, shape, operands[:dims], operands[dims:], nest)[0])
    Rewriter.erase_op(op)

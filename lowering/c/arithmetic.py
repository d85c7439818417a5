"""Spellings in C of arithmetic on integers and floats."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, IntegerType, Signedness, i1, i8, i16
from xdsl.ir import Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import c
from tinyml.dialects.c.types import width_of
from tinyml.dialects.machine.machine import width_for
from tinyml.lowering.c.function import FunctionLowering, Spelling, Spellings, unsupported
from tinyml.transforms.ir.cost.steps import is_shift

INTEGER_PREDICATES = dict(enumerate(("==", "!=", "<", "<=", ">", ">=")))
"""C operators of the predicates of arith.cmpi, by number."""

FLOAT_PREDICATES = {
    **{1: ("==", False), 2: (">", False), 3: (">=", False), 4: ("<", False), 5: ("<=", False)},
    **{13: ("!=", False), 9: ("<=", True), 10: ("<", True), 11: (">=", True), 12: (">", True)},
}
"""Predicates of arith.cmpf, by number: the C operator, and True if its result is negated (unordered comparisons)."""


def _constant(at: FunctionLowering, op: arith.ConstantOp) -> None:
    if not isinstance(op.value, IntegerAttr | FloatAttr):
        raise unsupported(op)
    at.expression(op, c.LiteralOp(op.value))


def _binary(operator: str) -> Spelling:
    def lower(at: FunctionLowering, op: Operation) -> None:
        lhs, rhs = at.operands(op)
        at.values[op.results[0]] = at.build.binary(lhs, operator, rhs, op.results[0].name_hint)

    return lower


def _multiply(at: FunctionLowering, op: arith.MuliOp) -> None:
    lhs, rhs = (_factor(at, operand, other) for operand, other in (op.operands, reversed(op.operands)))
    result = op.result.type
    if (
        lhs is not None
        and rhs is not None
        and isinstance(result, IntegerType)
        and 2 * max(width_of(lhs.type), width_of(rhs.type)) <= width_of(result)
    ):
        at.expression(op, c.MultiplyWideOp(lhs, rhs, result))
    else:
        _binary("*")(at, op)


def _factor(at: FunctionLowering, operand: SSAValue, other: SSAValue) -> SSAValue | None:
    """The narrow value of an extended factor, or a constant that fits the narrow width of the other factor."""
    if isinstance(extended := operand.owner, arith.ExtSIOp):
        return None if extended.input.type == i1 else at.values[extended.input]
    number = const_evaluate_operand(operand)
    if number is None or not isinstance(extended := other.owner, arith.ExtSIOp) or is_shift(number, str(other.type)):
        return None
    factor = extended.input.type
    fits = factor in (i8, i16) and width_for(number, number) <= width_of(factor) == width_of(other.type) // 2
    return at.build.literal(number, factor) if fits else None


def _float_binary(operator: str) -> Spelling:
    def lower(at: FunctionLowering, op: Operation) -> None:
        at.expression(op, c.BinaryOp(*_spread(at.operands(op), operator)))

    return lower


def _spread(operands: list[SSAValue], operator: str) -> tuple[SSAValue, str, SSAValue]:
    lhs, rhs = operands
    return lhs, operator, rhs


def _extreme(operator: str) -> Spelling:
    def lower(at: FunctionLowering, op: Operation) -> None:
        lhs, rhs = at.operands(op)
        first = at.build.insert(c.CompareOp(lhs, operator, rhs))
        at.expression(op, c.ConditionalOp(first, lhs, rhs))

    return lower


def _compare_integers(at: FunctionLowering, op: arith.CmpiOp) -> None:
    operator = INTEGER_PREDICATES.get(op.predicate.value.data)
    if operator is None:
        raise unsupported(op, "compares unsigned, which has no spelling in C here")
    at.expression(op, c.CompareOp(*_spread(at.operands(op), operator)))


def _compare_floats(at: FunctionLowering, op: arith.CmpfOp) -> None:
    if (predicate := FLOAT_PREDICATES.get(op.predicate.value.data)) is None:
        raise unsupported(op, "has a predicate without a spelling in C")
    operator, negated = predicate
    lowered = c.CompareOp(*_spread(at.operands(op), operator))
    at.expression(op, c.UnaryOp("!", at.build.insert(lowered)) if negated else lowered)


def _select(at: FunctionLowering, op: arith.SelectOp) -> None:
    at.expression(op, c.ConditionalOp(*at.operands(op)))


def _cast(at: FunctionLowering, op: Operation) -> None:
    [operand] = at.operands(op)
    at.expression(op, c.CastOp(operand, op.results[0].type))


def _extend_signed(at: FunctionLowering, op: arith.ExtSIOp) -> None:
    if op.input.type != i1:
        return _cast(at, op)
    # The single bit of a true i1 is its sign.
    wide = at.build.insert(c.CastOp(at.values[op.input], op.result.type))
    at.expression(op, c.UnaryOp("-", wide))


def _extend_unsigned(at: FunctionLowering, op: Operation) -> None:
    [operand] = at.operands(op)
    if operand.type not in (i1, IndexType()):
        operand = at.build.insert(c.CastOp(operand, IntegerType(width_of(operand.type), Signedness.UNSIGNED)))
    at.expression(op, c.CastOp(operand, op.results[0].type))


def _truncate(at: FunctionLowering, op: arith.TruncIOp) -> None:
    if op.result.type != i1:
        return _cast(at, op)
    value = at.values[op.input]
    low = at.build.insert(c.BinaryOp(value, "&", at.build.literal(1, value.type)))
    at.expression(op, c.CompareOp(low, "!=", at.build.literal(0, value.type)))


ARITHMETIC: Spellings = {
    arith.ConstantOp: _constant,
    arith.AddiOp: _binary("+"),
    arith.SubiOp: _binary("-"),
    arith.MuliOp: _multiply,
    arith.DivSIOp: _binary("/"),
    arith.RemSIOp: _binary("%"),
    arith.ShRSIOp: _binary(">>"),
    arith.AndIOp: _binary("&"),
    arith.MinSIOp: _extreme("<"),
    arith.MaxSIOp: _extreme(">"),
    arith.CmpiOp: _compare_integers,
    arith.CmpfOp: _compare_floats,
    arith.SelectOp: _select,
    arith.ExtSIOp: _extend_signed,
    arith.ExtUIOp: _extend_unsigned,
    arith.TruncIOp: _truncate,
    arith.IndexCastOp: _cast,
    arith.AddfOp: _float_binary("+"),
    arith.SubfOp: _float_binary("-"),
    arith.MulfOp: _float_binary("*"),
}

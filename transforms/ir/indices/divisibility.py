"""Divisibility of indices, such as row offsets by the row length."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.transforms.ir.loop_nest import LoopNest


def is_multiple(index: SSAValue, factor: int) -> bool:
    """True if an index is proven to be a multiple of a factor in every iteration."""
    if (number := const_evaluate_operand(index)) is not None:
        return number % factor == 0
    match op := index.owner:
        case arith.MuliOp():
            return is_multiple(op.lhs, factor) or is_multiple(op.rhs, factor)
        case arith.AddiOp() | arith.SubiOp():
            return is_multiple(op.lhs, factor) and is_multiple(op.rhs, factor)
        case _:
            return factor == 1


def exchanged(index: SSAValue, factor: int, by: int, nest: LoopNest) -> SSAValue:
    """Emit index / factor * by for an index that is a multiple of `factor`, without a division."""
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

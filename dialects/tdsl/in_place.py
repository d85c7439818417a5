"""In which order the loops of an op read its operands and write its result."""

from __future__ import annotations

from math import prod

from xdsl.ir import Operation, SSAValue

from tinyml.dialects.tdsl.accumulation import FinishOp, SumOp
from tinyml.dialects.tdsl.base import shape_of
from tinyml.dialects.tdsl.contraction import ContractionOp
from tinyml.dialects.tdsl.distance import SquaredDistanceOp
from tinyml.dialects.tdsl.elementwise import BinaryOp, CastOp, ClampOp, FunctionOp, NegOp, SelectOp
from tinyml.dialects.tdsl.map import MapOp
from tinyml.dialects.tdsl.movement import IndexOp, InsertSliceOp, SliceOp

_ELEMENTWISE = (NegOp, FunctionOp, ClampOp, CastOp, BinaryOp, SelectOp, MapOp, FinishOp)
_ONE_BY_ONE = (*_ELEMENTWISE, ContractionOp, SquaredDistanceOp, SliceOp, IndexOp)


def reads_in_place(op: Operation, operand: SSAValue) -> bool:
    """Does an op need element i of an operand no more once it has stored element i of its result?

    Elements are counted in row-major order, in which they are also computed, so that the result may then take the
    operand's place. Where the result is a single element, that is true of every operand of an op that stores it last.
    False for ops of which nothing is known. Every lowering to loops keeps to this.
    """
    match op:
        case InsertSliceOp():
            return op.input is operand and op.part is not operand
        case SumOp():
            return operand not in (op.lhs, op.rhs)
        case ContractionOp() if op.initial is operand:
            return all(operand not in pair for pair in op.pairs)
        case _ if isinstance(op, _ONE_BY_ONE) and prod(shape_of(op.out)) == 1:
            return True
        case _:
            return isinstance(op, _ELEMENTWISE) and prod(shape_of(operand)) == prod(shape_of(op.out))

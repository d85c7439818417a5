"""Unrolling of the inner loops of lane programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith, memref
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects.num.kernels.lane_functions import LaneFunctionOp
from tinyml.dialects.num.kernels.lane_programs import CASTS, Element, LaneProgram
from tinyml.dialects.num.kernels.lane_readers import index_terms, lane_program
from tinyml.dialects.num.nests import NextOp, ReduceOp
from tinyml.dialects.operations import integer_constant


def unrolled(program: LaneProgram) -> LaneProgram:
    """A copy of the program with unrolled inner loops, in which no element is loaded twice."""
    body = program.function.body.block
    block = Block(arg_types=body.arg_types)
    same = dict[SSAValue, SSAValue](zip(body.args, block.args, strict=True))
    _Unrolled(program, same).block(body, block)
    return lane_program(LaneFunctionOp(program.function.sym_name.data, program.function.shape, Region(block)))


@dataclass
class _Unrolled:
    """The construction of a copy of a lane function's body with unrolled inner loops.

    program: the original program.
    same: for each value of the original body, its copy.
    """

    program: LaneProgram
    same: dict[SSAValue, SSAValue]

    def __post_init__(self) -> None:
        self.loaded = dict[tuple[SSAValue, int, frozenset[tuple[SSAValue, int]]], SSAValue]()

    def block(self, block: Block, to: Block) -> None:
        for op in block.ops:
            if not isinstance(op, NextOp):
                self.op(op, to)

    def op(self, op: Operation, to: Block) -> None:
        match op:
            case ReduceOp() if self.program.is_inner(op):
                carried = self._copies(op.operands)
                for number in op.numbers:
                    constant = integer_constant(number, None)
                    to.add_op(constant)
                    self.same[op.body.block.args[0]] = constant.results[0]
                    self.same |= zip(op.body.block.args[1:], carried, strict=True)
                    self.block(op.body.block, to)
                    carried = self._following(op)
                self.same |= zip(op.joined, carried, strict=True)
            case ReduceOp() if op not in self.program.sums:
                inner = Block(arg_types=op.body.block.arg_types)
                self.same |= zip(op.body.block.args, inner.args, strict=True)
                self.block(op.body.block, inner)
                inner.add_op(NextOp(*self._following(op)))
                kinds = [kind.data for kind in op.kinds]
                new = ReduceOp(kinds, self._copies(op.operands), op.numbers, Region(inner))
                to.add_op(new)
                self.same |= zip(op.joined, new.joined, strict=True)
            case arith.MaxSIOp() | arith.MinSIOp() if self._loaded(op.lhs) is self._loaded(op.rhs):
                self.same[op.result] = self.same[op.lhs]
            case arith.AddiOp() if 0 in (known := [const_evaluate_operand(self.same[one]) for one in op.operands]):
                self.same[op.result] = self.same[op.rhs if known[0] == 0 else op.lhs]
            case memref.LoadOp() if isinstance(self.program.accesses.get(op), Element):
                constant, factors = index_terms(self.same[op.indices[0]])
                key = self.same[op.memref], constant, frozenset(factors.items())
                if key not in self.loaded:
                    self.loaded[key] = self._cloned(op, to).results[0]
                self.same[op.res] = self.loaded[key]
            case _:
                self._cloned(op, to)

    def _copies(self, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
        return [self.same[value] for value in values]

    def _following(self, op: ReduceOp) -> Sequence[SSAValue]:
        return self._copies(cast(NextOp, op.body.block.last_op).operands)

    def _loaded(self, value: SSAValue) -> SSAValue:
        """The copy of `value` or, if the copy is the result of type conversions, the value before them."""
        copy = self.same[value]
        while isinstance(copy.owner, CASTS):
            copy = copy.owner.operands[0]
        return copy

    def _cloned(self, op: Operation, to: Block) -> Operation:
        new = op.clone(self.same)
        to.add_op(new)
        return new

"""A builder of integer arithmetic for the bodies of runtime functions. Integers may have any width, whether or not a
processor supports it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.builder import Builder
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects.errors import InputError
from tinyml.dialects.locations import error_at
from tinyml.dialects.operations import index_constant, integer_constant, width_of

IntegerProgram: TypeAlias = "Callable[..., SSAValue]"
"""A function from an `IntegerBuilder` and the operands of a call to the result of the call."""


class IntegerBuilder:
    """A builder that inserts integer operations before a given call.

    A Python integer as an operand becomes a constant with the width of the other operand.
    """

    def __init__(self, call: Operation):
        self.call = call
        self.builder = Builder(InsertPoint.before(call))

    def insert(self, op: Operation) -> SSAValue:
        op.location = self.call.location
        return self.builder.insert(op).results[0]

    def known(self, value: SSAValue) -> int:
        """The value of a constant operand. Raises `InputError` for any other operand."""
        if (constant := const_evaluate_operand(value)) is None:
            raise InputError(error_at(self.call, "expected constant shifts and widths").message)
        return constant

    def is_known(self, value: SSAValue) -> bool:
        return const_evaluate_operand(value) is not None

    def constant(self, value: int, width: int) -> SSAValue:
        return self.insert(integer_constant(value, width))

    def resize(self, value: SSAValue, width: int) -> SSAValue:
        """A signed integer, sign-extended or truncated to `width` bits."""
        if width_of(value) == width:
            return value
        op = arith.ExtSIOp if width > width_of(value) else arith.TruncIOp
        return self.insert(op(value, IntegerType(width)))

    def _pair(self, a: SSAValue, b: SSAValue | int) -> tuple[SSAValue, SSAValue]:
        return a, self.constant(b, width_of(a)) if isinstance(b, int) else b

    def add(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        return self.insert(arith.AddiOp(*self._pair(a, b)))

    def sub(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        return self.insert(arith.SubiOp(*self._pair(a, b)))

    def negate(self, a: SSAValue) -> SSAValue:
        return self.insert(arith.SubiOp(self.constant(0, width_of(a)), a))

    def mul(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        return self.insert(arith.MuliOp(*self._pair(a, b)))

    def bits_in(self, a: SSAValue, mask: SSAValue | int) -> SSAValue:
        return self.insert(arith.AndIOp(*self._pair(a, mask)))

    def low_bits(self, a: SSAValue, bits: int) -> SSAValue:
        return self.bits_in(a, (1 << bits) - 1)

    def shift_left(self, a: SSAValue, amount: SSAValue | int) -> SSAValue:
        return a if amount == 0 else self.insert(arith.ShLIOp(*self._pair(a, amount)))

    def shift_right(self, a: SSAValue, amount: SSAValue | int) -> SSAValue:
        return a if amount == 0 else self.insert(arith.ShRSIOp(*self._pair(a, amount)))

    def clamp(self, a: SSAValue, low: SSAValue | int, high: SSAValue | int) -> SSAValue:
        raised = self.insert(arith.MaxSIOp(*self._pair(a, low)))
        return self.insert(arith.MinSIOp(*self._pair(raised, high)))

    def greatest(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        return self.insert(arith.MaxSIOp(*self._pair(a, b)))

    def least(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        return self.insert(arith.MinSIOp(*self._pair(a, b)))

    def compare(self, a: SSAValue, predicate: str, b: SSAValue | int) -> SSAValue:
        return self.insert(arith.CmpiOp(*self._pair(a, b), predicate))

    def choose(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.insert(arith.SelectOp(condition, a, b))

    def size(self, a: SSAValue) -> SSAValue:
        """The absolute value of an integer, in the same width."""
        return self.choose(self.compare(a, "slt", 0), self.negate(a), a)

    def number(self, place: SSAValue, width: int) -> SSAValue:
        return self.insert(arith.IndexCastOp(place, IntegerType(width)))

    def entry(self, table: SSAValue, index: SSAValue) -> SSAValue:
        """The entry of an array at an index. If `table` is cast to a dynamic shape, the array before the cast is
        read.
        """
        if isinstance(table.owner, memref.CastOp):
            table = table.owner.source
        return self.insert(memref.LoadOp.get(table, [self.insert(arith.IndexCastOp(index, IndexType()))]))

    def add_up(self, terms: int, start: SSAValue, body: Callable[..., SSAValue]) -> SSAValue:
        """The sum of `start` and terms, each added by `body` from a builder, the number of the term and a sum."""
        return self.repeat(terms, [start], lambda *values: [body(*values)])[0]

    def repeat(
        self, times: int, starts: Sequence[SSAValue], body: Callable[..., Sequence[SSAValue]]
    ) -> Sequence[SSAValue]:
        """The values of a loop after `times` iterations, before which they are `starts`.

        body: a function from a builder in the loop, the number of the iteration and the values to the next values.
        """
        low, high, step = (self.insert(index_constant(bound)) for bound in (0, times, 1))
        block = Block(arg_types=[IndexType(), *(start.type for start in starts)])
        loop = scf.ForOp(low, high, step, starts, Region(block))
        self.insert(loop)
        inner = IntegerBuilder(self.call)
        inner.builder = Builder(InsertPoint.at_end(block))
        inner.builder.insert(scf.YieldOp(*body(inner, *block.args)))
        return loop.results

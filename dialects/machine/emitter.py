"""A machine that emits IR: every value is an SSA value, and every primitive operation is an op of `arith`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

from xdsl.builder import Builder
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerType, MemRefType, UnitAttr, f32
from xdsl.dialects.memref import CastOp, LoadOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import FormatStep, Int, Machine
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.dialects.operations import DialectOp, integer_constant, width_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

WRAPS = "wraps"
"""The attribute of a truncation that may lose bits; any other truncation preserves the value."""


class EmissionContext(Protocol):
    """The interface by which an emitter requests changes outside its insertion point: declarations, tables in flash,
    and local arrays.
    """

    intervals: dict[SSAValue, tuple[int, int]]
    """Proven intervals of values that earlier emitters made."""

    def table(self, name: str, table: NDArray[np.signedinteger[Any]]) -> SSAValue:
        """A memref of a table in flash. The definition of the memref dominates the insertion point. Equal tables may
        have the same memref.

        name: the name from which the name of the stored table is derived.
        """
        ...

    def local(self, type: MemRefType, name: str) -> SSAValue:
        """A new local array of the type `type` with undefined content.

        name: the hint for the name of the SSA value.
        """
        ...

    def beside(self, array: SSAValue, type: MemRefType, name: str) -> SSAValue:
        """The local array of the type `type` that belongs to another array, such as the flags of a quire. Repeated
        calls for one array return the same local array.

        name: the hint for the name of the SSA value.
        """
        ...

    def part(self, array: SSAValue, first: SSAValue, shape: tuple[int, ...]) -> Operation:
        """An op that returns a view of `shape` elements of an array, from the index `first` on."""
        ...

    def declare(self, function: str) -> None:
        """Declare a function of the C runtime in the module."""
        ...

    def declare_kernel(
        self,
        function: str,
        arguments: Sequence[Attribute],
        results: Sequence[Attribute],
        attributes: Mapping[str, Attribute] | None = None,
    ) -> None:
        """Declare a kernel of the C runtime in the module, with argument types, result types and attributes."""
        ...


class EmittedStep(FormatStep, Protocol):
    """A step of a computation in one format's own representation of sums. The step can be emitted as IR."""

    def emitted(self, emitter: Emitter, *operands: SSAValue) -> SSAValue:
        """The result of the step, computed by ops that the emitter inserts."""
        ...


class EmittedOp(DialectOp, ABC):
    """An op between `num` and `arith` in a dialect that one format defines. It emits the ops that replace it."""

    @abstractmethod
    def emit(self, e: Emitter) -> Sequence[SSAValue]:
        """Emit the ops that replace this op, and return the values that replace its results."""


class Emitter(Machine[SSAValue]):
    """A machine that inserts ops before a given op. The inserted ops have the location of this op."""

    def __init__(self, before: Operation, context: EmissionContext):
        self.builder = Builder(InsertPoint.before(before))
        self.location = before.location
        self.context = context

    def insert(self, op: Operation) -> SSAValue:
        op.location = self.location
        return self.builder.insert(op).results[0]

    def put(self, op: Operation) -> None:
        op.location = self.location
        self.builder.insert(op)

    def known(self, value: SSAValue) -> tuple[int, int] | None:
        return self.context.intervals.get(value)

    def settle(self, x: Int[SSAValue], width: int) -> SSAValue:
        value = self.held(x, width)
        self.context.intervals[value] = x.low, x.high
        return value

    def int_constant(self, value: int, width: int) -> SSAValue:
        return self.insert(integer_constant(value, width))

    def resize(self, value: SSAValue, width: int) -> SSAValue:
        op = arith.ExtSIOp if width > self.width_of(value) else arith.TruncIOp
        return self.insert(op.create(operands=(value,), result_types=(IntegerType(width),)))

    def wrap(self, value: SSAValue, width: int) -> SSAValue:
        op = arith.TruncIOp(value, IntegerType(width))
        op.attributes[WRAPS] = UnitAttr()
        return self.insert(op)

    def _binary(self, op: type[Operation], a: SSAValue, b: SSAValue) -> SSAValue:
        return self.insert(op.create(operands=(a, b), result_types=(a.type,)))

    def addi(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self._binary(arith.AddiOp, a, b)

    def subi(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self._binary(arith.SubiOp, a, b)

    def muli(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self._binary(arith.MuliOp, a, b)

    def divsi(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self._binary(arith.DivSIOp, a, b)

    def shli(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self._binary(arith.ShLIOp, a, b)

    def shrsi(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self._binary(arith.ShRSIOp, a, b)

    def andi(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self._binary(arith.AndIOp, a, b)

    def minsi(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self._binary(arith.MinSIOp, a, b)

    def maxsi(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self._binary(arith.MaxSIOp, a, b)

    def cmp_sge(self, a: SSAValue, b: SSAValue) -> SSAValue:
        # C compilers warn about a comparison with the least number of a type.
        if const_evaluate_operand(b) == -(1 << self.width_of(b) - 1):
            return self.insert(integer_constant(1, 1))
        return self.insert(arith.CmpiOp(a, b, "sge"))

    def cmp_sgt(self, a: SSAValue, b: SSAValue) -> SSAValue:
        if const_evaluate_operand(b) == (1 << self.width_of(b) - 1) - 1:
            return self.insert(integer_constant(0, 1))
        return self.insert(arith.CmpiOp(a, b, "sgt"))

    def select(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.insert(arith.SelectOp(condition, a, b))

    def table(self, name: str, table: NDArray[np.signedinteger[Any]]) -> SSAValue:
        return self.context.table(name, table)

    def lookup(self, name: str, table: NDArray[np.signedinteger[Any]], index: SSAValue) -> SSAValue:
        memref = self.table(name, table)
        if not isinstance(index.type, IndexType):
            index = self.insert(arith.IndexCastOp(index, IndexType()))
        return self.insert(LoadOp.get(memref, [index]))

    def float_constant(self, value: float) -> SSAValue:
        return self.insert(arith.ConstantOp(FloatAttr(value, f32)))

    def addf(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.insert(arith.AddfOp(a, b))

    def subf(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.insert(arith.SubfOp(a, b))

    def mulf(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.insert(arith.MulfOp(a, b))

    def cmp_oge(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.insert(arith.CmpfOp(a, b, "oge"))

    def cmp_ogt(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.insert(arith.CmpfOp(a, b, "ogt"))

    def call(self, function: str, *arguments: SSAValue) -> SSAValue:
        self.context.declare(function)
        result: Attribute = RUNTIME_FUNCTIONS[function].result
        return self.insert(func.CallOp(function, arguments, [result]))

    def call_on_table(
        self, function: str, name: str, table: NDArray[np.signedinteger[Any]], *arguments: SSAValue
    ) -> SSAValue:
        [type, *_] = RUNTIME_FUNCTIONS[function].arguments
        memref = CastOp.get(self.table(name, table), cast("MemRefType[Attribute]", type))
        return self.call(function, self.insert(memref), *arguments)

    def perform(self, step: FormatStep, *operands: SSAValue) -> SSAValue:
        return cast(EmittedStep, step).emitted(self, *operands)

    def width_of(self, value: SSAValue) -> int:
        return width_of(value)

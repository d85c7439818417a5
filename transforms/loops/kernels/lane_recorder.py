"""The machine that emits the arithmetic of number formats as the body of a `num.lane_function`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import IndexType, IntegerType, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from tinyml.dialects import num
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.dialects.num.kernels.lane_functions import REGISTER
from tinyml.dialects.num.kernels.lane_programs import LEADING_ZEROS, RECIPROCAL, REQUANTISE, REQUANTISE_EVEN
from tinyml.dialects.operations import integer_constant, integer_width
from tinyml.dialects.rewriting import Builder
from tinyml.dialects.scratch import memref_type

if TYPE_CHECKING:
    from numpy.typing import NDArray

Table: TypeAlias = "NDArray[np.signedinteger[Any]]"

_FUNCTIONS = {REQUANTISE: REGISTER, REQUANTISE_EVEN: REGISTER, LEADING_ZEROS: 8, RECIPROCAL: REGISTER}
"""The functions of the runtime that have lane instructions, with the widths of their results in bits."""


class NotInLanes(Exception):
    """Raised for a nest that vector code does not support, for instance because it computes in floating point or in
    integers of more than 32 bits, or because its iterations do not access consecutive elements.
    """

    def __init__(self, reason: str = "it joins its iterations, or constants, in a way of its own") -> None:
        super().__init__(reason)


@dataclass(frozen=True)
class Element:
    """A value in a lane: an SSA value or a constant, and its width in bits. The width of a condition is 1."""

    value: SSAValue | int
    width: int

    @property
    def constant(self) -> int | None:
        return self.value if isinstance(self.value, int) else None


class LaneRecorder(Machine[Element]):
    """A machine that appends ops to a block. All ops use registers of 32 bits, regardless of the widths of the
    values. Methods raise `NotInLanes` for computations that vector code does not support.

    table: returns the memory run that contains a table, given the table's name and content.
    """

    def __init__(self, block: Block, table: Callable[[str, Table], SSAValue] | None = None) -> None:
        self.table, self._entry, self._block = table, block, block
        self._constants = dict[tuple[int, int | None], SSAValue]()
        self._compared = dict[SSAValue, tuple[SSAValue | int, ...]]()
        """The operands of each comparison, by its result."""

    def put(self, op: Operation) -> SSAValue:
        return Builder(InsertPoint.at_end(self._block)).insert(op).results[0]

    def register(self, element: Element) -> SSAValue:
        """The 32-bit register that contains a value. A constant is created at the start of the function."""
        if element.width > REGISTER:
            raise NotInLanes(f"a value has more than {REGISTER} bits")
        if isinstance(element.value, SSAValue):
            if element.value.type != i32:
                raise NotInLanes("a condition is computed with")
            return element.value
        if not -(1 << REGISTER - 1) <= element.value < 1 << REGISTER - 1:
            raise NotInLanes(f"a constant has more than {REGISTER} bits")
        return self._constant(element.value, REGISTER)

    def index(self, value: int) -> SSAValue:
        return self._constant(value, None)

    def _constant(self, value: int, width: int | None) -> SSAValue:
        """Insert a constant at the start of the function, unless an earlier call has inserted it, and return it.

        width: the width in bits; None for an index.
        """
        if (value, width) not in self._constants:
            self._constants[value, width] = self._at_start(integer_constant(value, width))
        return self._constants[value, width]

    def _at_start(self, op: Operation) -> SSAValue:
        return Builder(InsertPoint.at_start(self._entry)).insert(op).results[0]

    def load(self, run: SSAValue, index: SSAValue) -> Element:
        """Append a load of an element that is sign-extended to a register, and return the element."""
        return self._loaded(memref.LoadOp.get(run, [index]), self.put)

    def first(self, run: SSAValue) -> Element:
        """Insert a load of the only element of a run at the start of the function, and return the element."""
        zero, ops = self.index(0), list[Operation]()

        def behind(op: Operation) -> SSAValue:
            ops.append(op)
            return op.results[0]

        found = self._loaded(memref.LoadOp.get(run, [zero]), behind)
        Builder(InsertPoint.after(cast(Operation, zero.owner))).insert(ops)
        return found

    def _loaded(self, load: memref.LoadOp, put: Callable[[Operation], SSAValue]) -> Element:
        loaded, self.last_load = put(load), load
        wide = loaded if loaded.type == i32 else put(arith.ExtSIOp(loaded, i32))
        return Element(wide, integer_width(loaded.type))

    def store(self, element: Element, run: SSAValue, index: SSAValue) -> None:
        """Append a store of a value, truncated to the element type of the run."""
        narrow = self._narrow(element, memref_type(run).element_type)
        Builder(InsertPoint.at_end(self._block)).insert(memref.StoreOp.get(narrow, run, [index]))

    def _narrow(self, element: Element, type: Attribute) -> SSAValue:
        if element.constant is not None:
            return self._constant(element.constant, integer_width(type))
        value = self.register(element)
        return value if type == i32 else self.put(arith.TruncIOp(value, cast("IntegerType[int, Any]", type)))

    @contextmanager
    def inside(self, block: Block) -> Generator[None]:
        """A context in which ops are appended to another block."""
        before, self._block = self._block, block
        yield
        self._block = before

    def reduce(
        self,
        kinds: Sequence[str],
        starts: Sequence[SSAValue],
        numbers: range,
        body: Callable[[SSAValue, Sequence[SSAValue]], Sequence[SSAValue]],
    ) -> Sequence[SSAValue]:
        """Append a `num.reduce`, and return its results.

        kinds: the kind of reduction of each carried value.
        starts: the initial carried values.
        numbers: the range of the index.
        body: appends the ops of the reduction's body, and returns the next carried values.
        """
        block = Block(arg_types=[IndexType(), *(start.type for start in starts)])
        with self.inside(block):
            values = body(block.args[0], block.args[1:])
            block.add_op(num.NextOp(*values))
        op = num.ReduceOp(kinds, starts, numbers, Region(block))
        self.put(op)
        return op.results

    def _op(self, kind: Callable[[SSAValue, SSAValue], Operation], a: Element, b: Element) -> Element:
        return self._of(self.put(kind(self.register(a), self.register(b))), a.width)

    def _of(self, value: SSAValue, width: int) -> Element:
        if width > REGISTER:
            raise NotInLanes(f"a value has more than {REGISTER} bits")
        return Element(value, width)

    def int_constant(self, value: int, width: int) -> Element:
        return Element(value, width)

    def resize(self, value: Element, width: int) -> Element:
        return Element(value.value, width)

    def wrap(self, value: Element, width: int) -> Element:
        if value.constant is not None:
            raise NotInLanes
        moved = Element(REGISTER - width, REGISTER)
        left = self._op(arith.ShLIOp, Element(value.value, REGISTER), moved)
        return Element(self._op(arith.ShRSIOp, left, moved).value, width)

    def _folded(
        self,
        kind: Callable[[SSAValue, SSAValue], Operation],
        a: Element,
        b: Element,
        folded: Callable[[int, int], int],
    ) -> Element:
        if a.constant is not None and b.constant is not None:
            return self.int_constant(folded(a.constant, b.constant), a.width)
        return self._op(kind, a, b)

    def addi(self, a: Element, b: Element) -> Element:
        if a.constant == 0:
            # Sums begin with 0.
            return b
        return self._folded(arith.AddiOp, a, b, operator.add)

    def subi(self, a: Element, b: Element) -> Element:
        return self._folded(arith.SubiOp, a, b, operator.sub)

    def andi(self, a: Element, b: Element) -> Element:
        return self._folded(arith.AndIOp, a, b, lambda x, y: x & y)

    def minsi(self, a: Element, b: Element) -> Element:
        return self._folded(arith.MinSIOp, a, b, min)

    def maxsi(self, a: Element, b: Element) -> Element:
        return self._folded(arith.MaxSIOp, a, b, max)

    def muli(self, a: Element, b: Element) -> Element:
        if a.constant is not None:
            a, b = b, a
        if a.constant is None and b.constant is not None and b.constant > 0 and b.constant.bit_count() == 1:
            return self._op(arith.ShLIOp, a, Element(b.constant.bit_length() - 1, REGISTER))
        return self._folded(arith.MuliOp, a, b, operator.mul)

    def shli(self, a: Element, b: Element) -> Element:
        return self._shift(arith.ShLIOp, a, b)

    def shrsi(self, a: Element, b: Element) -> Element:
        return self._shift(arith.ShRSIOp, a, b)

    def _shift(self, kind: Callable[[SSAValue, SSAValue], Operation], a: Element, b: Element) -> Element:
        if a.constant is not None or b.constant is None:
            raise NotInLanes
        return self._op(kind, a, b) if b.constant else a

    def cmp_sge(self, a: Element, b: Element) -> Element:
        return self._condition("sge", a, b)

    def cmp_sgt(self, a: Element, b: Element) -> Element:
        return self._condition("sgt", a, b)

    def _condition(self, name: str, a: Element, b: Element) -> Element:
        if a.constant is not None and b.constant is not None:
            return self.int_constant(a.constant >= b.constant + (name == "sgt"), 1)
        made = self.put(arith.CmpiOp(self.register(a), self.register(b), name))
        self._compared[made] = a.value, b.value
        return Element(made, 1)

    def select(self, condition: Element, a: Element, b: Element) -> Element:
        if isinstance(condition.value, int):
            return a if condition.value else b
        if a.value == b.value:
            # The choice would be folded later, and a conversion of a constant is none of a lane.
            return a
        compared = self._compared.get(condition.value)
        if compared == (a.value, b.value):
            return self.maxsi(a, b)
        if compared == (b.value, a.value):
            return self.minsi(a, b)
        if compared is None:
            raise NotInLanes("a value is selected by no comparison")
        chosen = self.put(arith.SelectOp(condition.value, self.register(a), self.register(b)))
        return self._of(chosen, a.width)

    def call(self, function: str, *arguments: Element) -> Element:
        x, *factors = arguments
        known = {factor.constant is None for factor in factors}
        if x.constant is not None or function not in _FUNCTIONS or len(known) > 1:
            raise NotInLanes(f"{function} is not a function of lanes")
        runtime, given = RUNTIME_FUNCTIONS[function], list[SSAValue]()
        for argument, type in zip(arguments, runtime.arguments, strict=True):
            given.append(self._narrow(argument, type))
        result = self.put(func.CallOp(function, given, [runtime.result]))
        wide = result if runtime.result == i32 else self.put(arith.ExtSIOp(result, i32))
        return Element(wide, _FUNCTIONS[function])

    def divsi(self, a: Element, b: Element) -> Element:
        raise NotInLanes("it computes on floats, or divides")

    addf = subf = mulf = cmp_oge = cmp_ogt = divsi

    def float_constant(self, value: float) -> Element:
        raise NotInLanes("it computes on floats")

    def lookup(self, name: str, table: Table, index: Element) -> Element:
        if self.table is None or index.constant is not None:
            raise NotInLanes("a table is not read by lanes")
        run = self.table(name, table)
        return self.load(run, self.put(arith.IndexCastOp(self.register(index), IndexType())))

    def call_on_table(self, function: str, name: str, table: Table, *arguments: Element) -> Element:
        """Append the arithmetic of `tm_interpolate_s16` or `tm_interpolate_odd_s16`, and return the result.

        Both functions are defined in `runtime/include/tinyml/interpolate.h`.

        function: the name of the function.
        name: the name of the table.
        """
        x, *numbers = arguments
        if x.constant is not None:
            raise NotInLanes
        match function, [number.constant for number in numbers]:
            case "tm_interpolate_s16", [int(), int()]:
                last, scale = numbers
                return self._between(name, table, self.muli(self.subi(last, x), scale))
            case "tm_interpolate_odd_s16", [int(), int()]:
                (last, scale), zero = numbers, self.int_constant(0, REGISTER)
                size = self.minsi(self.maxsi(x, self.subi(zero, x)), last)
                y = self._between(name, table, self.muli(size, scale))
                return self.select(self.cmp_sge(x, zero), y, self.subi(zero, y))
            case _:
                raise NotInLanes(f"{function} is not a function of lanes")

    def _between(self, name: str, table: Table, place: Element) -> Element:
        eight, one = self.int_constant(8, REGISTER), self.int_constant(1, REGISTER)
        segment = self.shrsi(place, eight)
        low, high = self.lookup(name, table, segment), self.lookup(name, table, self.addi(segment, one))
        position = self.andi(place, self.int_constant(255, REGISTER))
        rise = self.addi(self.muli(self.subi(high, low), position), self.int_constant(128, REGISTER))
        return self.addi(low, self.shrsi(rise, eight))

    def width_of(self, value: Element) -> int:
        return value.width

    # Shifts by any amount cost the same here, and no function of the runtime is faster than its ops.

    def shift_left(self, x: Int[Element], amount: int) -> Int[Element]:
        return self.mul(x, self.const(1 << amount))

    def shift_right(self, x: Int[Element], amount: int) -> Int[Element]:
        return self._shifted(x, amount)

    def rescale_to(self, x: Int[Element], right: int, low: int, high: int) -> Int[Element]:
        return self.clamp(self.rescale(x, right), low, high)

    def sum_to(self, a: Int[Element], left: int, b: Int[Element], right: int, low: int, high: int) -> Int[Element]:
        return self.rescale_to(self.add(self.rescale(a, -left), b), right, low, high)

    def product_to(self, a: Int[Element], b: Int[Element], right: int, low: int, high: int) -> Int[Element]:
        return self.rescale_to(self.mul(a, b), right, low, high)


def without_unused(block: Block) -> None:
    """Erase arithmetic and loads whose results nothing reads.

    An example is a comparison whose selection became a minimum or maximum.
    """
    for op in reversed([*block.ops]):
        for region in op.regions:
            for inner in region.blocks:
                without_unused(inner)
        is_pure = op.dialect_name() == arith.Arith.name or isinstance(op, memref.LoadOp)
        if is_pure and not any(result.uses for result in op.results):
            op.detach()
            op.erase()

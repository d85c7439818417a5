"""The machine that records the computations of number formats as steps of an `ElementLoop`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tinyml.dialects.layouts.element_loops import ENDS, REGISTER, SUMS, Constant, Operand, Step, misuses_conditions
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Table = NDArray[np.signedinteger[Any]]


_EFFECTS = ("load", "shared", "lookup", *SUMS, "loop", "next", "end", *ENDS)
"""Steps with an effect: they read a run (every run of a loop has to be read by a step), control a loop, or write."""


class NoSteps(Exception):
    """Raised for a computation without steps: on floats, by functions on tables, or on integers of more than 32
    bits.
    """

    def __init__(self, reason: str = "it joins its iterations, or constants, in a way of its own") -> None:
        super().__init__(reason)


@dataclass(frozen=True)
class Element:
    """A value: an operand of steps, with its width in bits, 1 for a condition."""

    operand: Operand
    width: int

    @property
    def constant(self) -> int | None:
        return self.operand.value if isinstance(self.operand, Constant) else None


@dataclass
class StepRecorder(Machine[Element]):
    """A machine that appends steps. Registers have 32 bits, whatever the widths of the values in them.

    table: returns the number of the run that holds a table, given its name and contents. Raises `NoSteps` for what
    steps cannot compute.
    """

    table: Callable[[str, Table], int] | None = None
    steps: list[Step] = field(default_factory=list[Step])

    def step(self, name: str, *operands: Element, numbers: tuple[int, ...] = (), width: int | None = None) -> Element:
        """Append a step. width: that of the value, by default that of the first operand."""
        width = operands[0].width if width is None else width
        step = Step(name, tuple(each.operand for each in operands), numbers)
        if width > REGISTER or misuses_conditions(step, self.steps):
            raise NoSteps(f"a value has more than {REGISTER} bits, or a condition is computed with")
        self.steps.append(step)
        return Element(len(self.steps) - 1, width)

    @property
    def needed(self) -> Set[Operand]:
        """The numbers of the steps with an effect and of those whose values they read, directly or indirectly."""
        needed = set[Operand]()
        for number, step in reversed([*enumerate(self.steps)]):
            if number in needed or step.name in _EFFECTS:
                needed |= {number, *step.operands}
        return needed

    @property
    def program(self) -> tuple[Step, ...]:
        """The steps that are needed. For example, the comparison of a selection that became an extreme is left out."""
        needed, numbers, kept = self.needed, dict[Operand, int](), list[Step]()
        for number, step in enumerate(self.steps):
            if number in needed:
                numbers[number] = len(kept)
                operands = tuple(one if isinstance(one, Constant) else numbers[one] for one in step.operands)
                kept.append(step._replace(operands=operands))
        return tuple(kept)

    def int_constant(self, value: int, width: int) -> Element:
        return Element(Constant(value), width)

    def resize(self, value: Element, width: int) -> Element:
        return Element(value.operand, width)

    def wrap(self, value: Element, width: int) -> Element:
        if value.constant is not None:
            raise NoSteps
        moved = (REGISTER - width,)
        left = self.step("left", value, numbers=moved, width=REGISTER)
        return self.step("right", left, numbers=moved, width=width)

    def _folded(self, name: str, a: Element, b: Element, folded: Callable[[int, int], int]) -> Element:
        """Append a step with two operands. folded: computes its value if both are constants."""
        if a.constant is not None and b.constant is not None:
            return self.int_constant(folded(a.constant, b.constant), a.width)
        return self.step(name, a, b)

    def addi(self, a: Element, b: Element) -> Element:
        if 0 in (a.constant, b.constant):
            # Sums begin with 0.
            return a if b.constant == 0 else b
        return self._folded("add", a, b, operator.add)

    def subi(self, a: Element, b: Element) -> Element:
        return self._folded("sub", a, b, operator.sub)

    def andi(self, a: Element, b: Element) -> Element:
        return self._folded("and", a, b, lambda x, y: x & y)

    def minsi(self, a: Element, b: Element) -> Element:
        return self._folded("min", a, b, min)

    def maxsi(self, a: Element, b: Element) -> Element:
        return self._folded("max", a, b, max)

    def muli(self, a: Element, b: Element) -> Element:
        if a.constant is not None:
            a, b = b, a
        if a.constant is None and b.constant is not None and b.constant > 0 and b.constant.bit_count() == 1:
            return self.step("left", a, numbers=(b.constant.bit_length() - 1,))
        return self._folded("mul", a, b, operator.mul)

    def shli(self, a: Element, b: Element) -> Element:
        return self._shift("left", a, b)

    def shrsi(self, a: Element, b: Element) -> Element:
        return self._shift("right", a, b)

    def _shift(self, name: str, a: Element, b: Element) -> Element:
        if a.constant is not None or b.constant is None:
            raise NoSteps
        return self.step(name, a, numbers=(b.constant,)) if b.constant else a

    def cmp_sge(self, a: Element, b: Element) -> Element:
        return self._compared("at_least", a, b)

    def cmp_sgt(self, a: Element, b: Element) -> Element:
        return self._compared("greater", a, b)

    def _compared(self, name: str, a: Element, b: Element) -> Element:
        if a.constant is not None and b.constant is not None:
            return self.int_constant(a.constant >= b.constant + (name == "greater"), 1)
        return self.step(name, a, b, width=1)

    def select(self, condition: Element, a: Element, b: Element) -> Element:
        if condition.constant is not None:
            return a if condition.constant else b
        compared = () if isinstance(condition.operand, Constant) else self.steps[condition.operand].operands
        if compared == (a.operand, b.operand):
            return self.maxsi(a, b)
        if compared == (b.operand, a.operand):
            return self.minsi(a, b)
        return self.step("select", condition, a, b, width=a.width)

    def call(self, function: str, *arguments: Element) -> Element:
        x, *factors = arguments
        if x.constant is not None:
            raise NoSteps
        match function, [factor.constant for factor in factors]:
            case "tm_requantize_s32", [int() as multiplier, int() as shift]:
                return self.step("requantise", x, numbers=(multiplier, shift), width=REGISTER)
            case "tm_requantize_s32", [None, None]:
                return self.step("requantise_by", *arguments, width=REGISTER)
            case "tm_leading_zeros_s32", []:
                return self.step("leading_zeros", x, width=8)
            case "tm_reciprocal_s32", []:
                return self.step("reciprocal", x)
            case _:
                raise NoSteps(f"{function} has no steps")

    def divsi(self, a: Element, b: Element) -> Element:
        raise NoSteps("it computes on floats, or divides")

    addf = subf = mulf = cmp_oge = cmp_ogt = divsi

    def float_constant(self, value: float) -> Element:
        raise NoSteps("it computes on floats")

    def lookup(self, name: str, table: Table, index: Element) -> Element:
        if self.table is None or index.constant is not None:
            raise NoSteps("a table is not read by lanes")
        numbers = self.table(name, table), len(table)
        return self.step("lookup", index, numbers=numbers, width=8 * table.dtype.itemsize)

    def call_on_table(self, function: str, name: str, table: Table, *arguments: Element) -> Element:
        """The steps of `tm_interpolate_s16` and `tm_interpolate_odd_s16` (`runtime/include/tinyml/interpolate.h`)."""
        x, *numbers = arguments
        if x.constant is not None:
            raise NoSteps
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
                raise NoSteps(f"{function} has no steps")

    def _between(self, name: str, table: Table, place: Element) -> Element:
        """A value between two entries of a table, whose place has 8 bits of fraction."""
        segment, one = self.step("right", place, numbers=(8,)), self.int_constant(1, REGISTER)
        low, high = self.lookup(name, table, segment), self.lookup(name, table, self.addi(segment, one))
        position = self.andi(place, self.int_constant(255, REGISTER))
        rise = self.addi(self.muli(self.subi(high, low), position), self.int_constant(128, REGISTER))
        return self.addi(low, self.step("right", rise, numbers=(8,)))

    def width_of(self, value: Element) -> int:
        return value.width

    # A shift by any amount costs the same here, and no runtime function is faster than its steps.

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

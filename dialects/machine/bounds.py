"""A machine that computes only widths and intervals. Its values are placeholders of known width (`Wire`).

For an operation, the machine determines the interval of the result, and the tables and runtime functions that the
operation uses. It emits no ops.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.dialects.builtin import FixedBitwidthType
from xdsl.ir import SSAValue

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Machine
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Table = NDArray[np.signedinteger[Any]]


@dataclass(frozen=True, eq=False)
class Wire:
    """A placeholder of known width for a result that is not computed.

    width: the width in bits.
    constant: the value of a result that is known to be constant; None for other results.
    """

    width: int
    constant: int | None = None


Value: TypeAlias = "SSAValue | Wire"


def _nothing_known(value: Value) -> tuple[int, int] | None:
    return None


@dataclass(eq=False)
class Bounds(Machine[Value]):
    """A machine that computes only intervals.

    The result of an operation that must be computed is a `Wire`. An operation whose result is one of its operands needs
    no computation.

    look_up: returns the known interval of an operand.
    tables, functions: the names of the tables and runtime functions used so far, in order.
    """

    look_up: Callable[[Value], tuple[int, int] | None] = _nothing_known
    tables: list[tuple[str, Table]] = field(default_factory=list[Any])
    functions: list[str] = field(default_factory=list[str])

    def known(self, value: Value) -> tuple[int, int] | None:
        return self.look_up(value)

    def int_constant(self, value: int, width: int) -> Value:
        return Wire(width, value)

    def resize(self, value: Value, width: int) -> Value:
        return Wire(width)

    def addi(self, a: Value, b: Value) -> Value:
        return Wire(self.width_of(a))

    subi = muli = divsi = shli = shrsi = andi = minsi = maxsi = addf = subf = mulf = addi

    def cmp_sge(self, a: Value, b: Value) -> Value:
        return Wire(1)

    cmp_sgt = cmp_oge = cmp_ogt = cmp_sge

    def select(self, condition: Value, a: Value, b: Value) -> Value:
        return Wire(self.width_of(a))

    def lookup(self, name: str, table: Table, index: Value) -> Value:
        self.tables.append((name, table))
        return Wire(table.dtype.itemsize * 8)

    def float_constant(self, value: float) -> Value:
        return Wire(32)

    def call(self, function: str, *arguments: Value) -> Value:
        self.functions.append(function)
        return Wire(_width(RUNTIME_FUNCTIONS[function].result))

    def call_on_table(self, function: str, name: str, table: Table, *arguments: Value) -> Value:
        self.tables.append((name, table))
        return self.call(function, *arguments)

    def width_of(self, value: Value) -> int:
        return value.width if isinstance(value, Wire) else _width(value.type)


def _width(type: Any) -> int:
    assert isinstance(type, FixedBitwidthType)
    return type.bitwidth

"""Arithmetic for ops that run many times: in loops, and with other numbers in one candidate of a search after another.

A format describes an operation as a program over a machine, in which nothing depends on the numbers: so the steps that
it comes to on arrays are recorded the first time an op runs, and repeated without the format's reasoning about
intervals. A function of few arguments is worked out for all of them, and looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from xdsl.ir import Operation

from tinyml.dialects import num, tdsl
from tinyml.dialects.machine.machine import Machine
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.runtime.evaluator.arithmetic import Bits, ranked
from tinyml.runtime.evaluator.evaluator import compute
from tinyml.runtime.evaluator.value_numbering import Kept

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import NumberFormat

Array: TypeAlias = "NDArray[Any]"

TABULATED = 2
"""Bytes of an argument up to which functions are looked up."""

CONSTANTS = ("int_constant", "float_constant", "constant")
"""Methods of a machine whose results depend on no operand."""

STEPS = (*sorted(Machine.__abstractmethods__ - {*CONSTANTS, "width_of"}), "matmul", "of_raw")
"""Methods of a machine that compute on arrays."""

TABLES = {"lookup": 1, "call_on_table": 2, "of_raw": 0}
"""The argument of these methods that is a table, hence a constant."""


class TabulatedBits(Bits):
    """`Bits` that looks functions up. tables: by function and formats."""

    def __init__(self, tables: Kept, machine: NumpyMachine | None = None):
        super().__init__(machine)
        self.tables = tables

    def scalar(self, op: Operation, arguments: Sequence[Array]) -> Array:
        if not isinstance(op, num.FunctionOp) or num.format_of(op.input).dtype.itemsize > TABULATED:
            return super().scalar(op, arguments)
        source = num.format_of(op.input)
        key = op.FUNCTION, op.scheme, source.type, num.format_of(op.result).type
        if key in self.tables:
            table = self.tables[key]
        else:
            raws = _all_raws(source)
            # What is proven to be one number comes as one.
            self.tables[key] = table = np.broadcast_to(Bits().scalar(op, [raws]), raws.shape)
        return self.machine.of_raw(table, arguments[0])


def _all_raws(format: NumberFormat) -> Array:
    """Every raw of a format, in the order of their unsigned patterns; zero where a pattern is none."""
    size = format.dtype.itemsize
    raws = np.arange(1 << 8 * size, dtype=f"u{size}").view(format.dtype)
    reals = np.nan_to_num(format.decode(raws))
    return np.where(format.encode(reals) == raws, raws, format.encode(np.zeros(1)))


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic)


class Recorded:
    """The ops of one program, each with the bits that `compute` gives it."""

    def __init__(self, tables: Kept) -> None:
        self.arithmetic = TabulatedBits(tables)
        self._tapes: dict[Operation, _Tape | None] = {}

    def compute(self, op: Operation, arguments: Sequence[Any]) -> Any:
        if not isinstance(op, tdsl.TensorOp):
            return compute(self.arithmetic, op, arguments)
        if isinstance(op, tdsl.ElementwiseOp):
            rank = 1 + len(tdsl.shape_of(op.out))
            arguments = [ranked(x, rank) for x in arguments]
        if op not in self._tapes:
            # Views tell apart operands that are one array this time, and perhaps not the next.
            arguments = [one.view() if isinstance(one, np.ndarray) else one for one in arguments]
            recorder = _Recorder()
            result = compute(TabulatedBits(self.arithmetic.tables, recorder), op, arguments)
            try:
                self._tapes[op] = _Tape(arguments, recorder, result)
            except KeyError:
                self._tapes[op] = None
            return result
        tape = self._tapes[op]
        return compute(self.arithmetic, op, arguments) if tape is None else tape.play(arguments)


class _Recorder(NumpyMachine):
    """The numpy machine, which remembers what it was asked to do: method, arguments, result."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, tuple[Any, ...], Any]] = []

    if not TYPE_CHECKING:

        def __getattribute__(self, name: str) -> Any:
            found = super().__getattribute__(name)
            if name not in STEPS and name not in CONSTANTS:
                return found

            def recorded(*arguments: Any) -> Any:
                result = found(*arguments)
                self.steps.append((name, arguments, result))
                return result

            return recorded


class _Tape:
    """The steps of one op. values: one for each place, operands first; what steps make and constants have places, too.

    Raises `KeyError` where something was computed without the machine, and cannot be repeated.
    """

    def __init__(self, operands: Sequence[Any], recorder: _Recorder, result: Any):
        self.operands = len(operands)
        self.values: list[Any] = [None] * self.operands
        self.steps: list[tuple[Callable[..., Any], list[int], int]] = []
        places = {id(one): place for place, one in enumerate(operands)}
        machine = NumpyMachine()

        def new(value: Any) -> int:
            self.values.append(value)
            return len(self.values) - 1

        for name, arguments, made in recorder.steps:
            if name in CONSTANTS:
                places[id(made)] = new(made)
                continue
            table = TABLES.get(name)
            sources = [
                places[id(one)] if _is_array(one) and i != table else new(one) for i, one in enumerate(arguments)
            ]
            places[id(made)] = new(None)
            self.steps.append((getattr(machine, name), sources, places[id(made)]))
        self.result = places[id(result)]

    def play(self, operands: Sequence[Any]) -> Any:
        values = self.values.copy()
        values[: self.operands] = operands
        for function, sources, target in self.steps:
            values[target] = function(*[values[place] for place in sources])
        return values[self.result]

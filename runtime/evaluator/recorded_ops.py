"""Ops as steps of a machine. The steps are recorded once and replayed for other samples, iterations and candidates of a
search.

A format implements an operation as a sequence of calls of a machine's methods. The sequence does not depend on the
data. The calls on arrays are recorded when an op is first executed. Later they are replayed, without the interval
analysis of the format.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from xdsl.ir import Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.machine.machine import Machine
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.tdsl.values import ranked
from tinyml.runtime.evaluator.execution import compute
from tinyml.runtime.evaluator.shared_values import ResultCache, TabulatedBits

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"

CONSTANTS = ("int_constant", "float_constant", "constant")
"""Methods of `Machine` that have no operands."""

STEPS = (*sorted(Machine.__abstractmethods__ - {*CONSTANTS, "width_of"}), "clip", "matmul", "of_raw", "perform")
"""Methods of `Machine` that compute on arrays."""

ELEMENTWISE = {*STEPS} - {"call_on_table", "lookup", "matmul", "of_raw"}
"""Methods of `Machine` whose arguments are arrays of elements, which are broadcast."""

TABLES = {"lookup": 1, "call_on_table": 2, "of_raw": 0}
"""For each method of `Machine` with a table, which is a constant, the position of the table among the arguments."""


def is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic)


class Tapes(dict[object, "_OpTape | None"]):
    """The recorded ops of all programs. A key identifies the steps of an op. The value is None for an op that cannot be
    replayed.
    """

    @staticmethod
    def key(op: tdsl.TensorOp, arguments: Sequence[Any], numbers: dict[SSAValue, int]) -> object:
        """The key of an op without regions. It consists of all properties that determine the op's steps.

        The properties are types, attributes, the constants from which sums are bounded, the identity of equal operands,
        and shapes. The number of samples is part of the key only if it is one.
        """
        operands = list(op.operands)
        roots = [tdsl.constant_root(value) for value in operands]
        return (
            op.name,
            *(value.type for value in (*op.results, *operands)),
            *sorted(op.properties.items()),
            *(None if root is None else numbers[root.result] for root in roots),
            *map(operands.index, operands),
            *((x.shape[0] == 1, x.shape[1:]) if np.ndim(x) else None for x in arguments),
        )


class Recorded:
    """The recorded ops of one program. Their results are equal to those of `compute` in every bit.

    * kept: a cache of function tables and of program results.
    * tapes: the recordings of this program and of other programs.
    * numbers: for each value of the program, its value number. Values with equal numbers have equal bits.
    """

    def __init__(self, kept: ResultCache, tapes: Tapes, numbers: dict[SSAValue, int]) -> None:
        self.kept = kept
        self.arithmetic = TabulatedBits(kept)
        self.numbers = numbers
        self.tapes = tapes
        self._of_ops: dict[Operation, _OpTape | None] = {}

    def compute(self, op: Operation, arguments: Sequence[Any]) -> Any:
        if not isinstance(op, tdsl.TensorOp):
            return compute(self.arithmetic, op, arguments)
        if isinstance(op, tdsl.ElementwiseOp):
            rank = 1 + len(tdsl.shape_of(op.out))
            arguments = [ranked(x, rank) for x in arguments]
        if op not in self._of_ops:
            # Steps of a region are recorded once for each program.
            key = None if op.regions else self.tapes.key(op, arguments, self.numbers)
            if key is None or key not in self.tapes:
                result, self._of_ops[op] = self._record(op, arguments)
                if key is not None:
                    self.tapes[key] = self._of_ops[op]
                return result
            self._of_ops[op] = self.tapes[key]
        tape = self._of_ops[op]
        return compute(self.arithmetic, op, arguments) if tape is None else tape.play(arguments)

    def tape(self, op: Operation) -> _OpTape | None:
        """The recorded steps of an op that has been executed; None if the steps cannot be repeated on other operands,
        or if the op has not been executed.
        """
        return self._of_ops.get(op)

    def _record(self, op: Operation, arguments: Sequence[Any]) -> tuple[Any, _OpTape | None]:
        # Views give operands that happen to share one array distinct identities.
        arguments = [x.view() if isinstance(x, np.ndarray) else x for x in arguments]
        recorder = _Recorder()
        result = compute(TabulatedBits(self.arithmetic.tables, recorder), op, arguments)
        try:
            return result, _OpTape(arguments, recorder, result)
        except KeyError:
            return result, None


class _Recorder(NumpyMachine):
    """A numpy machine that computes results and records each call as (method, arguments, result)."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, tuple[Any, ...], Any]] = []

    if not TYPE_CHECKING:

        def __getattribute__(self, name: str) -> Any:
            attribute = super().__getattribute__(name)
            if name not in STEPS and name not in CONSTANTS:
                return attribute

            def recorded(*arguments: Any) -> Any:
                result = attribute(*arguments)
                self.steps.append((name, arguments, result))
                return result

            return recorded


@dataclass(frozen=True)
class Step:
    """A recorded call of a function.

    name: a key that is equal for functions with equal results.
    function: the function.
    sources, target: the indices of the argument values and of the result.
    """

    name: object
    function: Callable[..., Any]
    sources: Sequence[int]
    target: int


class _OpTape:
    """The recorded steps of one op.

    Arguments and results are indices of `values`. The first values are the operands. Raises `KeyError` if a value was
    not computed by the machine and therefore cannot be replayed.
    """

    def __init__(self, operands: Sequence[Any], recorder: _Recorder, result: Any):
        self.operands = len(operands)
        self.values: list[Any] = [None] * self.operands
        self.steps: list[Step] = []
        indices = {id(operand): index for index, operand in enumerate(operands)}
        machine = NumpyMachine()

        def new(value: Any) -> int:
            self.values.append(value)
            return len(self.values) - 1

        for name, arguments, made in recorder.steps:
            if name in CONSTANTS:
                indices[id(made)] = new(made)
                continue
            table = TABLES.get(name)
            sources = [indices[id(x)] if is_array(x) and i != table else new(x) for i, x in enumerate(arguments)]
            indices[id(made)] = new(None)
            self.steps.append(Step(name, getattr(machine, name), sources, indices[id(made)]))
        self.result = indices[id(result)]

    def play(self, operands: Sequence[Any]) -> Any:
        values = self.values.copy()
        values[: self.operands] = operands
        for step in self.steps:
            values[step.target] = step.function(*[values[index] for index in step.sources])
        return values[self.result]

"""Work that the evaluations of similar programs share: equal values, a cache of results, and recorded ops.

The number of a value identifies its computation from the input and the constants: the operation with its properties and
types, and the numbers of its operands. Equal numbers mean equal bits, within a program or across programs.

A format implements an operation as a sequence of calls of a machine that does not depend on the data. The calls on
arrays are recorded when an op first runs, and replayed for other samples, iterations or candidates of a search, without
the format's interval analysis. A function with few possible arguments is tabulated for all of them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from xdsl.dialects import func, scf
from xdsl.ir import Block, Operation, SSAValue

from tinyml.dialects import num, tdsl
from tinyml.dialects.machine.machine import Machine
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.tdsl.values import ranked
from tinyml.runtime.evaluator.arithmetics import Bits
from tinyml.runtime.evaluator.evaluator import compute, predict_function

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import NumberFormat


class Numbering:
    """Value numbering across any number of programs."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}

    def number(self, *what: object) -> int:
        """The number of a key; equal keys have equal numbers."""
        return self._numbers.setdefault(what, len(self._numbers))

    def of_program(self, module: Any) -> dict[SSAValue, int]:
        """The numbers of all values of a program's function."""
        function = predict_function(module)
        [argument] = function.body.block.args
        numbers: dict[SSAValue, int] = {argument: self.number("input", argument.type)}
        self._block(function.body.block, numbers, 0)
        return numbers

    def _block(self, block: Block, numbers: dict[SSAValue, int], depth: int) -> None:
        for op in block.ops:
            if isinstance(op, func.ReturnOp | scf.YieldOp):
                continue
            operands = [numbers[operand] for operand in op.operands]
            if isinstance(op, scf.ForOp):
                # A loop is identified by the results of its body on placeholders for its arguments.
                body = op.body.block
                numbers |= {x: self.number("argument", depth, x.index, x.type) for x in body.args}
                self._block(body, numbers, depth + 1)
                last = body.last_op
                yielded = [] if last is None else [numbers[value] for value in last.operands]
                key = self.number("loop", depth, *operands, -1, *yielded)
                numbers |= {result: self.number("result", key, i) for i, result in enumerate(op.results)}
            else:
                assert len(op.results) == 1
                # Ops with regions are not compared: each one is equal only to itself.
                itself = op if op.regions else None
                properties = sorted(op.properties.items())
                numbers[op.results[0]] = self.number(op.name, *properties, op.results[0].type, itself, *operands)


class Kept:
    """A cache of results that evicts the least recently used beyond a capacity in bytes."""

    def __init__(self, capacity: int):
        self.capacity = capacity
        self.bytes = 0
        self._results: OrderedDict[object, Any] = OrderedDict()

    def __contains__(self, key: object) -> bool:
        return key in self._results

    def __getitem__(self, key: object) -> Any:
        self._results.move_to_end(key)
        return self._results[key]

    def __setitem__(self, key: object, result: Any) -> None:
        size = getattr(result, "nbytes", 0)
        if key in self._results or size > self.capacity:
            return
        self._results[key] = result
        self.bytes += size
        while self.bytes > self.capacity:
            _, old = self._results.popitem(last=False)
            self.bytes -= getattr(old, "nbytes", 0)


Array: TypeAlias = "NDArray[Any]"

TABULATED = 2
"""The widest argument, in bytes, for which functions are tabulated."""

CONSTANTS = ("int_constant", "float_constant", "constant")
"""Methods of a machine that take no operands."""

STEPS = (*sorted(Machine.__abstractmethods__ - {*CONSTANTS, "width_of"}), "matmul", "of_raw")
"""Methods of a machine that compute on arrays."""

TABLES = {"lookup": 1, "call_on_table": 2, "of_raw": 0}
"""The position of the argument that is a table, and hence a constant, by method."""


class TabulatedBits(Bits):
    """`Bits` with tabulated functions. tables: the cache of tables, by function and formats."""

    def __init__(self, tables: Kept, machine: NumpyMachine | None = None):
        super().__init__(machine)
        self.tables = tables

    def scalar(self, step: Operation, x: Sequence[Array]) -> Array:
        if not isinstance(step, num.FunctionOp) or num.format_of(step.input).dtype.itemsize > TABULATED:
            return super().scalar(step, x)
        source = num.format_of(step.input)
        key = step.FUNCTION, step.scheme, source.type, num.format_of(step.result).type
        if key in self.tables:
            table = self.tables[key]
        else:
            raws = _all_raws(source)
            # A result proven constant is a single number.
            self.tables[key] = table = np.broadcast_to(Bits().scalar(step, [raws]), raws.shape)
        return self.machine.of_raw(table, x[0])


def _all_raws(format: NumberFormat) -> Array:
    """All raws of a format in the order of their unsigned bit patterns, with zero for invalid patterns."""
    size = format.dtype.itemsize
    raws = np.arange(1 << 8 * size, dtype=f"u{size}").view(format.dtype)
    reals = np.nan_to_num(format.decode(raws))
    return np.where(format.encode(reals) == raws, raws, format.encode(np.zeros(1)))


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic)


class Tapes(dict[object, "_OpTape | None"]):
    """The recorded ops of all programs, by what their steps follow from; None for those that cannot be replayed."""

    @staticmethod
    def key(op: tdsl.TensorOp, arguments: Sequence[Any], numbers: dict[SSAValue, int]) -> object:
        """All that a format sees of an op without regions: its types and properties, the constants that bound its sums,
        which of its operands are the same, and shapes, of which the number of samples counts only if it is one.
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
    """The recorded ops of one program, with results bit-identical to those of `compute`.

    numbers: of the program's values. tapes: what this and other programs have recorded.
    """

    def __init__(self, tables: Kept, tapes: Tapes, numbers: dict[SSAValue, int]) -> None:
        self.arithmetic = TabulatedBits(tables)
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
            # The steps of a region are its own: they are recorded once for each program.
            key = None if op.regions else self.tapes.key(op, arguments, self.numbers)
            if key is None or key not in self.tapes:
                result, self._of_ops[op] = self._record(op, arguments)
                if key is not None:
                    self.tapes[key] = self._of_ops[op]
                return result
            self._of_ops[op] = self.tapes[key]
        tape = self._of_ops[op]
        return compute(self.arithmetic, op, arguments) if tape is None else tape.play(arguments)

    def _record(self, op: Operation, arguments: Sequence[Any]) -> tuple[Any, _OpTape | None]:
        """The result of an op, and its steps."""
        # Views give operands that happen to share one array distinct identities.
        arguments = [x.view() if isinstance(x, np.ndarray) else x for x in arguments]
        recorder = _Recorder()
        result = compute(TabulatedBits(self.arithmetic.tables, recorder), op, arguments)
        try:
            return result, _OpTape(arguments, recorder, result)
        except KeyError:
            return result, None


class _Recorder(NumpyMachine):
    """A numpy machine that records each call: method, arguments, result."""

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


class _OpTape:
    """The recorded steps of one op, whose arguments and results are indices of `values`: operands first, then the rest.

    Raises `KeyError` if a value was computed without the machine and so cannot be replayed.
    """

    def __init__(self, operands: Sequence[Any], recorder: _Recorder, result: Any):
        self.operands = len(operands)
        self.values: list[Any] = [None] * self.operands
        self.steps: list[tuple[Callable[..., Any], list[int], int]] = []
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
            sources = [indices[id(x)] if _is_array(x) and i != table else new(x) for i, x in enumerate(arguments)]
            indices[id(made)] = new(None)
            self.steps.append((getattr(machine, name), sources, indices[id(made)]))
        self.result = indices[id(result)]

    def play(self, operands: Sequence[Any]) -> Any:
        values = self.values.copy()
        values[: self.operands] = operands
        for function, sources, target in self.steps:
            values[target] = function(*[values[index] for index in sources])
        return values[self.result]

"""Data that evaluations of similar programs share: equal values, a cache of results, and tables of functions.

The number of a value identifies the computation of the value from the input and the constants: the operation with its
properties and types, and the numbers of its operands. Values with equal numbers have equal bits, within a program and
across programs.

A function whose argument has few possible raws is replaced by a table.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from xdsl.dialects import func, scf
from xdsl.ir import Block, Operation, SSAValue

from tinyml.dialects import num
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.runtime.evaluator.arithmetics import Bits
from tinyml.runtime.evaluator.evaluator import predict_function

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import NumberFormat


class Numbering:
    """Value numbers for any number of programs. Equal computations have the same number."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}

    def number(self, *what: object) -> int:
        """The number assigned to the key `what`. Equal keys have equal numbers."""
        return self._numbers.setdefault(what, len(self._numbers))

    def of_program(self, module: Any) -> dict[SSAValue, int]:
        """The value number of each value in a program's function. Values with equal numbers have equal bits."""
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


class ResultCache:
    """A cache of results. When the results exceed a capacity in bytes, the least recently used ones are removed."""

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

TABLE_BYTES = 2
"""The maximum width, in bytes, of arguments of functions that are replaced by tables."""


class TabulatedBits(Bits):
    """`Bits` with functions replaced by tables.

    tables: a cache of tables. The key consists of the function and its formats.
    """

    def __init__(self, tables: ResultCache, machine: NumpyMachine | None = None):
        super().__init__(machine)
        self.tables = tables

    def scalar(self, step: Operation, x: Sequence[Array]) -> Array:
        if not isinstance(step, num.FunctionOp) or num.format_of(step.input).dtype.itemsize > TABLE_BYTES:
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
    """All raws of a format in the order of their unsigned bit patterns, with zero in place of invalid patterns."""
    size = format.dtype.itemsize
    raws = np.arange(1 << 8 * size, dtype=f"u{size}").view(format.dtype)
    reals = np.nan_to_num(format.decode(raws))
    return np.where(format.encode(reals) == raws, raws, format.encode(np.zeros(1)))

"""Value numbering across several programs, so that each distinct value is computed only once.

The number of a value identifies its computation from the input and the constants: the operation with its properties and
types, and the numbers of its operands. Equal numbers mean equal bits, within a program or across programs.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from xdsl.dialects import func, scf
from xdsl.ir import Block, SSAValue

from tinyml.runtime.evaluator.evaluator import predict_function


class Numbering:
    """Numbers for the values of any number of programs."""

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

"""Records of the ops that a program executes on some samples, through which derivatives go back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.dialects import func, scf
from xdsl.ir import Block, Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.tdsl.values import Arithmetic
from tinyml.runtime.evaluator.evaluator import compute

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"


class Trace:
    """The ops that a program executes on some samples, in order; operands and results are indices of `values`.

    inputs: (samples, elements), reals or raws as the arithmetic takes them. bound: the value of the IR at each index.
    index: the index of each value of the IR; in loops, that of the last iteration.
    """

    def __init__(self, function: func.FuncOp, inputs: Array, arithmetic: Arithmetic):
        self.function = function
        self.arithmetic = arithmetic
        self.values: list[Any] = []
        self.bound: list[SSAValue] = []
        self.index: dict[SSAValue, int] = {}
        self.entries: list[tuple[Operation, list[int], int]] = []
        [argument] = function.body.block.args
        self._bind(argument, inputs.reshape(-1, *tdsl.shape_of(argument)))
        self._run(function.body.block)

    def computed(self, op: Operation, operands: list[int], made: int) -> None:
        """Record an op, whose result is at `made`."""
        self.entries.append((op, operands, made))

    def _bind(self, value: SSAValue, result: Any) -> int:
        self.index[value] = len(self.values)
        self.values.append(result)
        self.bound.append(value)
        return self.index[value]

    def _run(self, block: Block) -> list[int]:
        for op in block.ops:
            operands = [self.index[value] for value in op.operands]
            if isinstance(op, func.ReturnOp | scf.YieldOp):
                return operands
            if isinstance(op, scf.ForOp):
                self.index |= zip(op.results, self._loop(op, operands), strict=True)
                continue
            [result] = op.results
            made = self._bind(result, compute(self.arithmetic, op, [self.values[index] for index in operands]))
            self.computed(op, operands, made)
        raise AssertionError("a block ends in a terminator")

    def _loop(self, op: scf.ForOp, operands: Sequence[int]) -> Sequence[int]:
        low, high, step = (self.values[index] for index in operands[:3])
        counter, *arguments = op.body.block.args
        carried = list(operands[3:])
        for i in range(low, high, step):
            self._bind(counter, i)
            self.index |= zip(arguments, carried, strict=True)
            carried = self._run(op.body.block)
        return carried

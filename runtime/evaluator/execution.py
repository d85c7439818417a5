"""The execution of ops in numpy: of single ops, and of the ops of a program without loops. `parallel_loops` executes
loops.

Ops of other dialects than `tdsl` are indices and conditions of `arith`, and empty tensors.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from xdsl.dialects import arith, func, scf, tensor
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, TensorType
from xdsl.ir import Block, Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import element_format
from tinyml.dialects.locations import not_supported
from tinyml.dialects.loops import INDEX_FUNCTIONS
from tinyml.dialects.plugins import wrong_result
from tinyml.dialects.tdsl.values import Arithmetic, HasValueInterface, selected

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"
Observer: TypeAlias = Callable[[SSAValue, Array], None]
_Step: TypeAlias = tuple[Operation, tuple[SSAValue, ...], tuple[SSAValue, ...]]
"""An op with its operands and results."""


class Run:
    """The evaluation of a program without loops on one chunk of samples.

    arithmetic: computes the ops.
    observe: called with each tensor and its values; None for no observer.
    """

    def __init__(self, arithmetic: Arithmetic, observe: Observer | None):
        self.arithmetic = arithmetic
        self.observe = observe
        self.values: dict[SSAValue, Any] = {}
        self.steps: dict[Block, list[_Step]] = {}

    def function(self, function: func.FuncOp, arguments: Sequence[Any]) -> Sequence[Any]:
        """The results of a function for the given values of its arguments."""
        for argument, value in zip(function.body.block.args, arguments, strict=True):
            self.bind(argument, value)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            return self.block(function.body.block)

    def bind(self, value: SSAValue, result: Any) -> None:
        """Assign a result to a value, and call the observer with a tensor."""
        self.values[value] = result
        if self.observe is not None and isinstance(value.type, TensorType):
            self.observe(value, result)

    def block(self, block: Block) -> Sequence[Any]:
        """The operands of a block's terminator, after the evaluation of the block."""
        if block not in self.steps:
            # The ops of a loop are listed once, not in each iteration.
            self.steps[block] = [(op, tuple(op.operands), tuple(op.results)) for op in block.ops]
        values = self.values
        for op, operands, bound in self.steps[block]:
            arguments = [values[value] for value in operands]
            if isinstance(op, func.ReturnOp | scf.YieldOp):
                return arguments
            for value, result in zip(bound, self.results(op, arguments), strict=True):
                self.bind(value, result)
        return []

    def results(self, op: Operation, arguments: Sequence[Any]) -> Sequence[Any]:
        return [compute(self.arithmetic, op, arguments)]


def compute(arithmetic: Arithmetic, op: Operation, x: Sequence[Any]) -> Any:
    """The result of an op that is not a loop, for given values of its operands."""
    if not isinstance(op, HasValueInterface):
        return foreign_value(op, x)
    result = op.compute(arithmetic, x)
    if not isinstance(op, tdsl.TensorOp):
        return result
    shape, got = tdsl.shape_of(op.out), np.shape(result)
    if result is None or (got and got[1:] != shape):
        raise wrong_result(type(op), f"{op.name} computes an array of shape {got}, expected samples of shape {shape}")
    # Without axes, the format has proven the result to be a constant.
    return result if got else np.broadcast_to(result, (1, *shape))


_COMPARISONS: Sequence[Callable[[Any, Any], Any]] = [
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
]
"""Comparisons in the numbering of MLIR's signed predicates."""


@singledispatch
def foreign_value(op: Operation, x: Sequence[Any]) -> Any:
    """The result of an op of a dialect other than `tdsl`, for given values of its operands.

    Handlers are registered for classes of ops. Raises `InputError` for an op without a handler.
    """
    raise not_supported(op, " by the evaluator")


@foreign_value.register
def _constant(op: arith.ConstantOp, x: Sequence[Any]) -> int:
    if isinstance(op.value, DenseIntOrFPElementsAttr):
        raise InputError("arith.constant of a tensor is not supported by the evaluator, expected tdsl.const")
    return cast("IntegerAttr[Any]", op.value).value.data


@foreign_value.register
def _comparison(op: arith.CmpiOp, x: Sequence[Any]) -> Any:
    return _COMPARISONS[op.predicate.value.data](x[0], x[1])


@foreign_value.register
def _selection(op: arith.SelectOp, x: Sequence[Any]) -> Any:
    return selected(np.asarray(x[0]), x[1], x[2])


@foreign_value.register
def _empty(op: tensor.EmptyOp, x: Sequence[Any]) -> Any:
    # The content is irrelevant, since all of it is overwritten before it is read.
    return np.zeros((1, *tdsl.shape_of(op.tensor)), element_format(op.tensor.type).dtype)


def _on_indices(op: Operation, x: Sequence[Any]) -> Any:
    return INDEX_FUNCTIONS[type(op)](x[0], x[1])


for _kind in INDEX_FUNCTIONS:
    foreign_value.register(_kind, _on_indices)

"""What the tensor ops compute, on arrays with a leading axis over the samples of a data set.

`Bits` is the meaning of a program at L1: raw values of each tensor's number format, as every device computes them.
`Reals` is the reference beside it: double precision, no format at all, to measure errors and ranges.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from xdsl.ir import Operation, SSAValue

from tinyml.dialects import num, tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.machine.numpy_machine import NumpyMachine, stacked_matmul
from tinyml.dialects.machine.real_functions import exactly
from tinyml.dialects.tdsl.accumulation import accumulator_elements

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"


class Arithmetic(ABC):
    """The ops that compute; arrays have shape (samples or 1, *shape of the tensor)."""

    @abstractmethod
    def constant(self, op: tdsl.ConstOp) -> Array:
        """The array of a parameter, without the axis over samples."""

    @abstractmethod
    def fill(self, op: tdsl.FillOp) -> Array: ...

    @abstractmethod
    def unary(self, op: tdsl.UnaryOp, x: Array) -> Array: ...

    @abstractmethod
    def binary(self, op: tdsl.BinaryOp, lhs: Array, rhs: Array) -> Array: ...

    @abstractmethod
    def products(
        self, op: tdsl.ContractionOp, pairs: Sequence[tuple[Array, Array]], initial: Array | None
    ) -> Array: ...

    @abstractmethod
    def squared_distance(self, op: tdsl.SquaredDistanceOp, lhs: Array, rhs: Array) -> Array: ...

    @abstractmethod
    def zero(self, op: tdsl.ZeroOp) -> Array: ...

    @abstractmethod
    def mac(self, op: tdsl.MacOp, sum: Array, lhs: Array, rhs: Array) -> Array: ...

    @abstractmethod
    def accumulate(self, op: tdsl.AccumulateOp, sum: Array, lhs: Array, rhs: Array) -> Array: ...

    @abstractmethod
    def finish(self, op: tdsl.FinishOp, sum: Array) -> Array: ...

    @abstractmethod
    def scalar(self, op: Operation, arguments: Sequence[Array]) -> Array:
        """An op of the body of a `tdsl.map`."""

    @abstractmethod
    def at_least(self, op: tdsl.AtLeastOp, x: Array) -> Array: ...

    @abstractmethod
    def positive(self, op: tdsl.SignOp, x: Array) -> Array: ...


class Reals(Arithmetic):
    """Double precision, whatever the formats say."""

    def constant(self, op: tdsl.ConstOp) -> Array:
        return tdsl.format_of(op.result).decode(op.raws)

    def fill(self, op: tdsl.FillOp) -> Array:
        return np.full(tdsl.shape_of(op.out), op.value.value.data)

    def unary(self, op: tdsl.UnaryOp, x: Array) -> Array:
        match op:
            case tdsl.NegOp():
                return -x
            case tdsl.FunctionOp():
                return exactly(op.FUNCTION, x)
            case tdsl.ReluOp():
                return np.maximum(x, 0.0)
            case tdsl.Relu6Op():
                return np.clip(x, 0.0, 6.0)
            case tdsl.NormaliseL2Op():
                return x / np.sqrt((x * x).sum(-1, keepdims=True))
            case _:
                return x

    def binary(self, op: tdsl.BinaryOp, lhs: Array, rhs: Array) -> Array:
        match op:
            case tdsl.AddOp():
                return lhs + rhs
            case tdsl.SubOp():
                return lhs - rhs
            case _:
                return lhs * rhs

    def products(self, op: tdsl.ContractionOp, pairs: Sequence[tuple[Array, Array]], initial: Array | None) -> Array:
        terms = [stacked_matmul(lhs, rhs) for lhs, rhs in pairs]
        total = np.asarray(sum(terms if initial is None else [initial, *terms]))
        return total if op.shifts is None else np.ldexp(total, -np.array(op.shifts)[:, None])

    def squared_distance(self, op: tdsl.SquaredDistanceOp, lhs: Array, rhs: Array) -> Array:
        return ((lhs - rhs) ** 2).sum(-2, keepdims=True)

    def zero(self, op: tdsl.ZeroOp) -> Array:
        return np.zeros(tdsl.shape_of(op.out))

    def mac(self, op: tdsl.MacOp, sum: Array, lhs: Array, rhs: Array) -> Array:
        return sum + lhs * rhs

    def accumulate(self, op: tdsl.AccumulateOp, sum: Array, lhs: Array, rhs: Array) -> Array:
        return sum + stacked_matmul(lhs, rhs)

    def finish(self, op: tdsl.FinishOp, sum: Array) -> Array:
        return sum

    def scalar(self, op: Operation, arguments: Sequence[Array]) -> Array:
        match op:
            case num.ConstantOp():
                return np.array(op.value.value.data)
            case num.AddOp():
                return arguments[0] + arguments[1]
            case num.SubOp():
                return arguments[0] - arguments[1]
            case num.MulOp():
                return arguments[0] * arguments[1]
            case num.NegOp():
                return -arguments[0]
            case num.FunctionOp():
                return exactly(op.FUNCTION, arguments[0])
            case num.ClampOp():
                return np.clip(arguments[0], op.low.value.data, op.high.value.data if op.high else None)
            case _:
                return arguments[0]

    def at_least(self, op: tdsl.AtLeastOp, x: Array) -> Array:
        return x >= op.threshold.value.data

    def positive(self, op: tdsl.SignOp, x: Array) -> Array:
        return x > 0


class Bits(Arithmetic):
    """Raw values; each op is the method of its result's format."""

    def __init__(self, machine: NumpyMachine | None = None):
        self.machine = machine or NumpyMachine()

    def constant(self, op: tdsl.ConstOp) -> Array:
        return op.raws

    def fill(self, op: tdsl.FillOp) -> Array:
        return _format(op.out).encode(np.full(tdsl.shape_of(op.out), op.value.value.data))

    def unary(self, op: tdsl.UnaryOp, x: Array) -> Array:
        source, result = _format(op.input), _format(op.out)
        match op:
            case tdsl.FunctionOp():
                return result.function(self.machine, op.FUNCTION, x, source, _scheme(op))
            case tdsl.NegOp():
                return result.neg(self.machine, x, source)
            case tdsl.ReluOp():
                return result.clamp(self.machine, x, 0.0, None)
            case tdsl.Relu6Op():
                return result.clamp(self.machine, x, 0.0, 6.0)
            case tdsl.CastOp():
                return result.convert(self.machine, x, source)
            case _:
                raise InputError(f"{op.name} is not supported yet by the evaluator")

    def binary(self, op: tdsl.BinaryOp, lhs: Array, rhs: Array) -> Array:
        result = _format(op.out)
        match op:
            case tdsl.AddOp():
                compute = result.add
            case tdsl.SubOp():
                compute = result.sub
            case _:
                compute = result.mul
        return compute(self.machine, lhs, _format(op.lhs), rhs, _format(op.rhs))

    def products(self, op: tdsl.ContractionOp, pairs: Sequence[tuple[Array, Array]], initial: Array | None) -> Array:
        accumulators, sums = op.accumulators, None
        before = accumulators[0]
        if op.initial is not None and initial is not None:
            sums = before.start(self.machine, initial, _format(op.initial))
        for accumulator, values, (lhs, rhs) in zip(accumulators, pairs, op.pairs, strict=True):
            if sums is not None:
                sums = accumulator.align(self.machine, sums, before)
            sums = self.machine.matmul(accumulator, values[0], _format(lhs), values[1], _format(rhs), sums)
            before = accumulator
        if op.shifts is not None:
            shifts = self.machine.constant(np.array(op.shifts, np.int8)[:, None])
            sums = before.shifted(self.machine, cast(Array, sums), shifts)
        levelled = before.levelled(_format(op.out))
        if levelled.type != before.type:
            rows = self.machine.constant(np.arange(tdsl.shape_of(op.out)[0])[:, None])
            sums = before.level_row(self.machine, cast(Array, sums), rows, levelled)
        return _format(op.out).finish(self.machine, cast(Array, sums), levelled, op.finished_bound)

    def squared_distance(self, op: tdsl.SquaredDistanceOp, lhs: Array, rhs: Array) -> Array:
        accumulator, difference = op.accumulator, op.difference
        column = difference.sub(self.machine, lhs, _format(op.lhs), rhs, _format(op.rhs))
        sums = accumulator.matmul(column.swapaxes(-1, -2), difference, column, difference)
        return _format(op.out).finish(self.machine, sums, accumulator, op.sum_bound)

    def zero(self, op: tdsl.ZeroOp) -> Array:
        zero = accumulator_elements(op.out).zero(self.machine)
        return np.broadcast_to(zero, tdsl.shape_of(op.out))

    def mac(self, op: tdsl.MacOp, sum: Array, lhs: Array, rhs: Array) -> Array:
        accumulator = accumulator_elements(op.out)
        return accumulator.mac(self.machine, sum, lhs, _format(op.lhs), rhs, _format(op.rhs))

    def accumulate(self, op: tdsl.AccumulateOp, sum: Array, lhs: Array, rhs: Array) -> Array:
        return accumulator_elements(op.out).matmul(lhs, _format(op.lhs), rhs, _format(op.rhs), sum)

    def finish(self, op: tdsl.FinishOp, sum: Array) -> Array:
        return _format(op.out).finish(self.machine, sum, accumulator_elements(op.input), op.sum_bound)

    def scalar(self, op: Operation, arguments: Sequence[Array]) -> Array:
        result = num.format_of(op.results[0])
        formats = [num.format_of(operand) for operand in op.operands]
        match op:
            case num.ConstantOp():
                return result.constant(self.machine, op.value.value.data)
            case num.AddOp():
                return result.add(self.machine, arguments[0], formats[0], arguments[1], formats[1])
            case num.SubOp():
                return result.sub(self.machine, arguments[0], formats[0], arguments[1], formats[1])
            case num.MulOp():
                return result.mul(self.machine, arguments[0], formats[0], arguments[1], formats[1])
            case num.NegOp():
                return result.neg(self.machine, arguments[0], formats[0])
            case num.ClampOp():
                high = None if op.high is None else op.high.value.data
                return result.clamp(self.machine, arguments[0], op.low.value.data, high)
            case num.ConvertOp():
                return result.convert(self.machine, arguments[0], formats[0])
            case num.FunctionOp():
                return result.function(self.machine, op.FUNCTION, arguments[0], formats[0], _scheme(op))
            case _:
                raise InputError(f"{op.name} is not supported in the body of a tdsl.map")

    def at_least(self, op: tdsl.AtLeastOp, x: Array) -> Array:
        return _format(op.input).at_least(self.machine, x, op.threshold.value.data)

    def positive(self, op: tdsl.SignOp, x: Array) -> Array:
        format = _format(op.input)
        return format.greater(self.machine, x, format.constant(self.machine, 0.0))


def _format(value: SSAValue) -> NumberFormat:
    return tdsl.format_of(value)


def _scheme(op: tdsl.FunctionOp | num.FunctionOp) -> str | None:
    return op.scheme.data if op.scheme else None

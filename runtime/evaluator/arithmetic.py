"""The arithmetic of tensor ops, on arrays with a leading axis over the samples of a data set.

`Bits` defines the meaning of a program at L1: raw values in each tensor's number format, as every device computes them.
`Reals` is the reference in double precision, without formats, to measure errors and ranges.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import IntegerType, f32
from xdsl.ir import Attribute, Operation, SSAValue

from tinyml.dialects import num, tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.machine.numpy_machine import NumpyMachine, stacked_matmul
from tinyml.dialects.tdsl.memory_sums import accumulator_elements
from tinyml.runtime.evaluator.contractions import Multiply, sum_products

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"


class Arithmetic(ABC):
    """The results of ops that compute; arrays have shape (samples or 1, *shape of the tensor)."""

    def __init__(self) -> None:
        self._bodies: dict[tdsl.ElementwiseOp, tdsl.ScalarBody] = {}

    def elementwise(self, op: tdsl.ElementwiseOp, arguments: Sequence[Array]) -> Array:
        """The result of an op's steps on scalars, for all elements at once."""
        if op not in self._bodies:
            self._bodies[op] = op.scalar_body
        body, rank = self._bodies[op], 1 + len(tdsl.shape_of(op.out))
        values = dict(zip(body.arguments, (ranked(x, rank) for x in arguments), strict=True))
        for step in body.steps:
            values[step.results[0]] = self.scalar(step, [values[operand] for operand in step.operands])
        return values[body.result]

    @abstractmethod
    def scalar(self, op: Operation, arguments: Sequence[Array]) -> Array:
        """The result of an op on scalars, for all elements at once."""

    @abstractmethod
    def constant(self, op: tdsl.ConstOp) -> Array:
        """A parameter as an array, without the axis over samples."""

    @abstractmethod
    def number(self, value: SSAValue, real: float) -> Array:
        """A real as an element of a tensor."""

    @abstractmethod
    def greatest(self, value: SSAValue, candidates: Iterable[Array]) -> Array:
        """The greatest of arrays of elements of a tensor, the first of equal ones."""

    @abstractmethod
    def no_total(self, value: SSAValue, count: int, shape: tuple[int, ...]) -> Array:
        """Totals of `count` elements of a tensor, before the first."""

    @abstractmethod
    def tally(self, value: SSAValue, total: Array, x: Array) -> Array:
        """Totals with one more element each."""

    @abstractmethod
    def average(self, out: SSAValue, source: NumberFormat, total: Array, count: int, over_axes: bool) -> Array:
        """Totals of elements of a format, divided by their number. out: the result; over_axes: as `tdsl.mean` does."""

    @abstractmethod
    def softmax_terms(self, op: tdsl.SoftmaxOp, x: Array, greatest: Array) -> Array: ...

    @abstractmethod
    def softmax_total(self, op: tdsl.SoftmaxOp, terms: Sequence[Array]) -> Array: ...

    @abstractmethod
    def softmax_shares(self, op: tdsl.SoftmaxOp, terms: Array, total: Array) -> Array: ...

    @abstractmethod
    def normalised(self, op: tdsl.NormaliseOp, x: Array) -> Array: ...

    @abstractmethod
    def products(
        self,
        op: tdsl.ContractionOp,
        pairs: Sequence[tuple[Array, Array]],
        initial: Array | None,
        row: Array | None = None,
    ) -> Array:
        """The sums of a contraction. row: the only row of the weights that they are of, perhaps for each sample."""

    @abstractmethod
    def squared_distance(self, op: tdsl.SquaredDistanceOp, lhs: Array, rhs: Array) -> Array: ...

    @abstractmethod
    def zero(self, op: tdsl.ZeroOp) -> Array: ...

    @abstractmethod
    def start(self, op: tdsl.StartOp, value: Array) -> Array: ...

    @abstractmethod
    def mac(self, op: tdsl.MacOp, sum: Array, lhs: Array, rhs: Array) -> Array: ...

    @abstractmethod
    def accumulate(self, op: tdsl.AccumulateOp, sum: Array, lhs: Array, rhs: Array) -> Array: ...

    @abstractmethod
    def finish(self, op: tdsl.FinishOp, sum: Array) -> Array: ...

    @abstractmethod
    def at_least(self, op: tdsl.AtLeastOp, x: Array) -> Array: ...

    @abstractmethod
    def positive(self, op: tdsl.SignOp, x: Array) -> Array: ...


def ranked(x: Array, rank: int) -> Array:
    """An array raised to a rank for broadcasting, by new axes after the one over samples."""
    return x if x.ndim == rank else x.reshape(x.shape[0], *(1,) * (rank - x.ndim), *x.shape[1:])


class Reals(Arithmetic):
    """Arithmetic in double precision, regardless of formats."""

    def constant(self, op: tdsl.ConstOp) -> Array:
        return tdsl.format_of(op.result).decode(op.raws)

    def number(self, value: SSAValue, real: float) -> Array:
        return np.array(real)

    def greatest(self, value: SSAValue, candidates: Iterable[Array]) -> Array:
        return reduce(np.maximum, candidates)

    def no_total(self, value: SSAValue, count: int, shape: tuple[int, ...]) -> Array:
        return np.zeros(shape)

    def tally(self, value: SSAValue, total: Array, x: Array) -> Array:
        return total + x

    def average(self, out: SSAValue, source: NumberFormat, total: Array, count: int, over_axes: bool) -> Array:
        return total / count

    def softmax_terms(self, op: tdsl.SoftmaxOp, x: Array, greatest: Array) -> Array:
        return np.exp(x - greatest)

    def softmax_total(self, op: tdsl.SoftmaxOp, terms: Sequence[Array]) -> Array:
        return np.asarray(sum(terms))

    def softmax_shares(self, op: tdsl.SoftmaxOp, terms: Array, total: Array) -> Array:
        return terms / total

    def normalised(self, op: tdsl.NormaliseOp, x: Array) -> Array:
        length = np.sqrt((x * x).sum(-1, keepdims=True))
        return x / np.where(length == 0, 1.0, length)

    def scalar(self, op: Operation, arguments: Sequence[Array]) -> Array:
        return _defined(op).real(arguments)

    def products(
        self,
        op: tdsl.ContractionOp,
        pairs: Sequence[tuple[Array, Array]],
        initial: Array | None,
        row: Array | None = None,
    ) -> Array:
        shape = tdsl.shape_of(op.out)
        terms = [
            sum_products(term, shape, *factors, None, lambda lhs, rhs, _: stacked_matmul(lhs, rhs))
            for term, factors in zip(op.terms, pairs, strict=True)
        ]
        total = np.asarray(sum(terms if initial is None else [ranked(initial, 1 + len(shape)), *terms]))
        return total if op.shifts is None else np.ldexp(total, -by_row(op, np.array(op.shifts), row))

    def squared_distance(self, op: tdsl.SquaredDistanceOp, lhs: Array, rhs: Array) -> Array:
        return ((lhs - rhs) ** 2).sum(-2, keepdims=True)

    def zero(self, op: tdsl.ZeroOp) -> Array:
        return np.zeros(tdsl.shape_of(op.out))

    def start(self, op: tdsl.StartOp, value: Array) -> Array:
        return _started(op, value)

    def mac(self, op: tdsl.MacOp, sum: Array, lhs: Array, rhs: Array) -> Array:
        return sum + lhs * rhs

    def accumulate(self, op: tdsl.AccumulateOp, sum: Array, lhs: Array, rhs: Array) -> Array:
        return sum + stacked_matmul(lhs, rhs)

    def finish(self, op: tdsl.FinishOp, sum: Array) -> Array:
        return sum if op.shifts is None else np.ldexp(sum, -np.array(op.shifts))

    def at_least(self, op: tdsl.AtLeastOp, x: Array) -> Array:
        return x >= op.threshold.value.data

    def positive(self, op: tdsl.SignOp, x: Array) -> Array:
        return x > 0


class Bits(Arithmetic):
    """Arithmetic on raw values; each op is computed by a method of its result's format."""

    def __init__(self, machine: NumpyMachine | None = None):
        super().__init__()
        self.machine = machine or NumpyMachine()

    def scalar(self, op: Operation, arguments: Sequence[Array]) -> Array:
        return _defined(op).computation()(self.machine, arguments)

    def no_total(self, value: SSAValue, count: int, shape: tuple[int, ...]) -> Array:
        return np.zeros(shape, builtin_dtype(_format(value).total(count)))

    def tally(self, value: SSAValue, total: Array, x: Array) -> Array:
        return _format(value).tally(self.machine, total, x)

    def average(self, out: SSAValue, source: NumberFormat, total: Array, count: int, over_axes: bool) -> Array:
        format = _format(out)
        average = format.mean if over_axes else format.average
        return average(self.machine, total, count, source)

    def softmax_terms(self, op: tdsl.SoftmaxOp, x: Array, greatest: Array) -> Array:
        return _format(op.out).softmax_term(self.machine, x, greatest, _format(op.input))

    def softmax_total(self, op: tdsl.SoftmaxOp, terms: Sequence[Array]) -> Array:
        format, start = _format(op.out), np.zeros(terms[0].shape, builtin_dtype(_format(op.out).softmax_total))
        return reduce(lambda total, term: format.softmax_add(self.machine, total, term), terms, start)

    def softmax_shares(self, op: tdsl.SoftmaxOp, terms: Array, total: Array) -> Array:
        return _format(op.out).softmax_share(self.machine, terms, total)

    def normalised(self, op: tdsl.NormaliseOp, x: Array) -> Array:
        """Squares are added in order."""
        source, format = _format(op.input), _format(op.out)
        total = np.zeros((*x.shape[:-1], 1), builtin_dtype(format.square_total(x.shape[-1], source)))
        for i in range(x.shape[-1]):
            total = format.add_square(self.machine, total, x[..., [i]], source)
        factor = format.inverse_root(self.machine, total, source)
        return format.normalised(self.machine, x, factor, total, source)

    def constant(self, op: tdsl.ConstOp) -> Array:
        return op.raws

    def number(self, value: SSAValue, real: float) -> Array:
        return _format(value).encode(np.array(real))

    def greatest(self, value: SSAValue, candidates: Iterable[Array]) -> Array:
        format = _format(value)
        return reduce(lambda best, x: np.where(format.greater(self.machine, x, best), x, best), candidates)

    def products(
        self,
        op: tdsl.ContractionOp,
        pairs: Sequence[tuple[Array, Array]],
        initial: Array | None,
        row: Array | None = None,
    ) -> Array:
        accumulators, shape, sums = op.accumulators, tdsl.shape_of(op.out), None
        before = accumulators[0]
        if op.initial is not None and initial is not None:
            # The machine leaves out an axis of numbers that are all zero.
            starts = np.broadcast_to(before.start(self.machine, initial, _format(op.initial)), initial.shape)
            sums = np.broadcast_to(ranked(starts, 1 + len(shape)), (len(starts), *shape))
        for accumulator, factors, term in zip(accumulators, pairs, op.terms, strict=True):
            if sums is not None:
                sums = accumulator.align(self.machine, sums, before)
            sums = sum_products(term, shape, *factors, sums, self._multiply(accumulator, term))
            before = accumulator
        if op.shifts is not None:
            shifts = self.machine.constant(by_row(op, np.array(op.shifts, np.int8), row))
            sums = before.shifted(self.machine, cast(Array, sums), shifts)
        return self._rounded(op, cast(Array, sums), before, by_row(op, np.arange(op.rows), row))

    def _rounded(self, op: tdsl.ContractionOp | tdsl.FinishOp, sums: Array, of: Accumulator, rows: Array) -> Array:
        """Complete sums in the format of an op's result. rows: the number of the row of each."""
        levelled = of.levelled(_format(op.out))
        if levelled.type != of.type:
            sums = of.level_row(self.machine, sums, self.machine.constant(rows), levelled)
        return _format(op.out).finish(self.machine, sums, levelled, op.finished_bound)

    def _multiply(self, accumulator: Accumulator, term: tdsl.Term) -> Multiply:
        lhs, rhs = _format(term.lhs), _format(term.rhs)
        return lambda x, y, sums: self.machine.matmul(accumulator, x, lhs, y, rhs, sums)

    def squared_distance(self, op: tdsl.SquaredDistanceOp, lhs: Array, rhs: Array) -> Array:
        accumulator, difference = op.accumulator, op.difference
        column = difference.sub(self.machine, lhs, _format(op.lhs), rhs, _format(op.rhs))
        sums = accumulator.matmul(column.swapaxes(-1, -2), difference, column, difference)
        return _format(op.out).finish(self.machine, sums, accumulator, op.sum_bound)

    def zero(self, op: tdsl.ZeroOp) -> Array:
        zero = accumulator_elements(op.out).zero(self.machine)
        return np.broadcast_to(zero, tdsl.shape_of(op.out))

    def start(self, op: tdsl.StartOp, value: Array) -> Array:
        return _started(op, accumulator_elements(op.out).start(self.machine, value, _format(op.input)))

    def mac(self, op: tdsl.MacOp, sum: Array, lhs: Array, rhs: Array) -> Array:
        accumulator = accumulator_elements(op.out)
        return accumulator.mac(self.machine, sum, lhs, _format(op.lhs), rhs, _format(op.rhs))

    def accumulate(self, op: tdsl.AccumulateOp, sum: Array, lhs: Array, rhs: Array) -> Array:
        return accumulator_elements(op.out).matmul(lhs, _format(op.lhs), rhs, _format(op.rhs), sum)

    def finish(self, op: tdsl.FinishOp, sum: Array) -> Array:
        accumulator = accumulator_elements(op.input)
        if op.shifts is not None:
            sum = accumulator.shifted(self.machine, sum, self.machine.constant(np.array(op.shifts, np.int8)))
        return self._rounded(op, sum, accumulator, np.arange(tdsl.shape_of(op.out)[op.ROW_AXIS]))

    def at_least(self, op: tdsl.AtLeastOp, x: Array) -> Array:
        return _format(op.input).at_least(self.machine, x, op.threshold.value.data)

    def positive(self, op: tdsl.SignOp, x: Array) -> Array:
        format = _format(op.input)
        return format.greater(self.machine, x, format.constant(self.machine, 0.0))


def by_row(op: tdsl.ContractionOp, numbers: Array, row: Array | None = None) -> Array:
    """One number for each row of a contraction's result, in a shape that broadcasts to the result.

    row: the only row of the result, for each sample or for all.
    """
    below = (1,) * (len(tdsl.shape_of(op.out)) - op.ROW_AXIS - 1)
    return numbers.reshape(-1, *below) if row is None else numbers[row].reshape(-1, 1, *below)


def _started(op: tdsl.StartOp, sums: Array) -> Array:
    shape = tdsl.shape_of(op.out)
    return np.broadcast_to(ranked(sums, 1 + len(shape)), (len(sums), *shape))


def builtin_dtype(type: Attribute) -> np.dtype[Any]:
    """The numpy type of a builtin integer or float."""
    return np.dtype(np.float32 if type == f32 else f"i{cast(IntegerType, type).bitwidth // 8}")


def _format(value: SSAValue) -> NumberFormat:
    return tdsl.format_of(value)


def _defined(op: Operation) -> num.ScalarOp:
    if not isinstance(op, num.ScalarOp):
        raise InputError(f"{op.name} is not supported in the body of a tdsl.map")
    return op

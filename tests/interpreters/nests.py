"""Evaluation of loop nests on arrays.

All iterations are evaluated at once, unless an iteration reads an element that another iteration stores. The arrays of
buffers have a leading axis for samples. The arrays of scalars have an additional axis for each axis of the nest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from xdsl.dialects import affine, arith, memref
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from tinyml.dialects import num
from tinyml.dialects.formats.number_format import element_format
from tinyml.dialects.locations import error_at
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.tdsl.values import builtin_dtype
from tinyml.runtime.evaluator.execution import foreign_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"


def evaluate_nest(nest: num.ClosedNestOp, known: Mapping[SSAValue, Any], machine: NumpyMachine | None = None) -> None:
    """Run a nest on raws and store its results in the arrays of its buffers.

    known: the values defined outside the nest: for a buffer, an array of shape (samples, ...), which stores modify; for
        a scalar that is not constant, its raw.
    machine: executes the scalar operations; a new `NumpyMachine` by default.

    Raises `InputError` for ops that cannot be evaluated, such as sparse products.
    """
    machine, shape = machine or NumpyMachine(), nest.shape
    if _is_parallel(nest, known):
        grids = np.meshgrid(*map(np.arange, shape), indexing="ij")
        _Iterations(nest, known, machine, grids).run()
        return
    for numbers in product(*map(range, shape)):
        ones = (1,) * len(shape)
        _Iterations(nest, known, machine, [np.full(ones, number) for number in numbers]).run()


def _is_parallel(nest: num.ClosedNestOp, known: Mapping[SSAValue, Any]) -> bool:
    """Whether it is certain that every iteration stores only elements that no other iteration accesses."""
    accesses = nest.accesses
    for store in accesses:
        if store is None or not store.writes:
            continue
        axes = [part.position for part in store.map.results if isinstance(part, AffineDimExpr)]
        if sorted(axes) != list(range(len(nest.shape))):
            return False
        for other in accesses:
            if other is None:
                return False
            ours, theirs = (known[each.op.memref] for each in (store, other))
            same = ours is theirs and other[1:] == store[1:]
            if not same and np.shares_memory(ours, theirs):
                return False
    return True


class _Iterations:
    """Iterations of a nest that are evaluated together.

    known: the values that are defined outside the nest.
    machine: computes the ops.
    numbers: one array for each axis, which contains the index of each iteration along this axis. The arrays broadcast
        to a common shape.
    """

    def __init__(
        self, nest: num.ClosedNestOp, known: Mapping[SSAValue, Any], machine: NumpyMachine, numbers: Sequence[Array]
    ):
        self.nest, self.machine, self.numbers = nest, machine, numbers
        self.values: dict[SSAValue, Any] = dict(known)
        self.values |= {argument: grid[None] for argument, grid in zip(nest.body.block.args, numbers, strict=True)}

    def run(self) -> None:
        self._block(self.nest.body.block)

    def _block(self, block: Block) -> Sequence[Any]:
        """Run a body and return the values that it yields; an empty list for a body without a terminator."""
        for op in block.ops:
            match op:
                case memref.StoreOp():
                    self.value(op.memref)[self._element(op)] = self.value(op.value)
                case num.NextOp():
                    return [self.value(value) for value in op.values]
                case num.ReduceOp():
                    self.values |= zip(op.results, self._reduced(op), strict=True)
                case _:
                    self.values[op.results[0]] = self._computed(op)
        return []

    def _reduced(self, op: num.ReduceOp) -> Sequence[Any]:
        """The results of a reduction, whose iterations are evaluated one after another."""
        joined: Sequence[Any] = [self.value(start) for start in op.starts]
        for number in op.numbers:
            self.values |= zip(op.body.block.args, [number, *joined], strict=True)
            joined = self._block(op.body.block)
        return joined

    def value(self, value: SSAValue) -> Any:
        """The value of an SSA value that is defined in the body or by a constant outside. Raises `InputError` for any
        other unknown value.
        """
        if value not in self.values:
            owner = value.owner
            if not isinstance(owner, Operation) or owner.operands:
                raise error_at(self.nest, f"{self.nest.name} reads a value that is not known to the evaluator")
            self.values[value] = self._computed(owner)
        return self.values[value]

    def _computed(self, op: Operation) -> Any:
        match op:
            case memref.LoadOp():
                return self.value(op.memref)[self._element(op)]
            case affine.ApplyOp():
                operands, dims = [self.value(value) for value in op.mapOperands], op.map.data.num_dims
                return op.map.data.results[0].eval(operands[:dims], operands[dims:])
            case num.ProductsOp():
                return self._products(op)
            case arith.SelectOp():
                condition: Array = np.asarray(self.value(op.cond))
                chosen, other = np.asarray(self.value(op.lhs)), np.asarray(self.value(op.rhs))
                return np.where(condition, chosen, other)
            case arith.ConstantOp() if op.result.type != IndexType():
                attribute: Any = op.value
                return np.array(attribute.value.data, builtin_dtype(op.result.type))
            case num.NumOp():
                return op.computation()(self.machine, [self.value(value) for value in op.operands])
            case _:
                return foreign_value(op, [self.value(value) for value in op.operands])

    def _element(self, op: memref.LoadOp | memref.StoreOp) -> tuple[Any, ...]:
        """The index of the accessed elements in the array of the buffer, with one entry per axis."""
        ones = (1,) * len(self.numbers)
        samples = np.arange(len(self.value(op.memref))).reshape(-1, *ones)
        return (samples, *(np.asarray(self.value(index)) for index in op.indices))

    def _products(self, op: num.ProductsOp) -> Array:
        """The sums of the products of rows and windows in the current iterations."""
        around, spaces = op.contraction, op.spaces
        weights, vector = (self.value(each) for each in op.factors)
        rows = weights.reshape(len(weights), around.rows, -1)[:, :, : op.length]
        runs, part = np.arange(spaces.runs), np.arange(op.length // spaces.runs)
        inside = (runs[:, None] * spaces.pitch + part * op.stride).reshape(-1)
        lines, windows = np.arange(around.lines)[:, None], np.arange(around.windows)
        first = (lines * spaces.pitch + windows * spaces.step).reshape(-1)
        elements = vector.reshape(len(vector), -1)
        formats = [element_format(factor.type) for factor in op.factors]
        start = np.broadcast_to(self.value(op.sum), (len(elements), *around.shape))
        starts = start.reshape(len(elements), len(first), around.rows)
        columns = (
            [np.arange(around.rows)] if op.channels is None else [np.arange(row, row + 1) for row in range(around.rows)]
        )
        parts: list[Array] = []
        for chosen in columns:
            offset = 0 if op.channels is None else int(chosen[0])
            taken = elements[:, first[:, None] + inside + offset].swapaxes(1, 2)
            begin = np.ascontiguousarray(starts[:, :, chosen].swapaxes(1, 2))
            parts.append(op.accumulator.matmul(rows[:, chosen], formats[0], taken, formats[1], begin))
        sums = np.concatenate(parts, 1).swapaxes(1, 2)
        return sums.reshape(len(sums), *around.shape)[(slice(None), *self.numbers)]

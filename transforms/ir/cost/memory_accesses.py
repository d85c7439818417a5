"""The loads and stores of a program by array, counted in its loops (L4).

The count is static: each load and store counts as often as the loops around it execute it. A call of a kernel counts
every element of its operands once, because kernels keep operands in registers, although a kernel may load some elements
more than once. Every branch counts as taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IntegerAttr, MemRefType, SymbolRefAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import SymbolTable

from tinyml.dialects import scratch
from tinyml.dialects.layouts.contents import LANES
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.loops import INDEX_FUNCTIONS, iterations_of
from tinyml.dialects.num.nests import ReduceOp
from tinyml.dialects.scratch import memref_type, unit_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Values = NDArray[np.int64]

MOST_ITERATIONS = 1 << 22
"""The limit on the iterations over which an index is evaluated."""


@dataclass(frozen=True)
class Accesses:
    """The accesses to an array in one inference.

    reads, writes: the numbers of loads and of stores.
    read_bytes, written_bytes: the bytes that they transfer.
    exact: false if a kernel, a branch or a loop with a computed bound accesses the array, so that the numbers are
        estimates.
    """

    reads: int = 0
    writes: int = 0
    read_bytes: int = 0
    written_bytes: int = 0
    exact: bool = True

    def plus(self, other: Accesses) -> Accesses:
        return Accesses(
            self.reads + other.reads,
            self.writes + other.writes,
            self.read_bytes + other.read_bytes,
            self.written_bytes + other.written_bytes,
            self.exact and other.exact,
        )


def array_of(value: SSAValue) -> SSAValue | None:
    """The array of which a value is a part: a view, a constant, a local array or an argument of the function.

    None for a value that may be one of several arrays.
    """
    while isinstance(value.owner, scratch.SliceOp | memref.CastOp):
        value = value.owner.operands[0]
    if isinstance(value.owner, Block):
        return value if isinstance(value.owner.parent_op(), func.FuncOp) else None
    return value if isinstance(value.owner, scratch.ViewOp | scratch.ConstantOp | memref.AllocaOp) else None


def accesses_of(function: func.FuncOp) -> Mapping[SSAValue, Accesses]:
    """For each array of a function on L4, its accesses in one call of the function."""
    counter = _Counter()
    counter.block(function.body.block, 1.0, exact=True)
    return {array: counter.rounded(array) for array in counter.counts}


class _Counter:
    """A counter of accesses. Counts are floats, because a loop whose bounds depend on indices has a mean number of
    iterations.
    """

    def __init__(self) -> None:
        self.counts: dict[SSAValue, list[float]] = {}
        self.inexact = set[SSAValue]()

    def rounded(self, array: SSAValue) -> Accesses:
        reads, writes, read, written = (round(count) for count in self.counts[array])
        return Accesses(reads, writes, read, written, array not in self.inexact)

    def add(self, value: SSAValue, times: float, elements: float, *, writes: bool, exact: bool) -> None:
        array = array_of(value)
        if array is None:
            return
        unit, size = unit_of(memref_type(value))
        count = self.counts.setdefault(array, [0.0] * 4)
        count[writes] += times * elements
        count[2 + writes] += times * elements * size / unit
        if not exact or unit > 1:
            self.inexact.add(array)

    def copy(self, op: Operation, times: float, elements: float, *, exact: bool) -> None:
        """Count a copy from the first operand to the second.

        times: how often the copy is executed.
        elements: the number of elements copied.
        exact: whether these numbers are exact.
        """
        self.add(op.operands[0], times, elements, writes=False, exact=exact)
        self.add(op.operands[1], times, elements, writes=True, exact=exact)

    def block(self, block: Block, times: float, *, exact: bool) -> None:
        for op in block.ops:
            self.operation(op, times, exact=exact)

    def operation(self, op: Operation, times: float, *, exact: bool) -> None:
        match op:
            case memref.LoadOp():
                self.add(op.memref, times, 1, writes=False, exact=exact)
            case memref.StoreOp():
                self.add(op.memref, times, 1, writes=True, exact=exact)
            case memref.CopyOp():
                self.copy(op, times, scratch.elements_of(op.source), exact=exact)
            case scratch.CopyRunOp():
                length = _mean([op.count], _same)
                most = float(op.most.value.data)
                self.copy(op, times, most if length is None else length, exact=exact and length is not None)
            case func.CallOp():
                arrays = [operand for operand in op.arguments if isinstance(operand.type, MemRefType)]
                looked_up = _looked_up(op)
                for i, operand in enumerate(arrays):
                    written = not op.results and i == len(arrays) - 1
                    elements = looked_up.get(i, scratch.elements_of(_sized(operand)))
                    self.add(operand, times, elements, writes=written, exact=False)
            case scf.ForOp():
                trips = _trips(op)
                self.block(op.body.block, times * (1 if trips is None else trips), exact=exact and trips is not None)
            case _:
                for region in op.regions:
                    for block in region.blocks:
                        self.block(block, times, exact=False)


def _same(index: Values) -> Values:
    return index


def _trips(loop: scf.ForOp) -> float | None:
    """The mean number of iterations of a loop over all iterations of its enclosing loops. None in the same cases as for
    `_mean`.
    """

    def trips(low: Values, high: Values, step: Values) -> Values:
        return np.maximum(-((low - high) // step), 0)

    return _mean([loop.lb, loop.ub, loop.step], trips)


def _mean(indices: Sequence[SSAValue], function: Callable[..., Values]) -> float | None:
    """The mean value that a function of loop indices has over all iterations of the enclosing loops. None if an index
    does not follow from loop indices, or if there are more than `MOST_ITERATIONS` iterations.
    """
    around = dict[SSAValue, range]()
    if not all(_note_loops(index, around) for index in indices) or prod(map(len, around.values())) > MOST_ITERATIONS:
        return None
    grid = np.meshgrid(*around.values(), indexing="ij", sparse=True)
    known: dict[SSAValue, Values] = dict(zip(around, grid, strict=True))
    values = function(*(_value(index, known) for index in indices))
    return float(np.broadcast_to(values, [len(each) for each in around.values()]).mean())


def _note_loops(index: SSAValue, around: dict[SSAValue, range]) -> bool:
    """Add to `around` the ranges of the loop variables on which an index depends. Return false if the index depends
    on anything else.
    """
    owner = index.owner
    if isinstance(owner, arith.ConstantOp):
        return True
    if isinstance(owner, Operation):
        return type(owner) in _FUNCTIONS and all(_note_loops(operand, around) for operand in owner.operands)
    loop = owner.parent_op()
    if not isinstance(loop, scf.ForOp) or index is not loop.body.block.args[0]:
        return False
    taken = iterations_of(loop)
    if taken is not None:
        around[index] = taken
    return taken is not None


def _value(index: SSAValue, known: Mapping[SSAValue, Values]) -> Values:
    """The values of an index for all iterations of known loops.

    known: the values of loop variables.
    """
    if index in known:
        return known[index]
    owner = index.owner
    assert isinstance(owner, Operation)
    if isinstance(owner, arith.ConstantOp):
        return np.array(cast("IntegerAttr[Any]", owner.value).value.data)
    return _FUNCTIONS[type(owner)](owner, *(_value(operand, known) for operand in owner.operands))


def _compared(op: Operation, a: Values, b: Values) -> Values:
    assert isinstance(op, arith.CmpiOp)
    return cast("Values", getattr(np, _COMPARISONS[op.predicate.value.data])(a, b))


_ORDERED = ("less", "less_equal", "greater", "greater_equal")
_COMPARISONS = ("equal", "not_equal", *_ORDERED, *_ORDERED)
"""Numpy's comparisons by the number of the predicate of `arith.cmpi`. Indices compared without a sign are not negative.
"""


def _selected(op: Operation, condition: Values, a: Values, b: Values) -> Values:
    del op
    return np.where(condition, a, b)


def _taken(function: Callable[[Any, Any], Any]) -> Callable[..., Values]:
    def values(op: Operation, a: Values, b: Values) -> Values:
        del op
        return function(a, b)

    return values


_FUNCTIONS: Mapping[type[Operation], Callable[..., Values]] = {
    **{kind: _taken(function) for kind, function in INDEX_FUNCTIONS.items()},
    arith.CmpiOp: _compared,
    arith.SelectOp: _selected,
}
"""What ops compute from the values of their operands."""


def _looked_up(call: func.CallOp) -> Mapping[int, int]:
    """For each table that a call of a lane function reads, by the position of the operand, the number of loads. Empty
    for other calls.
    """
    declared = SymbolTable.lookup_symbol(call, call.callee)
    if declared is None or not isinstance(name := declared.attributes.get(LANES), SymbolRefAttr):
        return {}
    from tinyml.dialects.num.kernels.lane_functions import LaneFunctionOp

    function = LaneFunctionOp.named(name.string_value(), declared)
    assert function is not None
    tables = dict[int, int]()
    for op in function.walk():
        if isinstance(op, memref.LoadOp) and isinstance(op.indices[0].owner, arith.IndexCastOp):
            times, around = prod(function.shape), op.parent_op()
            while isinstance(around, ReduceOp):
                times *= around.extent.value.data - around.first.value.data
                around = around.parent_op()
            position = list(function.runs).index(op.memref)
            tables[position] = tables.get(position, 0) + times
    return tables


def _sized(value: SSAValue) -> SSAValue:
    """The operand of a call, before any cast that removes its static length."""
    return value.owner.source if isinstance(value.owner, memref.CastOp) else value

"""The loads and stores of a program by array, counted in its loops (L4).

The count is static: each load and store counts as often as the loops around it execute it. A call of a kernel counts
every element of its operands once, because kernels keep operands in registers, although a kernel may load some elements
more than once. Every branch counts as taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import MemRefType, SymbolRefAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import SymbolTable

from tinyml.dialects import scratch
from tinyml.dialects.layouts.contents import LANES
from tinyml.dialects.num.kernels.lane_functions import LaneFunctionOp
from tinyml.dialects.num.nests import ReduceOp
from tinyml.dialects.scratch import memref_type, unit_of
from tinyml.transforms.ir.buffers import is_handed_on
from tinyml.transforms.ir.indices import mean_iterations, mean_value


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
        array = scratch.root(_sized(value))
        if is_handed_on(array):
            return
        unit, size = unit_of(memref_type(value))
        count = self.counts.setdefault(array, [0.0] * 4)
        count[writes] += times * elements
        count[2 + writes] += times * elements * size / unit
        if not exact or unit > 1:
            self.inexact.add(array)

    def copy(self, op: Operation, times: float, elements: float, *, exact: bool) -> None:
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
                length = mean_value([op.count], _same)
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
                trips = mean_iterations(op)
                self.block(op.body.block, times * (1 if trips is None else trips), exact=exact and trips is not None)
            case _:
                for region in op.regions:
                    for block in region.blocks:
                        self.block(block, times, exact=False)


def _same(index: Any) -> Any:
    return index


def _looked_up(call: func.CallOp) -> Mapping[int, int]:
    declared = SymbolTable.lookup_symbol(call, call.callee)
    if declared is None or not isinstance(name := declared.attributes.get(LANES), SymbolRefAttr):
        return {}
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
    return value.owner.source if isinstance(value.owner, memref.CastOp) else value

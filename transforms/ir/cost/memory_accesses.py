"""The loads and stores of a program by array, counted in its loops (L4).

The count is static: the product of the iterations of the loops around each load and store. A call of a kernel counts
every element of its operands once, because kernels keep operands in registers; a kernel may load some more than once.
A branch counts as taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue

from tinyml.dialects import scratch
from tinyml.dialects.scratch import memref_type, unit_of
from tinyml.transforms.ir.indices import mean_iterations


@dataclass(frozen=True)
class Accesses:
    """The loads and stores of an array in one inference, and the bytes that they transfer.

    exact: false if a kernel, a branch or a loop with a bound that is computed accesses the array.
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
    """The array that a value is a part of: a view, a constant, a local array or an argument of the function.

    None for a value that may be one of several.
    """
    while isinstance(value.owner, scratch.SliceOp | memref.CastOp):
        value = value.owner.operands[0]
    if isinstance(value.owner, Block):
        return value if isinstance(value.owner.parent_op(), func.FuncOp) else None
    return value if isinstance(value.owner, scratch.ViewOp | scratch.ConstantOp | memref.AllocaOp) else None


def accesses_of(function: func.FuncOp) -> Mapping[SSAValue, Accesses]:
    """The accesses of each array of a function on L4 in one call."""
    counter = _Counter()
    counter.block(function.body.block, 1.0, exact=True)
    return {array: counter.rounded(array) for array in counter.counts}


class _Counter:
    """Counts as floats, because a loop whose bounds depend on indices has a mean number of iterations."""

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

    def block(self, block: Block, times: float, *, exact: bool) -> None:
        for op in block.ops:
            self.operation(op, times, exact=exact)

    def operation(self, op: Operation, times: float, *, exact: bool) -> None:
        match op:
            case memref.LoadOp():
                self.add(op.memref, times, 1, writes=False, exact=exact)
            case memref.StoreOp():
                self.add(op.memref, times, 1, writes=True, exact=exact)
            case memref.CopyOp() | scratch.CopyRunOp():
                source, dest = op.operands[:2]
                elements = scratch.elements_of(source) if isinstance(op, memref.CopyOp) else op.most.value.data
                self.add(source, times, elements, writes=False, exact=False)
                self.add(dest, times, elements, writes=True, exact=False)
            case func.CallOp():
                arrays = [operand for operand in op.arguments if isinstance(operand.type, MemRefType)]
                for i, operand in enumerate(arrays):
                    written = not op.results and i == len(arrays) - 1
                    elements = scratch.elements_of(_sized(operand))
                    self.add(operand, times, elements, writes=written, exact=False)
            case scf.ForOp():
                trips = mean_iterations(op)
                self.block(op.body.block, times * (1 if trips is None else trips), exact=exact and trips is not None)
            case _:
                for region in op.regions:
                    for block in region.blocks:
                        self.block(block, times, exact=False)


def _sized(value: SSAValue) -> SSAValue:
    """The operand of a call before it was cast to a run of any length."""
    return value.owner.source if isinstance(value.owner, memref.CastOp) else value

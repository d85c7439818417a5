"""`reorder-ops`: runs ops in the order that needs the least memory at once (L2, before packing)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import is_side_effect_free

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.scratch import AllocOp, ReuseOp, ViewOp, memref_type, root, size_in_bytes, unit_bytes
from tinyml.transforms.buffers.liveness.live_ranges import (
    LiveRanges,
    Range,
    erase_dead_buffers,
    hands_on,
    live_ranges,
    reshaped,
)
from tinyml.transforms.buffers.packing import Rectangle, find_peak
from tinyml.transforms.buffers.scheduling.least_peak_order import Problem, Task, least_peak
from tinyml.transforms.buffers.update_in_place import takes_place

GAP = "scratch.order_gap"


@dataclass(frozen=True)
class ReorderOpsPass(ModulePass):
    """A topological order of the ops of every block whose buffers need the least memory at once, inner blocks first.

    Ops stay as they are where no order needs less, and in functions whose loops or branches hand buffers on. The
    order is exact as long as `budget` sets of ops are enough to find it; else it is the best found, and
    `scratch.order_gap` of the function is the greatest number of bytes that it may lie above the best in any block.
    That a result can take the place of an operand of its size (`update-in-place`) is taken into account. Raises
    `InputError` for a function that has been packed.
    """

    name = "reorder-ops"
    budget: int = 10000

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.budget < 1:
            raise InputError(f"budget must be positive, got {self.budget}")
        for function in [one for one in op.walk() if isinstance(one, func.FuncOp) and not one.is_declaration]:
            if any(isinstance(inner, ViewOp | ReuseOp) for inner in function.walk()):
                raise InputError(f"the buffers of @{function.sym_name.data} have their places already")
            erase_dead_buffers(function)
            if not hands_on(function):
                gap = self._reorder(function)
                if gap:
                    function.attributes[GAP] = IntegerAttr(gap, i64)

    def _reorder(self, function: func.FuncOp) -> int:
        """The most bytes that the order of a block may lie above the best."""
        gap, live = 0, live_ranges(function)
        for block in _blocks(function):
            found = _Block(live, block)
            if not found.can_change:
                continue
            problem = found.problem
            order = least_peak(problem, self.budget)
            before = problem.peak(range(len(problem.tasks)))
            if order.peak < before:
                found.arrange(order.tasks)
                live = live_ranges(function)
            gap = max(gap, min(order.peak, before) - order.bound)
        return gap


def _blocks(op: Operation) -> Iterator[Block]:
    """The blocks of an op, inner ones first."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                yield from _blocks(inner)
            yield block


class _Block:
    """The program points of a block, its end excepted, as tasks; what has no effect goes with them."""

    def __init__(self, live: LiveRanges, block: Block) -> None:
        self.block = block
        self.ranges = live.ranges
        points = {op: point for point, op in enumerate(live.points)}
        self.steps = [op for op in block.ops if op in points and op is not block.last_op]
        self.spans = [
            Range(points[op], max(points[inner] for inner in op.walk() if inner in points)) for op in self.steps
        ]

    @cached_property
    def accesses(self) -> list[tuple[set[SSAValue], set[SSAValue]]]:
        """What each step reads and what it writes."""
        return [_accesses(op) for op in self.steps]

    @property
    def can_change(self) -> bool:
        """Is there a choice, and nothing whose effects are unknown?"""
        return len(self.steps) > 2 and all(
            isinstance(op, _KNOWN) or is_side_effect_free(op) for op in self.block.walk()
        )

    @property
    def problem(self) -> Problem:
        start, end = self.spans[0].first, self.spans[-1].last + 1
        here = [
            buffer
            for buffer, (first, last) in self.ranges.items()
            if start <= first
            and last <= end
            and not any(span.first <= first and last <= span.last for span in self.spans)
        ]
        index = {cast(SSAValue, buffer.result): i for i, buffer in enumerate(here)}
        kept = frozenset(i for i, buffer in enumerate(here) if self.ranges[buffer].last == end)
        tasks = [self._task(i, index) for i in range(len(self.steps))]
        return Problem([_bytes(buffer.result) for buffer in here], tasks, kept)

    def _task(self, i: int, index: dict[SSAValue, int]) -> Task:
        op, span = self.steps[i], self.spans[i]
        reads, writes = self.accesses[i]
        sources = self._sources(op)
        after = frozenset(
            j
            for j, (other_reads, other_writes) in enumerate(self.accesses[:i])
            if self.steps[j] in sources
            or not writes.isdisjoint(other_reads | other_writes)
            or not reads.isdisjoint(other_writes)
        )
        own = [
            Rectangle("", _bytes(buffer.result), unit_bytes(memref_type(buffer.result)), first, last)
            for buffer, (first, last) in self.ranges.items()
            if _lies_in((first, last), span)
        ]
        touches = frozenset(index[buffer] for buffer in reads | writes if buffer in index)
        makes, over = None, frozenset[int]()
        if isinstance(op, tdsl.TensorOp) and op.dest is not None:
            result = reshaped(op.dest)
            makes = index.get(result)
            over = frozenset(
                index[buffer]
                for buffer in reads - {result}
                if buffer in index and _bytes(buffer) == _bytes(result) and takes_place(op, buffer)
            )
        return Task(touches, after, find_peak(own).bytes, makes, over)

    def _sources(self, op: Operation) -> set[Operation]:
        """The steps whose results an op uses, at once or through what has no effect."""
        found: set[Operation] = set()
        pending = [op]
        while pending:
            for inner in pending.pop().walk():
                for owner in (operand.owner for operand in inner.operands):
                    if isinstance(owner, Operation) and owner.parent is self.block and owner not in found:
                        found.add(owner)
                        pending += [] if owner in self.steps else [owner]
        return found

    def arrange(self, order: Sequence[int]) -> None:
        """Puts the steps into another order; everything else comes just before it is first used."""
        everything, placed = list(self.block.ops), set[Operation]()
        end = everything.pop()
        for op in everything:
            op.detach()

        def place(op: Operation) -> None:
            if op in placed:
                return
            placed.add(op)
            for inner in op.walk():
                for owner in (operand.owner for operand in inner.operands):
                    if isinstance(owner, Operation) and owner in waiting:
                        place(owner)
            self.block.insert_op_before(op, end)

        waiting = set(everything)
        for op in (*(self.steps[i] for i in order), *everything):
            place(op)


_KNOWN = (AllocOp, memref.CopyOp, scf.ForOp, scf.IfOp, scf.YieldOp, func.ReturnOp, tdsl.TensorOp, tdsl.ReduceOp)


def _lies_in(part: tuple[int, int], span: Range) -> bool:
    return span.first <= part[0] and part[1] <= span.last


def _accesses(op: Operation) -> tuple[set[SSAValue], set[SSAValue]]:
    """The memory that an op reads and that it writes, with what is inside of it."""
    reads, writes = set[SSAValue](), set[SSAValue]()
    for inner in op.walk():
        touched = {root(value) for value in inner.operands if isinstance(value.type, MemRefType)}
        if isinstance(inner, tdsl.TensorOp) and inner.dest is not None:
            writes.add(root(inner.dest))
            reads |= {root(value) for value in inner.inputs}
        elif isinstance(inner, memref.CopyOp):
            writes |= touched
        else:
            reads |= touched
    return reads, writes


def _bytes(buffer: SSAValue) -> int:
    return size_in_bytes(memref_type(buffer))

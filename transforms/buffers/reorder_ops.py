"""`reorder-ops`: sorts ops into the order with the lowest peak memory (L2, before packing)."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
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
from tinyml.dialects.discardable_attributes import DiscardableAttribute, HolderKind, integer
from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.remarks import missed
from tinyml.dialects.scratch import AllocOp, ReuseOp, ViewOp, bytes_of, memref_type, root, unit_bytes
from tinyml.transforms.buffers.liveness.least_peak_order import OrderingProblem, Task, improved_order
from tinyml.transforms.buffers.liveness.live_ranges import (
    Buffer,
    LiveRange,
    LiveRanges,
    erase_dead_buffers,
    hands_on,
    live_ranges,
    reshaped,
)
from tinyml.transforms.buffers.overlap import overlap_distance
from tinyml.transforms.buffers.overlap.overlaps import takes_place
from tinyml.transforms.buffers.packing import Rectangle, find_peak

GAP = DiscardableAttribute(
    "scratch.order_gap",
    {HolderKind.FUNCTION: integer(0)},
    "Upper bound on the bytes by which the peak of the order of a block exceeds the optimal peak.",
)


@dataclass(frozen=True)
class ReorderOpsPass(ModulePass):
    """Sort the ops of every block into the topological order with the lowest peak memory, inner blocks first.

    Each section of a block is sorted separately. A section depends on all earlier ops, and all later ops depend on it.
    The order of a section is unchanged if no other order is better, and in functions whose loops or branches carry
    buffers. The order is optimal if `budget` sets of ops suffice to prove this. Otherwise it is the best order found.
    The attribute `scratch.order_gap` of the function then states an upper bound on the bytes by which the peak of any
    block exceeds the optimum. A result that can reuse the bytes of an operand of the same size (`update-in-place`) does
    not increase the peak.

    budget: the greatest number of sets of ops to visit for each section.

    Raises `InputError` for a function that is already packed, and for a budget that is not positive.
    """

    name = "reorder-ops"
    budget: int = 10000

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.budget < 1:
            raise InputError(f"budget must be positive, got {self.budget}")
        for function in defined_functions(op):
            if any(isinstance(inner, ViewOp | ReuseOp) for inner in function.walk()):
                raise InputError(f"the buffers of @{function.sym_name.data} have their places already")
            erase_dead_buffers(function)
            if hands_on(function):
                missed(function, "keeps its order: a loop or branch carries buffers")
            else:
                gap = self._reorder(function)
                if gap:
                    function.attributes[GAP] = IntegerAttr(gap, i64)

    def _reorder(self, function: func.FuncOp) -> int:
        """Reorder the blocks of a function. Return an upper bound, in bytes, on the difference between any
        block's peak and the optimum.
        """
        gap, live = 0, live_ranges(function)
        for block in _blocks(function):
            candidate = _Block(live, block)
            if not candidate.can_change:
                continue
            order = improved_order(candidate.problem, self.budget)
            if any(task != step for step, task in enumerate(order.tasks)):
                candidate.arrange(order.tasks)
                live = live_ranges(function)
            elif order.proven:
                missed(
                    function,
                    f"keeps the order of {len(order.tasks)} ops: their peak of {order.peak:,} bytes is minimal",
                )
            else:
                missed(function, f"keeps the order of {len(order.tasks)} ops: the search found no lower peak")
            gap = max(gap, order.peak - order.bound)
        return gap


def _blocks(op: Operation) -> Iterator[Block]:
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                yield from _blocks(inner)
            yield block


class _Block:
    """A block as tasks, called steps: one for each program point except the terminator. All other ops are placed
    before their first use.
    """

    def __init__(self, live: LiveRanges, block: Block) -> None:
        self.block = block
        self.ranges = live.ranges
        points = {op: point for point, op in enumerate(live.points)}
        self.steps = [op for op in block.ops if op in points and op is not block.last_op]
        self.spans = [LiveRange(points[op], _last_point(op, points)) for op in self.steps]

    @cached_property
    def accesses(self) -> list[tuple[set[SSAValue], set[SSAValue]]]:
        return [_accesses(op) for op in self.steps]

    @property
    def can_change(self) -> bool:
        """Whether the block has at least three steps and no op with unknown effects. The order of any other block is
        unchanged.
        """
        return len(self.steps) > 2 and all(
            isinstance(op, _KNOWN) or is_side_effect_free(op) for op in self.block.walk()
        )

    @property
    def problem(self) -> OrderingProblem:
        # The function's own block starts with the input, which is alive before its first op.
        outermost = isinstance(self.block.parent_op(), func.FuncOp)
        start, end = -1 if outermost else self.spans[0].first, self.spans[-1].last + 1
        here = [
            buffer
            for buffer, (first, last) in self.ranges.items()
            if start <= first and last <= end and buffer not in self.within
        ]
        index = {cast(SSAValue, buffer.result): i for i, buffer in enumerate(here)}
        kept = frozenset(i for i, buffer in enumerate(here) if self.ranges[buffer].last == end)
        given = frozenset(i for i, buffer in enumerate(here) if self.ranges[buffer].first < 0)
        inner = [list[Buffer]() for _ in self.steps]
        for buffer, step in self.within.items():
            inner[step].append(buffer)
        tasks = [self._task(i, inner[i], index) for i in range(len(self.steps))]
        return OrderingProblem([bytes_of(buffer.result) for buffer in here], tasks, kept, given)

    @cached_property
    def within(self) -> dict[Buffer, int]:
        starts = [span.first for span in self.spans]
        found: dict[Buffer, int] = {}
        for buffer, (first, last) in self.ranges.items():
            step = bisect_right(starts, first) - 1
            if step >= 0 and last <= self.spans[step].last:
                found[buffer] = step
        return found

    @cached_property
    def after(self) -> list[frozenset[int]]:
        readers: dict[SSAValue, list[int]] = defaultdict(list)
        writers: dict[SSAValue, list[int]] = defaultdict(list)
        after: list[frozenset[int]] = []
        for i, (op, (reads, writes)) in enumerate(zip(self.steps, self.accesses, strict=True)):
            earlier = [*(writers[memory] for memory in reads | writes), *(readers[memory] for memory in writes)]
            after.append(frozenset(self.sources[op]).union(*earlier))
            for memory in reads:
                readers[memory].append(i)
            for memory in writes:
                writers[memory].append(i)
        return after

    def _task(self, i: int, inner: Sequence[Buffer], index: dict[SSAValue, int]) -> Task:
        op, (reads, writes) = self.steps[i], self.accesses[i]
        own = [
            Rectangle("", bytes_of(buffer.result), unit_bytes(memref_type(buffer.result)), *self.ranges[buffer])
            for buffer in inner
        ]
        touches = frozenset(index[buffer] for buffer in reads | writes if buffer in index)
        makes, over = None, frozenset[int]()
        if isinstance(op, tdsl.TensorOp) and (dest := op.written) is not None:
            result = reshaped(dest)
            makes = index.get(result)
            over = frozenset(
                index[buffer]
                for buffer in reads - {result}
                if buffer in index and bytes_of(buffer) == bytes_of(result) and takes_place(op, buffer)
            )
        elif isinstance(op, scf.ForOp) and len(made := [buffer for buffer in writes if buffer in index]) == 1:
            makes, over = index[made[0]], self._under_loop(op, made[0], reads, index)
        return Task(touches, self.after[i], find_peak(own).bytes, makes, over)

    def _under_loop(
        self, loop: scf.ForOp, result: SSAValue, reads: set[SSAValue], index: dict[SSAValue, int]
    ) -> frozenset[int]:
        """The indices of the buffers that have the size of a loop's result, and whose bytes the loop may overwrite with
        this result from the first byte on.

        reads: the buffers that the loop reads.
        index: the indices of the buffers that several steps touch.
        """
        equal = [buffer for buffer in reads - {result} if buffer in index and bytes_of(buffer) == bytes_of(result)]
        if not equal:
            return frozenset()
        distances = overlap_distance.safe_distances(loop, [{buffer} for buffer in equal], {result})
        fits = (distance is not None and distance <= 0 for distance in distances)
        return frozenset(index[buffer] for buffer, fit in zip(equal, fits, strict=True) if fit)

    @cached_property
    def sources(self) -> dict[Operation, set[int]]:
        numbers = {op: i for i, op in enumerate(self.steps)}
        sources: dict[Operation, set[int]] = {}
        for op in self.block.ops:
            used = set[int]()
            for inner in op.walk():
                for operand in inner.operands:
                    owner = operand.owner
                    if isinstance(owner, Operation) and owner.parent is self.block:
                        used |= {numbers[owner]} if owner in numbers else sources[owner]
            sources[op] = used
        return sources

    def arrange(self, order: Sequence[int]) -> None:
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


def _last_point(op: Operation, points: Mapping[Operation, int]) -> int:
    return max(points[inner] for inner in op.walk() if inner in points) if op.regions else points[op]


def _accesses(op: Operation) -> tuple[set[SSAValue], set[SSAValue]]:
    """Return the set of buffers that an op reads and the set of buffers that it writes. Nested ops are included."""
    reads, writes = set[SSAValue](), set[SSAValue]()
    for inner in op.walk():
        touched = {root(value) for value in inner.operands if isinstance(value.type, MemRefType)}
        if isinstance(inner, tdsl.TensorOp) and (dest := inner.written) is not None:
            writes |= {root(dest), *map(root, inner.destroyed)}
            reads |= {root(value) for value in inner.inputs}
        elif isinstance(inner, memref.CopyOp):
            writes |= touched
        else:
            reads |= touched
    return reads, writes

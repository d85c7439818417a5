"""The least safe distance between a result and an operand that it overwrites (L2, before packing).

It follows from the bytes that an op or a loop nest reads and writes over time, computed without running it.
Loops are executed symbolically: indices are arrays with an axis for each loop, so that an access becomes arrays of its
times and bytes. Loop bounds and indices must be computed from constants and the indices of enclosing loops.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.loops import index_value
from tinyml.dialects.scratch import SliceOp, memref_type, root, size_in_bytes, unit_of
from tinyml.dialects.tdsl import PoolOp, TensorOp, WindowOp, shape_of
from tinyml.transforms.ir.buffers import is_handed_on

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.tdsl.base import Visits

    Numbers = NDArray[np.int64]

MOST_STEPS = 20_000_000
"""Limit on the steps of an access over all iterations; beyond it the analysis gives up."""


class Unknown(Exception):
    """The analysis does not cover the given IR."""


class Access(NamedTuple):
    """Reads or writes of a buffer: at each time, the bytes from start to end (exclusive) relative to the buffer."""

    buffer: SSAValue
    writes: bool
    times: Numbers
    starts: Numbers
    ends: Numbers


def accesses(op: Operation, buffers: Iterable[SSAValue]) -> list[Access]:
    """All accesses of an op, including its loops, to the given buffers.

    Raises `Unknown` for branches, for loops that carry values or are too long, for memrefs that loops or branches
    carry, and for indices that depend on data.
    """
    if any(is_handed_on(operand) for inner in op.walk() for operand in inner.operands):
        raise Unknown
    walk = _Walk(frozenset(buffers))
    walk.visit(op, 0, [])
    return walk.accesses


class _Loop(NamedTuple):
    """A loop around an op.

    indices: of its iterations, with an axis for each enclosing loop and one for itself. runs: true for indices that are
    iterations; a loop whose bounds depend on enclosing loops has as many indices as its longest run. duration: the time
    of an iteration.
    """

    variable: SSAValue
    indices: Numbers
    runs: NDArray[np.bool_]
    duration: int

    @property
    def trips(self) -> int:
        return self.indices.shape[-1]


class _Walk:
    """A walk over ops that collects their accesses.

    loops, visits: of the ops whose duration was computed before.
    """

    def __init__(self, buffers: frozenset[SSAValue]) -> None:
        self.buffers = buffers
        self.accesses: list[Access] = []
        self.loops: dict[scf.ForOp, _Loop] = {}
        self.visits: dict[TensorOp, Sequence[Visits]] = {}

    def touches(self, op: Operation) -> bool:
        return any(root(operand) in self.buffers for inner in op.walk() for operand in inner.operands)

    def duration(self, op: Operation, loops: list[_Loop]) -> int:
        """The time that an op takes: 2 for each step, which loads in its first half and stores in its second."""
        if not self.touches(op):
            return 0
        if isinstance(op, scf.ForOp):
            loop = self.loop(op, loops)
            return loop.trips * loop.duration
        if not isinstance(op, TensorOp) or op.dest is None or isinstance(op, WindowOp):
            return 2
        return 2 * sum(len(run.stores) for run in self.visits_of(op)) + 2

    def visits_of(self, op: TensorOp) -> Sequence[Visits]:
        """The steps of an op; raises `Unknown` if the windows of a pool have too many elements."""
        if op not in self.visits:
            if isinstance(op, PoolOp) and prod(shape_of(op.out)) * prod(op.window) > MOST_STEPS:
                raise Unknown
            self.visits[op] = op.visits
        return self.visits[op]

    def loop(self, op: scf.ForOp, loops: list[_Loop]) -> _Loop:
        """The iterations of a loop; raises `Unknown` if it carries values."""
        if op not in self.loops:
            self.loops[op] = self._loop(op, loops)
        return self.loops[op]

    def _loop(self, op: scf.ForOp, loops: list[_Loop]) -> _Loop:
        step = const_evaluate_operand(op.step)
        if op.iter_args or step is None:
            raise Unknown
        low, high = (self.evaluate(bound, loops)[..., None] for bound in (op.lb, op.ub))
        trips = max(int((-((low - high) // step)).max()), 0)
        if trips > MOST_STEPS:
            raise Unknown
        indices = low + step * np.arange(trips)
        loop = _Loop(op.body.block.args[0], indices, indices < high, 0)
        return loop._replace(duration=sum(self.duration(inner, [*loops, loop]) for inner in op.body.block.ops))

    def visit(self, op: Operation, time: int, loops: list[_Loop]) -> None:
        """Collect the accesses of an op that starts at `time` in the first iteration of the enclosing loops."""
        if not self.touches(op) or isinstance(op, SliceOp):
            return
        if isinstance(op, scf.ForOp):
            inside = [*loops, self.loop(op, loops)]
            for inner in op.body.block.ops:
                self.visit(inner, time, inside)
                time += self.duration(inner, inside)
        elif not isinstance(op, TensorOp) or op.dest is None:
            raise Unknown
        elif isinstance(op, WindowOp) and op.ring is None and root(op.dest) not in self.buffers:
            self.window(op, time, loops)
        else:
            self.tensor_op(op, time, loops)

    def tensor_op(self, op: TensorOp, time: int, loops: list[_Loop]) -> None:
        assert op.dest is not None
        runs = self.visits_of(op)
        stepwise = {value for value in op.inputs if any(value is operand for run in runs for operand, _ in run.loads)}
        begin = time
        for run in runs:
            if not len(run.stores):
                continue
            steps = 2 * np.arange(len(run.stores))
            for operand, elements in run.loads:
                self.add(operand, False, begin + steps, elements.min(1), elements.max(1), loops)
            self.add(op.dest, True, begin + 1 + steps, run.stores, run.stores, loops)
            begin += 2 * len(run.stores)
        for operand in set(op.inputs) - stepwise:
            whole = np.array([0]), np.array([prod(shape_of(operand)) - 1])
            self.add(operand, False, np.array([begin]), *whole, loops)

    def window(self, op: WindowOp, time: int, loops: list[_Loop]) -> None:
        """Record reads from the first to the last element of windows inside the image."""
        _, rows, columns, channels = op.held
        down, across, deep = op.pitches
        _, height, width, _ = shape_of(op.out)
        top, left = self.evaluate(op.top, loops), self.evaluate(op.left, loops)
        last = top + (height - 1) * op.spread[0], left + op.steps[-1] + (width - 1) * op.spread[1]
        first = np.clip(top, 0, rows - 1) * down + np.clip(left, 0, columns - 1) * across
        end = np.clip(last[0], 0, rows - 1) * down + np.clip(last[1], 0, columns - 1) * across + (channels - 1) * deep
        self.record(
            op.image,
            False,
            np.array([time]),
            first[..., None],
            end[..., None],
            loops,
        )

    def add(
        self, value: SSAValue, writes: bool, times: Numbers, first: Numbers, last: Numbers, loops: Sequence[_Loop]
    ) -> None:
        """Record an access to the elements of a memref from first to last, inclusive."""
        if root(value) in self.buffers:
            self.record(value, writes, times, first, last, loops)

    def record(
        self, value: SSAValue, writes: bool, times: Numbers, first: Numbers, last: Numbers, loops: Sequence[_Loop]
    ) -> None:
        """Record an access.

        times: in the first iteration. first and last may have an axis for each loop before the axis of times.
        """
        shape = (*(loop.trips for loop in loops), len(times))
        if prod(shape) > MOST_STEPS:
            raise Unknown
        origin = self.offset(value, loops)[..., None]
        runs = np.ones((1,) * len(shape), bool)
        for axis, loop in enumerate(loops):
            times = times + _along(axis, len(shape), loop.duration * np.arange(loop.trips))
            runs = runs & _ranked(loop.runs, len(shape))
        length, size = unit_of(memref_type(value))
        starts, ends = (origin + first) // length * size, ((origin + last) // length + 1) * size
        taken = np.broadcast_to(runs, shape).reshape(-1)
        every = [np.broadcast_to(numbers, shape).reshape(-1)[taken] for numbers in (times, starts, ends)]
        self.accesses.append(Access(root(value), writes, *every))

    def offset(self, value: SSAValue, loops: Sequence[_Loop]) -> Numbers:
        """The offset of a memref in its buffer, in elements, with an axis for each loop."""
        total = np.zeros((1,) * len(loops), np.int64)
        while isinstance(slice := value.owner, SliceOp):
            total = total + self.evaluate(slice.offset, loops)
            value = slice.source
        return total

    def evaluate(self, value: SSAValue, loops: Sequence[_Loop]) -> Numbers:
        """An index value, with an axis for each loop."""
        found = index_value(value, {loop.variable: _ranked(loop.indices, len(loops)) for loop in loops})
        if found is None:
            raise Unknown
        return np.zeros((1,) * len(loops), np.int64) + found


def _along(axis: int, rank: int, values: Numbers) -> Numbers:
    """Values along one of `rank` axes."""
    return values.reshape([-1 if i == axis else 1 for i in range(rank)])


def _ranked(values: NDArray[Any], rank: int) -> NDArray[Any]:
    """Values with trailing axes of extent 1 added, up to `rank` axes."""
    return values.reshape(values.shape + (1,) * (rank - values.ndim))


def safe_distance(op: Operation, operands: Collection[SSAValue], results: Collection[SSAValue]) -> int | None:
    """The least number of bytes by which an operand has to start above the result that an op or loop nest writes.

    operands, results: the memrefs by which each buffer is accessed. A negative distance lets the operand start below
    the result; at minus the operand's size it ends at the start of the result. None if the op writes the operand, or
    its accesses are unknown. At the least distance no byte is written before the last read of the operand's content
    there: a write that ends at byte w of the result stays below byte m of the operand, the lowest unread one, if the
    operand starts at least w - m bytes above the result.
    """
    try:
        every = accesses(op, [*operands, *results])
    except Unknown:
        return None
    reads = [access for access in every if access.buffer in operands]
    writes = [access for access in every if access.buffer in results and access.writes]
    if any(access.writes for access in reads):
        return None
    if not reads or not writes:
        return 0
    least = -max(size_in_bytes(memref_type(operand)) for operand in operands)
    times, starts = (np.concatenate(part) for part in zip(*((read.times, read.starts) for read in reads), strict=True))
    order = np.argsort(times, kind="stable")
    # Entry i is the lowest byte that read i or a later one needs.
    lowest = np.minimum.accumulate(starts[order][::-1])[::-1]
    distance = least
    for write in writes:
        following = np.searchsorted(times[order], write.times, side="right")
        pending = following < len(lowest)
        if pending.any():
            distance = max(distance, int((write.ends[pending] - lowest[following[pending]]).max()))
    return distance

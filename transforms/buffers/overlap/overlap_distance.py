"""The accesses of loop nests to buffers over time (L2, before packing).

A result may overwrite an operand if the operand starts a safe distance above the result. This distance follows from the
bytes that an op or a loop nest reads and writes over time. The accesses also show which nests fill a buffer. They are
computed without executing the nest iteration by iteration. Instead, loops run symbolically: an index is an array with
an axis for each loop. An access therefore becomes arrays of times and bytes. Loop bounds and indices must be computed
from constants and the indices of enclosing loops.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.scratch import memref_type, root, size_in_bytes, unit_of
from tinyml.dialects.tdsl import TensorOp
from tinyml.transforms.buffers.overlap.op_steps import (
    MAX_STEPS,
    Steps,
    Unknown,
    index_of,
    steps_of,
    sum_of,
    touches,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

NO_ACCESS = 1 << 62
"""The time of an access that does not happen."""


class Access(NamedTuple):
    """The bytes of a buffer that an op reads or writes over time.

    times: the time of each access.
    starts, ends: for each access, its first byte and its exclusive end.
    """

    buffer: SSAValue
    writes: bool
    times: Numbers
    starts: Numbers
    ends: Numbers


def accesses(op: Operation, buffers: Collection[SSAValue]) -> list[Access]:
    """All accesses of an op to the given buffers, including the accesses in its loops.

    Raises `Unknown` for branches, for loops that carry values or are too long, for memrefs that loops or branches
    carry, and for indices that depend on data.
    """
    walk = _Walk(buffers)
    walk.visit(op, 0, [])
    return walk.accesses


class _Loop(NamedTuple):
    """A loop around an op.

    indices: the index in each iteration, with an axis for each enclosing loop and one for this loop. If the bounds
        depend on enclosing loops, there are as many indices as the longest execution has iterations.
    runs: for each of the indices, whether the loop executes an iteration with it.
    duration: the time of an iteration, in steps.
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

    loops: a cache of the loops, with their indices.
    steps: a cache of the steps of each op.
    """

    def __init__(self, buffers: Collection[SSAValue]) -> None:
        self.buffers = buffers
        self.accesses: list[Access] = []
        self.loops: dict[scf.ForOp, _Loop] = {}
        self.steps: dict[TensorOp, Sequence[Steps]] = {}

    def duration(self, op: Operation, loops: list[_Loop]) -> int:
        """The duration of an op in steps. It is at least 1 for an op that accesses a buffer, and 0 for any other op."""
        if not touches(op, self.buffers):
            return 0
        if isinstance(op, scf.ForOp):
            loop = self.loop(op, loops)
            return loop.trips * loop.duration
        return 1 + max((int(steps.times[-1]) for steps in self.steps_of(op)), default=0)

    def steps_of(self, op: Operation) -> Sequence[Steps]:
        assert isinstance(op, TensorOp)
        if op not in self.steps:
            self.steps[op] = steps_of(op, self.buffers)
        return self.steps[op]

    def loop(self, op: scf.ForOp, loops: list[_Loop]) -> _Loop:
        if op not in self.loops:
            self.loops[op] = self._loop(op, loops)
        return self.loops[op]

    def _loop(self, op: scf.ForOp, loops: list[_Loop]) -> _Loop:
        if (step := const_evaluate_operand(op.step)) is None:
            raise Unknown
        known = _known(loops)
        low, high = (_on_axes(index_of(bound, known), loops)[..., None] for bound in (op.lb, op.ub))
        trips = max(int((-((low - high) // step)).max()), 0)
        if trips > MAX_STEPS:
            raise Unknown
        indices = low + step * np.arange(trips)
        loop = _Loop(op.body.block.args[0], indices, indices < high, 0)
        return loop._replace(duration=sum(self.duration(inner, [*loops, loop]) for inner in op.body.block.ops))

    def visit(self, op: Operation, time: int, loops: list[_Loop]) -> None:
        if not touches(op, self.buffers):
            return
        if isinstance(op, scf.ForOp):
            inside = [*loops, self.loop(op, loops)]
            for inner in op.body.block.ops:
                self.visit(inner, time, inside)
                time += self.duration(inner, inside)
            return
        for steps in self.steps_of(op):
            self.record(steps, time, loops)

    def record(self, steps: Steps, time: int, loops: Sequence[_Loop]) -> None:
        shape = (*(loop.trips for loop in loops), len(steps.times))
        if prod(shape) > MAX_STEPS:
            raise Unknown
        known = _known(loops)
        first, last = steps.elements.min(1), steps.elements.max(1)
        if (window := steps.window) is not None:
            corner = (_on_axes(index_of(index, known), loops)[..., None] for index in (window.top, window.left))
            first, last = window.span(*corner)
        origin = _on_axes(sum_of(steps.start, known), loops)[..., None]
        times, runs = time + steps.times, np.ones((1,) * len(shape), bool)
        for axis, loop in enumerate(loops):
            times = times + _along(axis, len(shape), loop.duration * np.arange(loop.trips))
            runs = runs & _ranked(loop.runs, len(shape))
        length, size = unit_of(memref_type(steps.value))
        starts, ends = (origin + first) // length * size, ((origin + last) // length + 1) * size
        taken = np.broadcast_to(runs, shape).reshape(-1)
        every = [np.broadcast_to(numbers, shape).reshape(-1)[taken] for numbers in (times, starts, ends)]
        self.accesses.append(Access(root(steps.value), steps.writes, *every))


def _known(loops: Sequence[_Loop]) -> dict[SSAValue, Numbers]:
    return {loop.variable: _ranked(loop.indices, len(loops)) for loop in loops}


def _on_axes(index: Any, loops: Sequence[_Loop]) -> Numbers:
    return np.zeros((1,) * len(loops), np.int64) + index


def _along(axis: int, rank: int, values: Numbers) -> Numbers:
    return values.reshape([-1 if i == axis else 1 for i in range(rank)])


def _ranked(values: NDArray[Any], rank: int) -> NDArray[Any]:
    return values.reshape(values.shape + (1,) * (rank - values.ndim))


def safe_distances(
    op: Operation, operands: Sequence[Collection[SSAValue]], results: Collection[SSAValue]
) -> list[int | None]:
    """For each operand, the least number of bytes by which it must start above the result that an op or loop nest
    writes.

    None for an operand to which the op writes, or if the accesses are unknown. A negative distance allows the
    operand to start below the result. At minus the operand's size, the operand ends at the start of the result.

    At the least distance, no byte of the operand is overwritten before its last read. Consider a write to the
    result that ends at byte w, and let m be the lowest byte of the operand that is still to be read. The write
    stays below byte m if the operand starts at least w - m bytes above the result.

    operands, results: the memrefs by which each buffer is accessed.
    """
    try:
        every = accesses(op, {*results, *(value for operand in operands for value in operand)})
    except Unknown:
        if len(operands) == 1:
            return [None]
        # If one operand's accesses are unknown, those of the others may still be known.
        return [distance for one in operands for distance in safe_distances(op, [one], results)]
    of_buffers: dict[SSAValue, list[Access]] = defaultdict(list)
    for access in every:
        of_buffers[access.buffer].append(access)
    writes = [access for result in results for access in of_buffers[result] if access.writes]
    written = [np.concatenate(part) for part in zip(*((write.times, write.ends) for write in writes), strict=True)]
    return [
        _safe_distance(operand, [one for part in operand for one in of_buffers[part]], written) for operand in operands
    ]


def _safe_distance(operand: Collection[SSAValue], reads: Sequence[Access], written: Sequence[Numbers]) -> int | None:
    """The least safe distance of one operand, in bytes. It is 0 if the operand is not read or the result is not
    written. None if the operand is written.

    reads: the accesses to the operand.
    written: two arrays, the times of writes to the result and the bytes at which the writes end.
    """
    if any(access.writes for access in reads):
        return None
    if not reads or not written:
        return 0
    least = -max(size_in_bytes(memref_type(value)) for value in operand)
    times, starts = (np.concatenate(part) for part in zip(*((read.times, read.starts) for read in reads), strict=True))
    order = np.argsort(times, kind="stable")
    # Entry i is the lowest byte that read i or a later one needs.
    lowest = np.minimum.accumulate(starts[order][::-1])[::-1]
    write_times, ends = written
    following = np.searchsorted(times[order], write_times, side="right")
    pending = following < len(lowest)
    return max(least, int((ends[pending] - lowest[following[pending]]).max(initial=least)))


def fills(loop: scf.ForOp, buffer: SSAValue) -> bool:
    """Whether a loop writes all bytes of a buffer, each before it reads the byte. False if the accesses are unknown or
    more than `MAX_STEPS`.
    """
    first = {writes: np.full(size_in_bytes(memref_type(buffer)), NO_ACCESS) for writes in (True, False)}
    try:
        for access in accesses(loop, [buffer]):
            bytes, times = _by_byte(access)
            np.minimum.at(first[access.writes], bytes, times)
    except Unknown:
        return False
    return bool((first[True] < np.minimum(first[False], NO_ACCESS)).all())


def may_replace(loop: scf.ForOp, operand: SSAValue, result: SSAValue) -> bool:
    """Whether a loop may write a result to the bytes of an operand of the same size: it reads each byte of the operand
    for the last time before it writes the byte of the result with the same index, and writes nothing to the operand.
    False if the accesses are unknown or more than `MAX_STEPS`.
    """
    size = size_in_bytes(memref_type(operand))
    last_reads, first_writes = np.full(size, -1), np.full(size, NO_ACCESS)
    try:
        for access in accesses(loop, [operand, result]):
            bytes, times = _by_byte(access)
            if access.buffer is result and access.writes:
                np.minimum.at(first_writes, bytes, times)
            elif access.buffer is operand:
                if access.writes:
                    return False
                np.maximum.at(last_reads, bytes, times)
    except Unknown:
        return False
    return bool((last_reads < first_writes).all())


def _by_byte(access: Access) -> tuple[Numbers, Numbers]:
    """The bytes of an access, and the time of each. Raises `Unknown` for more than `MAX_STEPS` bytes."""
    lengths = access.ends - access.starts
    if (total := int(lengths.sum())) > MAX_STEPS:
        raise Unknown
    offsets = np.arange(total) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.repeat(access.starts, lengths) + offsets, np.repeat(access.times, lengths)

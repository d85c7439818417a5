"""The accesses of loop nests to bytes of buffers, for verifying overlaps (L2).

The loops are executed iteration by iteration, on addresses only. If only the times of accesses matter, the iterations
of a nest of loops are executed together, in arrays with an entry for each iteration.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.scratch import memref_type, root, size_in_bytes, unit_of
from tinyml.dialects.tdsl import TensorOp, shape_of
from tinyml.transforms.buffers.overlap.op_steps import (
    Steps,
    Unknown,
    index_of,
    steps_of,
    sum_of,
    touches,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_AT_ONCE = 1 << 20
"""Maximum number of accessed elements for which the iterations of a nest are executed together."""


def reads_precede_writes(op: Operation, written: SSAValue, shifts: Mapping[SSAValue, int]) -> dict[SSAValue, bool]:
    """For each buffer in `shifts`, whether an op reads the bytes shared with `written` before it writes them: the
    last read of each shared byte must precede the first write to the byte.

    False for a buffer that is also written, and if the bytes that the op accesses are unknown.

    shifts: for each buffer, the number of bytes from its start to the start of `written`.
    """
    last_reads = {read: np.full(_size(read), -1) for read in shifts}
    first_writes = np.full(_size(written), np.iinfo(np.int64).max)
    changed: set[SSAValue] = set()
    clock = 0
    try:
        for accesses in _executed(op, {written, *shifts}, at_once=True):
            for access in accesses:
                if access.writes and access.buffer is written:
                    np.minimum.at(first_writes, access.bytes, clock + access.times)
                elif access.writes:
                    changed.add(access.buffer)
                elif access.buffer in last_reads:
                    np.maximum.at(last_reads[access.buffer], access.bytes, clock + access.times)
            clock += 1 + max((int(access.times.max()) for access in accesses), default=0)
    except Unknown:
        if len(shifts) == 1:
            return dict.fromkeys(shifts, False)
        # What is not known of one buffer may be known of the others.
        return {read: reads_precede_writes(op, written, {read: shift})[read] for read, shift in shifts.items()}
    return {
        read: read not in changed and _precede(last_reads[read][max(shift, 0) :], first_writes[max(-shift, 0) :])
        for read, shift in shifts.items()
    }


def _precede(last_reads: NDArray[np.int64], first_writes: NDArray[np.int64]) -> bool:
    shared = min(len(last_reads), len(first_writes))
    return bool((last_reads[:shared] < first_writes[:shared]).all())


def overwrites(loop: scf.ForOp, buffer: SSAValue) -> bool:
    """Whether a loop writes all bytes of a buffer, each before it reads the byte. False if the accesses are unknown."""
    written = np.zeros(_size(buffer), bool)
    try:
        return all(_holds(accesses, buffer, written) for accesses in _executed(loop, {buffer})) and bool(written.all())
    except Unknown:
        return False


def rewrites_before_reading(loop: scf.ForOp, read: SSAValue, lost: SSAValue, shift: int) -> bool:
    """Whether a loop that destroys bytes of `read` by writing to `lost` writes each of these bytes of `read` again
    before it reads the byte. False if the bytes that an op accesses are unknown.

    shift: the number of bytes from the start of `read` to the start of `lost`.
    """
    held = np.zeros(_size(read), bool)
    try:
        for accesses in _executed(loop, {read, lost}):
            destroyed = [access.bytes + shift for access in accesses if access.writes and access.buffer is lost]
            if not _holds(accesses, read, held) or (destroyed and any(each.buffer is read for each in accesses)):
                return False
            for bytes in destroyed:
                held[bytes[(bytes >= 0) & (bytes < len(held))]] = False
    except Unknown:
        return False
    return True


class _Access(NamedTuple):
    """The bytes of a buffer that an op reads or writes, and the time of each access, counted from the start of the
    op.
    """

    buffer: SSAValue
    writes: bool
    times: NDArray[np.int64]
    bytes: NDArray[np.int64]


def _holds(accesses: Sequence[_Access], buffer: SSAValue, held: NDArray[np.bool_]) -> bool:
    own = [access for access in accesses if access.buffer is buffer]
    if not all(held[access.bytes].all() for access in own if not access.writes):
        return False
    for access in own:
        if access.writes:
            held[access.bytes] = True
    return True


def _size(buffer: SSAValue) -> int:
    return size_in_bytes(memref_type(buffer))


def _executed(op: Operation, buffers: Collection[SSAValue], *, at_once: bool = False) -> Iterator[list[_Access]]:
    execution = _Execution(buffers, at_once)
    return execution.run(op, {}) if touches(op, buffers) else iter(())


class _Nest(NamedTuple):
    """An op in all iterations of the loops around it that are executed together.

    indices: the loop indices, as integers or as arrays with an entry for each iteration.
    parents, numbers: for each iteration of a loop, the position of the iteration around it, and its number in the loop.
    inside: the ops of a loop.
    duration: an upper bound on the time that one execution of the op takes or, for a loop, that one iteration takes.
    """

    op: Operation
    indices: Mapping[SSAValue, Any]
    parents: NDArray[np.int64]
    numbers: NDArray[np.int64]
    inside: Sequence[_Nest]
    duration: int

    @property
    def whole(self) -> int:
        return self.duration * (int(self.numbers.max(initial=-1)) + 1)


class _Execution:
    """The execution of loops on addresses.

    at_once: as in `_executed`.
    """

    def __init__(self, buffers: Collection[SSAValue], at_once: bool) -> None:
        self.buffers, self.at_once = buffers, at_once
        self.one = np.zeros(1, np.int64)
        self.within = cache(self._within)
        self.steps = cache(self._steps)

    def _within(self, loop: scf.ForOp) -> Sequence[Operation]:
        return [inner for inner in loop.body.block.ops if touches(inner, self.buffers)]

    def _steps(self, op: TensorOp) -> Sequence[Steps]:
        return steps_of(op, self.buffers)

    def run(self, op: Operation, indices: Mapping[SSAValue, int]) -> Iterator[list[_Access]]:
        if isinstance(op, TensorOp):
            yield self._together(_Nest(op, indices, self.one, self.one, (), self._duration(op)), self.one)
        elif isinstance(op, scf.ForOp):
            if self.at_once and (nest := self._nest(op, indices, 1)) is not None:
                yield self._together(nest, self.one)
                return
            for i in range(*(int(index_of(bound, indices)) for bound in op.operands)):
                for inner in self.within(op):
                    yield from self.run(inner, {**indices, op.body.block.args[0]: i})

    def _duration(self, op: TensorOp) -> int:
        return 1 + max((int(each.times.max()) for each in self.steps(op)), default=0)

    def _nest(self, op: Operation, indices: Mapping[SSAValue, Any], count: int) -> _Nest | None:
        if isinstance(op, TensorOp):
            if count * sum(map(_most_elements, self.steps(op))) > _AT_ONCE:
                return None
            return _Nest(op, indices, self.one, self.one, (), self._duration(op))
        assert isinstance(op, scf.ForOp)
        low, high, step = (np.zeros(count, np.int64) + index_of(bound, indices) for bound in op.operands)
        trips = np.maximum(-((low - high) // step), 0)
        total = int(trips.sum())
        if total > _AT_ONCE:
            return None
        parents = np.repeat(np.arange(count), trips)
        numbers = np.arange(total) - np.repeat(np.cumsum(trips) - trips, trips)
        own = {variable: values[parents] if np.ndim(values) else values for variable, values in indices.items()}
        own[op.body.block.args[0]] = low[parents] + step[parents] * numbers
        inside: list[_Nest] = []
        for inner in self.within(op) if total else ():
            if (nest := self._nest(inner, own, total)) is None:
                return None
            inside.append(nest)
        return _Nest(op, own, parents, numbers, inside, sum(nest.whole for nest in inside))

    def _together(self, nest: _Nest, starts: NDArray[np.int64]) -> list[_Access]:
        if isinstance(nest.op, TensorOp):
            return [_access(each, nest.indices, starts) for each in self.steps(nest.op)]
        starts = starts[nest.parents] + nest.numbers * nest.duration
        found: list[_Access] = []
        for inner in nest.inside:
            found += self._together(inner, starts)
            starts = starts + inner.whole
        return found


def _most_elements(steps: Steps) -> int:
    """An upper bound on the number of elements that the given steps of an op access."""
    if (window := steps.window) is None:
        return steps.elements.size
    rows = (shape_of(window.out)[1] - 1) * window.spread[0] + 1
    return min(steps.elements.size, rows * window.pitches[0])


def _access(steps: Steps, indices: Mapping[SSAValue, Any], starts: NDArray[np.int64]) -> _Access:
    origins = np.zeros(len(starts), np.int64) + sum_of(steps.start, indices)
    if (window := steps.window) is None:
        positions = origins[:, None, None] + steps.elements
        times = np.broadcast_to((starts[:, None] + steps.times)[:, :, None], positions.shape)
    else:
        first, last = window.span(index_of(window.top, indices), index_of(window.left, indices))
        first, last = (np.zeros(len(starts), np.int64) + each for each in (first, last))
        lengths = last + 1 - first
        iteration = np.repeat(np.arange(len(starts)), lengths)
        offsets = np.arange(len(iteration)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        positions, times = origins[iteration] + first[iteration] + offsets, starts[iteration] + steps.times[0]
    length, size = unit_of(memref_type(steps.value))
    bytes = np.add.outer(positions.reshape(-1) // length * size, np.arange(size)).reshape(-1)
    return _Access(root(steps.value), steps.writes, np.repeat(times.reshape(-1), size), bytes)

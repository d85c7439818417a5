"""The accesses of loop nests to bytes of buffers, for verifying overlaps (L2).

The loops are executed iteration by iteration, on addresses only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.scratch import memref_type, root, size_in_bytes, unit_of
from tinyml.dialects.tdsl import TensorOp
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


def reads_precede_writes(op: Operation, written: SSAValue, shifts: Mapping[SSAValue, int]) -> dict[SSAValue, bool]:
    """For each buffer in `shifts`, whether an op reads the bytes shared with `written` before it writes them: the
    last read of each shared byte must precede the first write to the byte.

    False for a buffer that is also written, and if the bytes that the op accesses are unknown.

    shifts: for each buffer, the number of bytes from its start to the start of `written`.
    """
    last_reads = {read: np.full(_size(read), -1) for read in shifts}
    first_writes = np.full(_size(written), 1 << 62)
    changed: set[SSAValue] = set()
    clock = 0
    try:
        for accesses in _executed(op, {written, *shifts}):
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
    """Whether the last read of each byte precedes its first write. Both arrays start at the first byte that two
    buffers share.
    """
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
    """Whether an op reads only bytes of a buffer that `held` marks as valid. The bytes that the op writes are then
    marked as valid, too.
    """
    own = [access for access in accesses if access.buffer is buffer]
    if not all(held[access.bytes].all() for access in own if not access.writes):
        return False
    for access in own:
        if access.writes:
            held[access.bytes] = True
    return True


def _size(buffer: SSAValue) -> int:
    return size_in_bytes(memref_type(buffer))


def _executed(op: Operation, buffers: Collection[SSAValue]) -> Iterator[list[_Access]]:
    """Yield the accesses of each op to the given buffers, in the order of execution. Raises `Unknown` in the same
    cases as `touches`.
    """
    indices: dict[SSAValue, int] = {}

    @cache
    def within(loop: scf.ForOp) -> Sequence[Operation]:
        return [inner for inner in loop.body.block.ops if touches(inner, buffers)]

    @cache
    def steps(op: TensorOp) -> Sequence[Steps]:
        return steps_of(op, buffers)

    def run(op: Operation) -> Iterator[list[_Access]]:
        if isinstance(op, scf.ForOp):
            for i in range(*(int(index_of(bound, indices)) for bound in op.operands)):
                indices[op.body.block.args[0]] = i
                for inner in within(op):
                    yield from run(inner)
        elif isinstance(op, TensorOp):
            yield [_access(each, indices) for each in steps(op)]

    return run(op) if touches(op, buffers) else iter(())


def _access(steps: Steps, indices: Mapping[SSAValue, int]) -> _Access:
    """The accesses of the given steps of an op in the iteration with the given loop indices."""
    elements = steps.elements
    if (window := steps.window) is not None:
        first, last = window.span(index_of(window.top, indices), index_of(window.left, indices))
        elements = np.arange(int(first), int(last) + 1)[None]
    length, size = unit_of(memref_type(steps.value))
    units: NDArray[np.int64] = (sum_of(steps.start, indices) + elements) // length * size
    bytes = np.add.outer(units, np.arange(size)).reshape(len(steps.times), -1)
    times = np.broadcast_to(steps.times[:, None], bytes.shape)
    return _Access(root(steps.value), steps.writes, times.reshape(-1), bytes.reshape(-1))

"""The least safe distance between a result and an operand that it overwrites (L2, before packing)."""

from __future__ import annotations

from collections.abc import Collection

from xdsl.ir import Operation, SSAValue

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.scratch import memref_type, size_in_bytes
from tinyml.transforms.buffers.overlap.accesses import Unknown, accesses


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

"""The smallest safe distance of an operand from a result that overwrites it (L2, before packing)."""

from __future__ import annotations

from collections.abc import Collection

from xdsl.ir import Operation, SSAValue

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.scratch import memref_type, size_in_bytes
from tinyml.transforms.buffers.overlap.accesses import Unknown, accesses


def safe_distance(op: Operation, operands: Collection[SSAValue], results: Collection[SSAValue]) -> int | None:
    """The least bytes by which a buffer has to begin above another one that an op, or a loop nest, writes.

    operands, results: the memrefs by which each buffer is accessed. A negative distance lets the operand begin below
    the result; at minus its own size no byte of it lies above the beginning of the result. None if the op writes the
    operand, or its accesses are unknown. At the least distance no byte is written before the operand's content there
    has been read for the last time: a write that ends at byte w of the result lies below byte m of the operand, the
    lowest that is still to be read, if the operand begins at least w - m bytes above the result.
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
    # Entry i is the lowest byte that reads i and later still need; no byte after the last.
    lowest = np.minimum.accumulate(starts[order][::-1])[::-1]
    distance = least
    for write in writes:
        following = np.searchsorted(times[order], write.times, side="right")
        pending = following < len(lowest)
        if pending.any():
            distance = max(distance, int((write.ends[pending] - lowest[following[pending]]).max()))
    return distance

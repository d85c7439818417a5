"""Results that reuse the bytes of operands, and the choice among these operands."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.layouts.packed_bits import group_length, touched_bytes
from tinyml.dialects.scratch import ReuseOp, bytes_of, element_bytes, elements_of, memref_type, packed_bits, root
from tinyml.transforms.buffers.liveness.live_ranges import Buffer, LiveRanges, live_ranges, reshaped
from tinyml.transforms.buffers.overlap.overlap_distance import safe_distance

LEAST_TRIALS = 20
"""The least number of parts into which the effort is divided."""


def exchange_sources(function: func.FuncOp, height: Callable[[float], int]) -> dict[ReuseOp, SSAValue]:
    """Let results reuse the bytes of a different operand where that lowers the height by at least one percent.

    The operands of a sum of two images often die together, and their earlier lives decide how well each continues as
    the result. height: packs the function in its current state with a share of the effort, and returns the height in
    bytes; all shares add up to at most 1. Returns the previous operand of each changed result.
    """
    former: dict[ReuseOp, SSAValue] = {}
    choices = list(_choices(function))
    share = 1 / max(len(choices) + 1, LEAST_TRIALS)
    lowest = height(share) if choices else 0
    for reuse, source in choices:
        before = reuse.source
        reuse.operands[0] = source
        if (new := height(share)) <= lowest - max(lowest // 100, 1):
            former.setdefault(reuse, before)
            lowest = new
        else:
            reuse.operands[0] = before
    return former


def _choices(function: func.FuncOp) -> Iterator[tuple[ReuseOp, SSAValue]]:
    """Yield results that reuse the bytes of an operand, each with another operand of the same size."""
    live = live_ranges(function)
    for reuse, alive in live.ranges.items():
        op = live.points[alive.first - 1]
        if not isinstance(reuse, ReuseOp) or not isinstance(op, tdsl.TensorOp) or op.dest is None:
            continue
        if reshaped(op.dest) is not reuse.result:
            continue
        for value in op.inputs:
            buffer = root(value).owner
            if isinstance(buffer, Buffer) and _is_choice(reuse, buffer, op, live):
                yield reuse, buffer.result


def _is_choice(reuse: ReuseOp, buffer: Buffer, op: tdsl.TensorOp, live: LiveRanges) -> bool:
    """True if a result could reuse the bytes of another buffer, an operand of its op."""
    if buffer.result in (reuse.source, reuse.result) or live.points[live.ranges[buffer].last] is not op:
        return False
    known = buffer.parent is reuse.parent and buffer.is_before_in_block(reuse)
    return known and bytes_of(buffer.result) == bytes_of(reuse.source) and takes_place(op, buffer.result)


def takes_place(op: tdsl.TensorOp, buffer: SSAValue) -> bool:
    """True if the elements of an op's result may overwrite a buffer from its start while they are computed from it."""
    operands = [operand for operand in op.inputs if root(operand) is buffer]
    if any(reshaped(operand) is not buffer for operand in operands):
        return False
    packed = any(packed_bits(memref_type(value)) is not None for value in (op.out, *operands))
    if packed or all(elements_of(operand) == elements_of(op.out) for operand in operands):
        out = memref_type(op.out)
        in_place = all(op.reads_in_place(operand) and _no_wider(out, memref_type(operand)) for operand in operands)
        if packed or in_place:
            return in_place
    distance = safe_distance(op, {buffer}, {root(op.out)})
    return distance is not None and distance <= 0


def _no_wider(result: MemRefType[Attribute], operand: MemRefType[Attribute]) -> bool:
    """True if element i of a result in an operand's bytes only takes bytes of the operand's first i elements.

    Packed elements share bytes with later ones, so that packed operands have to be packed alike.
    """
    bits, bytes = packed_bits(result), element_bytes(operand)
    if packed_bits(operand) is not None:
        return bits == packed_bits(operand)
    if bits is None:
        return element_bytes(result) <= bytes
    return all(touched_bytes(count, bits) <= count * bytes for count in range(1, group_length(bits) + 1))
